/* SPDX-License-Identifier: MIT
 *
 * The parts that the model is made of, for the files in this folder only:
 *   model.c    processes, and which event goes where
 *   procs.c    the order of events of a P, and its spans
 *   tasks.c    the spans of tasks
 *   threads.c  workers, threads, and the calls that they are in
 */
#ifndef GTRACE_VIEWER_MODEL_PARTS_H
#define GTRACE_VIEWER_MODEL_PARTS_H

#include "viewer/map.h"
#include "viewer/model/model.h"

#define PROCS_MAX 4096 /* beyond what a runtime allows: a damaged event */
#define HELD_MAX 16

struct task {
	struct task_name name;
	enum task_state state;
	int64_t since;
	int64_t ready_early; /* made ready before its stop was told, else 0 */
	int64_t handed_off;  /* its P left it at, during this call; else 0 */
};

/* The call that a thread is in, as far as it was told. */
struct open_call {
	bool open;
	uint64_t call_seq, task, arg, site;
	int64_t call, start;
};

/* A handoff whose call has not said yet when it began: the past of its P from
 * `from` to `time` is held back. */
struct open_handoff {
	bool open;
	uint64_t call_seq;
	int64_t proc, from, time, reason;
	struct task_name task;
};

struct thread {
	int64_t number; /* of the worker; tid for threads without tasks */
	int64_t tid;    /* -1: not told yet */
	bool counted;   /* among process->threads_now */
	bool at_start;  /* among process->threads_start */
	uint64_t ended; /* call_seq of the last call that ended */
	struct open_call call;
	struct open_handoff handoff;
};

struct proc {
	int64_t number;
	bool exists;
	bool ordered; /* next_seq is known */
	uint32_t next_seq;
	enum proc_state state;
	int64_t since;
	struct task_name task;
	int64_t moving_to; /* -1: nobody */
	bool moving_new;
	bool ended;
	struct event *held; /* HELD_MAX of them, that came before their turn */
	unsigned held_count;
};

struct live {
	struct process process; /* the first member: a struct process is one of these */
	const struct model_consumer *consumer;
	bool finished;
	bool main_ended; /* the main thread is gone */
	int64_t last_event;
	int64_t last_gap;   /* end of the last gap or loss */
	int64_t held_until; /* when the oldest held event gives up waiting */
	struct proc *procs;
	int64_t proc_count;
	struct map tasks;
	int64_t last_task_end;
	struct map workers; /* by number + 1: sysmon is 0 */
	struct map others;  /* threads without tasks, by tid */
	struct map tids;    /* threads that are counted, by tid */
	char **names;       /* of tasks */
	unsigned name_count;
};

/* start + length, where a damaged length must not overflow */
static inline int64_t later(int64_t start, int64_t length)
{
	int64_t sum;

	return __builtin_add_overflow(start, length, &sum) ? INT64_MAX : sum;
}

/* procs.c */
void procs_begin(struct live *live, const struct event *event);
void procs_take(struct live *live, const struct event *event);
void procs_give_up_waiting(struct live *live, int64_t now);
void procs_span(struct live *live, int64_t proc, int64_t from, int64_t to, enum proc_state state,
		const struct task_name *task);
void procs_finish(struct live *live, int64_t end);
bool procs_all_ended(const struct live *live);
bool procs_any_running(const struct live *live);
void procs_free(struct live *live);

/* tasks.c */
/* Makes it, unknown from time on, where it was never seen. */
struct task *tasks_get(struct live *live, uint64_t number, int64_t time);
void tasks_create(struct live *live, const struct event *event);
const struct task *tasks_start(struct live *live, const struct event *event);
void tasks_stop(struct live *live, const struct event *event);
void tasks_end(struct live *live, const struct event *event);
void tasks_ready(struct live *live, const struct event *event);
void tasks_handed_off(struct live *live, const struct event *event);
void tasks_call_end(struct live *live, const struct event *event);
/* Cut the running span of a task that is still in its call at the end. */
void tasks_call_in_flight(struct live *live, const struct open_call *call, int64_t end);
void tasks_finish(struct live *live, int64_t end);
void tasks_free(struct live *live);

/* threads.c */
void threads_begin(struct live *live, int64_t main_tid);
void threads_worker_create(struct live *live, const struct event *event);
void threads_worker_start(struct live *live, const struct event *event);
void threads_worker_exit(struct live *live, const struct event *event);
void threads_create(struct live *live, const struct event *event);
void threads_start(struct live *live, const struct event *event);
void threads_exit(struct live *live, const struct event *event);
void threads_call_begin(struct live *live, const struct event *event);
void threads_call_end(struct live *live, const struct event *event);
/* The piece [from, handoff) of the P's past; held back if its call has not
 * said when it began. */
void threads_handoff(struct live *live, const struct event *event, int64_t from,
		     const struct task_name *task);
/* The worker runs a task again: whatever call it was in is over. */
void threads_not_in_call(struct live *live, int64_t worker);
/* What it is in at the end of an in-call P; NULL: no call. */
const struct open_call *threads_call_of_task(const struct live *live, uint64_t task);
bool threads_any_in_call(const struct live *live);
void threads_finish(struct live *live, int64_t end);
void threads_free(struct live *live);

#endif
