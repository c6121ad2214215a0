/* SPDX-License-Identifier: MIT
 *
 * Owns what each P did over time, in TIMELINE_BUCKETS buckets.
 *
 * Where the length of the record is not known yet, buckets begin at 1 us and
 * pairs of them become one whenever time outgrows them, so memory stays the
 * same and at least half of the buckets are in use.  Counters add an interval
 * in constant time: its whole buckets as a change at either end.
 */
#include "viewer/analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_WIDTH 1000

static void counter_begin(struct timeline_counter *counter)
{
	counter->now = must_alloc(TIMELINE_BUCKETS, sizeof *counter->now);
	counter->change = must_alloc(TIMELINE_BUCKETS + 1, sizeof *counter->change);
}

void timeline_begin(struct timeline *timeline, int64_t from, int64_t length)
{
	timeline->from = from;
	timeline->to = INT64_MAX;
	timeline->width = FIRST_WIDTH;
	if (length > 0) {
		timeline->to = from + length;
		timeline->width = (length + TIMELINE_BUCKETS - 1) / TIMELINE_BUCKETS;
	}
	counter_begin(&timeline->waiting);
	counter_begin(&timeline->starving);
	counter_begin(&timeline->threads);
	timeline->thread_time = from;
}

/* --- widening ------------------------------------------------------------------*/

static void fold_changes(struct timeline_counter *counter)
{
	float sum = 0;

	for (int i = 0; i < TIMELINE_BUCKETS; i++) {
		sum += counter->change[i];
		counter->now[i] += sum;
	}
	memset(counter->change, 0, (TIMELINE_BUCKETS + 1) * sizeof *counter->change);
}

static void widen_counter(struct timeline_counter *counter)
{
	int half = TIMELINE_BUCKETS / 2;

	fold_changes(counter);
	for (int i = 0; i < half; i++)
		counter->now[i] = (counter->now[2 * i] + counter->now[2 * i + 1]) / 2;
	memset(counter->now + half, 0, (size_t)half * sizeof *counter->now);
}

static void widen_lane(float (*lane)[PROC_STATE_COUNT])
{
	int half = TIMELINE_BUCKETS / 2;

	for (int i = 0; i < half; i++) {
		for (int state = 0; state < PROC_STATE_COUNT; state++)
			lane[i][state] = lane[2 * i][state] + lane[2 * i + 1][state];
	}
	memset(lane + half, 0, (size_t)half * sizeof *lane);
}

static void widen(struct timeline *timeline)
{
	for (int64_t i = 0; i < timeline->lane_count; i++) {
		if (timeline->lanes[i])
			widen_lane(timeline->lanes[i]);
	}
	widen_counter(&timeline->waiting);
	widen_counter(&timeline->starving);
	widen_counter(&timeline->threads);
	timeline->width *= 2;
}

/* Cut to the window, as ns after its begin; widen until it fits.  False: it is
 * not in the window. */
static bool fit(struct timeline *timeline, int64_t *from, int64_t *to)
{
	if (*from < timeline->from)
		*from = timeline->from;
	if (*to > timeline->to)
		*to = timeline->to;
	if (*to <= *from)
		return false;
	*from -= timeline->from;
	*to -= timeline->from;
	while (*to / TIMELINE_BUCKETS >= timeline->width)
		widen(timeline);
	return true;
}

/* --- adding --------------------------------------------------------------------*/

static float (*lane_of(struct timeline *timeline, int64_t proc))[PROC_STATE_COUNT]
{
	if (proc >= timeline->lane_count) {
		timeline->lanes =
		    must_grow(timeline->lanes, (size_t)proc + 1, sizeof *timeline->lanes);
		for (int64_t i = timeline->lane_count; i <= proc; i++)
			timeline->lanes[i] = NULL;
		timeline->lane_count = proc + 1;
	}
	if (!timeline->lanes[proc])
		timeline->lanes[proc] = must_alloc(TIMELINE_BUCKETS, sizeof *timeline->lanes[proc]);
	return timeline->lanes[proc];
}

void timeline_proc_span(struct timeline *timeline, const struct proc_span *span)
{
	int64_t from = span->from, to = span->to;
	float(*lane)[PROC_STATE_COUNT];

	if (!fit(timeline, &from, &to))
		return;
	lane = lane_of(timeline, span->proc);
	while (from < to) {
		int64_t bucket = from / timeline->width;
		int64_t end = (bucket + 1) * timeline->width;

		if (end > to)
			end = to;
		lane[bucket][span->state] += (float)(end - from);
		from = end;
	}
}

static void count_interval(struct timeline *timeline, struct timeline_counter *counter,
			   int64_t from, int64_t to, float weight)
{
	int64_t first, last;
	float width;

	if (!fit(timeline, &from, &to))
		return;
	first = from / timeline->width;
	last = to / timeline->width;
	width = (float)timeline->width;
	if (first == last) {
		counter->now[first] += weight * (float)(to - from) / width;
		return;
	}
	counter->now[first] += weight * (float)((first + 1) * timeline->width - from) / width;
	counter->change[first + 1] += weight;
	counter->change[last] -= weight;
	if (last < TIMELINE_BUCKETS)
		counter->now[last] += weight * (float)(to - last * timeline->width) / width;
}

void timeline_task_span(struct timeline *timeline, const struct task_span *span)
{
	if (span->state == TASK_WAITING_FOR_P)
		count_interval(timeline, &timeline->waiting, span->from, span->to, 1);
	else if (span->state == TASK_RUNNABLE && span->to - span->from > STARVATION_NS)
		count_interval(timeline, &timeline->starving, span->from + STARVATION_NS, span->to,
			       1);
}

void timeline_threads(struct timeline *timeline, int64_t time, int64_t count)
{
	bool inside = time > timeline->from && timeline->thread_time < timeline->to;

	if (inside && timeline->thread_count > 0) {
		count_interval(timeline, &timeline->threads, timeline->thread_time, time,
			       (float)timeline->thread_count);
		if (timeline->thread_low == 0 || timeline->thread_count < timeline->thread_low)
			timeline->thread_low = timeline->thread_count;
		if (timeline->thread_count > timeline->thread_high)
			timeline->thread_high = timeline->thread_count;
	}
	timeline->thread_time = time;
	timeline->thread_count = count;
}

void timeline_finish(struct timeline *timeline, int64_t end)
{
	timeline_threads(timeline, end, timeline->thread_count);
	fold_changes(&timeline->waiting);
	fold_changes(&timeline->starving);
	fold_changes(&timeline->threads);
	if (timeline->to > end)
		timeline->to = end > timeline->from ? end : timeline->from;
}

static void counter_free(struct timeline_counter *counter)
{
	free(counter->now);
	free(counter->change);
}

void timeline_free(struct timeline *timeline)
{
	for (int64_t i = 0; i < timeline->lane_count; i++)
		free(timeline->lanes[i]);
	free(timeline->lanes);
	counter_free(&timeline->waiting);
	counter_free(&timeline->starving);
	counter_free(&timeline->threads);
}
