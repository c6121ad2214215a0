/* SPDX-License-Identifier: MIT
 *
 * Worker threads: how many a crowd of blocking calls makes, what bounds them,
 * and what happens when the system refuses one.  pthread_create is interposed:
 * the runtime's calls come here.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "tests/runtime/support.h"

static _Atomic int let_pass; /* so many calls first ... */
static _Atomic int refuse;   /* ... then refuse so many */
static _Atomic int refused;

__attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (atomic_load(&let_pass) > 0) {
		atomic_fetch_sub(&let_pass, 1);
	} else if (atomic_load(&refuse) > 0 && atomic_fetch_sub(&refuse, 1) > 0) {
		atomic_fetch_add(&refused, 1);
		return EAGAIN;
	}
	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	return real(thread, attr, fn, arg);
}

/* --- one thread for each call ---------------------------------------------*/

#define CALLERS 60

struct callers {
	int total;
	_Atomic int inside;
	_Atomic int ended;
	struct gate all_inside;
};

/* Nobody leaves before all have entered: each needs its own thread. */
static void call_together(void *arg)
{
	struct callers *callers = arg;

	grt_enter_call(0, 0, NULL);
	if (atomic_fetch_add(&callers->inside, 1) + 1 == callers->total)
		gate_open(&callers->all_inside);
	gate_wait(&callers->all_inside);
	grt_leave_call(0, 0);
	atomic_fetch_add(&callers->ended, 1);
}

static void start_callers(void *arg)
{
	struct callers *callers = arg;

	for (int i = 0; i < callers->total; i++)
		grt_go(call_together, callers);
}

static void check_callers(struct grt_opts *opts, struct grt_stats *stats)
{
	struct callers callers = {.total = CALLERS};

	run(opts, start_callers, &callers);
	grt_stats(stats);
	assert_int_equal(callers.ended, CALLERS);
	assert_int_equal(stats->calls, CALLERS);
	assert_int_equal(stats->workers, 0);
	assert_int_equal(stats->reacquired_same + stats->reacquired_other +
			     stats->reacquired_queued,
			 stats->handoffs);
}

static void test_each_call_costs_a_thread(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct grt_opts opts = {.procs = 1 << i / 2,
					.handoff = i % 2 ? GRT_HANDOFF_EAGER : GRT_HANDOFF_SYSMON};
		struct grt_stats stats;

		check_callers(&opts, &stats);
		/* Those in calls, and at most one for each proc beside them. */
		assert_true(stats.workers_created >= CALLERS);
		assert_true(stats.workers_created <= (uint64_t)(CALLERS + opts.procs));
		assert_int_equal(stats.workers_peak, stats.workers_created);
		assert_int_equal(stats.workers_failed, 0);
	}
}

static void test_threads_made_in_advance(void **state)
{
	struct grt_opts opts = {
	    .procs = 1, .prespawn = CALLERS, .handoff = GRT_HANDOFF_EAGER, .max_threads = 1000};
	struct grt_stats stats;

	(void)state;
	check_callers(&opts, &stats);
	assert_int_equal(stats.workers_created, CALLERS + 1);
}

static void nothing(void *arg)
{
	(void)arg;
}

static void test_threads_at_the_start(void **state)
{
	static const struct {
		struct grt_opts opts;
		uint64_t workers;
	} cases[] = {
	    {{.procs = 1}, 1},
	    {{.procs = 4}, 4},
	    {{.procs = 4, .prespawn = GRT_PRESPAWN_NONE}, 1},
	    {{.procs = 4, .prespawn = 2}, 3},
	    {{.procs = 4, .max_threads = 1}, 1},
	    {{.procs = 4, .max_threads = 3}, 3},
	    {{.procs = 1, .prespawn = 20}, 21},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct grt_stats stats;

		run(&cases[i].opts, nothing, NULL);
		grt_stats(&stats);
		assert_int_equal(stats.workers_created, cases[i].workers);
	}
}

/* --- the limit ------------------------------------------------------------*/

struct mix {
	struct grt_wait_group group;
	struct grt_chan *chan;
	_Atomic int ended;
	bool lock;
};

static void do_a_bit_of_all(void *arg)
{
	struct mix *mix = arg;
	int value = 0;

	if (mix->lock)
		grt_lock_thread();
	for (int i = 0; i < 4; i++) {
		grt_enter_call(0, 0, NULL);
		sleep_raw(100 * US);
		grt_leave_call(0, 0);
		grt_yield();
		grt_chan_send(mix->chan, &value);
		grt_sleep(50 * US);
		grt_chan_recv(mix->chan, &value);
	}
	atomic_fetch_add(&mix->ended, 1);
	grt_wait_group_done(&mix->group);
}

#define MIXED 50

static void start_mix(void *arg)
{
	struct mix *mix = arg;

	grt_wait_group_add(&mix->group, MIXED);
	for (int i = 0; i < MIXED; i++)
		grt_go(do_a_bit_of_all, mix);
	grt_wait_group_wait(&mix->group);
}

static void test_limit_is_kept_and_all_end(void **state)
{
	(void)state;
	for (int i = 0; i < 40; i++) {
		struct grt_opts opts = {.max_threads = 1 + i % 5,
					.procs = 1 + i / 5 % 2 * 3,
					.handoff =
					    i / 10 % 2 ? GRT_HANDOFF_EAGER : GRT_HANDOFF_SYSMON};
		struct mix mix = {.chan = grt_chan_new(sizeof(int), 8), .lock = i / 20};
		struct grt_stats stats;

		run(&opts, start_mix, &mix);
		grt_chan_free(mix.chan);
		grt_stats(&stats);
		assert_int_equal(mix.ended, MIXED);
		assert_true(stats.workers_peak <= opts.max_threads);
		assert_true(stats.workers_created <= (uint64_t)opts.max_threads);
		assert_int_equal(stats.workers_failed, 0);
	}
}

/* --- no thread to be had --------------------------------------------------*/

/* A reader that waits for a writer which needs another thread: it gets one as
 * soon as the system has one again. */
static void open_gate(void *arg)
{
	gate_open(arg);
}

static void call_while_refused(void *arg)
{
	struct gate *gate = arg;

	grt_go(open_gate, gate);
	atomic_store(&refuse, 3);
	grt_enter_call(0, 0, NULL);
	gate_wait(gate);
	grt_leave_call(0, 0);
}

static void test_refused_threads_are_asked_for_again(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct grt_opts opts = {.procs = 1,
					.handoff = i ? GRT_HANDOFF_EAGER : GRT_HANDOFF_SYSMON};
		struct grt_stats stats;
		struct gate gate = {0};

		run(&opts, call_while_refused, &gate);
		grt_stats(&stats);
		assert_int_equal(stats.workers_failed, 3);
		assert_int_equal(stats.workers_created, 2);
	}
}

/* The same for a task that is locked and waits for one that is not. */
static void lock_while_refused(void *arg)
{
	struct gate *gate = arg;

	grt_lock_thread();
	grt_go(open_gate, gate);
	atomic_store(&refuse, 3);
	while (!atomic_load(&gate->open))
		grt_yield();
}

static void test_locked_task_while_threads_are_refused(void **state)
{
	struct grt_opts opts = {.procs = 1};
	struct gate gate = {0};

	(void)state;
	run(&opts, lock_while_refused, &gate);
	atomic_store(&refuse, 0);
}

static void mix_while_refused(void *arg)
{
	atomic_store(&refuse, 20);
	atomic_store(&refused, 0);
	start_mix(arg);
}

static void test_work_goes_on_while_threads_are_refused(void **state)
{
	(void)state;
	for (int procs = 1; procs <= 4; procs++) {
		struct grt_opts opts = {
		    .procs = procs, .handoff = GRT_HANDOFF_EAGER, .prespawn = GRT_PRESPAWN_NONE};
		struct mix mix = {.chan = grt_chan_new(sizeof(int), 8)};
		struct grt_stats stats;

		run(&opts, mix_while_refused, &mix);
		atomic_store(&refuse, 0);
		grt_chan_free(mix.chan);
		grt_stats(&stats);
		assert_int_equal(mix.ended, MIXED);
		assert_true(refused > 0);
		assert_int_equal(stats.workers_failed, refused);
	}
}

static void test_no_thread_for_sysmon(void **state)
{
	struct grt_opts opts = {.procs = 2};
	struct grt_stats stats;

	(void)state;
	atomic_store(&refuse, 1);
	assert_int_equal(grt_run(&opts, nothing, NULL), EAGAIN);
	atomic_store(&refuse, 0);
	grt_stats(&stats);
	assert_int_equal(stats.tasks_created, 0);
	run(&opts, nothing, NULL);
}

/* None of those made in advance: they are made when they are needed. */
static void test_no_thread_in_advance(void **state)
{
	struct grt_opts opts = {.procs = 4, .handoff = GRT_HANDOFF_EAGER};
	struct grt_stats stats;

	(void)state;
	atomic_store(&let_pass, 1); /* sysmon */
	atomic_store(&refuse, 1);
	check_callers(&opts, &stats);
	assert_int_equal(stats.workers_failed, 1);
	assert_true(stats.workers_created >= CALLERS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_call_costs_a_thread),
	    cmocka_unit_test(test_threads_made_in_advance),
	    cmocka_unit_test(test_threads_at_the_start),
	    cmocka_unit_test(test_limit_is_kept_and_all_end),
	    cmocka_unit_test(test_refused_threads_are_asked_for_again),
	    cmocka_unit_test(test_locked_task_while_threads_are_refused),
	    cmocka_unit_test(test_work_goes_on_while_threads_are_refused),
	    cmocka_unit_test(test_no_thread_for_sysmon),
	    cmocka_unit_test(test_no_thread_in_advance),
	};

	return RUN_TESTS(tests);
}
