/* SPDX-License-Identifier: MIT
 *
 * Wait groups: a count, and the tasks that wait for it to be zero.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/scheduler.h"
#undef errno

struct wait_group {
	struct lock lock;
	struct task *waiting; /* last in, first woken */
	int64_t count;
};

_Static_assert(sizeof(struct wait_group) <= sizeof(struct grt_wait_group), "opaque is too small");

static struct wait_group *group(struct grt_wait_group *wg)
{
	return (struct wait_group *)wg;
}

void grt_wait_group_add(struct grt_wait_group *wg, int64_t n)
{
	struct wait_group *self = group(wg);
	struct task *waiting = NULL;
	bool bad;

	lock_acquire(&self->lock);
	bad = __builtin_add_overflow(self->count, n, &self->count) || self->count < 0;
	if (self->count == 0) {
		waiting = self->waiting;
		self->waiting = NULL;
	}
	lock_release(&self->lock);
	if (bad) {
		fputs("grt: wait group: count below zero: more were done than added\n", stderr);
		abort();
	}
	/* From here on the group may be gone. */
	while (waiting) {
		struct task *task = waiting;

		waiting = task->next;
		sched_ready(worker_self(), task, false);
	}
}

void grt_wait_group_done(struct grt_wait_group *wg)
{
	grt_wait_group_add(wg, -1);
}

static void after_unlock(struct worker *worker, struct task *task, void *arg)
{
	(void)worker;
	(void)task;
	lock_release(&((struct wait_group *)arg)->lock);
}

void grt_wait_group_wait(struct grt_wait_group *wg)
{
	struct wait_group *self = group(wg);
	struct worker *worker = worker_self();

	lock_acquire(&self->lock);
	if (self->count == 0) {
		lock_release(&self->lock);
		return;
	}
	worker->current->next = self->waiting;
	self->waiting = worker->current;
	sched_park(worker, GRT_STOP_WAIT_GROUP, after_unlock, self);
}
