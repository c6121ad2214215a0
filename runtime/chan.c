/* SPDX-License-Identifier: MIT
 *
 * Channels.  A task that waits stands in the channel's list of senders or
 * receivers with the address of its element; whoever comes from the other side
 * copies the element and makes it ready.  The lists and the buffer are under
 * the channel's lock, which is released by the other side of the switch.
 *
 * Invariant: receivers wait only while the buffer is empty and nobody sends,
 * senders only while it is full and nobody receives.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/scheduler.h"
#undef errno

struct grt_chan {
	struct lock lock;
	bool closed;
	size_t element_size;
	size_t capacity;
	size_t length;
	size_t first;
	struct task_list senders;
	struct task_list receivers;
	char buffer[];
};

struct grt_chan *grt_chan_new(size_t element_size, size_t capacity)
{
	struct grt_chan *chan;
	size_t bytes;

	if (__builtin_mul_overflow(element_size, capacity, &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(*chan), &bytes) || bytes > PTRDIFF_MAX) {
		errno_set(EINVAL);
		return NULL;
	}
	chan = calloc(1, bytes);
	if (chan) {
		chan->element_size = element_size;
		chan->capacity = capacity;
	}
	return chan;
}

void grt_chan_free(struct grt_chan *chan)
{
	free(chan);
}

/* Elements may lie on other tasks' stacks. */
static void copy(const struct grt_chan *chan, void *to, const void *from)
{
	if (to && chan->element_size)
		memcpy(to, from, chan->element_size);
}

static char *slot(struct grt_chan *chan, size_t index)
{
	return chan->buffer + (chan->first + index) % chan->capacity * chan->element_size;
}

static void after_unlock(struct worker *worker, struct task *task, void *arg)
{
	(void)worker;
	(void)task;
	lock_release(&((struct grt_chan *)arg)->lock);
}

/* Wait in the list; the lock is released.  Returns what the waker said. */
static int wait_in(struct grt_chan *chan, struct task_list *list, uint32_t reason, void *element)
{
	struct worker *worker = worker_self();
	struct task *task = worker->current;

	task->slot = element;
	list_push(list, task);
	sched_park(worker, reason, after_unlock, chan);
	return task->result;
}

static void wake(struct task *task, int result)
{
	task->result = result;
	sched_ready(worker_self(), task, true);
}

static bool in_task(void)
{
	struct worker *worker = worker_self();

	return worker && worker->current && !worker->in_call;
}

static int send(struct grt_chan *chan, const void *element, bool wait)
{
	struct task *receiver;

	if (!in_task())
		return EPERM;
	lock_acquire(&chan->lock);
	if (chan->closed) {
		lock_release(&chan->lock);
		return EPIPE;
	}
	if ((receiver = list_pop(&chan->receivers))) {
		copy(chan, receiver->slot, element);
		lock_release(&chan->lock);
		wake(receiver, 0);
		return 0;
	}
	if (chan->length < chan->capacity) {
		copy(chan, slot(chan, chan->length), element);
		chan->length++;
		lock_release(&chan->lock);
		return 0;
	}
	if (wait)
		return wait_in(chan, &chan->senders, GRT_STOP_CHAN_SEND, (void *)element);
	lock_release(&chan->lock);
	return EAGAIN;
}

/* The buffer has an element: take it, and let a waiting sender fill the gap. */
static struct task *take_buffered(struct grt_chan *chan, void *element)
{
	struct task *sender;

	copy(chan, element, slot(chan, 0));
	chan->first = (chan->first + 1) % chan->capacity;
	chan->length--;
	sender = list_pop(&chan->senders);
	if (sender) {
		copy(chan, slot(chan, chan->length), sender->slot);
		chan->length++;
	}
	return sender;
}

static int recv(struct grt_chan *chan, void *element, bool wait)
{
	struct task *sender;

	if (!in_task())
		return EPERM;
	lock_acquire(&chan->lock);
	if (chan->length > 0) {
		sender = take_buffered(chan, element);
		lock_release(&chan->lock);
		if (sender)
			wake(sender, 0);
		return 0;
	}
	if ((sender = list_pop(&chan->senders))) {
		copy(chan, element, sender->slot);
		lock_release(&chan->lock);
		wake(sender, 0);
		return 0;
	}
	if (!chan->closed && wait)
		return wait_in(chan, &chan->receivers, GRT_STOP_CHAN_RECV, element);
	wait = chan->closed;
	lock_release(&chan->lock);
	if (!wait)
		return EAGAIN;
	if (element)
		memset(element, 0, chan->element_size);
	return EPIPE;
}

int grt_chan_send(struct grt_chan *chan, const void *element)
{
	int result = send(chan, element, true);

	if (result != EPERM)
		sched_checkpoint(worker_self());
	return result;
}

int grt_chan_try_send(struct grt_chan *chan, const void *element)
{
	int result = send(chan, element, false);

	if (result != EPERM)
		sched_checkpoint(worker_self());
	return result;
}

int grt_chan_recv(struct grt_chan *chan, void *element)
{
	int result = recv(chan, element, true);

	if (result != EPERM)
		sched_checkpoint(worker_self());
	return result;
}

int grt_chan_try_recv(struct grt_chan *chan, void *element)
{
	int result = recv(chan, element, false);

	if (result != EPERM)
		sched_checkpoint(worker_self());
	return result;
}

int grt_chan_close(struct grt_chan *chan)
{
	struct task_list waiting;
	struct task *task;

	if (!in_task())
		return EPERM;
	lock_acquire(&chan->lock);
	if (chan->closed) {
		lock_release(&chan->lock);
		return EPIPE;
	}
	chan->closed = true;
	waiting = chan->receivers;
	memset(&chan->receivers, 0, sizeof(chan->receivers));
	for (task = waiting.first; task; task = task->next)
		if (task->slot)
			memset(task->slot, 0, chan->element_size);
	while ((task = list_pop(&chan->senders)))
		list_push(&waiting, task);
	lock_release(&chan->lock);
	while ((task = list_pop(&waiting)))
		wake(task, EPIPE);
	return 0;
}
