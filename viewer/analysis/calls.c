/* SPDX-License-Identifier: MIT
 *
 * Owns the figures of blocking calls by (call, site), and the list of calls
 * that never ended.
 */
#include "viewer/analysis/analysis.h"

#include <stdlib.h>

#include "viewer/map.h"

/* NULL: there are too many sites. */
static struct call_row *row_of(struct calls *calls, int64_t call, uint64_t site)
{
	uint64_t key = site ^ (uint64_t)call << 48; /* addresses have 47 bits */
	struct call_row *row = map_get(&calls->index, key);

	if (row || calls->row_count == CALL_SITES_MAX)
		return row;
	row = must_alloc(1, sizeof *row);
	row->call = call;
	row->site = site;
	calls->rows = must_grow(calls->rows, calls->row_count + 1, sizeof row);
	calls->rows[calls->row_count++] = row;
	map_put(&calls->index, key, row);
	return row;
}

/* When full, the shortest of those kept is replaced by a longer one. */
static void add_in_flight(struct calls *calls, const struct call_fact *call)
{
	struct call_in_flight entry = {
	    .call = call->call,
	    .site = call->site,
	    .arg = call->arg,
	    .task = call->task,
	    .tid = call->tid,
	    .start = call->start,
	    .for_ns = call->duration,
	};
	size_t shortest = 0;

	calls->in_flight_total++;
	if (calls->in_flight_count < IN_FLIGHT_MAX) {
		calls->in_flight =
		    must_grow(calls->in_flight, calls->in_flight_count + 1, sizeof entry);
		calls->in_flight[calls->in_flight_count++] = entry;
		return;
	}
	for (size_t i = 1; i < IN_FLIGHT_MAX; i++) {
		if (calls->in_flight[i].for_ns < calls->in_flight[shortest].for_ns)
			shortest = i;
	}
	if (calls->in_flight[shortest].for_ns < entry.for_ns)
		calls->in_flight[shortest] = entry;
}

void calls_call(struct calls *calls, const struct call_fact *call)
{
	struct call_row *row = row_of(calls, call->call, call->site);
	int64_t duration = call->duration > 0 ? call->duration : 0;

	calls->count++;
	if (call->in_flight)
		add_in_flight(calls, call);
	else
		calls->shorts += call->path == 0;
	if (!row) {
		calls->unlisted++;
		return;
	}
	row->count++;
	row->shorts += !call->in_flight && call->path == 0;
	row->total += duration;
	if (duration > row->max)
		row->max = duration;
}

static int by_total(const void *a, const void *b)
{
	const struct call_row *x = *(struct call_row *const *)a, *y = *(struct call_row *const *)b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->site < y->site ? -1 : x->site > y->site;
}

static int by_length(const void *a, const void *b)
{
	const struct call_in_flight *x = a, *y = b;

	if (x->for_ns != y->for_ns)
		return x->for_ns < y->for_ns ? 1 : -1;
	return x->task.task < y->task.task ? -1 : x->task.task > y->task.task;
}

void calls_finish(struct calls *calls)
{
	if (calls->row_count)
		qsort(calls->rows, calls->row_count, sizeof *calls->rows, by_total);
	if (calls->in_flight_count)
		qsort(calls->in_flight, calls->in_flight_count, sizeof *calls->in_flight,
		      by_length);
}

void calls_free(struct calls *calls)
{
	for (size_t i = 0; i < calls->row_count; i++)
		free(calls->rows[i]);
	map_free(&calls->index);
	free(calls->rows);
	free(calls->in_flight);
}
