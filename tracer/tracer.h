/* SPDX-License-Identifier: MIT
 *
 * The recording half of libgtrace.so: what the interposer may ask of it.
 *
 * Every function sets this thread's "inside the tracer" flag while it works,
 * so that calls which lttng-ust or the unwinder make on the way go straight to
 * libc.  errno is kept.  None of them may be called from a signal handler that
 * interrupted the tracer; the flag tells.
 */
#ifndef GTRACE_TRACER_H
#define GTRACE_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/hooks.h"

struct gtrace_stack;
struct gtrace_thread_record;

/* A call this long gets its stack recorded; ns. */
#define TRACER_LONG_CALL_NS 20000

/* What this thread keeps.  Small: the static TLS of a preloaded library is
 * taken from every thread. */
struct tracer_thread {
	bool inside; /* the tracer is at work */
	bool lttng;  /* a thread of lttng-ust: always inside */
	bool warm;   /* the unwinder has been here */
	int32_t tid; /* 0: not asked yet */
	uint64_t calls;
	struct gtrace_stack *returned; /* of the call that waits for a P */
	/* Of the object that was asked for last: modules.c. */
	struct {
		uintptr_t low, high;
		uint32_t round;
	} module;
	/* The plain call under way, for the end of a thread that is cancelled in it. */
	struct {
		uint64_t seq; /* 0: none */
		int64_t start_ns;
		uint64_t arg;
		const void *site;
		uint32_t call;
	} open;
};

extern __thread struct tracer_thread tracer_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Pid of this process, by fork too. */
extern int32_t tracer_pid __attribute__((visibility("hidden")));
/* Zero in a child that was made behind our back (clone): such a process is not
 * recorded, since what it does would stand in its parent's name. */
extern const int *tracer_here __attribute__((visibility("hidden")));
/* The state words of the events that decide what is done for plain threads. */
extern const int *const tracer_calls_on __attribute__((visibility("hidden")));
extern const int *const tracer_threads_on __attribute__((visibility("hidden")));

/* The runtime that called gtrace_attach(); NULL: none. */
extern const struct grt_runtime *tracer_runtime __attribute__((visibility("hidden")));

int32_t tracer_tid(void);
/* CLOCK_MONOTONIC in nanoseconds. */
int64_t tracer_now(void);

/* First event of this process image (parent 0), or of a forked child. */
void tracer_process_begin(int32_t parent, uint32_t mode);

/* lttng-ust did something for the session daemon: sessions that began since
 * know nothing of what was told before. */
void tracer_session_changed(void);

/* An object is unloaded; before and after. */
void tracer_unloading(void);

/* A call of a thread without tasks. */
void tracer_plain_begin(struct grt_call_record *record);
void tracer_plain_end(const struct grt_call_record *record);

/* Threads that no runtime of ours made. */
void tracer_thread_create(const struct gtrace_thread_record *record);
void tracer_thread_start(int32_t creator);
void tracer_thread_exit(void);

#endif
