/* SPDX-License-Identifier: MIT
 *
 * Owns the worst waits (starvation; waits for a P after a call) and their
 * culprits: the tasks that ran while the other one waited.
 *
 * A wait is known when it is over, so who ran lately is kept: RAN_MAX spans.
 * When that is full its older half is accounted to the waits kept so far and
 * forgotten.  A wait that began before what is still kept says so in
 * known_from.  A task that ran all the time has one span, which comes when it
 * stops; so a wait collects culprits until the end of the record.
 */
#include "viewer/analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#define RAN_MAX 65536
#define KIND_MAX 4 /* incidents of tasks with the same function */

struct ran {
	int64_t from, to;
	struct task_name task;
};

/* --- culprits ------------------------------------------------------------------*/

/* How long each task ran in some spans. */
struct tally {
	struct map places; /* by task: place in items, from 1 */
	struct culprit *items;
	size_t count, capacity;
	int64_t all_ns;
};

static void tally_add(struct tally *tally, const struct task_name *task, int64_t ns)
{
	uintptr_t place = (uintptr_t)map_get(&tally->places, task->task);

	tally->all_ns += ns;
	if (place) {
		tally->items[place - 1].ran_ns += ns;
		return;
	}
	if (tally->count == tally->capacity) {
		tally->capacity = tally->capacity ? 2 * tally->capacity : 64;
		tally->items = must_grow(tally->items, tally->capacity, sizeof *tally->items);
	}
	tally->items[tally->count++] = (struct culprit){*task, ns};
	map_put(&tally->places, task->task, (void *)(uintptr_t)tally->count);
}

static void tally_spans(struct tally *tally, const struct ran *ran, size_t count, int64_t from,
			int64_t to)
{
	for (size_t i = 0; i < count; i++) {
		int64_t begin = between(ran[i].from, from, to);
		int64_t end = between(ran[i].to, from, to);

		if (end > begin)
			tally_add(tally, &ran[i].task, end - begin);
	}
}

static void tally_free(struct tally *tally)
{
	map_free(&tally->places);
	free(tally->items);
}

static unsigned octave_of(int64_t ns)
{
	return 63 - (unsigned)__builtin_clzll((uint64_t)ns | 1);
}

/* The least octave of which, with all above, there are enough to fill a list. */
static unsigned least_octave(const struct tally *tally)
{
	size_t counts[64] = {0}, above = 0;
	unsigned octave = 63;

	for (size_t i = 0; i < tally->count; i++)
		counts[octave_of(tally->items[i].ran_ns)]++;
	while ((above += counts[octave]) < CULPRITS_MAX && octave > 0)
		octave--;
	return octave;
}

/* When the list is full, a longer one replaces the shortest. */
static void blame(struct incident *incident, const struct culprit *more)
{
	struct culprit *shortest = NULL;

	for (unsigned i = 0; i < incident->culprit_count; i++) {
		struct culprit *culprit = &incident->culprits[i];

		if (culprit->task.task == more->task.task) {
			culprit->ran_ns += more->ran_ns;
			return;
		}
		if (!shortest || culprit->ran_ns < shortest->ran_ns)
			shortest = culprit;
	}
	if (incident->culprit_count < CULPRITS_MAX)
		incident->culprits[incident->culprit_count++] = *more;
	else if (shortest->ran_ns < more->ran_ns)
		*shortest = *more;
}

/* Only those that may get on the list: in a crowd there are many more. */
static void blame_all(struct incident *incident, const struct tally *tally)
{
	unsigned octave = least_octave(tally);
	unsigned room = 2 * CULPRITS_MAX; /* of the least octave */

	incident->all_ran_ns += tally->all_ns;
	for (size_t i = 0; i < tally->count; i++) {
		unsigned its = octave_of(tally->items[i].ran_ns);

		if (its > octave || (its == octave && room > 0 && room--))
			blame(incident, &tally->items[i]);
	}
}

/* Some spans, and the time that they lie in. */
struct batch {
	const struct ran *ran;
	size_t count;
	int64_t from, to;
	struct tally all;
};

static struct batch make_batch(const struct ran *ran, size_t count)
{
	struct batch batch = {.ran = ran, .count = count, .from = INT64_MAX, .to = INT64_MIN};

	for (size_t i = 0; i < count; i++) {
		batch.from = ran[i].from < batch.from ? ran[i].from : batch.from;
		batch.to = ran[i].to > batch.to ? ran[i].to : batch.to;
	}
	if (count > 0)
		tally_spans(&batch.all, ran, count, batch.from, batch.to);
	return batch;
}

static void account(struct incident_list *list, const struct batch *batch)
{
	for (unsigned i = 0; i < list->count; i++) {
		struct incident *incident = &list->worst[i];
		struct tally part = {0};

		if (incident->to <= batch->from || incident->from >= batch->to)
			continue;
		if (incident->from <= batch->from && incident->to >= batch->to) {
			blame_all(incident, &batch->all);
			continue;
		}
		tally_spans(&part, batch->ran, batch->count, incident->from, incident->to);
		blame_all(incident, &part);
		tally_free(&part);
	}
}

static void account_first(struct incidents *incidents, size_t count)
{
	struct batch batch = make_batch(incidents->ran, count);

	account(&incidents->starvation, &batch);
	account(&incidents->p_wait, &batch);
	if (batch.to > incidents->forgotten)
		incidents->forgotten = batch.to;
	tally_free(&batch.all);
}

static void forget_half(struct incidents *incidents)
{
	size_t half = RAN_MAX / 2;

	account_first(incidents, half);
	incidents->ran_count -= half;
	memmove(incidents->ran, incidents->ran + half, incidents->ran_count * sizeof(struct ran));
}

void incidents_proc_span(struct incidents *incidents, const struct proc_span *span)
{
	if (span->state != PROC_RUNNING && span->state != PROC_IN_CALL)
		return;
	if (incidents->ran_count == RAN_MAX)
		forget_half(incidents);
	if (incidents->ran_count == incidents->ran_capacity) {
		incidents->ran_capacity =
		    incidents->ran_capacity ? 2 * incidents->ran_capacity : 64;
		incidents->ran =
		    must_grow(incidents->ran, incidents->ran_capacity, sizeof *incidents->ran);
	}
	incidents->ran[incidents->ran_count++] = (struct ran){span->from, span->to, span->task};
}

/* --- waits ---------------------------------------------------------------------*/

static int64_t length_of(const struct incident *incident)
{
	return incident->to - incident->from;
}

/* One kind of task must not crowd out all others: at most KIND_MAX of them are
 * kept, and when the list is full the kind with the most makes room. */
static unsigned kin_of(const struct incident_list *list, uint64_t fn)
{
	unsigned kin = 0;

	for (unsigned i = 0; i < list->count; i++)
		kin += list->worst[i].task.fn == fn;
	return kin;
}

static struct incident *shortest_of(struct incident_list *list, uint64_t fn)
{
	struct incident *shortest = NULL;

	for (unsigned i = 0; i < list->count; i++) {
		struct incident *incident = &list->worst[i];

		if (incident->task.fn == fn &&
		    (!shortest || length_of(incident) < length_of(shortest)))
			shortest = incident;
	}
	return shortest;
}

static uint64_t biggest_kind(const struct incident_list *list)
{
	uint64_t fn = 0;
	unsigned most = 0;

	for (unsigned i = 0; i < list->count; i++) {
		unsigned kin = kin_of(list, list->worst[i].task.fn);

		if (kin > most) {
			most = kin;
			fn = list->worst[i].task.fn;
		}
	}
	return fn;
}

static struct incident *place_for(struct incident_list *list, uint64_t fn, int64_t length)
{
	unsigned kin = kin_of(list, fn);
	struct incident *place;

	if (kin < KIND_MAX && list->count < INCIDENTS_MAX)
		return &list->worst[list->count++];
	if (kin == 0) {
		uint64_t biggest = biggest_kind(list);

		place = shortest_of(list, biggest);
		/* Where every kind has one only, the longer one stays. */
		if (kin_of(list, biggest) > 1)
			return place;
	} else {
		place = shortest_of(list, fn);
	}
	return length_of(place) < length ? place : NULL;
}

static void add(struct incidents *incidents, struct incident_list *list,
		const struct task_span *span)
{
	struct incident *incident = place_for(list, span->task.fn, span->to - span->from);

	list->total++;
	list->open_total += span->open;
	stats_add(&list->lengths, span->to - span->from);
	if (!incident)
		return;
	incident->task = span->task;
	incident->from = span->from;
	incident->to = span->to;
	incident->open = span->open;
	incident->uncertain = span->uncertain;
	incident->known_from =
	    incidents->forgotten > span->from ? incidents->forgotten : span->from;
	incident->culprit_count = 0;
	incident->all_ran_ns = 0;
}

void incidents_task_span(struct incidents *incidents, const struct task_span *span)
{
	if (span->state == TASK_RUNNABLE && span->to - span->from > STARVATION_NS)
		add(incidents, &incidents->starvation, span);
	else if (span->state == TASK_WAITING_FOR_P)
		add(incidents, &incidents->p_wait, span);
}

static int by_ran(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;

	if (x->ran_ns != y->ran_ns)
		return x->ran_ns < y->ran_ns ? 1 : -1;
	return x->task.task < y->task.task ? -1 : x->task.task > y->task.task;
}

static int by_length(const void *a, const void *b)
{
	const struct incident *x = a, *y = b;

	if (length_of(x) != length_of(y))
		return length_of(x) < length_of(y) ? 1 : -1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static void sort(struct incident_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		qsort(list->worst[i].culprits, list->worst[i].culprit_count, sizeof(struct culprit),
		      by_ran);
	qsort(list->worst, list->count, sizeof(struct incident), by_length);
}

void incidents_finish(struct incidents *incidents)
{
	account_first(incidents, incidents->ran_count);
	free(incidents->ran);
	incidents->ran = NULL;
	incidents->ran_count = incidents->ran_capacity = 0;
	sort(&incidents->starvation);
	sort(&incidents->p_wait);
}

/* The longest of each kind first, then the longest of all. */
unsigned incidents_pick(const struct incident_list *list, const struct incident **picked,
			unsigned most)
{
	bool taken[INCIDENTS_MAX] = {false};
	unsigned count = 0;

	for (unsigned i = 0; i < list->count && count < most; i++) {
		bool first = true;

		for (unsigned j = 0; j < i; j++)
			first = first && list->worst[j].task.fn != list->worst[i].task.fn;
		taken[i] = first;
		count += first;
	}
	for (unsigned i = 0; i < list->count && count < most; i++) {
		count += !taken[i];
		taken[i] = true;
	}
	count = 0;
	for (unsigned i = 0; i < list->count; i++) {
		if (taken[i])
			picked[count++] = &list->worst[i];
	}
	return count;
}

void incidents_free(struct incidents *incidents)
{
	free(incidents->ran);
	stats_free(&incidents->starvation.lengths);
	stats_free(&incidents->p_wait.lengths);
}
