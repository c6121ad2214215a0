/* SPDX-License-Identifier: MIT
 *
 * Sleeping tasks: never too early, in the order of their deadlines, and not
 * forgotten whatever the procs do meanwhile.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/runtime/support.h"

/* --- not too early, in order ----------------------------------------------*/

#define SLEEPERS 200

struct sleeper {
	int64_t ns;
	int64_t before;
	int64_t woken;
	int turn;
};

static struct sleeper sleepers[SLEEPERS + 1];
static int turns;

static void sleep_once(void *arg)
{
	struct sleeper *self = arg;

	self->before = now();
	grt_sleep(self->ns);
	self->woken = now();
	self->turn = turns++; /* one proc: one at a time */
}

static void start_sleepers(void *arg)
{
	(void)arg;
	for (int i = 0; i < SLEEPERS; i++) {
		sleepers[i].ns = MS + rand() % 20 * MS;
		grt_go(sleep_once, &sleepers[i]);
	}
	grt_yield();
	sleepers[SLEEPERS].before = now();
}

/* A sleeper took the time for its deadline before the next one began. */
static bool surely_before(const struct sleeper *a, const struct sleeper *b)
{
	return a[1].before + a->ns < b->before + b->ns;
}

static void test_order_of_deadlines(void **state)
{
	struct grt_opts opts = {.procs = 1};
	int pairs = 0;

	(void)state;
	run(&opts, start_sleepers, NULL);
	for (int i = 0; i < SLEEPERS; i++) {
		assert_true(sleepers[i].woken - sleepers[i].before >= sleepers[i].ns);
		for (int k = 0; k < SLEEPERS; k++) {
			if (!surely_before(&sleepers[i], &sleepers[k]))
				continue;
			pairs++;
			assert_true(sleepers[i].turn < sleepers[k].turn);
		}
	}
	assert_true(pairs > 0);
}

static void sleep_four_times(void *arg)
{
	static const int64_t durations[] = {1, 999, 100 * US, 3 * MS};
	bool *early = arg;

	for (size_t i = 0; i < COUNT(durations); i++) {
		int64_t before = now();

		grt_sleep(durations[i]);
		*early |= now() - before < durations[i];
	}
	grt_sleep(0);
	grt_sleep(-1);
	grt_sleep(INT64_MIN);
}

static void test_not_too_early(void **state)
{
	(void)state;
	for (int procs = 1; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs};
		bool early = false;

		run(&opts, sleep_four_times, &early);
		assert_false(early);
	}
}

/* --- to the end of time ---------------------------------------------------*/

static void sleep_for_ever(void *arg)
{
	grt_sleep(INT64_MAX);
	*(bool *)arg = true;
}

/* Whoever sleeps for that one has to wake for the shorter ones. */
static void leave_sleepers(void *arg)
{
	static bool woken;

	grt_go(sleep_for_ever, &woken);
	for (int i = 0; i < 300; i++)
		grt_sleep(50 * US);
	(void)arg;
	_exit(woken ? 1 : 7);
}

static void run_leaving_sleepers(const char *word)
{
	struct grt_opts opts = {.procs = *word - '0'};

	grt_run(&opts, leave_sleepers, NULL);
}

static void test_longest_sleep(void **state)
{
	struct child child;

	(void)state;
	for (int procs = 1; procs <= 4; procs++) {
		in_child(&child, run_leaving_sleepers, (char[]){(char)('0' + procs), '\0'});
		assert_exited(&child, 7);
		assert_string_equal(child.said, "");
	}
}

/* --- whatever the procs do ------------------------------------------------*/

/* All are idle but for the timer: any forgotten one hangs here. */
static void sleep_in_turn(void *arg)
{
	for (int i = 0; i < 30; i++)
		grt_sleep((intptr_t)arg * 10 * US);
}

static void start_turns(void *arg)
{
	(void)arg;
	for (intptr_t i = 1; i < 40; i++)
		grt_go(sleep_in_turn, (void *)i);
}

static void test_all_procs_idle(void **state)
{
	(void)state;
	for (int procs = 1; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs};

		run(&opts, start_turns, NULL);
	}
}

struct spin {
	_Atomic int woken;
	bool yielding;
};

static void sleep_and_tell(void *arg)
{
	struct spin *spin = arg;

	grt_sleep(2 * MS);
	atomic_fetch_add(&spin->woken, 1);
}

static void spin_until_woken(void *arg)
{
	struct spin *spin = arg;

	for (int i = 1; i <= 20; i++) {
		grt_go(sleep_and_tell, spin);
		grt_yield(); /* on one proc, or on this one, it sleeps now */
		while (atomic_load(&spin->woken) < i)
			if (spin->yielding)
				grt_yield();
	}
}

/* One proc never looks at its timers: another has to. */
static void test_one_proc_spins(void **state)
{
	(void)state;
	for (int procs = 2; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs, .preempt = GRT_PREEMPT_OFF};
		struct spin spin = {0};

		run(&opts, spin_until_woken, &spin);
		assert_int_equal(spin.woken, 20);
	}
}

/* The only proc always has something to do. */
static void test_only_proc_yields(void **state)
{
	struct grt_opts opts = {.procs = 1, .preempt = GRT_PREEMPT_OFF};
	struct spin spin = {.yielding = true};

	(void)state;
	run(&opts, spin_until_woken, &spin);
	assert_int_equal(spin.woken, 20);
}

/* The sleeper is in the timers of a proc that a blocking call gives away. */
static void call_until_woken(void *arg)
{
	struct spin *spin = arg;

	for (int i = 1; i <= 20; i++) {
		grt_go(sleep_and_tell, spin);
		grt_yield();
		grt_enter_call(0, 0, NULL);
		while (atomic_load(&spin->woken) < i)
			sleep_raw(100 * US);
		grt_leave_call(0, 0);
	}
}

static void test_proc_leaves_a_call(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct grt_opts opts = {.procs = 1 + i / 2,
					.handoff = i % 2 ? GRT_HANDOFF_EAGER : GRT_HANDOFF_SYSMON};
		struct spin spin = {0};

		run(&opts, call_until_woken, &spin);
		assert_int_equal(spin.woken, 20);
	}
}

/* --- waiting costs nothing ------------------------------------------------*/

struct burn {
	struct gate gate;
	_Atomic bool returned;
	int64_t elapsed;
	int64_t others;
};

static int64_t clock_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void spin_after_call(void *arg)
{
	struct burn *burn = arg;
	int64_t start;
	int64_t own;
	int64_t all;

	grt_enter_call(0, 0, NULL);
	gate_wait(&burn->gate);
	grt_leave_call(0, 0);
	atomic_store(&burn->returned, true);
	start = now();
	own = clock_of(CLOCK_THREAD_CPUTIME_ID);
	all = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	while (now() - start < 200 * MS)
		;
	own = clock_of(CLOCK_THREAD_CPUTIME_ID) - own;
	burn->others = clock_of(CLOCK_PROCESS_CPUTIME_ID) - all - own;
	burn->elapsed = now() - start;
}

static void sleep_briefly(void *arg)
{
	(void)arg;
	grt_sleep(20 * MS);
}

/* A timer falls due while the only proc is busy and a worker is idle: the one
 * that gave the proc to the task that came back. */
static void burn_time(void *arg)
{
	struct burn *burn = arg;

	grt_go(sleep_briefly, NULL);
	grt_go(spin_after_call, burn);
	grt_yield();
	gate_open(&burn->gate);
	while (!atomic_load(&burn->returned))
		grt_yield();
}

static void test_nobody_spins_for_a_timer_that_is_due(void **state)
{
	struct grt_opts opts = {
	    .procs = 1, .handoff = GRT_HANDOFF_EAGER, .preempt = GRT_PREEMPT_OFF};
	struct burn burn = {0};

	(void)state;
	run(&opts, burn_time, &burn);
	assert_true(burn.others < burn.elapsed / 4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order_of_deadlines),
	    cmocka_unit_test(test_not_too_early),
	    cmocka_unit_test(test_longest_sleep),
	    cmocka_unit_test(test_all_procs_idle),
	    cmocka_unit_test(test_one_proc_spins),
	    cmocka_unit_test(test_only_proc_yields),
	    cmocka_unit_test(test_proc_leaves_a_call),
	    cmocka_unit_test(test_nobody_spins_for_a_timer_that_is_due),
	};

	return RUN_TESTS(tests);
}
