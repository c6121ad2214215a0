/* SPDX-License-Identifier: MIT
 *
 * The seam between the runtime and whoever records it.
 *
 * When grt_run() starts it looks for the symbol `gtrace_attach` in the global
 * scope.  libgtrace.so defines it: it fills in the hooks that it wants and is
 * told the runtime's half of the bargain (struct grt_runtime).  Without a
 * tracer every hook stays off and costs two loads from the same line and a
 * branch.
 *
 * A hook is called only while *on is not zero.  Hooks run on a worker, on the
 * stack of the task concerned or on the worker's own; they must not switch
 * tasks, and the runtime holds none of its locks while it calls one, except
 * where a hook's comment says so.
 *
 * Times are CLOCK_MONOTONIC nanoseconds.  Tasks, workers and procs are named
 * by number: tasks from 1, workers and procs from 0; -1 is "none", and worker
 * -1 in worker_start is sysmon.
 */
#ifndef GRT_HOOKS_H
#define GRT_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of the words in a recording; tracer/vocabulary.h gives their names. */
enum grt_path {
	GRT_PATH_SHORT,
	GRT_PATH_SAME_P,
	GRT_PATH_OTHER_P,
	GRT_PATH_QUEUED,
	GRT_PATH_PARKED,
	GRT_PATH_NO_P,
};

enum grt_stop {
	GRT_STOP_YIELD,
	GRT_STOP_PREEMPTED,
	GRT_STOP_SLEEP,
	GRT_STOP_CHAN_SEND,
	GRT_STOP_CHAN_RECV,
	GRT_STOP_WAIT_GROUP,
	GRT_STOP_MUTEX,
	GRT_STOP_COND,
	GRT_STOP_FD,
	GRT_STOP_TIMER,
	GRT_STOP_AFFINITY,
	GRT_STOP_SELECT,
};

enum grt_handoff_reason {
	GRT_HANDOFF_BY_SYSMON,
	GRT_HANDOFF_AT_ENTRY,
	GRT_HANDOFF_BY_SITE,
	GRT_HANDOFF_TO_RETURNING,
};

enum grt_proc_stop {
	GRT_PROC_STOP_IDLE,
	GRT_PROC_STOP_GIVEN_RETURNING,
	GRT_PROC_STOP_GIVEN_LOCKED,
	GRT_PROC_STOP_END,
};

enum grt_create {
	GRT_CREATE_START,
	GRT_CREATE_PRESPAWN,
	GRT_CREATE_CALL,
	GRT_CREATE_RUNNABLE,
	GRT_CREATE_LOCKED,
	GRT_CREATE_SYSMON,
};

/* The number of grt_call() among the calls. */
#define GRT_CALL_NUMBER 107u

/* One blocking call of a task, from entry to the moment the task runs again. */
struct grt_call_record {
	uint64_t task;
	uint64_t seq;        /* number of this call among the calls of its worker */
	int64_t start_ns;    /* 0: nobody recorded when it began */
	int64_t duration_ns; /* entry to return; the wait for a P not included */
	int64_t p_wait_ns;   /* return until the task had a P again */
	int64_t result;
	uint64_t arg;     /* first argument: a descriptor or an address */
	const void *site; /* where the program called */
	uint32_t call;    /* enum gtrace_call */
	int32_t error;    /* errno where the result says failure, else 0 */
	int32_t worker;
	int32_t proc;      /* the P it has now; -1 at call_begin if handed off */
	uint32_t proc_seq; /* 0 where the event is not in the order of a P */
	uint32_t path;     /* enum grt_path */
};

/* A new worker thread, or the failure to get one. */
struct grt_worker_record {
	int32_t worker;  /* the new one */
	int32_t creator; /* -1: sysmon */
	uint32_t cause;  /* enum grt_create */
	int32_t result;  /* 0 or the errno value of pthread_create */
	int64_t latency_ns;
	uint64_t task; /* whose call made it necessary; 0: none */
	uint64_t call_seq;
	int32_t call_worker; /* the worker that is inside that call, -1: none */
	uint32_t call;
	const void *site;
	bool on_task; /* the caller's stack is the stack of that task */
};

/*
 * name, parameters.  `seq` counts the events of one P; a gap tells the reader
 * that events were lost.  call_returned is no event: a call that lost its proc
 * is back and has none yet, so that what the tracer does for its call_end costs
 * nobody a proc; the task's stack and thread are the same then.
 */
#define GRT_HOOKS(X)                                                                               \
	X(procs, (int32_t procs, uint32_t handoff_mode, int32_t max_threads))                      \
	X(worker_create, (const struct grt_worker_record *record))                                 \
	X(worker_start, (int32_t worker, int32_t tid))                                             \
	X(worker_park, (int32_t worker))                                                           \
	X(worker_exit, (int32_t worker))                                                           \
	X(proc_start, (int32_t proc, uint32_t seq, int32_t worker))                                \
	X(proc_stop, (int32_t proc, uint32_t seq, int32_t worker, uint32_t reason))                \
	X(proc_handoff, (int32_t proc, uint32_t seq, int32_t from, int32_t to, uint32_t reason,    \
			 bool new_thread, uint64_t task, uint64_t call_seq))                       \
	X(task_create, (uint64_t task, uint64_t parent, const void *fn, const char *name))         \
	X(task_start, (int32_t proc, uint32_t seq, int32_t worker, uint64_t task))                 \
	X(task_stop, (int32_t proc, uint32_t seq, int32_t worker, uint64_t task, uint32_t reason)) \
	X(task_ready, (uint64_t task, uint64_t by))                                                \
	X(task_end, (int32_t proc, uint32_t seq, int32_t worker, uint64_t task))                   \
	X(task_steal, (int32_t to, int32_t from, uint32_t tasks))                                  \
	X(call_begin, (const struct grt_call_record *record))                                      \
	X(call_returned, (const void *site, int64_t duration_ns))                                  \
	X(call_end, (const struct grt_call_record *record))                                        \
	X(stack_alloc, (uint64_t task, const void *low, uint64_t size, bool reused))               \
	X(stack_free, (uint64_t task, const void *low, uint64_t size))                             \
	X(workload, (const char *name, const char *settings))

struct grt_hooks {
#define GRT_HOOK_MEMBER(name, parameters)                                                          \
	struct {                                                                                   \
		const int *on;                                                                     \
		void(*call) parameters;                                                            \
	} name;
	GRT_HOOKS(GRT_HOOK_MEMBER)
#undef GRT_HOOK_MEMBER
};

/*
 * What the runtime offers to the interposer.  All may be called from any
 * thread; outside of a task they say so (false, 0).
 */
struct grt_runtime {
	/* Enter a blocking call; false: not in a task, or already in one. */
	bool (*enter_call)(uint32_t call, uint64_t arg, const void *site);
	/* Leave it again.  Keeps errno.  error: what call_end records. */
	void (*leave_call)(int64_t result, int32_t error);
	/* Park the calling task for ns nanoseconds instead of its thread. */
	bool (*park_sleep)(int64_t ns, uint32_t call, const void *site);
	/* Number of the running task; 0: none. */
	uint64_t (*current_task)(void);
	/* This thread belongs to the runtime (worker or sysmon). */
	bool (*own_thread)(void);
	/* The pthread_create under way in this thread is the runtime's. */
	bool (*creating_worker)(void);
	/* Bytes of stack left below the caller where it runs on a task's
	 * stack; SIZE_MAX elsewhere. */
	size_t (*stack_left)(void);
	/* Run fn(arg) on the worker's own, large stack (unwinders can cross);
	 * calls it directly where there is no worker. */
	void (*on_worker_stack)(void (*fn)(void *), void *arg);
};

#define GRT_HOOKS_VERSION 1u

/*
 * Defined by the tracer.  hooks: valid for the life of the process; the
 * runtime keeps the pointer's contents by copy.  Returns false where the
 * version does not fit, and then nothing was filled in.
 */
typedef bool grt_attach_fn(unsigned version, struct grt_hooks *hooks,
			   const struct grt_runtime *runtime);

#endif
