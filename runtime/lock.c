/* SPDX-License-Identifier: MIT
 *
 * The contended path of lock.h.
 */
#include "runtime/lock.h"

/* About a microsecond: longer than any holder works, unless it was descheduled. */
#define SPINS 40

void lock_slow(struct lock *lock)
{
	for (int i = 0; i < SPINS; i++) {
		uint32_t free = 0;

		if (atomic_load_explicit(&lock->word, memory_order_relaxed) == 0 &&
		    atomic_compare_exchange_weak_explicit(
			&lock->word, &free, 1, memory_order_acquire, memory_order_relaxed))
			return;
		cpu_relax();
	}
	while (atomic_exchange_explicit(&lock->word, 2, memory_order_acquire) != 0)
		sys_futex_wait(&lock->word, 2, -1);
}
