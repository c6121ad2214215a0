/* SPDX-License-Identifier: MIT
 *
 * The functions behind ours: the next ones in the order of the loader, which
 * are libc's or those of another preloaded library.
 *
 * They are looked up at the first call of each or when the library is
 * initialised, whichever comes first: other constructors and allocators call
 * us before that.  Looking up a symbol that exists allocates nothing and takes
 * only the loader's own, recursive lock; two threads may do it at once.
 */
#ifndef GTRACE_RESOLVE_H
#define GTRACE_RESOLVE_H

#include <stdatomic.h>
#include <stddef.h>

/* version NULL: the default one.  A function that this libc lacks answers as
 * one that the kernel lacks: -1 and ENOSYS. */
void *resolve(const char *name, const char *version);

/* Where a wrapper keeps the function behind it; NULL before its first call. */
typedef _Atomic(void *) next_fn;

static inline void *next_known(const next_fn *kept)
{
	return atomic_load_explicit(kept, memory_order_relaxed);
}

static inline void *next_resolve(next_fn *kept, const char *name, const char *version)
{
	void *next = next_known(kept);

	if (__builtin_expect(!next, 0)) {
		next = resolve(name, version);
		atomic_store_explicit(kept, next, memory_order_relaxed);
	}
	return next;
}

/* The function `name`, looked up once. */
#define RESOLVED(name, version)                                                                    \
	({                                                                                         \
		static next_fn kept;                                                               \
		next_resolve(&kept, name, version);                                                \
	})

#endif
