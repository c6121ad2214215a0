/* SPDX-License-Identifier: MIT
 *
 * One event of a recording, in memory: what every source hands to the model.
 *
 * The members of each kind are the fields of tracer/events.h that the viewer
 * uses, by the same names.  Times, those of fields too, are nanoseconds of the
 * recorded machine's CLOCK_MONOTONIC, so that they compare with each other.
 * Texts, stacks and build-ids belong to the source and last until the callback
 * that got the event returns.
 */
#ifndef GTRACE_VIEWER_EVENT_H
#define GTRACE_VIEWER_EVENT_H

#include <stdint.h>

#define EVENT_STACK_MAX 32
#define EVENT_BUILD_ID_MAX 20

/* X(name): the kinds that a recording holds, named as the events are. */
#define EVENT_KINDS(X)                                                                             \
	X(process)                                                                                 \
	X(workload)                                                                                \
	X(module)                                                                                  \
	X(procs)                                                                                   \
	X(worker_create)                                                                           \
	X(worker_start)                                                                            \
	X(worker_park)                                                                             \
	X(worker_exit)                                                                             \
	X(proc_start)                                                                              \
	X(proc_stop)                                                                               \
	X(proc_handoff)                                                                            \
	X(task_create)                                                                             \
	X(task_start)                                                                              \
	X(task_stop)                                                                               \
	X(task_ready)                                                                              \
	X(task_end)                                                                                \
	X(call_begin)                                                                              \
	X(call_end)                                                                                \
	X(thread_create)                                                                           \
	X(thread_start)                                                                            \
	X(thread_exit)

#define EVENT_ENUM(name) EVENT_##name,
enum event_kind { EVENT_KINDS(EVENT_ENUM) EVENT_KIND_COUNT };
#undef EVENT_ENUM

struct event_stack {
	uint32_t depth;
	uint64_t pc[EVENT_STACK_MAX]; /* return addresses, innermost first */
};

struct event_build_id {
	uint32_t size;
	uint8_t bytes[EVENT_BUILD_ID_MAX];
};

struct event {
	enum event_kind kind;
	uint32_t trace; /* which trace: pids are only unique within one */
	int64_t time;
	int64_t pid;
	union {
		struct {
			int64_t tid, parent, mode;
			const char *name, *command;
		} process;
		struct {
			const char *name, *settings;
		} workload;
		struct {
			uint64_t base, low, high;
			const char *path;
			struct event_build_id build_id;
		} module;
		struct {
			int64_t procs, handoff, max_threads;
		} procs;
		struct {
			int64_t worker, creator, cause, result, latency;
			uint64_t task, call_seq, site;
			int64_t call_worker, call;
			struct event_stack stack;
		} worker_create;
		struct {
			int64_t worker, tid;
		} worker; /* worker_start; tid not set: worker_park, worker_exit */
		/* Everything that is in the order of a P begins like this. */
		struct event_on_proc {
			int64_t proc, seq, worker;
			uint64_t task;  /* task_start, task_stop, task_end */
			int64_t reason; /* task_stop, proc_stop */
		} on_proc;
		struct {
			int64_t proc, seq, from, to, reason, new_thread;
			uint64_t task, call_seq;
		} proc_handoff;
		struct {
			int64_t proc, seq, worker;
			uint64_t task, call_seq, arg, site;
			int64_t tid, call, result, error, path, start, duration, p_wait;
			struct event_stack stack;
		} call; /* call_begin; call_end */
		struct {
			uint64_t task, parent, fn;
			const char *name;
		} task_create;
		struct {
			uint64_t task, by;
		} task_ready;
		struct {
			int64_t tid, result, latency, creator;
			uint64_t start_routine, site;
			struct event_stack stack;
		} thread; /* thread_create; thread_start: tid, creator; thread_exit: tid */
	};
};

/* Between begin and end the tracer of one trace dropped `count` events. */
struct event_loss {
	uint32_t trace;
	int64_t begin, end;
	uint64_t count;
};

#endif
