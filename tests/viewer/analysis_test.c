/* SPDX-License-Identifier: MIT
 *
 * What the analyses make of hand-written events.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/viewer/script.h"
#include "viewer/analysis/analysis.h"

#define MS INT64_C(1000000)

static struct analysis_options options;

static struct model *begin(int64_t procs)
{
	struct model_consumer consumer;
	struct model *model;

	options = (struct analysis_options){.timeline = true};
	consumer = analyses_consumer(&options);
	model = model_open(&consumer);
	script_process(model, 0);
	script_procs(model, 0, procs);
	for (int64_t proc = 0; proc < procs; proc++)
		script_on_proc(model, EVENT_proc_start, 0, proc, 1, proc, 0, 0);
	return model;
}

static const struct analyses *finish(struct model *model)
{
	model_finish(model);
	return analyses_of(model_process(model, 0));
}

static void end(struct model *model)
{
	analyses_free(model_process(model, 0));
	model_close(model);
}

static struct event_stack stack_of(uint64_t first, uint64_t second)
{
	return (struct event_stack){.depth = 2, .pc = {first, second}};
}

/* --- growth ----------------------------------------------------------------------*/

static void threads_are_put_down_to_their_call(void **context)
{
	struct model *model = begin(1);
	const struct growth *growth;

	(void)context;
	for (int64_t i = 1; i <= 3; i++) {
		struct script_worker worker = {.worker = i,
					       .cause = GTRACE_CREATE_CALL,
					       .call_worker = 10 + i,
					       .call_seq = 5,
					       .call = GTRACE_CALL_usleep,
					       .site = 0x500};
		struct script_call call = {.worker = 10 + i,
					   .proc = -1,
					   .call_seq = 5,
					   .site = 0x500,
					   .start = i * MS,
					   .duration = MS,
					   .call = GTRACE_CALL_usleep,
					   .path = GTRACE_PATH_QUEUED,
					   .stack = stack_of(0x500, i == 3 ? 0x700 : 0x600)};

		script_worker_create(model, i * MS, worker);
		/* A later call of another worker is not the one. */
		call.call_seq = 4;
		script_call_end(model, i * MS, call);
		call.call_seq = 5;
		script_call_end(model, i * MS + 1, call);
	}
	growth = &finish(model)->growth;
	assert_int_equal(growth->count, 1);
	assert_int_equal(growth->rows[0].threads, 3);
	assert_int_equal(growth->rows[0].call, GTRACE_CALL_usleep);
	assert_int_equal(growth->rows[0].site, 0x500);
	assert_int_equal(growth->rows[0].stack_count, 2);
	assert_int_equal(growth->rows[0].stacks[0].threads, 2);
	assert_int_equal(growth->rows[0].stacks[0].stack.pc[1], 0x600);
	end(model);
}

/* The end of the call was lost; the next call of that worker is not it. */
static void another_calls_stack_is_not_taken(void **context)
{
	struct model *model = begin(1);
	const struct growth *growth;

	(void)context;
	script_worker_create(model, 1,
			     (struct script_worker){.worker = 1,
						    .cause = GTRACE_CREATE_CALL,
						    .call_worker = 2,
						    .call_seq = 5,
						    .call = GTRACE_CALL_read,
						    .site = 0x500});
	script_call_end(model, 2,
			(struct script_call){.worker = 2,
					     .proc = -1,
					     .call_seq = 6,
					     .path = GTRACE_PATH_QUEUED,
					     .start = 1,
					     .stack = stack_of(0x800, 0x900)});
	growth = &finish(model)->growth;
	assert_int_equal(growth->count, 1);
	assert_int_equal(growth->rows[0].threads, 1);
	assert_int_equal(growth->rows[0].stack_count, 0);
	end(model);
}

static void threads_that_could_not_be_had(void **context)
{
	struct model *model = begin(1);
	const struct growth *growth;

	(void)context;
	for (int64_t i = 0; i < 12; i++)
		script_worker_create(model, i,
				     (struct script_worker){.worker = 1,
							    .result = EAGAIN,
							    .call_worker = -1,
							    .cause = GTRACE_CREATE_RUNNABLE});
	growth = &finish(model)->growth;
	assert_int_equal(growth->count, 1);
	assert_int_equal(growth->rows[0].threads, 0);
	assert_int_equal(growth->rows[0].failed, 12);
	assert_int_equal(growth->rows[0].error, EAGAIN);
	assert_int_equal(model_process(model, 0)->threads_peak, 1);
	end(model);
}

/* --- waits -----------------------------------------------------------------------*/

static void p_waits_are_told_by_path(void **context)
{
	struct model *model = begin(1);
	const struct waits *waits;
	static const int64_t paths[] = {GTRACE_PATH_SHORT, GTRACE_PATH_SAME_P, GTRACE_PATH_OTHER_P,
					GTRACE_PATH_QUEUED, GTRACE_PATH_PARKED};

	(void)context;
	script_on_proc(model, EVENT_task_start, 1, 0, 2, 0, 1, 0);
	for (int64_t i = 0; i < 5; i++)
		script_call_end(model, 1000 + i * 1000,
				(struct script_call){.seq = 3 + i,
						     .task = 1,
						     .call_seq = (uint64_t)i + 1,
						     .path = paths[i],
						     .start = 500 + i * 1000,
						     .duration = 100,
						     .p_wait = 10 * i});
	waits = &finish(model)->waits;
	assert_int_equal(waits->by_path[WAIT_SAME_P].count, 1);
	assert_int_equal(waits->by_path[WAIT_SAME_P].max, 10);
	assert_int_equal(waits->by_path[WAIT_OTHER_P].max, 20);
	assert_int_equal(waits->by_path[WAIT_QUEUED].max, 30);
	assert_int_equal(waits->by_path[WAIT_QUEUED].count, 1);
	end(model);
}

/* --- incidents -------------------------------------------------------------------*/

static void starvation_names_who_ran(void **context)
{
	struct model *model = begin(2);
	const struct incident_list *list;

	(void)context;
	script_on_proc(model, EVENT_task_start, 0, 0, 2, 0, 1, 0);
	script_on_proc(model, EVENT_task_start, 0, 1, 2, 1, 2, 0);
	script_create(model, 5 * MS, 3);
	script_on_proc(model, EVENT_task_stop, 20 * MS, 1, 3, 1, 2, GTRACE_STOP_YIELD);
	script_on_proc(model, EVENT_task_start, 20 * MS, 1, 4, 1, 3, 0);
	/* G1 never stops, so its span comes only at the end */
	script_on_proc(model, EVENT_task_end, 21 * MS, 1, 5, 1, 3, 0);
	model_reach(model, 0, 100 * MS);
	list = &finish(model)->incidents.starvation;
	assert_int_equal(list->total, 2); /* G3, and G2 that yielded */
	assert_int_equal(list->open_total, 1);
	assert_int_equal(list->worst[0].task.task, 2);
	assert_int_equal(list->worst[0].to - list->worst[0].from, 80 * MS);
	assert_true(list->worst[0].open);
	assert_int_equal(list->worst[1].task.task, 3);
	assert_int_equal(list->worst[1].to - list->worst[1].from, 15 * MS);
	assert_int_equal(list->worst[1].culprit_count, 2);
	assert_int_equal(list->worst[1].culprits[0].task.task, 1);
	assert_int_equal(list->worst[1].culprits[0].ran_ns, 15 * MS);
	assert_int_equal(list->worst[1].culprits[1].task.task, 2);
	assert_int_equal(list->worst[1].culprits[1].ran_ns, 15 * MS);
	assert_int_equal(list->worst[1].known_from, list->worst[1].from);
	end(model);
}

static void ten_milliseconds_are_no_starvation(void **context)
{
	struct model *model = begin(1);

	(void)context;
	script_create(model, 0, 1);
	script_on_proc(model, EVENT_task_start, 10 * MS, 0, 2, 0, 1, 0);
	script_on_proc(model, EVENT_task_end, 11 * MS, 0, 3, 0, 1, 0);
	assert_int_equal(finish(model)->incidents.starvation.total, 0);
	end(model);
}

/* More spans than are kept: the wait says from when on it knows who ran. */
static void a_long_wait_in_a_crowd_stays_bounded(void **context)
{
	const int64_t turns = 150000, crowd = 100000;
	struct model *model = begin(1);
	const struct incidents *incidents;
	int64_t seq = 2;

	(void)context;
	for (int64_t task = 2; task <= crowd; task++)
		script_create(model, 0, (uint64_t)task);
	for (int64_t turn = 0; turn < turns; turn++) {
		script_on_proc(model, EVENT_task_start, turn * MS, 0, seq++, 0, 1, 0);
		script_on_proc(model, EVENT_task_stop, (turn + 1) * MS - 1, 0, seq++, 0, 1,
			       GTRACE_STOP_SLEEP);
		script_ready(model, (turn + 1) * MS - 1, 1);
	}
	script_on_proc(model, EVENT_task_start, turns * MS, 0, seq++, 0, 1, 0);
	model_reach(model, 0, turns * MS + 1000);
	incidents = &finish(model)->incidents;
	assert_int_equal(incidents->starvation.total, crowd - 1);
	assert_int_equal(incidents->starvation.open_total, crowd - 1);
	assert_in_range(incidents->starvation.count, 1, INCIDENTS_MAX);
	assert_true(incidents->starvation.worst[0].known_from > 0);
	assert_true(incidents->starvation.worst[0].known_from < turns * MS);
	assert_int_equal(incidents->starvation.worst[0].culprits[0].task.task, 1);
	end(model);
}

static void a_crowd_does_not_hide_another_kind(void **context)
{
	struct model *model = begin(1);
	const struct incident *picked[2];
	const struct incident_list *list;

	(void)context;
	for (uint64_t task = 1; task <= 100; task++) {
		struct event event = script_event(EVENT_task_create, 0);

		event.task_create.task = task;
		event.task_create.fn = 0x1000;
		model_event(model, &event);
	}
	script_create(model, 5 * MS, 777); /* has a function of its own; waits less */
	script_on_proc(model, EVENT_task_start, 50 * MS, 0, 2, 0, 1, 0);
	model_reach(model, 0, 100 * MS);
	list = &finish(model)->incidents.starvation;
	assert_int_equal(list->total, 101);
	assert_int_equal(list->count, 5); /* four of the crowd */
	assert_int_equal(incidents_pick(list, picked, 2), 2);
	assert_int_equal(picked[0]->task.fn, 0x1000);
	assert_int_equal(picked[1]->task.task, 777);
	end(model);
}

/* --- calls -----------------------------------------------------------------------*/

static void calls_are_counted_by_site(void **context)
{
	struct model *model = begin(1);
	const struct calls *calls;

	(void)context;
	script_on_proc(model, EVENT_task_start, 1, 0, 2, 0, 1, 0);
	for (int64_t i = 0; i < 10; i++)
		script_call_end(model, 1000 + i * 1000,
				(struct script_call){.seq = 3 + i,
						     .task = 1,
						     .call = GTRACE_CALL_read,
						     .call_seq = (uint64_t)i + 1,
						     .site = i < 7 ? 0x100 : 0x200,
						     .start = 900 + i * 1000,
						     .duration = i < 7 ? 10 : 50});
	script_call_begin(model, 20000,
			  (struct script_call){.task = 1,
					       .call_seq = 11,
					       .call = GTRACE_CALL_open,
					       .site = 0x300,
					       .start = 19000});
	model_reach(model, 0, 30000);
	calls = &finish(model)->calls;
	assert_int_equal(calls->count, 11);
	assert_int_equal(calls->shorts, 10);
	assert_int_equal(calls->row_count, 3);
	assert_int_equal(calls->rows[0]->call, GTRACE_CALL_open);
	assert_int_equal(calls->rows[0]->total, 11000);
	assert_int_equal(calls->rows[1]->site, 0x200);
	assert_int_equal(calls->rows[1]->total, 150);
	assert_int_equal(calls->rows[2]->count, 7);
	assert_int_equal(calls->rows[2]->max, 10);
	assert_int_equal(calls->in_flight_total, 1);
	assert_int_equal(calls->in_flight[0].for_ns, 11000);
	assert_int_equal(calls->in_flight[0].task.task, 1);
	end(model);
}

/* --- timeline --------------------------------------------------------------------*/

static double sum_lane(const struct timeline *timeline, int64_t proc, enum proc_state state)
{
	double sum = 0;

	for (int i = 0; i < TIMELINE_BUCKETS; i++)
		sum += (double)timeline->lanes[proc][i][state];
	return sum;
}

static double sum_counter(const struct timeline *timeline, const struct timeline_counter *counter)
{
	double sum = 0;

	for (int i = 0; i < TIMELINE_BUCKETS; i++)
		sum += (double)counter->now[i] * (double)timeline->width;
	return sum;
}

static void assert_near(double value, double expected)
{
	if (value < expected * 0.999 || value > expected * 1.001)
		fail_msg("%g is not %g", value, expected);
}

/* P0 runs for 300 ms of 1 s; G2 starves from 10 ms after it was made. */
static struct model *play_second(int64_t from, int64_t length)
{
	struct model *model;
	struct model_consumer consumer;

	options = (struct analysis_options){true, from, length};
	consumer = analyses_consumer(&options);
	model = model_open(&consumer);
	script_process(model, 0);
	script_procs(model, 0, 1);
	script_on_proc(model, EVENT_task_start, 100 * MS, 0, 1, 0, 1, 0);
	script_create(model, 150 * MS, 2);
	script_on_proc(model, EVENT_task_stop, 400 * MS, 0, 2, 0, 1, GTRACE_STOP_SLEEP);
	script_on_proc(model, EVENT_task_start, 400 * MS, 0, 3, 0, 2, 0);
	script_on_proc(model, EVENT_task_end, 400 * MS + 1, 0, 4, 0, 2, 0);
	script_thread_event(model, EVENT_thread_start, 500 * MS, 7);
	script_thread_event(model, EVENT_thread_exit, 1000 * MS, 7);
	return model;
}

static void a_timeline_keeps_all_time(void **context)
{
	struct model *model = play_second(0, 0);
	const struct timeline *timeline = &finish(model)->timeline;

	(void)context;
	assert_near(sum_lane(timeline, 0, PROC_RUNNING), 300 * MS);
	assert_near(sum_lane(timeline, 0, PROC_IDLE), 700 * MS);
	assert_near(sum_counter(timeline, &timeline->starving), 240 * MS);
	assert_near(sum_counter(timeline, &timeline->threads), 1500 * MS);
	assert_int_equal(timeline->thread_high, 2);
	assert_int_equal(timeline->to - timeline->from, 1000 * MS);
	assert_true(timeline->width * TIMELINE_BUCKETS >= 1000 * MS);
	assert_true(timeline->width * TIMELINE_BUCKETS <= 2100 * MS);
	end(model);
}

static void a_window_cuts_the_timeline(void **context)
{
	struct model *model = play_second(300 * MS, 200 * MS);
	const struct analyses *analyses = finish(model);

	(void)context;
	assert_near(sum_lane(&analyses->timeline, 0, PROC_RUNNING), 100 * MS);
	assert_near(sum_lane(&analyses->timeline, 0, PROC_IDLE), 100 * MS);
	assert_near(sum_counter(&analyses->timeline, &analyses->timeline.starving), 100 * MS);
	assert_int_equal(analyses->incidents.starvation.total, 1);
	end(model);
	model = play_second(500 * MS, 100 * MS);
	analyses = finish(model);
	assert_int_equal(analyses->incidents.starvation.total, 0);
	end(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(threads_are_put_down_to_their_call),
	    cmocka_unit_test(another_calls_stack_is_not_taken),
	    cmocka_unit_test(threads_that_could_not_be_had),
	    cmocka_unit_test(p_waits_are_told_by_path),
	    cmocka_unit_test(starvation_names_who_ran),
	    cmocka_unit_test(ten_milliseconds_are_no_starvation),
	    cmocka_unit_test(a_long_wait_in_a_crowd_stays_bounded),
	    cmocka_unit_test(a_crowd_does_not_hide_another_kind),
	    cmocka_unit_test(calls_are_counted_by_site),
	    cmocka_unit_test(a_timeline_keeps_all_time),
	    cmocka_unit_test(a_window_cuts_the_timeline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
