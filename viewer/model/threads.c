/* SPDX-License-Identifier: MIT
 *
 * Owns workers, threads and the calls that they are in.
 *
 * A thread counts from the first event that proves it (worker_create with
 * result 0, worker_start, thread_start) to its exit.  The thread that called
 * grt_run() was counted before it became a worker, and stays when it ends to
 * be one; its tid tells.  sysmon is worker -1 and counts.
 *
 * A call is open from call_begin to call_end.  It is also over, its end being
 * lost, when its worker runs another task or begins a newer call.
 */
#include "viewer/model/parts.h"

#include <stdlib.h>

#include "tracer/vocabulary.h"

static char counted_mark; /* what the map of counted tids points to */

static struct thread *find(struct map *map, int64_t number)
{
	struct thread *thread = map_get(map, (uint64_t)(number + 1));

	if (thread)
		return thread;
	thread = must_alloc(1, sizeof *thread);
	thread->number = number;
	thread->tid = -1;
	map_put(map, (uint64_t)(number + 1), thread);
	return thread;
}

static struct thread *worker_of(struct live *live, int64_t number)
{
	return find(&live->workers, number);
}

static struct thread *caller(struct live *live, const struct event *event)
{
	if (event->call.worker >= 0)
		return find(&live->workers, event->call.worker);
	return find(&live->others, event->call.tid);
}

/* --- how many there are --------------------------------------------------------*/

static void count(struct live *live, int64_t time, int by)
{
	struct process *process = &live->process;

	process->threads_now += by;
	if (process->threads_now > process->threads_peak)
		process->threads_peak = process->threads_now;
	live->consumer->threads(process->consumer, time, process->threads_now);
}

static bool tid_known(const struct live *live, int64_t tid)
{
	return tid > 0 && map_get(&live->tids, (uint64_t)tid);
}

static void tid_learn(struct live *live, int64_t tid)
{
	if (tid > 0)
		map_put(&live->tids, (uint64_t)tid, &counted_mark);
}

void threads_begin(struct live *live, int64_t main_tid)
{
	tid_learn(live, main_tid);
	live->process.threads_start = 1;
	count(live, live->process.begin, 1);
}

static void worker_counts(struct live *live, struct thread *worker, int64_t time)
{
	if (worker->counted)
		return;
	worker->counted = true;
	count(live, time, 1);
}

/* What a scheduler makes before any task asks for it is there "at the start",
 * and no growth. */
static bool made_at_start(int64_t cause)
{
	return cause == GTRACE_CREATE_PRESPAWN || cause == GTRACE_CREATE_SYSMON_THREAD;
}

/* Its creation and its start tell of it, in any order. */
static void was_at_start(struct live *live, struct thread *worker)
{
	live->process.threads_start += !worker->at_start;
	worker->at_start = true;
}

void threads_worker_create(struct live *live, const struct event *event)
{
	struct creation_fact creation = {
	    .cause = event->worker_create.cause,
	    .result = event->worker_create.result,
	    .call = event->worker_create.call,
	    .call_worker = event->worker_create.call_worker,
	    .call_seq = event->worker_create.call_seq,
	    .site = event->worker_create.site,
	    .stack = &event->worker_create.stack,
	};

	if (creation.cause == GTRACE_CREATE_START)
		return; /* the thread was there */
	if (creation.result == 0) {
		struct thread *worker = worker_of(live, event->worker_create.worker);

		worker_counts(live, worker, event->time);
		if (made_at_start(creation.cause)) {
			was_at_start(live, worker);
			return;
		}
	}
	live->consumer->creation(live->process.consumer, &creation);
}

void threads_worker_start(struct live *live, const struct event *event)
{
	struct thread *worker = worker_of(live, event->worker.worker);

	worker->tid = event->worker.tid;
	if (!worker->counted && tid_known(live, worker->tid))
		return;           /* it called grt_run() */
	if (worker->number == -1) /* sysmon */
		was_at_start(live, worker);
	worker_counts(live, worker, event->time);
	tid_learn(live, worker->tid);
}

void threads_worker_exit(struct live *live, const struct event *event)
{
	struct thread *worker = worker_of(live, event->worker.worker);

	if (worker->counted) {
		if (worker->tid > 0)
			map_take(&live->tids, (uint64_t)worker->tid);
		count(live, event->time, -1);
	}
	worker->counted = false;
	worker->tid = -1;
	worker->call.open = false;
	worker->ended = 0;
	worker->at_start = false;
}

void threads_create(struct live *live, const struct event *event)
{
	struct creation_fact creation = {
	    .cause = CREATION_BY_PROGRAM,
	    .result = event->thread.result,
	    .call_worker = -1,
	    .site = event->thread.site,
	    .stack = &event->thread.stack,
	};

	live->consumer->creation(live->process.consumer, &creation);
}

void threads_start(struct live *live, const struct event *event)
{
	if (tid_known(live, event->thread.tid))
		return;
	tid_learn(live, event->thread.tid);
	count(live, event->time, 1);
}

void threads_exit(struct live *live, const struct event *event)
{
	struct thread *other = map_take(&live->others, (uint64_t)(event->thread.tid + 1));

	free(other);
	if (event->thread.tid > 0 && map_take(&live->tids, (uint64_t)event->thread.tid))
		count(live, event->time, -1);
}

/* --- calls ---------------------------------------------------------------------*/

/* The call says when it began: hand out what was held back of its P's past. */
static void settle_handoff(struct live *live, struct thread *thread, int64_t start)
{
	struct open_handoff *handoff = &thread->handoff;
	int64_t from = between(start, handoff->from, handoff->time);

	handoff->open = false;
	if (start == 0) {
		procs_span(live, handoff->proc, handoff->from, handoff->time, PROC_UNKNOWN, NULL);
		return;
	}
	procs_span(live, handoff->proc, handoff->from, from, PROC_RUNNING, &handoff->task);
	procs_span(live, handoff->proc, from, handoff->time, PROC_IN_CALL, &handoff->task);
	if (start <= handoff->time)
		live->consumer->handoff(live->process.consumer, HANDOFF_DETECTED,
					handoff->time - start);
}

/* The call will never say.  A P that left at the entry of the call ran its
 * task until then; otherwise nobody knows. */
static void give_handoff_up(struct live *live, struct thread *thread)
{
	struct open_handoff *handoff = &thread->handoff;
	bool at_entry =
	    handoff->reason == GTRACE_HANDOFF_EAGER || handoff->reason == GTRACE_HANDOFF_ADAPTIVE;

	if (!handoff->open)
		return;
	handoff->open = false;
	procs_span(live, handoff->proc, handoff->from, handoff->time,
		   at_entry ? PROC_RUNNING : PROC_UNKNOWN, &handoff->task);
}

void threads_call_begin(struct live *live, const struct event *event)
{
	struct thread *thread = caller(live, event);

	if (event->call.call_seq <= thread->ended)
		return; /* sysmon told it late */
	thread->tid = event->call.tid > 0 ? event->call.tid : thread->tid;
	thread->call = (struct open_call){
	    .open = true,
	    .call_seq = event->call.call_seq,
	    .task = event->call.task,
	    .arg = event->call.arg,
	    .site = event->call.site,
	    .call = event->call.call,
	    .start = event->call.start,
	};
	if (thread->handoff.open && thread->handoff.call_seq == event->call.call_seq)
		settle_handoff(live, thread, event->call.start);
}

static struct task_name name_of(struct live *live, uint64_t task)
{
	const struct task *known = task ? map_get(&live->tasks, task) : NULL;

	return known ? known->name : (struct task_name){.task = task, .name = ""};
}

void threads_call_end(struct live *live, const struct event *event)
{
	struct thread *thread = caller(live, event);
	struct call_fact fact = {
	    .worker = event->call.worker,
	    .tid = event->call.tid,
	    .call_seq = event->call.call_seq,
	    .arg = event->call.arg,
	    .site = event->call.site,
	    .task = name_of(live, event->call.task),
	    .call = event->call.call,
	    .path = event->call.path,
	    .start = event->call.start,
	    .duration = event->call.duration,
	    .p_wait = event->call.p_wait,
	    .stack = &event->call.stack,
	};

	if (event->call.path != GTRACE_PATH_PARKED) {
		if (thread->handoff.open && thread->handoff.call_seq == event->call.call_seq)
			settle_handoff(live, thread, event->call.start);
		give_handoff_up(live, thread);
		thread->call.open = false;
		thread->ended = event->call.call_seq;
	}
	live->consumer->call(live->process.consumer, &fact);
}

void threads_handoff(struct live *live, const struct event *event, int64_t from,
		     const struct task_name *task)
{
	struct thread *thread = worker_of(live, event->proc_handoff.from);

	give_handoff_up(live, thread);
	thread->handoff = (struct open_handoff){
	    .open = true,
	    .call_seq = event->proc_handoff.call_seq,
	    .proc = event->proc_handoff.proc,
	    .from = from,
	    .time = event->time,
	    .reason = event->proc_handoff.reason,
	    .task = *task,
	};
	if (thread->call.open && thread->call.call_seq == event->proc_handoff.call_seq)
		settle_handoff(live, thread, thread->call.start);
}

void threads_not_in_call(struct live *live, int64_t worker)
{
	struct thread *thread = map_get(&live->workers, (uint64_t)(worker + 1));

	if (!thread)
		return;
	give_handoff_up(live, thread);
	thread->call.open = false;
}

const struct open_call *threads_call_of_task(const struct live *live, uint64_t task)
{
	const struct thread *thread;

	for (size_t at = 0; (thread = map_next(&live->workers, &at));) {
		if (thread->call.open && thread->call.task == task)
			return &thread->call;
	}
	return NULL;
}

bool threads_any_in_call(const struct live *live)
{
	const struct thread *thread;

	for (size_t at = 0; (thread = map_next(&live->workers, &at));) {
		if (thread->call.open || thread->handoff.open)
			return true;
	}
	for (size_t at = 0; (thread = map_next(&live->others, &at));) {
		if (thread->call.open)
			return true;
	}
	return false;
}

/* --- the end -------------------------------------------------------------------*/

static void tell_in_flight(struct live *live, struct thread *thread, int64_t end)
{
	const struct open_call *call = &thread->call;
	struct call_fact fact = {
	    .worker = thread->number,
	    .tid = thread->tid,
	    .call_seq = call->call_seq,
	    .arg = call->arg,
	    .site = call->site,
	    .task = name_of(live, call->task),
	    .call = call->call,
	    .start = call->start,
	    .duration = call->start ? end - call->start : 0,
	    .in_flight = true,
	};

	tasks_call_in_flight(live, call, end);
	live->consumer->call(live->process.consumer, &fact);
}

/* A P left this worker's call, and nothing more was told of the call. */
static void open_from_handoff(struct thread *thread)
{
	if (thread->call.open || !thread->handoff.open)
		return;
	thread->call = (struct open_call){
	    .open = true,
	    .call_seq = thread->handoff.call_seq,
	    .task = thread->handoff.task.task,
	    .call = GTRACE_CALL_other,
	    .start = thread->handoff.time,
	};
}

void threads_finish(struct live *live, int64_t end)
{
	struct thread *thread;

	for (size_t at = 0; (thread = map_next(&live->workers, &at));) {
		open_from_handoff(thread);
		give_handoff_up(live, thread);
		if (thread->call.open)
			tell_in_flight(live, thread, end);
	}
	for (size_t at = 0; (thread = map_next(&live->others, &at));) {
		if (thread->call.open)
			tell_in_flight(live, thread, end);
	}
}

void threads_free(struct live *live)
{
	struct thread *thread;

	for (size_t at = 0; (thread = map_next(&live->workers, &at));)
		free(thread);
	for (size_t at = 0; (thread = map_next(&live->others, &at));)
		free(thread);
	map_free(&live->workers);
	map_free(&live->others);
	map_free(&live->tids);
}
