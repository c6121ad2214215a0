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

struct ran {
	int64_t from, to;
	struct task_name task;
};

/* --- culprits ------------------------------------------------------------------*/

/* When full, a longer one replaces the shortest. */
static void blame(struct incident *incident, const struct ran *ran, int64_t ns)
{
	struct culprit *shortest = NULL;

	incident->all_ran_ns += ns;
	for (unsigned i = 0; i < incident->culprit_count; i++) {
		struct culprit *culprit = &incident->culprits[i];

		if (culprit->task.task == ran->task.task) {
			culprit->ran_ns += ns;
			return;
		}
		if (!shortest || culprit->ran_ns < shortest->ran_ns)
			shortest = culprit;
	}
	if (incident->culprit_count < CULPRITS_MAX)
		incident->culprits[incident->culprit_count++] = (struct culprit){ran->task, ns};
	else if (shortest->ran_ns < ns)
		*shortest = (struct culprit){ran->task, ns};
}

static void account(struct incident_list *list, const struct ran *ran)
{
	for (unsigned i = 0; i < list->count; i++) {
		struct incident *incident = &list->worst[i];
		int64_t from = ran->from > incident->from ? ran->from : incident->from;
		int64_t to = ran->to < incident->to ? ran->to : incident->to;

		if (to > from)
			blame(incident, ran, to - from);
	}
}

static void account_first(struct incidents *incidents, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct ran *ran = &incidents->ran[i];

		account(&incidents->starvation, ran);
		account(&incidents->p_wait, ran);
		if (ran->to > incidents->forgotten)
			incidents->forgotten = ran->to;
	}
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

static struct incident *place_for(struct incident_list *list, int64_t length)
{
	struct incident *shortest = list->worst;

	if (list->count < INCIDENTS_MAX)
		return &list->worst[list->count++];
	for (unsigned i = 1; i < list->count; i++) {
		if (length_of(&list->worst[i]) < length_of(shortest))
			shortest = &list->worst[i];
	}
	return length_of(shortest) < length ? shortest : NULL;
}

static void add(struct incidents *incidents, struct incident_list *list,
		const struct task_span *span)
{
	struct incident *incident = place_for(list, span->to - span->from);

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

void incidents_free(struct incidents *incidents)
{
	free(incidents->ran);
	stats_free(&incidents->starvation.lengths);
	stats_free(&incidents->p_wait.lengths);
}
