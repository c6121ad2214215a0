/* SPDX-License-Identifier: MIT
 *
 * The LTTng-UST provider `gtrace`: one tracepoint per event of a recording.
 *
 * Every event carries the pid of its process, since the buffers of a session
 * may be shared by the processes of a user.  Times in fields are
 * CLOCK_MONOTONIC nanoseconds, the clock of the events themselves.  `seq`
 * counts the events of one P from 1; a gap means that events were lost.
 * -1 stands for "none" in worker, proc and tid fields; worker -1 in
 * worker_start is sysmon.  A stack lists return addresses, innermost first,
 * from the program's call on; an empty one means "no stack".
 *
 * No include guard around the whole: lttng-ust reads this file several times.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER gtrace

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tracer/events.h"

#if !defined(GTRACE_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define GTRACE_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

#include "runtime/hooks.h"
#include "tracer/vocabulary.h"

#ifndef GTRACE_EVENT_TYPES
#define GTRACE_EVENT_TYPES

#define GTRACE_STACK_MAX 32

struct gtrace_stack {
	unsigned depth;
	uint64_t pc[GTRACE_STACK_MAX];
};

/* The creation of a thread that no runtime of ours made. */
struct gtrace_thread_record {
	const void *start; /* start routine */
	const void *site;
	int64_t latency_ns;
	int32_t result; /* what pthread_create returned */
};

struct gtrace_module_record {
	const char *path;
	const uint8_t *build_id;
	unsigned build_id_size;
	uint64_t base; /* load bias: address in memory - address in the file */
	uint64_t low;  /* first mapped address */
	uint64_t high; /* one past the last */
};
#endif

/* One field per line: */
/* clang-format off */
#define GTRACE_NUMBERED(name, number) lttng_ust_field_enum_value(#name, number)
#define GTRACE_LABELLED(label, name, number) lttng_ust_field_enum_value(label, number)

LTTNG_UST_TRACEPOINT_ENUM(gtrace, call,
	LTTNG_UST_TP_ENUM_VALUES(GTRACE_CALLS(GTRACE_NUMBERED)))
LTTNG_UST_TRACEPOINT_ENUM(gtrace, path,
	LTTNG_UST_TP_ENUM_VALUES(GTRACE_PATHS(GTRACE_LABELLED)))
LTTNG_UST_TRACEPOINT_ENUM(gtrace, stop_reason,
	LTTNG_UST_TP_ENUM_VALUES(GTRACE_STOP_REASONS(GTRACE_LABELLED)))
LTTNG_UST_TRACEPOINT_ENUM(gtrace, handoff_reason,
	LTTNG_UST_TP_ENUM_VALUES(GTRACE_HANDOFF_REASONS(GTRACE_LABELLED)))
LTTNG_UST_TRACEPOINT_ENUM(gtrace, proc_stop_reason,
	LTTNG_UST_TP_ENUM_VALUES(GTRACE_PROC_STOP_REASONS(GTRACE_LABELLED)))
LTTNG_UST_TRACEPOINT_ENUM(gtrace, create_cause,
	LTTNG_UST_TP_ENUM_VALUES(GTRACE_CREATE_CAUSES(GTRACE_LABELLED)))
LTTNG_UST_TRACEPOINT_ENUM(gtrace, handoff_mode,
	LTTNG_UST_TP_ENUM_VALUES(GTRACE_MODES(GTRACE_LABELLED)))
LTTNG_UST_TRACEPOINT_ENUM(gtrace, preload_mode,
	LTTNG_UST_TP_ENUM_VALUES(GTRACE_PRELOAD_MODES(GTRACE_LABELLED)))

/* --- the process ----------------------------------------------------------*/

/* The preloaded library is there: first event of a process image; a second
 * one of the same pid is an exec.  parent is set in a forked child. */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, process,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, tid, int32_t, parent, const char *, name,
		const char *, command, uint32_t, mode),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, tid, tid)
		lttng_ust_field_integer(int32_t, parent, parent)
		lttng_ust_field_string(name, name)
		lttng_ust_field_string(command, command)
		lttng_ust_field_enum(gtrace, preload_mode, uint8_t, mode, mode)))

/* What the program says of itself by grt_workload(). */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, workload,
	LTTNG_UST_TP_ARGS(int32_t, pid, const char *, name, const char *, settings),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_string(name, name)
		lttng_ust_field_string(settings, settings)))

/* An object whose addresses may stand in stacks. */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, module,
	LTTNG_UST_TP_ARGS(int32_t, pid, const struct gtrace_module_record *, m),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer_hex(uint64_t, base, m->base)
		lttng_ust_field_integer_hex(uint64_t, low, m->low)
		lttng_ust_field_integer_hex(uint64_t, high, m->high)
		lttng_ust_field_string(path, m->path)
		lttng_ust_field_sequence_hex(uint8_t, build_id, m->build_id, uint32_t,
			m->build_id_size)))

/* A scheduler starts (grt_run). */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, procs,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, procs, uint32_t, handoff, int32_t,
		max_threads),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, procs, procs)
		lttng_ust_field_enum(gtrace, handoff_mode, uint8_t, handoff, handoff)
		lttng_ust_field_integer(int32_t, max_threads, max_threads)))

/* --- workers --------------------------------------------------------------*/

/* call_worker, call_seq name the call_end (or call_begin) of the call that
 * made the thread necessary; task is 0 where there is none. */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, worker_create,
	LTTNG_UST_TP_ARGS(int32_t, pid, const struct grt_worker_record *, r, const struct
		gtrace_stack *, stack),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, worker, r->worker)
		lttng_ust_field_integer(int32_t, creator, r->creator)
		lttng_ust_field_enum(gtrace, create_cause, uint8_t, cause, r->cause)
		lttng_ust_field_integer(int32_t, result, r->result)
		lttng_ust_field_integer(int64_t, latency, r->latency_ns)
		lttng_ust_field_integer(uint64_t, task, r->task)
		lttng_ust_field_integer(int32_t, call_worker, r->call_worker)
		lttng_ust_field_integer(uint64_t, call_seq, r->call_seq)
		lttng_ust_field_enum(gtrace, call, uint16_t, call, r->call)
		lttng_ust_field_integer_hex(uint64_t, site, (uint64_t)(uintptr_t)r->site)
		lttng_ust_field_sequence_hex(uint64_t, stack, stack->pc, uint32_t, stack->depth)))

LTTNG_UST_TRACEPOINT_EVENT(gtrace, worker_start,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, worker, int32_t, tid),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, worker, worker)
		lttng_ust_field_integer(int32_t, tid, tid)))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(gtrace, worker,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, worker),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, worker, worker)))
/* It has no P and nothing to do; the next proc_start on it ends this. */
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(gtrace, worker, gtrace, worker_park,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, worker))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(gtrace, worker, gtrace, worker_exit,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, worker))

/* --- procs ----------------------------------------------------------------*/

LTTNG_UST_TRACEPOINT_EVENT(gtrace, proc_start,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, proc, uint32_t, seq, int32_t, worker),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, proc, proc)
		lttng_ust_field_integer(uint32_t, seq, seq)
		lttng_ust_field_integer(int32_t, worker, worker)))

LTTNG_UST_TRACEPOINT_EVENT(gtrace, proc_stop,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, proc, uint32_t, seq, int32_t, worker,
		uint32_t, reason),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, proc, proc)
		lttng_ust_field_integer(uint32_t, seq, seq)
		lttng_ust_field_integer(int32_t, worker, worker)
		lttng_ust_field_enum(gtrace, proc_stop_reason, uint8_t, reason, reason)))

/* A P leaves worker `from`, which is inside a blocking call.  Worker `to` will
 * start it (its proc_start says when); to = -1: nobody needs it, it is idle. */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, proc_handoff,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, proc, uint32_t, seq, int32_t, from,
		int32_t, to, uint32_t, reason, uint8_t, new_thread, uint64_t, task, uint64_t,
		call_seq),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, proc, proc)
		lttng_ust_field_integer(uint32_t, seq, seq)
		lttng_ust_field_integer(int32_t, from, from)
		lttng_ust_field_integer(int32_t, to, to)
		lttng_ust_field_enum(gtrace, handoff_reason, uint8_t, reason, reason)
		lttng_ust_field_integer(uint8_t, new_thread, new_thread)
		lttng_ust_field_integer(uint64_t, task, task)
		lttng_ust_field_integer(uint64_t, call_seq, call_seq)))

/* --- tasks ----------------------------------------------------------------*/

/* The new task is runnable from here on. */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, task_create,
	LTTNG_UST_TP_ARGS(int32_t, pid, uint64_t, task, uint64_t, parent, const void *, fn,
		const char *, name),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(uint64_t, task, task)
		lttng_ust_field_integer(uint64_t, parent, parent)
		lttng_ust_field_integer_hex(uint64_t, fn, (uint64_t)(uintptr_t)fn)
		lttng_ust_field_string(name, name)))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(gtrace, task_on_proc,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, proc, uint32_t, seq, int32_t, worker,
		uint64_t, task),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, proc, proc)
		lttng_ust_field_integer(uint32_t, seq, seq)
		lttng_ust_field_integer(int32_t, worker, worker)
		lttng_ust_field_integer(uint64_t, task, task)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(gtrace, task_on_proc, gtrace, task_start,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, proc, uint32_t, seq, int32_t, worker,
		uint64_t, task))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(gtrace, task_on_proc, gtrace, task_end,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, proc, uint32_t, seq, int32_t, worker,
		uint64_t, task))

/* yield, preempted, thread affinity: runnable from here on; else it waits. */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, task_stop,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, proc, uint32_t, seq, int32_t, worker,
		uint64_t, task, uint32_t, reason),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, proc, proc)
		lttng_ust_field_integer(uint32_t, seq, seq)
		lttng_ust_field_integer(int32_t, worker, worker)
		lttng_ust_field_integer(uint64_t, task, task)
		lttng_ust_field_enum(gtrace, stop_reason, uint8_t, reason, reason)))

/* A task that waited is runnable; by: the task that woke it, 0: a timer. */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, task_ready,
	LTTNG_UST_TP_ARGS(int32_t, pid, uint64_t, task, uint64_t, by),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(uint64_t, task, task)
		lttng_ust_field_integer(uint64_t, by, by)))

LTTNG_UST_TRACEPOINT_EVENT(gtrace, task_steal,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, to, int32_t, from, uint32_t, tasks),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, to, to)
		lttng_ust_field_integer(int32_t, from, from)
		lttng_ust_field_integer(uint32_t, tasks, tasks)))

/* --- blocking calls -------------------------------------------------------*/

/*
 * A call that is still in flight after 20 us (told by sysmon, so later than
 * start), or at once where no sysmon looks on.  (worker, call_seq) is the same
 * in its call_end; in a thread without tasks worker is -1 and (tid, call_seq)
 * names it.
 */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, call_begin,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, tid, const struct grt_call_record *, r),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, tid, tid)
		lttng_ust_field_integer(int32_t, worker, r->worker)
		lttng_ust_field_integer(uint64_t, task, r->task)
		lttng_ust_field_integer(uint64_t, call_seq, r->seq)
		lttng_ust_field_enum(gtrace, call, uint16_t, call, r->call)
		lttng_ust_field_integer_hex(uint64_t, arg, r->arg)
		lttng_ust_field_integer_hex(uint64_t, site, (uint64_t)(uintptr_t)r->site)
		lttng_ust_field_integer(int64_t, start, r->start_ns)))

/*
 * A call is over and its task runs again (so the event's own time is start +
 * duration + p_wait, and a little).  Every call gives one; path "short" says
 * that the P was never lost.  proc, seq: in the order of the P it runs on.
 * tid is set (not -1) where worker is -1.
 */
LTTNG_UST_TRACEPOINT_EVENT(gtrace, call_end,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, tid, const struct grt_call_record *, r,
		const struct gtrace_stack *, stack),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, tid, tid)
		lttng_ust_field_integer(int32_t, worker, r->worker)
		lttng_ust_field_integer(int32_t, proc, r->proc)
		lttng_ust_field_integer(uint32_t, seq, r->proc_seq)
		lttng_ust_field_integer(uint64_t, task, r->task)
		lttng_ust_field_integer(uint64_t, call_seq, r->seq)
		lttng_ust_field_enum(gtrace, call, uint16_t, call, r->call)
		lttng_ust_field_integer_hex(uint64_t, arg, r->arg)
		lttng_ust_field_integer(int64_t, result, r->result)
		lttng_ust_field_integer(int32_t, error, r->error)
		lttng_ust_field_enum(gtrace, path, uint8_t, path, r->path)
		lttng_ust_field_integer_hex(uint64_t, site, (uint64_t)(uintptr_t)r->site)
		lttng_ust_field_integer(int64_t, start, r->start_ns)
		lttng_ust_field_integer(int64_t, duration, r->duration_ns)
		lttng_ust_field_integer(int64_t, p_wait, r->p_wait_ns)
		lttng_ust_field_sequence_hex(uint64_t, stack, stack->pc, uint32_t, stack->depth)))

/* --- stacks of tasks ------------------------------------------------------*/

LTTNG_UST_TRACEPOINT_EVENT(gtrace, stack_alloc,
	LTTNG_UST_TP_ARGS(int32_t, pid, uint64_t, task, const void *, low, uint64_t, size,
		uint8_t, reused),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(uint64_t, task, task)
		lttng_ust_field_integer_hex(uint64_t, low, (uint64_t)(uintptr_t)low)
		lttng_ust_field_integer(uint64_t, size, size)
		lttng_ust_field_integer(uint8_t, reused, reused)))

LTTNG_UST_TRACEPOINT_EVENT(gtrace, stack_free,
	LTTNG_UST_TP_ARGS(int32_t, pid, uint64_t, task, const void *, low, uint64_t, size),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(uint64_t, task, task)
		lttng_ust_field_integer_hex(uint64_t, low, (uint64_t)(uintptr_t)low)
		lttng_ust_field_integer(uint64_t, size, size)))

/* --- threads that are no workers ------------------------------------------*/

LTTNG_UST_TRACEPOINT_EVENT(gtrace, thread_create,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, tid, const struct gtrace_thread_record *,
		r, const struct gtrace_stack *, stack),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, tid, tid)
		lttng_ust_field_integer(int32_t, result, r->result)
		lttng_ust_field_integer(int64_t, latency, r->latency_ns)
		lttng_ust_field_integer_hex(uint64_t, start_routine,
			(uint64_t)(uintptr_t)r->start)
		lttng_ust_field_integer_hex(uint64_t, site, (uint64_t)(uintptr_t)r->site)
		lttng_ust_field_sequence_hex(uint64_t, stack, stack->pc, uint32_t, stack->depth)))

LTTNG_UST_TRACEPOINT_EVENT(gtrace, thread_start,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, tid, int32_t, creator),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, tid, tid)
		lttng_ust_field_integer(int32_t, creator, creator))) /* tid of the creator */

LTTNG_UST_TRACEPOINT_EVENT(gtrace, thread_exit,
	LTTNG_UST_TP_ARGS(int32_t, pid, int32_t, tid),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, pid, pid)
		lttng_ust_field_integer(int32_t, tid, tid)))

#undef GTRACE_NUMBERED
#undef GTRACE_LABELLED

/* clang-format on */
#endif /* GTRACE_EVENTS_H */

#include <lttng/tracepoint-event.h>
