/* SPDX-License-Identifier: MIT
 *
 * Queues of runnable tasks: the ring and the `next` slot of a proc, which only
 * its owner fills, and the global queue under sched.lock.
 *
 * Ring: the owner moves `tail`; owner and thieves move `head` by
 * compare-and-swap.  A slot is read before the swap and is that task's if the
 * swap succeeds, since the owner never overwrites a slot that head has not
 * passed.
 */
#include "runtime/scheduler.h"

/* A pair of tasks that wake each other through `next` must not keep the ring
 * waiting for ever. */
#define MAX_STREAK 32

void list_push(struct task_list *list, struct task *task)
{
	task->next = NULL;
	if (list->last)
		list->last->next = task;
	else
		list->first = task;
	list->last = task;
	list->length++;
}

struct task *list_pop(struct task_list *list)
{
	struct task *task = list->first;

	if (!task)
		return NULL;
	list->first = task->next;
	if (!list->first)
		list->last = NULL;
	list->length--;
	return task;
}

static void global_append(struct task_list *tasks)
{
	lock_acquire(&sched.lock);
	while (tasks->first)
		list_push(&sched.global, list_pop(tasks));
	relaxed_store(&sched.global_length, sched.global.length);
	lock_release(&sched.lock);
}

void global_put(struct task *task)
{
	struct task_list one = {0};

	list_push(&one, task);
	global_append(&one);
}

/* The ring is full: move half of it and the task to the global queue.  False:
 * thieves made room meanwhile. */
static bool overflow(struct queue *queue, struct task *task, uint32_t head)
{
	struct task *half[QUEUE_SIZE / 2];
	struct task_list list = {0};

	for (uint32_t i = 0; i < QUEUE_SIZE / 2; i++)
		half[i] = relaxed_load(&queue->ring[(head + i) % QUEUE_SIZE]);
	if (!atomic_compare_exchange_strong_explicit(&queue->head, &head, head + QUEUE_SIZE / 2,
						     memory_order_acq_rel, memory_order_relaxed))
		return false;
	for (uint32_t i = 0; i < QUEUE_SIZE / 2; i++)
		list_push(&list, half[i]);
	list_push(&list, task);
	global_append(&list);
	return true;
}

void queue_put(struct proc *proc, struct task *task, bool next)
{
	struct queue *queue = &proc->queue;

	if (next) {
		task = atomic_exchange_explicit(&queue->next, task, memory_order_acq_rel);
		if (!task)
			return;
	}
	for (;;) {
		uint32_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
		uint32_t tail = relaxed_load(&queue->tail);

		if (tail - head < QUEUE_SIZE) {
			relaxed_store(&queue->ring[tail % QUEUE_SIZE], task);
			atomic_store_explicit(&queue->tail, tail + 1, memory_order_release);
			return;
		}
		if (overflow(queue, task, head))
			return;
	}
}

static struct task *take_next(struct queue *queue)
{
	struct task *task = relaxed_load(&queue->next);

	if (task && atomic_compare_exchange_strong_explicit(
			&queue->next, &task, NULL, memory_order_acq_rel, memory_order_relaxed))
		return task;
	return NULL;
}

static struct task *take_ring(struct queue *queue)
{
	uint32_t head = atomic_load_explicit(&queue->head, memory_order_acquire);

	while (head != relaxed_load(&queue->tail)) {
		struct task *task = relaxed_load(&queue->ring[head % QUEUE_SIZE]);

		if (atomic_compare_exchange_weak_explicit(
			&queue->head, &head, head + 1, memory_order_acq_rel, memory_order_acquire))
			return task;
	}
	return NULL;
}

struct task *queue_take(struct proc *proc)
{
	struct queue *queue = &proc->queue;
	struct task *task = NULL;

	if (queue->next_streak < MAX_STREAK && (task = take_next(queue))) {
		queue->next_streak++;
		return task;
	}
	queue->next_streak = 0;
	task = take_ring(queue);
	return task ? task : take_next(queue);
}

bool queue_empty(struct proc *proc)
{
	struct queue *queue = &proc->queue;

	return relaxed_load(&queue->head) ==
		   atomic_load_explicit(&queue->tail, memory_order_acquire) &&
	       !relaxed_load(&queue->next);
}

/* The victim is probably about to run this one itself: give it a moment. */
static struct task *steal_next(struct queue *victim)
{
	struct task *task = relaxed_load(&victim->next);

	if (!task)
		return NULL;
	for (int i = 0; i < 100; i++)
		cpu_relax();
	if (relaxed_load(&victim->next) != task)
		return NULL;
	return take_next(victim);
}

struct task *queue_steal(struct proc *proc, struct proc *victim, bool take_next_too)
{
	struct queue *from = &victim->queue;
	struct queue *to = &proc->queue;
	uint32_t tail = relaxed_load(&to->tail);

	for (;;) {
		uint32_t head = atomic_load_explicit(&from->head, memory_order_acquire);
		uint32_t count = atomic_load_explicit(&from->tail, memory_order_acquire) - head;

		count -= count / 2;
		if (count == 0)
			return take_next_too ? steal_next(from) : NULL;
		if (count > QUEUE_SIZE / 2) /* head moved between the two reads */
			continue;
		for (uint32_t i = 0; i < count; i++)
			relaxed_store(&to->ring[(tail + i) % QUEUE_SIZE],
				      relaxed_load(&from->ring[(head + i) % QUEUE_SIZE]));
		if (!atomic_compare_exchange_strong_explicit(&from->head, &head, head + count,
							     memory_order_acq_rel,
							     memory_order_relaxed))
			continue;
		/* The last one is for now; those before it become ours to see. */
		atomic_store_explicit(&to->tail, tail + count - 1, memory_order_release);
		relaxed_store(&proc->steals, relaxed_load(&proc->steals) + count);
		TRACE(task_steal, proc->id, victim->id, count);
		return relaxed_load(&to->ring[(tail + count - 1) % QUEUE_SIZE]);
	}
}

/* The ring must not overflow: that would take sched.lock again. */
static long room(struct proc *proc)
{
	struct queue *queue = &proc->queue;

	return QUEUE_SIZE - (long)(relaxed_load(&queue->tail) -
				   atomic_load_explicit(&queue->head, memory_order_acquire));
}

struct task *global_take(struct proc *proc, long most)
{
	struct task *first;
	long share;

	if (relaxed_load(&sched.global_length) == 0)
		return NULL;
	lock_acquire(&sched.lock);
	share = sched.global.length / sched.options.procs + 1;
	if (share > most)
		share = most;
	if (share > room(proc) + 1)
		share = room(proc) + 1;
	first = list_pop(&sched.global);
	for (long i = 1; first && i < share && sched.global.first; i++)
		queue_put(proc, list_pop(&sched.global), false);
	relaxed_store(&sched.global_length, sched.global.length);
	lock_release(&sched.lock);
	return first;
}

bool work_visible(void)
{
	int64_t due;

	if (relaxed_load(&sched.global_length) > 0)
		return true;
	for (int i = 0; i < sched.options.procs; i++)
		if (!queue_empty(&sched.procs[i]))
			return true;
	due = timer_next();
	return due && due <= sys_now();
}
