/* SPDX-License-Identifier: MIT
 *
 * Contexts: what is kept of a task, or of a worker's scheduler, while it does
 * not run.  The registers that a function must keep lie on its own stack; a
 * context is the stack pointer, and what the sanitizers want to be told.
 */
#ifndef GRT_CONTEXT_H
#define GRT_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define GRT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GRT_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define GRT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GRT_TSAN 1
#endif
#endif

/* For functions that a task which ends is still in: the thread sanitizer keeps a
 * record of calls with each stack, which would only ever grow. */
#if !defined(GRT_TSAN)
#define NEVER_LEFT
#elif defined(__clang__)
#define NEVER_LEFT __attribute__((disable_sanitizer_instrumentation))
#else
#define NEVER_LEFT __attribute__((no_sanitize_thread))
#endif

struct context {
	void *sp;
#ifdef GRT_ASAN
	void *fake_stack;
	const void *low;
	size_t size;
#endif
#ifdef GRT_TSAN
	void *fiber;
#endif
};

/* Prepare a context that calls entry() on the stack [low, low + size); entry
 * never returns.  *fiber belongs to the stack: NULL at first, then kept for
 * the next task on it. */
void context_make(struct context *context, void *low, size_t size, void (*entry)(void),
		  void **fiber);

/* Describe the stack that the calling thread runs on, for contexts that are
 * only ever saved into. */
void context_adopt(struct context *context);

/* Leave `from`, continue `to`.  Returns when something switches back.  dies:
 * `from` will never be continued. */
void context_switch(struct context *from, struct context *to, bool dies);

/* To be called first by an entry function. */
void context_entered(struct context *self);

/* The address below which the stack of a saved context is free. */
static inline void *context_sp(const struct context *context)
{
	return context->sp;
}

/* Run fn(arg) on the free part of another stack, below top.  Unwinders cross
 * it.  fn must return. */
void grt_call_on_stack(void (*fn)(void *), void *arg, void *top);

#endif
