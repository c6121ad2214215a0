/* SPDX-License-Identifier: MIT
 *
 * Stacks of tasks: plain demand-zero memory with a guard at the low end, so
 * that the kernel may write into pages never touched before, and memory is
 * used only as it is needed.  Sizes are powers of two ("orders").
 *
 * Free stacks wait in a cache of each proc (default size only, by the proc's
 * holder) and in global pools by order.  A stack beyond the bound of its pool
 * gives its memory back and keeps its address range.
 */
#ifndef GRT_STACK_H
#define GRT_STACK_H

#include <stdbool.h>
#include <stddef.h>

#define STACK_MIN_ORDER 14     /* 16 KiB */
#define STACK_DEFAULT_ORDER 18 /* 256 KiB */
#define STACK_MAX_ORDER 30     /* 1 GiB */
#define STACK_CACHE_MAX 64

struct stack {
	struct stack *next;
	char *low; /* above the guard */
	size_t size;
	void *fiber;
	unsigned char order;
};

struct stack_cache {
	struct stack *first;
	int length;
};

/* Order for a wanted size; -1: out of range. */
int stack_order(size_t size);

/* A stack of this order, from the cache, a pool or the system.  NULL: the
 * system has no memory.  *reused: whether it had a task before. */
struct stack *stack_get(struct stack_cache *cache, int order, bool *reused);
void stack_put(struct stack_cache *cache, struct stack *stack);

/* Move a cache's stacks to the pools. */
void stack_cache_drain(struct stack_cache *cache);

#endif
