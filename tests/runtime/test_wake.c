/* SPDX-License-Identifier: MIT
 *
 * Wake-ups: new work beside an idle proc is started by those who make it and
 * those who go idle.  sysmon would find what they forget a moment later, so it
 * is kept from running here: a forgotten wake-up hangs, and the test times out.
 * pthread_create and pthread_join are interposed for that.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include "tests/runtime/support.h"

/* --- no sysmon ------------------------------------------------------------*/

/* It is the first thread that a run makes. */
static struct {
	_Atomic bool next; /* the next thread is sysmon's */
	void *(*fn)(void *);
	void *arg;
	pthread_t thread;
	sem_t stopped;
} held;

static void *wait_for_the_end(void *arg)
{
	(void)arg;
	while (sem_wait(&held.stopped))
		;
	return held.fn(held.arg);
}

__attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	bool sysmon = atomic_exchange(&held.next, false);
	int error;

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	if (!sysmon)
		return real(thread, attr, fn, arg);
	held.fn = fn;
	held.arg = arg;
	error = real(thread, attr, wait_for_the_end, NULL);
	held.thread = *thread;
	return error;
}

__attribute__((visibility("default"))) int pthread_join(pthread_t thread, void **result)
{
	int (*real)(pthread_t, void **);

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_join");
	if (pthread_equal(thread, held.thread))
		sem_post(&held.stopped);
	return real(thread, result);
}

static void run_alone(const struct grt_opts *opts, grt_fn *fn, void *arg)
{
	assert_int_equal(sem_init(&held.stopped, 0, 0), 0);
	atomic_store(&held.next, true);
	run(opts, fn, arg);
	sem_destroy(&held.stopped);
}

/* --- a spawned task, while its parent keeps the proc ----------------------*/

#define ROUNDS (SANITIZED ? 2000 : 6000)

static _Atomic int started;

static void start(void *arg)
{
	(void)arg;
	atomic_fetch_add(&started, 1);
}

/* From no time to several microseconds: all moments of a worker that finds
 * nothing, lays its proc down and looks again. */
static void wait_a_moment(int round)
{
	for (volatile int i = 0; i < round % 997 * 8; i++)
		;
}

static void spawn_and_hold(void *arg)
{
	int *rounds = arg;

	atomic_store(&started, 0);
	for (; *rounds < ROUNDS; ++*rounds) {
		grt_go(start, NULL);
		while (atomic_load(&started) <= *rounds)
			; /* no grt_ call: only another proc can run it */
		wait_a_moment(*rounds);
	}
}

static void test_spawned_task_is_started_elsewhere(void **state)
{
	(void)state;
	for (int procs = 2; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs};
		int rounds = 0;

		run_alone(&opts, spawn_and_hold, &rounds);
		assert_int_equal(rounds, ROUNDS);
	}
}

/* --- a woken task, while its waker keeps the proc -------------------------*/

struct ping {
	struct grt_chan *chan;
	int rounds;
};

static void count_received(void *arg)
{
	struct ping *ping = arg;
	int value;

	while (grt_chan_recv(ping->chan, &value) == 0)
		atomic_fetch_add(&started, 1);
}

static void send_and_hold(void *arg)
{
	struct ping *ping = arg;

	atomic_store(&started, 0);
	grt_go(count_received, ping);
	for (; ping->rounds < ROUNDS; ping->rounds++) {
		grt_chan_send(ping->chan, &ping->rounds);
		while (atomic_load(&started) <= ping->rounds)
			;
		wait_a_moment(ping->rounds);
	}
	grt_chan_close(ping->chan);
}

static void test_woken_task_is_started_elsewhere(void **state)
{
	(void)state;
	for (int procs = 2; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs};
		struct ping ping = {.chan = grt_chan_new(sizeof(int), 1)};

		run_alone(&opts, send_and_hold, &ping);
		grt_chan_free(ping.chan);
		assert_int_equal(ping.rounds, ROUNDS);
	}
}

/* --- more work than one wakes for -----------------------------------------*/

static _Atomic int holding;
static _Atomic int hold_until;

static void hold_proc(void *arg)
{
	atomic_fetch_add(&holding, 1);
	while (atomic_load(&hold_until) < (int)(intptr_t)arg)
		;
}

/* All procs at once: the last that looks and finds something wakes the next. */
static void fill_all_procs(void *arg)
{
	int procs = *(int *)arg;

	for (int round = 1; round <= ROUNDS / 100; round++) {
		atomic_store(&holding, 0);
		for (int i = 0; i < procs - 1; i++)
			grt_go(hold_proc, (void *)(intptr_t)round);
		while (atomic_load(&holding) < procs - 1)
			;
		atomic_store(&hold_until, round);
		wait_a_moment(round * 31);
	}
}

static void test_all_procs_are_woken(void **state)
{
	(void)state;
	for (int procs = 2; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs, .preempt = GRT_PREEMPT_OFF};

		atomic_store(&hold_until, 0);
		run_alone(&opts, fill_all_procs, &procs);
	}
}

/* --- a proc that leaves a call at its entry -------------------------------*/

static void open_gate(void *arg)
{
	gate_open(arg);
}

static void call_for_another(void *arg)
{
	int *rounds = arg;

	for (; *rounds < ROUNDS / 10; ++*rounds) {
		struct gate gate = {0};

		grt_go(open_gate, &gate);
		grt_enter_call(0, 0, NULL);
		gate_wait(&gate);
		grt_leave_call(0, 0);
		/* gate_open() may still be waking when the gate is seen open */
		grt_yield();
	}
}

static void test_proc_of_a_call_runs_what_is_queued(void **state)
{
	(void)state;
	for (int procs = 1; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs, .handoff = GRT_HANDOFF_EAGER};
		int rounds = 0;

		run_alone(&opts, call_for_another, &rounds);
		assert_int_equal(rounds, ROUNDS / 10);
	}
}

/* --- back from calls, all procs busy or idle ------------------------------*/

static void call_and_yield(void *arg)
{
	for (int i = 0; i < ROUNDS / 100; i++) {
		grt_enter_call(0, 0, NULL);
		if (i % 4 == 0)
			sleep_raw(1);
		grt_leave_call(0, 0);
		grt_yield();
	}
	atomic_fetch_add((_Atomic int *)arg, 1);
}

static void start_callers(void *arg)
{
	for (int i = 0; i < 12; i++)
		grt_go(call_and_yield, arg);
}

static void test_all_come_back_from_calls(void **state)
{
	(void)state;
	for (int procs = 1; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs, .handoff = GRT_HANDOFF_EAGER};
		_Atomic int ended = 0;

		run_alone(&opts, start_callers, &ended);
		assert_int_equal(ended, 12);
	}
}

/* Two that share one proc: one comes back at the moment when the other lets the
 * proc go. */
static void call_again_and_again(void *arg)
{
	for (int i = 0; i < 5 * ROUNDS; i++) {
		grt_enter_call(0, 0, NULL);
		wait_a_moment(i % 5);
		grt_leave_call(0, 0);
	}
	atomic_fetch_add((_Atomic int *)arg, 1);
}

static void start_two(void *arg)
{
	grt_go(call_again_and_again, arg);
	grt_go(call_again_and_again, arg);
}

static void test_proc_let_go_as_a_task_comes_back(void **state)
{
	struct grt_opts opts = {.procs = 1, .handoff = GRT_HANDOFF_EAGER};
	_Atomic int ended = 0;

	(void)state;
	run_alone(&opts, start_two, &ended);
	assert_int_equal(ended, 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_spawned_task_is_started_elsewhere),
	    cmocka_unit_test(test_woken_task_is_started_elsewhere),
	    cmocka_unit_test(test_all_procs_are_woken),
	    cmocka_unit_test(test_proc_of_a_call_runs_what_is_queued),
	    cmocka_unit_test(test_all_come_back_from_calls),
	    cmocka_unit_test(test_proc_let_go_as_a_task_comes_back),
	};

	return RUN_TESTS(tests);
}
