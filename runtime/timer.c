/* SPDX-License-Identifier: MIT
 *
 * Sleeping tasks, by proc.  The heap is linked through the tasks, so sleeping
 * needs no memory and cannot fail.  Whoever finds a timer due makes its task
 * runnable at its own proc: the proc's owner at its next turn, else an idle
 * worker that sleeps until the earliest deadline (sched.timer_sleeper), else
 * sysmon sees to it that there is one.
 */
#include "runtime/scheduler.h"

static struct task *meld(struct task *a, struct task *b)
{
	if (!a || !b)
		return a ? a : b;
	if (b->deadline < a->deadline) {
		struct task *swap = a;

		a = b;
		b = swap;
	}
	b->timer_sibling = a->timer_child;
	a->timer_child = b;
	return a;
}

/* Meld siblings two by two from the left, the results from the right. */
static struct task *meld_siblings(struct task *first)
{
	struct task *pairs = NULL;
	struct task *root = NULL;

	while (first) {
		struct task *a = first;
		struct task *b = a->timer_sibling;
		struct task *pair;

		first = b ? b->timer_sibling : NULL;
		a->timer_sibling = NULL;
		if (b)
			b->timer_sibling = NULL;
		pair = meld(a, b);
		pair->timer_sibling = pairs;
		pairs = pair;
	}
	while (pairs) {
		struct task *rest = pairs->timer_sibling;

		pairs->timer_sibling = NULL;
		root = meld(root, pairs);
		pairs = rest;
	}
	return root;
}

static void publish_first(struct timers *timers)
{
	relaxed_store(&timers->first, timers->root ? timers->root->deadline : 0);
}

/* Somebody who sleeps must wake for a deadline earlier than he thinks. */
static void tell_sleeper(int64_t deadline)
{
	struct worker *sleeper;

	full_barrier();
	sleeper = atomic_load_explicit(&sched.timer_sleeper, memory_order_acquire);
	if (!sleeper)
		sysmon_poke_before(deadline);
	else if (deadline < relaxed_load(&sched.timer_sleeper_until))
		worker_wake(sleeper);
}

void timer_add(struct proc *proc, struct task *task)
{
	struct timers *timers = &proc->timers;
	int64_t deadline = task->deadline;
	bool earliest;

	task->timer_child = NULL;
	task->timer_sibling = NULL;
	lock_acquire(&timers->lock);
	timers->root = meld(timers->root, task);
	earliest = timers->root == task;
	publish_first(timers);
	lock_release(&timers->lock);
	if (earliest)
		tell_sleeper(deadline);
}

static struct task *pop_due(struct timers *timers, int64_t now)
{
	struct task *task;

	lock_acquire(&timers->lock);
	task = timers->root;
	if (task && task->deadline <= now)
		timers->root = meld_siblings(task->timer_child);
	else
		task = NULL;
	publish_first(timers);
	lock_release(&timers->lock);
	return task;
}

int timer_run(struct worker *worker, struct proc *of, int64_t now)
{
	struct task *task;
	int count = 0;

	while ((task = pop_due(&of->timers, now))) {
		sched_ready(worker, task, false);
		count++;
	}
	return count;
}

int64_t timer_next(void)
{
	int64_t next = 0;

	for (int i = 0; i < sched.options.procs; i++) {
		int64_t first = relaxed_load(&sched.procs[i].timers.first);

		if (first && (!next || first < next))
			next = first;
	}
	return next;
}
