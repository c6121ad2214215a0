/* SPDX-License-Identifier: MIT
 *
 * Tasks: their memory, their numbers, their stacks, and grt_go.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/scheduler.h"
#undef errno

#define FREE_MAX 256
/* Numbers are handed to procs in lots, so that spawning shares no line. */
#define ID_LOT 64

static struct {
	struct lock lock;
	struct task *first;
} free_tasks;

/* Take a lot of free tasks from those that all procs share. */
static void refill(struct proc *proc)
{
	lock_acquire(&free_tasks.lock);
	while (free_tasks.first && proc->free_length < FREE_MAX / 2) {
		struct task *task = free_tasks.first;

		free_tasks.first = task->next;
		task->next = proc->free_tasks;
		proc->free_tasks = task;
		proc->free_length++;
	}
	lock_release(&free_tasks.lock);
}

static void spill(struct proc *proc, int keep)
{
	lock_acquire(&free_tasks.lock);
	while (proc->free_length > keep) {
		struct task *task = proc->free_tasks;

		proc->free_tasks = task->next;
		proc->free_length--;
		task->next = free_tasks.first;
		free_tasks.first = task;
	}
	lock_release(&free_tasks.lock);
}

static uint64_t next_id(struct proc *proc)
{
	if (proc->next_id == proc->last_id) {
		proc->next_id = atomic_fetch_add(&sched.task_ids, ID_LOT) + 1;
		proc->last_id = proc->next_id + ID_LOT;
	}
	return proc->next_id++;
}

struct task *task_new(struct proc *proc)
{
	struct task *task;

	if (!proc->free_tasks)
		refill(proc);
	task = proc->free_tasks;
	if (task) {
		proc->free_tasks = task->next;
		proc->free_length--;
		memset(task, 0, sizeof(*task));
	} else {
		task = calloc(1, sizeof(*task));
		if (!task)
			return NULL;
	}
	task->id = next_id(proc);
	relaxed_store(&proc->created, relaxed_load(&proc->created) + 1);
	return task;
}

void task_free(struct proc *proc, struct task *task)
{
	task->next = proc->free_tasks;
	proc->free_tasks = task;
	if (++proc->free_length > FREE_MAX)
		spill(proc, FREE_MAX / 2);
}

void task_release_all(struct proc *proc)
{
	struct task *task;

	spill(proc, 0);
	lock_acquire(&free_tasks.lock);
	while ((task = free_tasks.first)) {
		free_tasks.first = task->next;
		free(task);
	}
	lock_release(&free_tasks.lock);
}

/* First code of every task. */
NEVER_LEFT static void task_main(void)
{
	struct worker *worker = worker_self();
	struct task *task = worker->current;

	context_entered(&task->context);
	sched_arrive(worker);
	errno_set(0);
	task->fn(task->arg);
	sched_exit(worker_self());
}

bool task_bind_stack(struct proc *proc, struct task *task)
{
	bool reused;
	struct stack *stack = stack_get(&proc->stacks, task->stack_order, &reused);

	if (!stack)
		return false;
	task->stack = stack;
	context_make(&task->context, stack->low, stack->size, task_main, &stack->fiber);
	TRACE(stack_alloc, task->id, stack->low, stack->size, reused);
	return true;
}

void task_unbind_stack(struct proc *proc, struct task *task)
{
	TRACE(stack_free, task->id, task->stack->low, task->stack->size);
	stack_put(&proc->stacks, task->stack);
	task->stack = NULL;
}

int grt_go_attr(const struct grt_attr *attr, grt_fn *fn, void *arg)
{
	struct worker *worker = worker_self();
	int order = STACK_DEFAULT_ORDER;
	struct task *task;

	if (attr && attr->stack_size) {
		order = stack_order(attr->stack_size);
		if (order < 0)
			return EINVAL;
	}
	if (!worker || !worker->current || worker->in_call)
		return EPERM;
	task = task_new(worker->proc);
	if (!task)
		return ENOMEM;
	task->fn = fn;
	task->arg = arg;
	task->name = attr ? attr->name : NULL;
	task->stack_order = (unsigned char)order;
	TRACE(task_create, task->id, worker->current->id, (const void *)fn,
	      task->name ? task->name : "");
	sched_submit(worker, task);
	sched_checkpoint(worker);
	return 0;
}

int grt_go(grt_fn *fn, void *arg)
{
	return grt_go_attr(NULL, fn, arg);
}

uint64_t grt_self(void)
{
	struct worker *worker = worker_self();

	return worker && worker->current ? worker->current->id : 0;
}
