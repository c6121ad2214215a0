/* SPDX-License-Identifier: MIT
 *
 * unw_backtrace() walks warm frames in a few nanoseconds each, from a cache of
 * the thread's own.  A cold frame needs about 10 KB of stack, so that near the
 * end of a task's stack it is done on the worker's; the way there keeps a frame
 * pointer, which the unwinder follows.
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <sched.h>
#include <stdatomic.h>

#include "tracer/callstack.h"
#include "tracer/events.h"
#include "tracer/tracer.h"

/* Frames of ours between the program and the unwinder. */
#define OWN_FRAMES 16
#define STACK_NEEDED 16384

struct request {
	struct gtrace_stack *stack;
	const void *site;
};

__attribute__((constructor)) static void share_caches(void)
{
	unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_PER_THREAD);
}

/*
 * unw_backtrace() never forgets what it knows of a pc, and reads memory by it.
 * Where another object lies in the place of one that was unloaded, that is the
 * end of the program: from the first unloading on this walks frame by frame,
 * with the caches that can be emptied.
 */
static _Atomic bool unloaded;

void callstack_unloading(void)
{
	unloaded = true;
	unw_flush_cache(unw_local_addr_space, 0, 0);
}

static int step_by_step(void **pc, int room)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t ip;
	int count = 0;

	if (unw_getcontext(&context) || unw_init_local(&cursor, &context))
		return 0;
	while (count < room && unw_step(&cursor) > 0 && unw_get_reg(&cursor, UNW_REG_IP, &ip) == 0)
		pc[count++] = (void *)(uintptr_t)ip;
	return count;
}

static int backtrace_of_all(void **pc, int room)
{
	return unloaded ? step_by_step(pc, room) : unw_backtrace(pc, room);
}

static void unwind(void *arg)
{
	struct request *request = arg;
	void *pc[GTRACE_STACK_MAX + OWN_FRAMES];
	int count = backtrace_of_all(pc, GTRACE_STACK_MAX + OWN_FRAMES);
	int first = 0;
	unsigned depth = 0;

	while (first < count && pc[first] != request->site)
		first++;
	for (int i = first; i < count && depth < GTRACE_STACK_MAX; i++)
		request->stack->pc[depth++] = (uint64_t)(uintptr_t)pc[i];
	/* Where the unwinder lost its way, the call itself is known all the same. */
	if (depth == 0 && request->site)
		request->stack->pc[depth++] = (uint64_t)(uintptr_t)request->site;
	request->stack->depth = depth;
}

/*
 * libunwind holds a lock of its own, and the loader's, while it works: a child
 * that is forked meanwhile would find them held for ever.  A fork waits for
 * the stacks that are being taken, and during it none is begun.
 */
static _Atomic unsigned taking, forking;

void callstack_before_fork(void)
{
	forking++;
	while (taking)
		sched_yield();
}

void callstack_after_fork(bool in_child)
{
	if (in_child)
		forking = taking = 0;
	else
		forking--;
}

static void take(struct gtrace_stack *stack, const void *site)
{
	struct request request = {stack, site};

	stack->depth = 0;
	if (tracer_runtime && tracer_runtime->stack_left() < STACK_NEEDED)
		tracer_runtime->on_worker_stack(unwind, &request);
	else
		unwind(&request);
}

void callstack_take(struct gtrace_stack *stack, const void *site)
{
	taking++;
	if (forking) {
		stack->depth = 0;
		if (site)
			stack->pc[stack->depth++] = (uint64_t)(uintptr_t)site;
	} else {
		take(stack, site);
	}
	taking--;
}

void callstack_warm_up(void)
{
	struct gtrace_stack stack;

	if (tracer_thread.warm)
		return;
	tracer_thread.warm = true;
	callstack_take(&stack, NULL);
}
