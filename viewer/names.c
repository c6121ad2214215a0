/* SPDX-License-Identifier: MIT
 *
 * Owns the tables of words, made from tracer/vocabulary.h.
 */
#include "viewer/names.h"

#include <stddef.h>

#include "tracer/vocabulary.h"
#include "viewer/model/model.h"

#define NUMBERED(name, number) [number] = #name,
#define LABELLED(label, name, number) [number] = label,
static const char *const calls[] = {GTRACE_CALLS(NUMBERED)};
static const char *const modes[] = {GTRACE_PRELOAD_MODES(LABELLED)};
static const char *const handoff_modes[] = {GTRACE_MODES(LABELLED)};
static const char *const causes[] = {GTRACE_CREATE_CAUSES(LABELLED)};
#undef NUMBERED
#undef LABELLED

static const char *const cause_texts[] = {
    [GTRACE_CREATE_START] = "the thread that called grt_run",
    [GTRACE_CREATE_PRESPAWN] = "workers made at the start (GRT_PRESPAWN)",
    [GTRACE_CREATE_CALL] = "a blocking call",
    [GTRACE_CREATE_RUNNABLE] = "a task became runnable beside an idle P",
    [GTRACE_CREATE_LOCKED] = "a locked task stopped: its P needs another worker",
    [GTRACE_CREATE_SYSMON_THREAD] = "the runtime's own sysmon",
};

#define LOOK_UP(table, number)                                                                     \
	((number) >= 0 && (number) < (int64_t)(sizeof(table) / sizeof *(table)) && (table)[number] \
	     ? (table)[number]                                                                     \
	     : "?")

const char *name_of_call(int64_t call)
{
	return LOOK_UP(calls, call);
}

const char *name_of_mode(int64_t preload_mode)
{
	return LOOK_UP(modes, preload_mode);
}

const char *name_of_handoff_mode(int64_t mode)
{
	return LOOK_UP(handoff_modes, mode);
}

const char *name_of_cause(int64_t cause)
{
	return cause == CREATION_BY_PROGRAM ? "program" : LOOK_UP(causes, cause);
}

const char *text_of_cause(int64_t cause)
{
	return cause == CREATION_BY_PROGRAM ? "the program itself" : LOOK_UP(cause_texts, cause);
}
