/* SPDX-License-Identifier: MIT
 *
 * What a recording means: processes, and the states of their procs (P), tasks
 * (G), workers and threads over time.  The model takes events in the order of
 * time and hands facts to one consumer as soon as they are certain: spans when
 * they close, calls when they end.  It keeps the present, not the past, so its
 * memory grows with what lives at one time and not with events.
 *
 * States of a P, one at any time from the start of its scheduler to the end of
 * the process.  Spans of a P never overlap and leave no hole:
 *   idle      no task on it; a worker may hold it and look for one
 *   running   a task runs
 *   in call   its worker is in a blocking call that it still holds the P for
 *   moving    handed off; the worker that takes it has not started it yet
 *   unknown   events are missing: before the first one seen, and between two
 *             whose sequence numbers have a gap
 *
 * States of a task, likewise:
 *   runnable, running, in call (holding its P), in call without P, waiting
 *   for P (back from the call; the exitsyscall wait), parked, unknown
 *
 * How a call becomes spans.  A short call is told once, when it is over, with
 * its start; the running span of its P is cut there after the fact.  A handoff
 * says when the P left; when the call began comes later (call_begin, told by
 * sysmon, or call_end), and until then that piece of the P's past is held
 * back.  So the spans of a P may be handed out late, out of order by one piece
 * for each call in flight.
 *
 * Times are ns of the recorded clock; -1 is "none" for numbers of procs,
 * workers and threads, 0 for tasks.
 */
#ifndef GTRACE_VIEWER_MODEL_H
#define GTRACE_VIEWER_MODEL_H

#include <stdbool.h>

#include "viewer/event.h"

enum proc_state {
	PROC_IDLE,
	PROC_RUNNING,
	PROC_IN_CALL,
	PROC_MOVING,
	PROC_UNKNOWN,
	PROC_STATE_COUNT,
};

enum task_state {
	TASK_RUNNABLE,
	TASK_RUNNING,
	TASK_IN_CALL,
	TASK_IN_CALL_NO_P,
	TASK_WAITING_FOR_P,
	TASK_PARKED,
	TASK_UNKNOWN,
	TASK_STATE_COUNT,
};

/* Who a task is; name is never NULL and lives as long as the process. */
struct task_name {
	uint64_t task;
	uint64_t fn;
	const char *name;
};

struct proc_span {
	int64_t proc, from, to;
	enum proc_state state;
	struct task_name task; /* running, in call */
};

struct task_span {
	int64_t from, to;
	enum task_state state;
	struct task_name task;
	bool uncertain; /* events were lost meanwhile: it may have been otherwise */
	bool open;      /* still so when the record ends */
};

struct call_fact {
	int64_t worker, tid; /* tid: where worker is -1 */
	uint64_t call_seq, arg, site;
	struct task_name task;
	int64_t call, path, start, duration, p_wait; /* start 0: not known */
	const struct event_stack *stack;
	bool in_flight; /* never ended; duration up to the end of the record */
};

enum handoff_part {
	HANDOFF_DECIDED,     /* ns: not used */
	HANDOFF_DETECTED,    /* ns: begin of the call to the handoff */
	HANDOFF_STARTED_NEW, /* ns: handoff to the start on the other worker */
	HANDOFF_STARTED_REUSED,
};

/* A thread was made, or could not be. */
struct creation_fact {
	int64_t cause; /* enum gtrace_create, or CREATION_BY_PROGRAM */
	int64_t result;
	int64_t call, call_worker;
	uint64_t call_seq, site;
	const struct event_stack *stack;
};

#define CREATION_BY_PROGRAM 255 /* pthread_create of the program itself */

struct module {
	uint64_t base, low, high;
	char *path;
	struct event_build_id build_id;
};

/* What is known of a process image.  A second one of the same pid (exec) is a
 * process of its own.  Lives until model_close(). */
struct process {
	uint32_t trace;
	int64_t pid, parent;
	char *name, *command, *workload, *settings;
	int64_t mode;           /* enum gtrace_preload_mode */
	int64_t procs, handoff; /* procs 0: it does not use the runtime */
	int64_t begin, end;
	int64_t threads_now, threads_start, threads_peak;
	uint64_t lost; /* events that its trace lost while it lived */
	uint64_t loss_windows;
	uint64_t gaps; /* in the sequences of its Ps */
	int64_t loss_from, loss_to;
	struct module *modules;
	uint32_t module_count;
	void *consumer; /* what process_begin returned */
};

/* Who takes the facts; `of` is process->consumer.  All must be set. */
struct model_consumer {
	void *context;
	void *(*process_begin)(void *context, const struct process *process);
	void (*proc_span)(void *of, const struct proc_span *span);
	void (*task_span)(void *of, const struct task_span *span);
	void (*call)(void *of, const struct call_fact *call);
	void (*handoff)(void *of, enum handoff_part part, int64_t ns);
	void (*creation)(void *of, const struct creation_fact *creation);
	void (*threads)(void *of, int64_t time, int64_t count);
	/* Everything of this process was handed out; process->end is set. */
	void (*process_end)(void *of, const struct process *process);
};

/* t, but not before low and not after high */
static inline int64_t between(int64_t t, int64_t low, int64_t high)
{
	return t < low ? low : t > high ? high : t;
}

struct model;

struct model *model_open(const struct model_consumer *consumer);
void model_event(struct model *model, const struct event *event);
void model_loss(struct model *model, const struct event_loss *loss);
/* The record of this trace reaches until end. */
void model_reach(struct model *model, uint32_t trace, int64_t end);
/* No more events come: close what is open. */
void model_finish(struct model *model);
/* In the order in which they began; NULL: no more. */
const struct process *model_process(const struct model *model, uint32_t index);
void model_close(struct model *model);

#endif
