/* SPDX-License-Identifier: MIT
 *
 * Events written by hand, for tests of the model and of the analyses.
 */
#ifndef GTRACE_TESTS_SCRIPT_H
#define GTRACE_TESTS_SCRIPT_H

#include <stdint.h>

#include "tracer/vocabulary.h"
#include "viewer/model/model.h"

#define SCRIPT_PID 100

static inline struct event script_event(enum event_kind kind, int64_t time)
{
	return (struct event){.kind = kind, .time = time, .pid = SCRIPT_PID};
}

static inline void script_process(struct model *model, int64_t time)
{
	struct event event = script_event(EVENT_process, time);

	event.process.tid = SCRIPT_PID;
	event.process.parent = -1;
	event.process.name = "app";
	event.process.command = "app --flag";
	model_event(model, &event);
}

static inline void script_procs(struct model *model, int64_t time, int64_t procs)
{
	struct event event = script_event(EVENT_procs, time);

	event.procs.procs = procs;
	model_event(model, &event);
}

static inline void script_on_proc(struct model *model, enum event_kind kind, int64_t time,
				  int64_t proc, int64_t seq, int64_t worker, uint64_t task,
				  int64_t reason)
{
	struct event event = script_event(kind, time);

	event.on_proc.proc = proc;
	event.on_proc.seq = seq;
	event.on_proc.worker = worker;
	event.on_proc.task = task;
	event.on_proc.reason = reason;
	model_event(model, &event);
}

static inline void script_create(struct model *model, int64_t time, uint64_t task)
{
	struct event event = script_event(EVENT_task_create, time);

	event.task_create.task = task;
	event.task_create.fn = 0x1000 + task;
	model_event(model, &event);
}

static inline void script_ready(struct model *model, int64_t time, uint64_t task)
{
	struct event event = script_event(EVENT_task_ready, time);

	event.task_ready.task = task;
	model_event(model, &event);
}

struct script_call {
	int64_t worker, tid, proc, seq;
	uint64_t task, call_seq, site;
	int64_t call, path, start, duration, p_wait;
	struct event_stack stack;
};

static inline void script_call_event(struct model *model, enum event_kind kind, int64_t time,
				     const struct script_call *call)
{
	struct event event = script_event(kind, time);

	event.call.worker = call->worker;
	event.call.tid = call->tid;
	event.call.proc = call->proc;
	event.call.seq = call->seq;
	event.call.task = call->task;
	event.call.call_seq = call->call_seq;
	event.call.site = call->site;
	event.call.call = call->call;
	event.call.path = call->path;
	event.call.start = call->start;
	event.call.duration = call->duration;
	event.call.p_wait = call->p_wait;
	event.call.stack = call->stack;
	model_event(model, &event);
}

static inline void script_call_end(struct model *model, int64_t time, struct script_call call)
{
	script_call_event(model, EVENT_call_end, time, &call);
}

static inline void script_call_begin(struct model *model, int64_t time, struct script_call call)
{
	script_call_event(model, EVENT_call_begin, time, &call);
}

struct script_handoff {
	int64_t proc, seq, from, to, reason, new_thread;
	uint64_t task, call_seq;
};

static inline void script_handoff(struct model *model, int64_t time, struct script_handoff handoff)
{
	struct event event = script_event(EVENT_proc_handoff, time);

	event.proc_handoff.proc = handoff.proc;
	event.proc_handoff.seq = handoff.seq;
	event.proc_handoff.from = handoff.from;
	event.proc_handoff.to = handoff.to;
	event.proc_handoff.reason = handoff.reason;
	event.proc_handoff.new_thread = handoff.new_thread;
	event.proc_handoff.task = handoff.task;
	event.proc_handoff.call_seq = handoff.call_seq;
	model_event(model, &event);
}

struct script_worker {
	int64_t worker, cause, result, call_worker, call, tid;
	uint64_t call_seq, site;
};

static inline void script_worker_create(struct model *model, int64_t time,
					struct script_worker worker)
{
	struct event event = script_event(EVENT_worker_create, time);

	event.worker_create.worker = worker.worker;
	event.worker_create.cause = worker.cause;
	event.worker_create.result = worker.result;
	event.worker_create.call_worker = worker.call_worker;
	event.worker_create.call_seq = worker.call_seq;
	event.worker_create.call = worker.call;
	event.worker_create.site = worker.site;
	model_event(model, &event);
}

static inline void script_worker_event(struct model *model, enum event_kind kind, int64_t time,
				       int64_t worker, int64_t tid)
{
	struct event event = script_event(kind, time);

	event.worker.worker = worker;
	event.worker.tid = tid;
	model_event(model, &event);
}

static inline void script_thread_event(struct model *model, enum event_kind kind, int64_t time,
				       int64_t tid)
{
	struct event event = script_event(kind, time);

	event.thread.tid = tid;
	model_event(model, &event);
}

#endif
