/* SPDX-License-Identifier: MIT
 *
 * Owns thread growth by cause: a row for each (cause, call, site).
 *
 * A thread that a call made necessary is told while that call goes on, and
 * mostly without a stack; the call's own end brings it, so the row waits for
 * the end of (worker, call_seq).  There is at most one such wait for a worker.
 */
#include "viewer/analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/map.h"

struct growth_wait {
	uint64_t call_seq;
	size_t row;
};

static size_t row_of(struct growth *growth, const struct creation_fact *creation)
{
	for (size_t i = 0; i < growth->count; i++) {
		const struct growth_row *row = &growth->rows[i];

		if (row->cause == creation->cause && row->call == creation->call &&
		    row->site == creation->site)
			return i;
	}
	growth->rows = must_grow(growth->rows, growth->count + 1, sizeof *growth->rows);
	growth->rows[growth->count] = (struct growth_row){
	    .cause = creation->cause,
	    .call = creation->call,
	    .site = creation->site,
	};
	return growth->count++;
}

static bool same_stack(const struct event_stack *a, const struct event_stack *b)
{
	return a->depth == b->depth && memcmp(a->pc, b->pc, a->depth * sizeof *a->pc) == 0;
}

static void copy_stack(struct event_stack *to, const struct event_stack *from)
{
	to->depth = from->depth;
	memcpy(to->pc, from->pc, from->depth * sizeof *from->pc);
}

/* Stacks beyond the first few are not told apart. */
static void add_stack(struct growth_row *row, const struct event_stack *stack)
{
	for (unsigned i = 0; i < row->stack_count; i++) {
		if (same_stack(&row->stacks[i].stack, stack)) {
			row->stacks[i].threads++;
			return;
		}
	}
	if (row->stack_count < GROWTH_STACKS_MAX) {
		row->stacks[row->stack_count].threads = 1;
		copy_stack(&row->stacks[row->stack_count++].stack, stack);
	}
}

static void wait_for_stack(struct growth *growth, const struct creation_fact *creation, size_t row)
{
	uint64_t worker = (uint64_t)creation->call_worker;
	struct growth_wait *wait = map_get(&growth->waits, worker);

	if (!wait) {
		wait = must_alloc(1, sizeof *wait);
		map_put(&growth->waits, worker, wait);
	}
	*wait = (struct growth_wait){creation->call_seq, row};
}

void growth_creation(struct growth *growth, const struct creation_fact *creation)
{
	size_t index = row_of(growth, creation);
	struct growth_row *row = &growth->rows[index];

	if (creation->result != 0) {
		row->failed++;
		row->error = creation->result;
		return;
	}
	row->threads++;
	if (creation->stack && creation->stack->depth > 0)
		add_stack(row, creation->stack);
	else if (creation->call_worker >= 0)
		wait_for_stack(growth, creation, index);
}

void growth_call(struct growth *growth, const struct call_fact *call)
{
	uint64_t worker = (uint64_t)call->worker;
	struct growth_wait *wait;

	if (growth->waits.count == 0 || !(wait = map_get(&growth->waits, worker)) ||
	    wait->call_seq > call->call_seq)
		return;
	if (wait->call_seq == call->call_seq && call->stack && call->stack->depth > 0)
		add_stack(&growth->rows[wait->row], call->stack);
	free(map_take(&growth->waits, worker));
}

static int by_threads(const void *a, const void *b)
{
	const struct growth_row *x = a, *y = b;

	if (x->threads != y->threads)
		return x->threads < y->threads ? 1 : -1;
	if (x->failed != y->failed)
		return x->failed < y->failed ? 1 : -1;
	return x->site < y->site ? -1 : x->site > y->site;
}

static int by_stack_threads(const void *a, const void *b)
{
	const struct growth_stack *x = a, *y = b;

	return x->threads < y->threads ? 1 : x->threads > y->threads ? -1 : 0;
}

void growth_finish(struct growth *growth)
{
	for (size_t i = 0; i < growth->count; i++)
		qsort(growth->rows[i].stacks, growth->rows[i].stack_count,
		      sizeof *growth->rows[i].stacks, by_stack_threads);
	if (growth->count)
		qsort(growth->rows, growth->count, sizeof *growth->rows, by_threads);
}

void growth_free(struct growth *growth)
{
	struct growth_wait *wait;

	for (size_t at = 0; (wait = map_next(&growth->waits, &at));)
		free(wait);
	map_free(&growth->waits);
	free(growth->rows);
}
