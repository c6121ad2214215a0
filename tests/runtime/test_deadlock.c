/* SPDX-License-Identifier: MIT
 *
 * Deadlocks: told of when all tasks wait for each other, and only then.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/runtime/support.h"

static void receive(void *arg)
{
	grt_chan_recv(arg, NULL);
}

static void wait_for_nobody(void *arg)
{
	struct grt_wait_group group = {0};

	(void)arg;
	grt_wait_group_add(&group, 1);
	grt_wait_group_wait(&group);
}

static void all_receive(void *arg)
{
	for (int i = 0; i < 9; i++)
		grt_go(receive, arg);
	receive(arg);
}

static void locked_receives(void *arg)
{
	grt_lock_thread();
	receive(arg);
}

static void receive_after_call(void *arg)
{
	grt_enter_call(0, 0, NULL);
	sleep_raw(2 * MS);
	grt_leave_call(0, 0);
	receive(arg);
}

static void receive_after_sleep(void *arg)
{
	grt_sleep(2 * MS);
	receive(arg);
}

static const struct {
	grt_fn *fn;
	int tasks;
} deadlocks[] = {
    {wait_for_nobody, 1},    {all_receive, 10},        {locked_receives, 1},
    {receive_after_call, 1}, {receive_after_sleep, 1},
};

/* "case procs handoff" */
static void run_into_deadlock(const char *word)
{
	struct grt_opts opts = {0};
	int number;
	int handoff;

	if (sscanf(word, "%d %d %d", &number, &opts.procs, &handoff) != 3)
		exit(99);
	opts.handoff = (enum grt_handoff)handoff;
	grt_run(&opts, deadlocks[number].fn, grt_chan_new(1, 0));
}

static void test_deadlocks_are_told_of(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(deadlocks) * 4; i++) {
		size_t number = i / 4;
		struct child child;
		char word[64];
		char expected[256];

		snprintf(word, sizeof(word), "%zu %d %d", number, i % 2 ? 4 : 1,
			 i & 2 ? GRT_HANDOFF_EAGER : GRT_HANDOFF_SYSMON);
		in_child(&child, run_into_deadlock, word);
		assert_exited(&child, 2);
		snprintf(expected, sizeof(expected),
			 "grt: deadlock: all tasks wait and nothing can wake them (%d left); look "
			 "for a channel or wait group that nobody completes\n",
			 deadlocks[number].tasks);
		assert_string_equal(child.said, expected);
	}
}

/* All procs are idle again and again, but for a timer or a call: a false
 * alarm would end this test. */
static void mostly_idle(void *arg)
{
	for (int i = 0; i < 300; i++) {
		if ((i + (intptr_t)arg) % 2) {
			grt_sleep(20 * US);
		} else {
			grt_enter_call(0, 0, NULL);
			sleep_raw(20 * US);
			grt_leave_call(0, 0);
		}
	}
}

static void locked_too(void *arg)
{
	grt_lock_thread();
	mostly_idle(arg);
}

static void start_idlers(void *arg)
{
	(void)arg;
	grt_go(mostly_idle, (void *)0);
	grt_go(mostly_idle, (void *)1);
	grt_go(locked_too, (void *)0);
}

static void test_no_false_alarm(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++) {
		struct grt_opts opts = {.procs = 1 + i % 3,
					.max_threads = i / 6 ? 2 : 0,
					.handoff =
					    i / 3 % 2 ? GRT_HANDOFF_EAGER : GRT_HANDOFF_SYSMON};

		run(&opts, start_idlers, NULL);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_deadlocks_are_told_of),
	    cmocka_unit_test(test_no_false_alarm),
	};

	return RUN_TESTS(tests);
}
