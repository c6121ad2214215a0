/* SPDX-License-Identifier: MIT
 *
 * Which tasks may change their thread.
 *
 * Compilers keep addresses of thread-local memory (errno, __thread variables)
 * across calls, libraries keep pointers into per-thread state.  A task that
 * has such an address on its stack or in a saved register must go on on the
 * thread that the address belongs to.  Before a task changes thread its live
 * stack, which holds its saved registers too, is searched for any word that
 * lies in the old thread's thread-local memory or control block.  A false hit
 * costs a wait, a miss would cost the program's memory.
 */
#include <link.h>

#include "runtime/scheduler.h"
#undef errno

/* Bytes of libc's control block above the thread pointer that hold what C code
 * may have an address of. */
#define CONTROL_BLOCK 4096
/* Thread-local memory further below the thread pointer than this is not the
 * static block. */
#define STATIC_TLS_MAX ((uintptr_t)1 << 20)

static int widen(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct worker *worker = arg;
	uintptr_t low = (uintptr_t)info->dlpi_tls_data;

	(void)size;
	if (!low)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t high = low + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_TLS)
			continue;
#if defined(__x86_64__)
		/* Static blocks lie below the thread pointer. */
		if (low < worker->tls_low && worker->tls_low - low < STATIC_TLS_MAX)
			worker->tls_low = low;
		(void)high;
#else
		if (high > worker->tls_high && high - worker->tls_high < STATIC_TLS_MAX)
			worker->tls_high = high;
#endif
	}
	return 0;
}

void affinity_find_tls(struct worker *worker)
{
	uintptr_t pointer = (uintptr_t)__builtin_thread_pointer();

#if defined(__x86_64__)
	worker->tls_low = pointer;
	worker->tls_high = pointer + CONTROL_BLOCK;
#else
	worker->tls_low = pointer - CONTROL_BLOCK;
	worker->tls_high = pointer;
#endif
	dl_iterate_phdr(widen, worker);
}

#if defined(GRT_ASAN)
__attribute__((no_sanitize_address))
#elif defined(GRT_TSAN)
__attribute__((no_sanitize_thread))
#endif
bool affinity_tied(const struct task *task)
{
	const uintptr_t *word = context_sp(&task->context);
	const uintptr_t *end = (const uintptr_t *)(task->stack->low + task->stack->size);
	uintptr_t low = task->worker->tls_low;
	uintptr_t length = task->worker->tls_high - low;

	for (; word < end; word++)
		if (*word - low < length)
			return true;
	return false;
}
