/* SPDX-License-Identifier: MIT
 *
 * Blocking calls: grt_call, and the ways back to a proc.
 */
#include <string.h>

#include "runtime/hooks.h"
#include "tests/runtime/support.h"

/* --- grt_call -------------------------------------------------------------*/

struct inside {
	int tid;
	int error_before;
	int go;
	int nested_tid;
	int send;
	bool entered;
	const char *stack;
	uint64_t self;
};

struct outside {
	struct inside inside;
	const char *stack;
	int tid_before;
	int tid_after;
	int error_after;
	uint64_t self;
};

static void nothing(void *arg)
{
	(void)arg;
}

static void take_tid(void *arg)
{
	*(int *)arg = thread_id();
}

static void look_around(void *arg)
{
	struct inside *inside = arg;
	char here;
	char element = 0;
	struct grt_chan *chan = grt_chan_new(1, 1);

	inside->stack = &here;
	inside->error_before = errno;
	inside->tid = thread_id();
	inside->self = grt_self();
	inside->go = grt_go(nothing, NULL);
	inside->send = grt_chan_send(chan, &element);
	inside->entered = grt_enter_call(0, 0, NULL);
	grt_call(take_tid, &inside->nested_tid);
	grt_yield();
	grt_sleep(1);
	grt_chan_free(chan);
	errno = EXDEV;
}

static void call_once(void *arg)
{
	struct outside *outside = arg;
	char here;

	outside->stack = &here;
	outside->self = grt_self();
	outside->tid_before = thread_id();
	errno = ELOOP;
	grt_call(look_around, &outside->inside);
	outside->error_after = errno;
	outside->tid_after = thread_id();
}

static void test_grt_call(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct grt_opts opts = {.procs = 1 + i / 2,
					.handoff = i % 2 ? GRT_HANDOFF_EAGER : GRT_HANDOFF_SYSMON};
		struct outside outside = {0};
		const struct inside *inside = &outside.inside;
		struct grt_stats stats;

		run(&opts, call_once, &outside);
		grt_stats(&stats);
		assert_int_equal(inside->tid, outside.tid_before);
		assert_int_equal(inside->nested_tid, outside.tid_before);
		assert_int_equal(outside.tid_after, outside.tid_before);
		assert_int_equal(inside->error_before, ELOOP);
		assert_int_equal(outside.error_after, EXDEV);
		assert_int_equal(inside->self, outside.self);
		assert_int_equal(inside->go, EPERM);
		assert_int_equal(inside->send, EPERM);
		assert_false(inside->entered);
		assert_int_equal(stats.calls, 1);
		/* Not within the 256 KiB of the task's stack. */
		assert_true(inside->stack < outside.stack - (1 << 18) ||
			    inside->stack > outside.stack + (1 << 18));
	}
}

static void test_grt_call_outside_of_tasks(void **state)
{
	int tid = 0;

	(void)state;
	grt_call(take_tid, &tid);
	assert_int_equal(tid, thread_id());
}

static void use_much_stack(void *arg)
{
	volatile char large[1 << 20];

	large[0] = 1;
	large[sizeof(large) - 1] = 2;
	*(int *)arg = large[0] + large[sizeof(large) - 1];
}

static void call_deep(void *arg)
{
	grt_call(use_much_stack, arg);
}

/* A mebibyte would not fit the task's own stack. */
static void test_grt_call_has_a_large_stack(void **state)
{
	int sum = 0;

	(void)state;
	run(NULL, call_deep, &sum);
	assert_int_equal(sum, 3);
}

/* --- the ways back --------------------------------------------------------*/

/* The paths that the hooks report, and when a worker has gone to sleep. */
static _Atomic int paths[GRT_PATH_NO_P + 1];
static _Atomic int parks;

static void on_call_end(const struct grt_call_record *record)
{
	atomic_fetch_add(&paths[record->path], 1);
}

static void on_worker_park(int32_t worker)
{
	(void)worker;
	atomic_fetch_add(&parks, 1);
}

__attribute__((visibility("default"))) grt_attach_fn gtrace_attach;

bool gtrace_attach(unsigned version, struct grt_hooks *hooks, const struct grt_runtime *runtime)
{
	static const int on = 1;

	(void)runtime;
	if (version != GRT_HOOKS_VERSION)
		return false;
	hooks->call_end.on = &on;
	hooks->call_end.call = on_call_end;
	hooks->worker_park.on = &on;
	hooks->worker_park.call = on_worker_park;
	return true;
}

static int clear_paths(void **state)
{
	(void)state;
	memset(paths, 0, sizeof(paths));
	atomic_store(&parks, 0);
	return 0;
}

static void assert_paths(uint64_t calls, uint64_t same, uint64_t other, uint64_t queued)
{
	struct grt_stats stats;

	grt_stats(&stats);
	assert_int_equal(stats.calls, calls);
	assert_int_equal(stats.handoffs, same + other + queued);
	assert_int_equal(stats.reacquired_same, same);
	assert_int_equal(stats.reacquired_other, other);
	assert_int_equal(stats.reacquired_queued, queued);
	assert_int_equal(paths[GRT_PATH_SHORT], calls - same - other - queued);
	assert_int_equal(paths[GRT_PATH_SAME_P], same);
	assert_int_equal(paths[GRT_PATH_OTHER_P], other);
	assert_int_equal(paths[GRT_PATH_QUEUED], queued);
}

#define CALLS 1000

static void call_in_vain(void *arg)
{
	int *entered = arg;

	for (int i = 0; i < CALLS; i++) {
		*entered += grt_enter_call(0, 0, NULL);
		grt_leave_call(0, 0);
	}
}

/* sysmon may find one of them, where the system stops the thread inside. */
static void test_short_calls_keep_their_proc(void **state)
{
	struct grt_opts opts = {.procs = 2};
	struct grt_stats stats;
	int entered = 0;

	(void)state;
	run(&opts, call_in_vain, &entered);
	grt_stats(&stats);
	assert_int_equal(entered, CALLS);
	assert_true(stats.handoffs < CALLS / 2);
	assert_paths(CALLS, stats.reacquired_same, stats.reacquired_other, stats.reacquired_queued);
}

static void test_same_proc_where_nobody_wants_it(void **state)
{
	(void)state;
	for (int procs = 1; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs, .handoff = GRT_HANDOFF_EAGER};
		int entered = 0;

		clear_paths(NULL);
		run(&opts, call_in_vain, &entered);
		assert_int_equal(entered, CALLS);
		assert_paths(CALLS, CALLS, 0, 0);
	}
}

static _Atomic bool back;
static _Atomic int spinning;
static _Atomic int spin_until;

/* Takes the proc of the call; lets go of it only when the call is over. */
static void yield_until_back(void *arg)
{
	(void)arg;
	atomic_fetch_add(&spinning, 1);
	while (!atomic_load(&back))
		grt_yield();
}

static void return_to_a_busy_proc(void *arg)
{
	int seen = atomic_load(&spinning);

	(void)arg;
	atomic_store(&back, false);
	grt_go(yield_until_back, NULL);
	grt_enter_call(0, 0, NULL);
	while (atomic_load(&spinning) == seen)
		sleep_raw(10 * US);
	grt_leave_call(0, 0);
	atomic_store(&back, true);
}

static void queue_ten_times(void *arg)
{
	for (int i = 0; i < 10; i++)
		return_to_a_busy_proc(arg);
}

static void test_queued_where_the_only_proc_is_busy(void **state)
{
	struct grt_opts opts = {.procs = 1, .handoff = GRT_HANDOFF_EAGER};

	(void)state;
	run(&opts, queue_ten_times, NULL);
	assert_paths(10, 0, 0, 10);
}

static void spin_for_long(void *arg)
{
	int number = atomic_fetch_add(&spinning, 1) + 1;

	(void)arg;
	while (atomic_load(&spin_until) < number)
		;
}

/*
 * Two procs: one is taken by the first spinner, the call's own by the second.
 * Then the first ends, and its worker goes to sleep: its proc is idle.
 */
static void return_to_another_proc(void *arg)
{
	int before;

	(void)arg;
	atomic_store(&spinning, 0);
	atomic_store(&spin_until, 0);
	grt_go(spin_for_long, NULL);
	while (atomic_load(&spinning) < 1)
		; /* no grt_ call: it must start on the other proc */
	grt_go(spin_for_long, NULL);
	grt_enter_call(0, 0, NULL);
	while (atomic_load(&spinning) < 2)
		sleep_raw(10 * US);
	before = atomic_load(&parks);
	atomic_store(&spin_until, 1);
	while (atomic_load(&parks) == before)
		sleep_raw(10 * US);
	grt_leave_call(0, 0);
	atomic_store(&spin_until, 2);
}

static void test_another_proc_that_is_idle(void **state)
{
	struct grt_opts opts = {
	    .procs = 2, .handoff = GRT_HANDOFF_EAGER, .preempt = GRT_PREEMPT_OFF};

	(void)state;
	run(&opts, return_to_another_proc, NULL);
	assert_paths(1, 0, 1, 0);
}

/* sysmon takes the proc of a call that lasts, and only then can the other
 * task end it. */
static void open_gate(void *arg)
{
	gate_open(arg);
}

static void wait_for_task(void *arg)
{
	static struct gate gates[20];

	(void)arg;
	for (size_t i = 0; i < COUNT(gates); i++) {
		grt_go(open_gate, &gates[i]);
		grt_enter_call(0, 0, NULL);
		gate_wait(&gates[i]);
		grt_leave_call(0, 0);
	}
}

static void test_sysmon_takes_procs_from_calls(void **state)
{
	struct grt_opts opts = {.procs = 1, .handoff = GRT_HANDOFF_SYSMON};
	struct grt_stats stats;

	(void)state;
	run(&opts, wait_for_task, NULL);
	grt_stats(&stats);
	assert_int_equal(stats.calls, 20);
	assert_int_equal(stats.handoffs, 20);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_grt_call),
	    cmocka_unit_test(test_grt_call_outside_of_tasks),
	    cmocka_unit_test(test_grt_call_has_a_large_stack),
	    cmocka_unit_test_setup(test_short_calls_keep_their_proc, clear_paths),
	    cmocka_unit_test_setup(test_same_proc_where_nobody_wants_it, clear_paths),
	    cmocka_unit_test_setup(test_queued_where_the_only_proc_is_busy, clear_paths),
	    cmocka_unit_test_setup(test_another_proc_that_is_idle, clear_paths),
	    cmocka_unit_test_setup(test_sysmon_takes_procs_from_calls, clear_paths),
	};

	return RUN_TESTS(tests);
}
