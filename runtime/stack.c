/* SPDX-License-Identifier: MIT
 *
 * Stacks: slabs from the system, pools by order, caches by proc.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/lock.h"
#include "runtime/stack.h"

#define ORDERS (STACK_MAX_ORDER - STACK_MIN_ORDER + 1)
#define GUARD 4096
/* Stacks of one mapping: neighbours share a kernel area as long as possible. */
#define SLAB_BYTES ((size_t)16 << 20)
/* Bytes of used memory that one pool keeps for the next tasks. */
#define POOL_KEEP_BYTES ((size_t)64 << 20)
/* What is assumed to be touched of a used stack. */
#define USED_GUESS ((size_t)16 << 10)

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif

static struct pool {
	struct lock lock;
	struct stack *used;  /* their memory is there */
	struct stack *clean; /* no memory behind them */
	size_t used_length;
	char *slab; /* not yet handed out */
	char *slab_end;
} pools[ORDERS];

int stack_order(size_t size)
{
	int order = STACK_MIN_ORDER;

	if (size > (size_t)1 << STACK_MAX_ORDER)
		return -1;
	while ((size_t)1 << order < size)
		order++;
	return order;
}

/* A range for one stack; the pool's lock is held. */
static char *take_range(struct pool *pool, int order)
{
	size_t size = (size_t)1 << order;
	size_t slab_size = size > SLAB_BYTES ? size : SLAB_BYTES;
	char *low;

	if (pool->slab == pool->slab_end) {
		void *slab = mmap(NULL, slab_size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (slab == MAP_FAILED)
			return NULL;
		/* A huge page would make the first touch cost 2 MiB. */
		madvise(slab, slab_size, MADV_NOHUGEPAGE);
		pool->slab = slab;
		pool->slab_end = pool->slab + slab_size;
	}
	low = pool->slab;
	pool->slab += size;
	return low;
}

/*
 * Guard pages inside one area cost no area of their own where the kernel has
 * them; mprotect splits it, so past vm.max_map_count stacks go unguarded
 * rather than the program ending.
 */
static void install_guard(char *low)
{
	static _Atomic bool unsupported;

	if (!atomic_load_explicit(&unsupported, memory_order_relaxed)) {
		if (madvise(low, GUARD, MADV_GUARD_INSTALL) == 0)
			return;
		atomic_store_explicit(&unsupported, true, memory_order_relaxed);
	}
	mprotect(low, GUARD, PROT_NONE);
}

static struct stack *make_stack(struct pool *pool, int order)
{
	struct stack *stack = calloc(1, sizeof(*stack));
	char *low;

	if (!stack)
		return NULL;
	lock_acquire(&pool->lock);
	low = take_range(pool, order);
	lock_release(&pool->lock);
	if (!low) {
		free(stack);
		return NULL;
	}
	install_guard(low);
	stack->low = low + GUARD;
	stack->size = ((size_t)1 << order) - GUARD;
	stack->order = (unsigned char)order;
	return stack;
}

static struct stack *pool_get(struct pool *pool)
{
	struct stack *stack;

	lock_acquire(&pool->lock);
	stack = pool->used;
	if (stack) {
		pool->used = stack->next;
		pool->used_length--;
	} else {
		stack = pool->clean;
		if (stack)
			pool->clean = stack->next;
	}
	lock_release(&pool->lock);
	return stack;
}

static void pool_put(struct pool *pool, struct stack *stack)
{
	bool keep;

	lock_acquire(&pool->lock);
	keep = pool->used_length < POOL_KEEP_BYTES / USED_GUESS;
	if (keep) {
		stack->next = pool->used;
		pool->used = stack;
		pool->used_length++;
	}
	lock_release(&pool->lock);
	if (keep)
		return;
	madvise(stack->low, stack->size, MADV_DONTNEED);
	lock_acquire(&pool->lock);
	stack->next = pool->clean;
	pool->clean = stack;
	lock_release(&pool->lock);
}

struct stack *stack_get(struct stack_cache *cache, int order, bool *reused)
{
	struct pool *pool = &pools[order - STACK_MIN_ORDER];
	struct stack *stack;

	*reused = true;
	if (order == STACK_DEFAULT_ORDER && cache->first) {
		stack = cache->first;
		cache->first = stack->next;
		cache->length--;
		return stack;
	}
	stack = pool_get(pool);
	if (!stack) {
		*reused = false;
		stack = make_stack(pool, order);
	}
	return stack;
}

void stack_put(struct stack_cache *cache, struct stack *stack)
{
	if (stack->order == STACK_DEFAULT_ORDER && cache->length < STACK_CACHE_MAX) {
		stack->next = cache->first;
		cache->first = stack;
		cache->length++;
		return;
	}
	pool_put(&pools[stack->order - STACK_MIN_ORDER], stack);
}

void stack_cache_drain(struct stack_cache *cache)
{
	while (cache->first) {
		struct stack *stack = cache->first;

		cache->first = stack->next;
		pool_put(&pools[stack->order - STACK_MIN_ORDER], stack);
	}
	cache->length = 0;
}
