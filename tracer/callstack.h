/* SPDX-License-Identifier: MIT
 *
 * Call stacks of the calling thread, by libunwind.
 */
#ifndef GTRACE_CALLSTACK_H
#define GTRACE_CALLSTACK_H

#include <stdbool.h>

struct gtrace_stack;

/* The first unwind on a thread costs about 100 us and takes the loader's lock:
 * have it over with while nobody waits. */
void callstack_warm_up(void);

/* The return addresses from `site` on; an empty stack where it is not safe to
 * unwind.  site NULL: from the caller's caller on. */
void callstack_take(struct gtrace_stack *stack, const void *site);

/* Around a fork, with signals blocked, in a thread that takes no stack. */
void callstack_before_fork(void);
void callstack_after_fork(bool in_child);

/* An object is unloaded (before and after): others may come to its place. */
void callstack_unloading(void);

#endif
