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
	OWN_PARKED,
	THREADS_SWITCH,
	THREADS_SPAWN,
	THREADS_ROUND_TRIP,
	THREADS_ROUND_TRIP_ONE_CPU,
	PRELOADED_READ,
	RECORDED_READ,
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
    [OWN_YIELD] = {SOURCE_OWN, "yield"},
    [OWN_SPAWN] = {SOURCE_OWN, "spawn"},
    [OWN_CHANNEL] = {SOURCE_OWN, "channel"},
    [OWN_CALL] = {SOURCE_OWN, "call"},
    [OWN_READ] = {SOURCE_OWN, "read"},
    [OWN_PARKED] = {SOURCE_OWN, "parked_bytes"},
    [THREADS_SWITCH] = {SOURCE_OWN, "threads_switch"},
    [THREADS_SPAWN] = {SOURCE_OWN, "threads_spawn"},
    [THREADS_ROUND_TRIP] = {SOURCE_OWN, "threads_round_trip"},
    [THREADS_ROUND_TRIP_ONE_CPU] = {SOURCE_OWN, "threads_round_trip_one_cpu"},
    [PRELOADED_READ] = {SOURCE_PRELOADED, "read"},
    [RECORDED_READ] = {SOURCE_RECORDED, "read"},
    [EVENT] = {SOURCE_EVENT, "event"},
    [BOOST_YIELD] = {SOURCE_BOOST, "yield"},
    [BOOST_SPAWN] = {SOURCE_BOOST, "spawn"},
    [BOOST_CHANNEL] = {SOURCE_BOOST, "channel"},
    [BOOST_PARKED] = {SOURCE_BOOST, "parked_bytes"},
    [GO_YIELD] = {SOURCE_GO, "yield"},
    [GO_SPAWN] = {SOURCE_GO, "spawn"},
    [GO_CHANNEL] = {SOURCE_GO, "channel"},
    [GO_CALL] = {SOURCE_GO, "call"},
    [GO_PARKED] = {SOURCE_GO, "parked_bytes"},
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
