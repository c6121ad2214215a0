/* SPDX-License-Identifier: MIT
 *
 * What a task asks for itself: to yield, to sleep, to stay on its thread.
 */
#include "runtime/scheduler.h"
#undef errno

void grt_yield(void)
{
	struct worker *worker = worker_self();

	if (worker && worker->current && !worker->in_call)
		sched_yield_now(worker, GRT_STOP_YIELD);
}

static void after_sleep(struct worker *worker, struct task *task, void *arg)
{
	(void)arg;
	timer_add(worker->proc, task);
}

void sched_sleep(struct worker *worker, int64_t ns)
{
	int64_t now = sys_now();

	worker->current->deadline = ns < INT64_MAX - now ? now + ns : INT64_MAX;
	sched_park(worker, GRT_STOP_SLEEP, after_sleep, NULL);
}

void grt_sleep(int64_t ns)
{
	struct worker *worker = worker_self();

	if (!worker || !worker->current || worker->in_call)
		return;
	if (ns > 0)
		sched_sleep(worker, ns);
	else
		sched_checkpoint(worker);
}

void grt_lock_thread(void)
{
	struct worker *worker = worker_self();
	struct task *task = worker ? worker->current : NULL;

	if (!task)
		return;
	task->lock_depth++;
	task->locked = worker;
	worker->locked = task;
}

void grt_unlock_thread(void)
{
	struct worker *worker = worker_self();
	struct task *task = worker ? worker->current : NULL;

	if (!task || !task->lock_depth || --task->lock_depth)
		return;
	task->locked = NULL;
	if (worker->locked == task)
		worker->locked = NULL;
}
