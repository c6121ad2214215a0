/* SPDX-License-Identifier: MIT
 *
 * Contexts over the assembly of switch_*.S, with the sanitizers' annotations.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/context.h"

#ifdef GRT_ASAN
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef GRT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

void grt_switch(void **save_sp, void *load_sp);
void grt_switch_entry(void);

#if defined(__x86_64__)
/* The frame of switch_x86_64.S; without it the stack pointer is aligned to 16
 * bytes, as before a call. */
static void *first_frame(uint64_t *top, void (*entry)(void))
{
	uint64_t *frame = top - 8;
	uint32_t mxcsr;
	uint16_t x87;

	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
	memset(frame, 0, 8 * sizeof(*frame));
	frame[0] = (uint64_t)x87 << 32 | mxcsr;
	frame[5] = (uint64_t)(uintptr_t)entry; /* rbx */
	frame[7] = (uint64_t)(uintptr_t)grt_switch_entry;
	return frame;
}
#else
static void *first_frame(uint64_t *top, void (*entry)(void))
{
	uint64_t *frame = top - 22;
	uint64_t fpcr;

	__asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
	memset(frame, 0, 22 * sizeof(*frame));
	frame[0] = (uint64_t)(uintptr_t)entry; /* x19 */
	frame[11] = (uint64_t)(uintptr_t)grt_switch_entry;
	frame[20] = fpcr;
	return frame;
}
#endif

void context_make(struct context *context, void *low, size_t size, void (*entry)(void),
		  void **fiber)
{
	uintptr_t top = ((uintptr_t)low + size) & ~(uintptr_t)15;

	context->sp = first_frame((uint64_t *)top, entry);
#ifdef GRT_ASAN
	context->fake_stack = NULL;
	context->low = low;
	context->size = size;
	/* The frames that its last task never left. */
	__asan_unpoison_memory_region(low, size);
#endif
#ifdef GRT_TSAN
	if (!*fiber) /* slow to make */
		*fiber = __tsan_create_fiber(0);
	context->fiber = *fiber;
#endif
	(void)fiber;
}

void context_adopt(struct context *context)
{
#ifdef GRT_ASAN
	pthread_attr_t attr;
	void *low;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &context->size);
	pthread_attr_destroy(&attr);
	context->low = low;
	context->fake_stack = NULL;
#endif
#ifdef GRT_TSAN
	context->fiber = __tsan_get_current_fiber();
#endif
	context->sp = NULL;
}

NEVER_LEFT void context_switch(struct context *from, struct context *to, bool dies)
{
#ifdef GRT_ASAN
	__sanitizer_start_switch_fiber(dies ? NULL : &from->fake_stack, to->low, to->size);
#endif
#ifdef GRT_TSAN
	/* One thread runs both, so what it did before is seen after. */
	__tsan_switch_to_fiber(to->fiber, 0);
#endif
	(void)dies;
	grt_switch(&from->sp, to->sp);
#ifdef GRT_ASAN
	__sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

void context_entered(struct context *self)
{
#ifdef GRT_ASAN
	__sanitizer_finish_switch_fiber(self->fake_stack, NULL, NULL);
#endif
	(void)self;
}
