/* SPDX-License-Identifier: MIT
 *
 * A lock for a few instructions' work: spins for a moment, then sleeps in the
 * kernel.  Its holder must not switch tasks (except to hand the unlocking to
 * the other side of a switch), call a hook or block.
 */
#ifndef GRT_LOCK_H
#define GRT_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/context.h"
#include "runtime/sys.h"

/* 0 free, 1 held, 2 held and somebody may sleep on it. */
struct lock {
	_Atomic uint32_t word;
};

/* Everything before it is seen by others before anything after it is done. */
static inline void full_barrier(void)
{
#ifdef GRT_TSAN
	/* That sanitizer knows no fences. */
	static _Atomic int nothing;

	atomic_fetch_add(&nothing, 1);
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__asm__ volatile("yield");
#endif
}

void lock_slow(struct lock *lock);

static inline void lock_acquire(struct lock *lock)
{
	uint32_t free = 0;

	if (!atomic_compare_exchange_strong_explicit(&lock->word, &free, 1, memory_order_acquire,
						     memory_order_relaxed))
		lock_slow(lock);
}

static inline void lock_release(struct lock *lock)
{
	if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) == 2)
		sys_futex_wake(&lock->word, 1);
}

#endif
