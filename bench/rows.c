/* SPDX-License-Identifier: MIT
 *
 * The rows of gtrace-bench, and their figures.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/rows.h"

enum {
	OWN_YIELD,
	OWN_SPAWN,
	OWN_CHANNEL,
	OWN_CALL,
	OWN_READ,
	OWN_THREAD_READ,
	OWN_SINGLE_READ,
	OWN_PARKED,
	THREADS_SWITCH,
	THREADS_SPAWN,
	THREADS_ROUND_TRIP,
	THREADS_ROUND_TRIP_ONE_CPU,
	PRELOADED_READ,
	RECORDED_READ,
	PRELOADED_THREAD_READ,
	PRELOADED_SINGLE_READ,
	EVENT,
	BOOST_YIELD,
	BOOST_SPAWN,
	BOOST_CHANNEL,
	BOOST_PARKED,
	GO_YIELD,
	GO_SPAWN,
	GO_CHANNEL,
	GO_CALL,
	GO_PARKED,
	SOURCES,
};

struct source sources[SOURCES] = {
    [OWN_YIELD] = {.kind = SOURCE_OWN, .what = "yield"},
    [OWN_SPAWN] = {.kind = SOURCE_OWN, .what = "spawn"},
    [OWN_CHANNEL] = {.kind = SOURCE_OWN, .what = "channel"},
    [OWN_CALL] = {.kind = SOURCE_OWN, .what = "call"},
    [OWN_READ] = {.kind = SOURCE_OWN, .what = "read"},
    [OWN_THREAD_READ] = {.kind = SOURCE_OWN, .what = "thread_read"},
    [OWN_SINGLE_READ] = {.kind = SOURCE_OWN, .what = "single_read"},
    [OWN_PARKED] = {.kind = SOURCE_OWN, .what = "parked_bytes"},
    [THREADS_SWITCH] = {.kind = SOURCE_OWN, .what = "threads_switch"},
    [THREADS_SPAWN] = {.kind = SOURCE_OWN, .what = "threads_spawn"},
    [THREADS_ROUND_TRIP] = {.kind = SOURCE_OWN, .what = "threads_round_trip"},
    [THREADS_ROUND_TRIP_ONE_CPU] = {.kind = SOURCE_OWN, .what = "threads_round_trip_one_cpu"},
    [PRELOADED_READ] = {.kind = SOURCE_PRELOADED, .what = "read"},
    [PRELOADED_THREAD_READ] = {.kind = SOURCE_PRELOADED, .what = "thread_read"},
    [PRELOADED_SINGLE_READ] = {.kind = SOURCE_PRELOADED, .what = "single_read"},
    [RECORDED_READ] = {.kind = SOURCE_RECORDED, .what = "few_reads"},
    [EVENT] = {.kind = SOURCE_EVENT, .what = "event"},
    [BOOST_YIELD] = {.kind = SOURCE_BOOST, .what = "yield"},
    [BOOST_SPAWN] = {.kind = SOURCE_BOOST, .what = "spawn"},
    [BOOST_CHANNEL] = {.kind = SOURCE_BOOST, .what = "channel"},
    [BOOST_PARKED] = {.kind = SOURCE_BOOST, .what = "parked_bytes"},
    [GO_YIELD] = {.kind = SOURCE_GO, .what = "yield"},
    [GO_SPAWN] = {.kind = SOURCE_GO, .what = "spawn"},
    [GO_CHANNEL] = {.kind = SOURCE_GO, .what = "channel"},
    [GO_CALL] = {.kind = SOURCE_GO, .what = "call"},
    [GO_PARKED] = {.kind = SOURCE_GO, .what = "parked_bytes"},
};

const int source_count = SOURCES;

/* clang-format off */
#define ROW(name_, unit_, source_, minus_, ...) \
	{.name = name_, .unit = unit_, .source = source_, .minus = minus_, .peers = {__VA_ARGS__}}

struct row rows[] = {
	ROW("yield", "ns", OWN_YIELD, -1,
	    {"boost.fiber", BOOST_YIELD},
	    {"Go", GO_YIELD},
	    {"pthreads, one CPU", THREADS_SWITCH}),
	ROW("spawn", "ns", OWN_SPAWN, -1,
	    {"boost.fiber", BOOST_SPAWN},
	    {"Go", GO_SPAWN},
	    {"pthreads", THREADS_SPAWN}),
	ROW("channel", "ns", OWN_CHANNEL, -1,
	    {"boost.fiber", BOOST_CHANNEL},
	    {"Go", GO_CHANNEL},
	    {"pthreads, one CPU", THREADS_ROUND_TRIP_ONE_CPU},
	    {"pthreads", THREADS_ROUND_TRIP}),
	ROW("call", "ns", OWN_CALL, -1, {"Go, cgo", GO_CALL}),
	ROW("parked_bytes", "bytes", OWN_PARKED, -1,
	    {"boost.fiber", BOOST_PARKED},
	    {"Go", GO_PARKED}),
	ROW("read_bare", "ns", OWN_READ, -1, {NULL, 0}),
	ROW("read_preloaded", "ns", PRELOADED_READ, -1, {"read_bare", OWN_READ}),
	ROW("read_recorded", "ns", RECORDED_READ, -1, {"read_bare", OWN_READ}),
	ROW("lttng_event", "ns", EVENT, -1, {NULL, 0}),
	ROW("added_preloaded", "ns", PRELOADED_READ, OWN_READ, {NULL, 0}),
	ROW("added_recorded", "ns", RECORDED_READ, OWN_READ, {"lttng_event", EVENT}),
	ROW("thread_read_bare", "ns", OWN_THREAD_READ, -1, {NULL, 0}),
	ROW("thread_read_preloaded", "ns", PRELOADED_THREAD_READ, -1,
	    {"thread_read_bare", OWN_THREAD_READ}),
	ROW("thread_added_preloaded", "ns", PRELOADED_THREAD_READ, OWN_THREAD_READ, {NULL, 0}),
	ROW("single_added_preloaded", "ns", PRELOADED_SINGLE_READ, OWN_SINGLE_READ, {NULL, 0}),
};
/* clang-format on */

const int row_count = sizeof(rows) / sizeof(rows[0]);

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

bool source_figure(int number, double *figure, const char **why)
{
	const struct source *source = &sources[number];
	double sorted[MAX_ROUNDS];
	int count = source->count;

	*why = source->why;
	if (*source->why || !count)
		return false;
	memcpy(sorted, source->values, sizeof(sorted[0]) * (size_t)count);
	qsort(sorted, (size_t)count, sizeof(sorted[0]), compare);
	*figure = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
	return true;
}

bool row_figure(const struct row *row, double *figure, const char **why)
{
	double less = 0;

	if (!source_figure(row->source, figure, why))
		return false;
	if (row->minus >= 0 && !source_figure(row->minus, &less, why))
		return false;
	*figure -= less;
	return true;
}
