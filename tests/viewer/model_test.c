/* SPDX-License-Identifier: MIT
 *
 * Hand-written event sequences against the spans that the model makes of them,
 * and the property that spans of a P never overlap and leave no hole.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/viewer/script.h"
#include "viewer/map.h"

/* --- what the model said ---------------------------------------------------------*/

struct said {
	struct proc_span *procs;
	size_t proc_count;
	struct task_span *tasks;
	size_t task_count;
	struct call_fact calls[32];
	size_t call_count;
	uint64_t handoffs;
	int64_t detect, start_new, start_reused; /* -1: not told */
	unsigned processes, ended;
};

static struct said said;

static void *on_begin(void *context, const struct process *process)
{
	(void)process;
	said.processes++;
	return context;
}

static void on_proc_span(void *of, const struct proc_span *span)
{
	(void)of;
	said.procs = must_grow(said.procs, said.proc_count + 1, sizeof *span);
	said.procs[said.proc_count++] = *span;
}

static void on_task_span(void *of, const struct task_span *span)
{
	(void)of;
	said.tasks = must_grow(said.tasks, said.task_count + 1, sizeof *span);
	said.tasks[said.task_count++] = *span;
}

static void on_call(void *of, const struct call_fact *call)
{
	(void)of;
	if (said.call_count < sizeof said.calls / sizeof *said.calls)
		said.calls[said.call_count++] = *call;
}

static void on_handoff(void *of, enum handoff_part part, int64_t ns)
{
	(void)of;
	said.handoffs += part == HANDOFF_DECIDED;
	if (part == HANDOFF_DETECTED)
		said.detect = ns;
	if (part == HANDOFF_STARTED_NEW)
		said.start_new = ns;
	if (part == HANDOFF_STARTED_REUSED)
		said.start_reused = ns;
}

static void on_creation(void *of, const struct creation_fact *creation)
{
	(void)of;
	(void)creation;
}

static void on_threads(void *of, int64_t time, int64_t count)
{
	(void)of;
	(void)time;
	(void)count;
}

static void on_end(void *of, const struct process *process)
{
	(void)of;
	(void)process;
	said.ended++;
}

static struct model *begin(void)
{
	static const struct model_consumer consumer = {
	    .context = &said,
	    .process_begin = on_begin,
	    .proc_span = on_proc_span,
	    .task_span = on_task_span,
	    .call = on_call,
	    .handoff = on_handoff,
	    .creation = on_creation,
	    .threads = on_threads,
	    .process_end = on_end,
	};

	free(said.procs);
	free(said.tasks);
	said = (struct said){.detect = -1, .start_new = -1, .start_reused = -1};
	return model_open(&consumer);
}

/* A process with one P, whose task 1 runs on worker 0 from 10 on. */
static struct model *begin_running(void)
{
	struct model *model = begin();

	script_process(model, 0);
	script_procs(model, 0, 1);
	script_create(model, 0, 1);
	script_on_proc(model, EVENT_proc_start, 5, 0, 1, 0, 0, 0);
	script_on_proc(model, EVENT_task_start, 10, 0, 2, 0, 1, 0);
	return model;
}

static void end(struct model *model)
{
	model_finish(model);
	model_close(model);
}

/* --- saying it as text: "running 10-20" ------------------------------------------*/

static const char *const proc_states[] = {"idle", "running", "in-call", "moving", "unknown"};
static const char *const task_states[] = {"runnable", "running", "in-call", "no-P",
					  "waiting",  "parked",  "unknown"};

static int by_from(const void *a, const void *b)
{
	int64_t x = ((const struct proc_span *)a)->from, y = ((const struct proc_span *)b)->from;

	return x < y ? -1 : x > y;
}

static void assert_proc(int64_t proc, const char *expected)
{
	char text[1024] = "";
	size_t length = 0;

	qsort(said.procs, said.proc_count, sizeof *said.procs, by_from);
	for (size_t i = 0; i < said.proc_count; i++) {
		const struct proc_span *span = &said.procs[i];

		if (span->proc != proc)
			continue;
		length += (size_t)snprintf(text + length, sizeof text - length,
					   "%s%s %" PRId64 "-%" PRId64, length ? ", " : "",
					   proc_states[span->state], span->from, span->to);
		if (span->task.task)
			length += (size_t)snprintf(text + length, sizeof text - length,
						   " G%" PRIu64, span->task.task);
	}
	assert_string_equal(text, expected);
}

static void assert_task(uint64_t task, const char *expected)
{
	char text[1024] = "";
	size_t length = 0;

	for (size_t i = 0; i < said.task_count; i++) {
		const struct task_span *span = &said.tasks[i];

		if (span->task.task == task)
			length += (size_t)snprintf(text + length, sizeof text - length,
						   "%s%s %" PRId64 "-%" PRId64, length ? ", " : "",
						   task_states[span->state], span->from, span->to);
	}
	assert_string_equal(text, expected);
}

/* --- calls -----------------------------------------------------------------------*/

static void a_short_call_cuts_the_running_span(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_call_end(
	    model, 42,
	    (struct script_call){.seq = 3, .task = 1, .call_seq = 1, .start = 30, .duration = 10});
	script_on_proc(model, EVENT_task_end, 50, 0, 4, 0, 1, 0);
	end(model);
	assert_proc(0, "idle 0-10, running 10-30 G1, in-call 30-40 G1, running 40-50 G1");
	assert_task(1, "runnable 0-10, running 10-30, in-call 30-40, running 40-50");
	assert_int_equal(said.call_count, 1);
	assert_int_equal(said.handoffs, 0);
}

/* sysmon hands off at 120; the task waits in line and gets the P at 260. */
static struct model *play_queued(void)
{
	struct model *model = begin_running();
	struct script_call call = {.seq = 8,
				   .task = 1,
				   .call_seq = 1,
				   .path = GTRACE_PATH_QUEUED,
				   .start = 100,
				   .duration = 100,
				   .p_wait = 60};

	script_create(model, 50, 2);
	script_call_begin(model, 119, call);
	script_handoff(
	    model, 120,
	    (struct script_handoff){.seq = 3, .to = 1, .new_thread = 1, .task = 1, .call_seq = 1});
	script_on_proc(model, EVENT_proc_start, 150, 0, 4, 1, 0, 0);
	script_on_proc(model, EVENT_task_start, 155, 0, 5, 1, 2, 0);
	script_on_proc(model, EVENT_task_stop, 250, 0, 6, 1, 2, GTRACE_STOP_SLEEP);
	/* The returning worker starts the P before it tells the end of the call. */
	script_on_proc(model, EVENT_proc_start, 258, 0, 7, 0, 0, 0);
	script_call_end(model, 261, call);
	script_on_proc(model, EVENT_task_end, 300, 0, 9, 0, 1, 0);
	return model;
}

static void sysmon_hands_off_and_the_task_queues(void **context)
{
	(void)context;
	end(play_queued());
	assert_proc(0, "idle 0-10, running 10-100 G1, in-call 100-120 G1, moving 120-150, "
		       "idle 150-155, running 155-250 G2, idle 250-260, "
		       "running 260-300 G1");
	assert_task(1, "runnable 0-10, running 10-100, in-call 100-120, no-P 120-200, "
		       "waiting 200-260, running 260-300");
	assert_int_equal(said.handoffs, 1);
	assert_int_equal(said.detect, 20);
	assert_int_equal(said.start_new, 30);
	assert_int_equal(said.start_reused, -1);
}

/* Handed off at entry: nothing says when the call began before it ends. */
static void an_eager_handoff_is_settled_at_the_end_of_the_call(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_handoff(
	    model, 102,
	    (struct script_handoff){
		.seq = 3, .to = -1, .task = 1, .reason = GTRACE_HANDOFF_EAGER, .call_seq = 1});
	script_on_proc(model, EVENT_proc_start, 205, 0, 4, 0, 0, 0);
	script_call_end(model, 211,
			(struct script_call){.seq = 5,
					     .task = 1,
					     .call_seq = 1,
					     .path = GTRACE_PATH_SAME_P,
					     .start = 100,
					     .duration = 100,
					     .p_wait = 10});
	script_on_proc(model, EVENT_task_end, 300, 0, 6, 0, 1, 0);
	end(model);
	assert_proc(0, "idle 0-10, running 10-100 G1, in-call 100-102 G1, idle 102-210, "
		       "running 210-300 G1");
	assert_int_equal(said.detect, 2);
	assert_int_equal(said.start_new, -1);
	assert_int_equal(said.start_reused, -1);
}

static void a_call_in_flight_holds_its_p_to_the_end(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_call_begin(
	    model, 120,
	    (struct script_call){.task = 1, .call_seq = 1, .start = 100, .call = GTRACE_CALL_open});
	model_reach(model, 0, 500);
	end(model);
	assert_proc(0, "idle 0-10, running 10-100 G1, in-call 100-500 G1");
	assert_task(1, "runnable 0-10, running 10-100, in-call 100-500");
	assert_int_equal(said.call_count, 1);
	assert_true(said.calls[0].in_flight);
	assert_int_equal(said.calls[0].duration, 400);
	assert_int_equal(said.calls[0].call, GTRACE_CALL_open);
}

static void a_call_in_flight_without_its_p(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_call_begin(model, 119, (struct script_call){.task = 1, .call_seq = 1, .start = 100});
	script_handoff(model, 120,
		       (struct script_handoff){.seq = 3, .to = -1, .task = 1, .call_seq = 1});
	model_reach(model, 0, 500);
	end(model);
	assert_proc(0, "idle 0-10, running 10-100 G1, in-call 100-120 G1, idle 120-500");
	assert_task(1, "runnable 0-10, running 10-100, in-call 100-120, no-P 120-500");
}

/* sysmon looked at the call while it ended, and told of it too late. */
static void a_late_call_begin_is_not_in_flight(void **context)
{
	struct model *model = begin_running();
	struct script_call call = {.seq = 3, .task = 1, .call_seq = 1, .start = 30, .duration = 25};

	(void)context;
	script_call_end(model, 56, call);
	script_call_begin(model, 57, call);
	end(model);
	assert_int_equal(said.call_count, 1);
	assert_false(said.calls[0].in_flight);
}

static void calls_of_threads_without_tasks(void **context)
{
	struct model *model = begin();
	struct script_call call = {.worker = -1,
				   .tid = 7,
				   .proc = -1,
				   .call_seq = 1,
				   .path = GTRACE_PATH_NO_P,
				   .start = 10,
				   .duration = 20};

	(void)context;
	script_process(model, 0);
	script_call_begin(model, 11, call);
	script_call_end(model, 30, call);
	call.tid = 8;
	script_call_begin(model, 40, call);
	model_reach(model, 0, 100);
	end(model);
	assert_int_equal(said.call_count, 2);
	assert_int_equal(said.calls[0].tid, 7);
	assert_false(said.calls[0].in_flight);
	assert_int_equal(said.calls[1].tid, 8);
	assert_true(said.calls[1].in_flight);
	assert_int_equal(said.proc_count, 0);
}

/* --- order and loss --------------------------------------------------------------*/

static void a_gap_is_unknown(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_on_proc(model, EVENT_task_stop, 5000000, 0, 5, 0, 1, GTRACE_STOP_YIELD);
	script_on_proc(model, EVENT_task_start, 9000000, 0, 6, 0, 1, 0);
	end(model);
	assert_proc(0, "idle 0-10, unknown 10-5000000, idle 5000000-9000000");
	assert_true(said.tasks[1].uncertain);
}

static void equal_times_are_put_in_order(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_on_proc(model, EVENT_task_start, 100, 0, 4, 0, 2, 0);
	script_on_proc(model, EVENT_task_stop, 100, 0, 3, 0, 1, GTRACE_STOP_YIELD);
	script_on_proc(model, EVENT_task_end, 150, 0, 5, 0, 2, 0);
	end(model);
	assert_proc(0, "idle 0-10, running 10-100 G1, running 100-150 G2");
}

static void before_the_recording_is_unknown(void **context)
{
	struct model *model = begin();

	(void)context;
	script_ready(model, 10, 9);
	script_on_proc(model, EVENT_task_stop, 50, 0, 77, 3, 4, GTRACE_STOP_YIELD);
	script_on_proc(model, EVENT_task_start, 60, 0, 78, 3, 4, 0);
	script_on_proc(model, EVENT_task_end, 90, 0, 79, 3, 4, 0);
	end(model);
	assert_proc(0, "unknown 10-50, idle 50-60, running 60-90 G4");
	assert_task(4, "runnable 50-60, running 60-90");
}

static void a_call_that_began_before_the_recording(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_call_end(model, 60, (struct script_call){.seq = 3, .task = 1, .call_seq = 4});
	script_on_proc(model, EVENT_task_end, 80, 0, 4, 0, 1, 0);
	end(model);
	assert_proc(0, "idle 0-10, unknown 10-60, running 60-80 G1");
	assert_task(1, "runnable 0-10, unknown 10-60, running 60-80");
}

static void a_wake_up_before_the_stop_it_answers(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_ready(model, 40, 1);
	script_on_proc(model, EVENT_task_stop, 41, 0, 3, 0, 1, GTRACE_STOP_CHAN_RECV);
	script_on_proc(model, EVENT_task_start, 60, 0, 4, 0, 1, 0);
	script_on_proc(model, EVENT_task_end, 70, 0, 5, 0, 1, 0);
	end(model);
	assert_task(1, "runnable 0-10, running 10-41, runnable 41-60, running 60-70");
}

static void a_locked_task_parks_until_its_worker_comes(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_on_proc(model, EVENT_task_stop, 20, 0, 3, 0, 1, GTRACE_STOP_AFFINITY);
	script_on_proc(model, EVENT_proc_stop, 25, 0, 4, 0, 0, GTRACE_PROC_STOP_GIVEN_LOCKED);
	script_on_proc(model, EVENT_proc_start, 30, 0, 5, 2, 0, 0);
	script_on_proc(model, EVENT_task_start, 35, 0, 6, 2, 1, 0);
	script_on_proc(model, EVENT_task_end, 40, 0, 7, 2, 1, 0);
	end(model);
	assert_task(1, "runnable 0-10, running 10-20, runnable 20-35, running 35-40");
	assert_proc(0, "idle 0-10, running 10-20 G1, idle 20-35, "
		       "running 35-40 G1");
}

/* --- processes -------------------------------------------------------------------*/

static void exec_is_another_process(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_process(model, 100);
	script_call_end(model, 150,
			(struct script_call){.worker = -1,
					     .tid = 100,
					     .proc = -1,
					     .path = GTRACE_PATH_NO_P,
					     .start = 120,
					     .duration = 20});
	model_finish(model);
	assert_int_equal(said.processes, 2);
	assert_int_equal(said.ended, 2);
	assert_int_equal(model_process(model, 0)->end, 100);
	assert_int_equal(model_process(model, 1)->begin, 100);
	assert_int_equal(model_process(model, 1)->end, 150);
	assert_int_equal(model_process(model, 1)->procs, 0);
	assert_null(model_process(model, 2));
	assert_proc(0, "idle 0-10, running 10-100 G1");
	model_close(model);
}

static void a_forked_child_is_a_process(void **context)
{
	struct model *model = begin_running();
	struct event event = script_event(EVENT_process, 50);

	(void)context;
	event.pid = 101;
	event.process.tid = 101;
	event.process.parent = SCRIPT_PID;
	model_event(model, &event);
	script_on_proc(model, EVENT_task_end, 60, 0, 3, 0, 1, 0);
	model_finish(model);
	assert_int_equal(said.processes, 2);
	assert_int_equal(model_process(model, 1)->parent, SCRIPT_PID);
	assert_int_equal(model_process(model, 1)->threads_now, 1);
	assert_proc(0, "idle 0-10, running 10-60 G1");
	model_close(model);
}

static void equal_pids_of_two_traces_are_two_processes(void **context)
{
	struct model *model = begin_running();
	struct event event = script_event(EVENT_process, 20);

	(void)context;
	event.trace = 1;
	model_event(model, &event);
	script_on_proc(model, EVENT_task_end, 60, 0, 3, 0, 1, 0);
	model_finish(model);
	assert_int_equal(said.processes, 2);
	assert_int_equal(model_process(model, 0)->end, 60);
	assert_int_equal(model_process(model, 1)->end, 20);
	model_close(model);
}

static void threads_are_counted_once(void **context)
{
	struct model *model = begin();
	const struct process *process;

	(void)context;
	script_process(model, 0);
	/* main becomes M0; sysmon; M1 told by both, M2 failed, M3 only started */
	script_worker_event(model, EVENT_worker_start, 1, 0, SCRIPT_PID);
	script_worker_event(model, EVENT_worker_start, 2, -1, 201);
	script_worker_create(model, 3,
			     (struct script_worker){.worker = 1, .cause = GTRACE_CREATE_CALL});
	script_worker_event(model, EVENT_worker_start, 4, 1, 202);
	script_worker_create(
	    model, 5,
	    (struct script_worker){.worker = 2, .result = 11, .cause = GTRACE_CREATE_CALL});
	script_worker_event(model, EVENT_worker_start, 6, 3, 203);
	script_thread_event(model, EVENT_thread_start, 7, 300);
	script_thread_event(model, EVENT_thread_start, 7, 202);
	script_thread_event(model, EVENT_thread_exit, 8, 300);
	script_worker_event(model, EVENT_worker_exit, 9, 1, 0);
	script_worker_event(model, EVENT_worker_exit, 10, 0, 0);
	model_finish(model);
	process = model_process(model, 0);
	assert_int_equal(process->threads_start, 2);
	assert_int_equal(process->threads_peak, 5);
	assert_int_equal(process->threads_now, 3);
	model_close(model);
}

static void the_start_counts_sysmon_and_prespawned_workers_once(void **context)
{
	(void)context;
	for (int started_first = 0; started_first <= 1; started_first++) {
		struct model *model = begin();
		struct script_worker sysmon = {.worker = -1, .cause = GTRACE_CREATE_SYSMON_THREAD};
		struct script_worker early = {.worker = 4, .cause = GTRACE_CREATE_PRESPAWN};

		script_process(model, 0);
		if (started_first) {
			script_worker_event(model, EVENT_worker_start, 1, -1, 201);
			script_worker_event(model, EVENT_worker_start, 1, 4, 202);
		}
		script_worker_create(model, 2, sysmon);
		script_worker_create(model, 2, early);
		script_worker_event(model, EVENT_worker_start, 3, -1, 201);
		script_worker_event(model, EVENT_worker_start, 3, 4, 202);
		model_finish(model);
		assert_int_equal(model_process(model, 0)->threads_start, 3);
		assert_int_equal(model_process(model, 0)->threads_peak, 3);
		model_close(model);
	}
}

static void nobody_lives_after_the_main_thread(void **context)
{
	struct model *model = begin_running();

	(void)context;
	script_thread_event(model, EVENT_thread_exit, 50, SCRIPT_PID);
	model_reach(model, 0, 1000);
	model_finish(model);
	assert_int_equal(model_process(model, 0)->end, 50);
	model_close(model);
}

/* --- property --------------------------------------------------------------------*/

#define PROCS 3
#define WORKERS 6
#define TASKS 9
#define EVENTS 4000

static uint64_t state;

static uint64_t pick(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/* Any event at all, whether it makes sense or not; some are lost. */
static void random_event(struct model *model, int64_t time, uint32_t *seq)
{
	static const enum event_kind kinds[] = {EVENT_proc_start, EVENT_proc_stop, EVENT_task_start,
						EVENT_task_stop, EVENT_task_end};
	int64_t proc = (int64_t)pick(PROCS);
	struct script_call call = {.worker = (int64_t)pick(WORKERS),
				   .proc = proc,
				   .task = 1 + pick(TASKS),
				   .call_seq = 1 + pick(50),
				   .path = (int64_t)pick(6),
				   .start = time - (int64_t)pick(500),
				   .duration = (int64_t)pick(600),
				   .p_wait = (int64_t)pick(100)};

	switch (pick(12)) {
	case 0:
		script_create(model, time, call.task);
		return;
	case 1:
		script_ready(model, time, call.task);
		return;
	case 2:
		script_call_begin(model, time, call);
		return;
	case 3:
		seq[proc]++; /* lost */
		return;
	case 4:
	case 5:
		call.seq = ++seq[proc];
		call.start = pick(10) ? call.start : 0;
		script_call_end(model, time, call);
		return;
	case 6:
		script_handoff(model, time,
			       (struct script_handoff){.proc = proc,
						       .seq = ++seq[proc],
						       .from = call.worker,
						       .to = (int64_t)pick(WORKERS + 1) - 1,
						       .task = call.task,
						       .call_seq = call.call_seq,
						       .reason = (int64_t)pick(4)});
		return;
	default:
		script_on_proc(model, kinds[pick(5)], time, proc, ++seq[proc], call.worker,
			       call.task, (int64_t)pick(12));
	}
}

static int64_t check_lane(int64_t proc, int64_t from)
{
	int64_t at = from;

	qsort(said.procs, said.proc_count, sizeof *said.procs, by_from);
	for (size_t i = 0; i < said.proc_count; i++) {
		if (said.procs[i].proc != proc)
			continue;
		assert_int_equal(said.procs[i].from, at);
		assert_true(said.procs[i].to > said.procs[i].from);
		at = said.procs[i].to;
	}
	return at;
}

static int by_task(const void *a, const void *b)
{
	const struct task_span *x = a, *y = b;

	if (x->task.task != y->task.task)
		return x->task.task < y->task.task ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static void spans_fill_the_time_without_overlap(void **context)
{
	(void)context;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct model *model = begin();
		uint32_t seq[PROCS] = {0};
		int64_t time = 0, end_time;

		state = seed * UINT64_C(0x9e3779b97f4a7c15);
		script_process(model, time);
		if (seed % 2)
			script_procs(model, time, PROCS);
		for (int i = 0; i < EVENTS; i++) {
			time += (int64_t)pick(200);
			random_event(model, time, seq);
			if (pick(500) == 0)
				time += 3000000; /* what is held gives up */
		}
		model_reach(model, 0, time + 1000);
		model_finish(model);
		end_time = model_process(model, 0)->end;
		for (int64_t proc = 0; proc < PROCS; proc++)
			assert_int_equal(check_lane(proc, 0), end_time);
		qsort(said.tasks, said.task_count, sizeof *said.tasks, by_task);
		for (size_t i = 1; i < said.task_count; i++) {
			if (said.tasks[i].task.task == said.tasks[i - 1].task.task)
				assert_true(said.tasks[i].from >= said.tasks[i - 1].to);
		}
		model_close(model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_short_call_cuts_the_running_span),
	    cmocka_unit_test(sysmon_hands_off_and_the_task_queues),
	    cmocka_unit_test(an_eager_handoff_is_settled_at_the_end_of_the_call),
	    cmocka_unit_test(a_call_in_flight_holds_its_p_to_the_end),
	    cmocka_unit_test(a_call_in_flight_without_its_p),
	    cmocka_unit_test(a_late_call_begin_is_not_in_flight),
	    cmocka_unit_test(calls_of_threads_without_tasks),
	    cmocka_unit_test(a_gap_is_unknown),
	    cmocka_unit_test(equal_times_are_put_in_order),
	    cmocka_unit_test(before_the_recording_is_unknown),
	    cmocka_unit_test(a_call_that_began_before_the_recording),
	    cmocka_unit_test(a_wake_up_before_the_stop_it_answers),
	    cmocka_unit_test(a_locked_task_parks_until_its_worker_comes),
	    cmocka_unit_test(exec_is_another_process),
	    cmocka_unit_test(a_forked_child_is_a_process),
	    cmocka_unit_test(equal_pids_of_two_traces_are_two_processes),
	    cmocka_unit_test(threads_are_counted_once),
	    cmocka_unit_test(the_start_counts_sysmon_and_prespawned_workers_once),
	    cmocka_unit_test(nobody_lives_after_the_main_thread),
	    cmocka_unit_test(spans_fill_the_time_without_overlap),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(said.procs);
	free(said.tasks);
	return failed;
}
