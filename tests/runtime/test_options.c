/* SPDX-License-Identifier: MIT
 *
 * Settings from the environment: what they do, and what is said of wrong ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runtime/support.h"

static void nothing(void *arg)
{
	(void)arg;
}

/* "NAME=value", and a run. */
static void run_with(const char *word)
{
	static char setting[256];

	snprintf(setting, sizeof(setting), "%s", word);
	putenv(setting);
	grt_run(NULL, nothing, NULL);
}

static void test_wrong_values_end_the_program(void **state)
{
	static const char procs[] = "a whole number from 1 to 1024";
	static const char threads[] = "a whole number from 1 to 1000000";
	static const char prespawn[] = "a whole number from 0 to 9999";
	static const struct {
		const char *setting;
		const char *allowed;
	} wrong[] = {
	    {"GRT_PROCS=zero", procs},
	    {"GRT_PROCS=0", procs},
	    {"GRT_PROCS=1025", procs},
	    {"GRT_PROCS=-1", procs},
	    {"GRT_PROCS=", procs},
	    {"GRT_PROCS=2 ", procs},
	    {"GRT_PROCS= 2", procs},
	    {"GRT_PROCS=+2", procs},
	    {"GRT_PROCS=0x2", procs},
	    {"GRT_PROCS=2.0", procs},
	    {"GRT_PROCS=18446744073709551617", procs},
	    {"GRT_MAXTHREADS=0", threads},
	    {"GRT_MAXTHREADS=1000001", threads},
	    {"GRT_MAXTHREADS=many", threads},
	    {"GRT_PRESPAWN=-1", prespawn},
	    {"GRT_PRESPAWN=10000", prespawn},
	    {"GRT_HANDOFF=Eager", "sysmon or eager"},
	    {"GRT_HANDOFF=", "sysmon or eager"},
	    {"GRT_PREEMPT=signals", "coop or off"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct child child;
		char expected[256];

		in_child(&child, run_with, wrong[i].setting);
		assert_exited(&child, 2);
		snprintf(expected, sizeof(expected),
			 "grt: %s: must be %s; correct it or unset it\n", wrong[i].setting,
			 wrong[i].allowed);
		assert_string_equal(child.said, expected);
	}
}

static void test_right_values_are_taken(void **state)
{
	static const char *const right[] = {
	    "GRT_PROCS=1",     "GRT_PROCS=1024",  "GRT_MAXTHREADS=1",  "GRT_MAXTHREADS=1000000",
	    "GRT_PRESPAWN=0",  "GRT_PRESPAWN=10", "GRT_HANDOFF=eager", "GRT_HANDOFF=sysmon",
	    "GRT_PREEMPT=off", "GRT_PREEMPT=coop"};

	(void)state;
	for (size_t i = 0; i < COUNT(right); i++) {
		struct child child;

		in_child(&child, run_with, right[i]);
		assert_exited(&child, 0);
		assert_string_equal(child.said, "");
	}
}

/* The environment wins over the program. */
static void test_environment_overrides(void **state)
{
	struct grt_opts opts = {.procs = 7, .prespawn = 5, .max_threads = 100};
	struct grt_stats stats;

	(void)state;
	setenv("GRT_PROCS", "3", 1);
	setenv("GRT_PRESPAWN", "2", 1);
	run(&opts, nothing, NULL);
	grt_stats(&stats);
	assert_int_equal(stats.procs, 3);
	assert_int_equal(stats.workers_created, 3);
	setenv("GRT_MAXTHREADS", "2", 1);
	setenv("GRT_PRESPAWN", "1", 1);
	opts.prespawn = 0;
	run(&opts, nothing, NULL);
	grt_stats(&stats);
	assert_int_equal(stats.workers_created, 2);
	clear_environment(NULL);
	run(&opts, nothing, NULL);
	grt_stats(&stats);
	assert_int_equal(stats.procs, 7);
}

static _Atomic bool other_ran;

static void note_run(void *arg)
{
	(void)arg;
	atomic_store(&other_ran, true);
}

/* Does nothing but short calls into grt.h. */
static void wait_for_another(void *arg)
{
	(void)arg;
	atomic_store(&other_ran, false);
	grt_go(note_run, NULL);
	while (!atomic_load(&other_ran))
		grt_sleep(0);
}

static void spin_beside_another(void *arg)
{
	int64_t end = now() + 50 * MS;

	atomic_store(&other_ran, false);
	grt_go(note_run, NULL);
	while (now() < end)
		grt_sleep(0);
	*(bool *)arg = atomic_load(&other_ran);
}

/* After 10 ms the next grt_ call lets others run; or never. */
static void test_preemption_at_calls(void **state)
{
	struct grt_opts opts = {.procs = 1};
	bool ran = false;

	(void)state;
	run(&opts, wait_for_another, NULL);
	setenv("GRT_PREEMPT", "off", 1);
	run(&opts, spin_beside_another, &ran);
	assert_false(ran);
	clear_environment(NULL);
}

static void test_default_procs(void **state)
{
	struct grt_stats stats;

	(void)state;
	run(NULL, nothing, NULL);
	grt_stats(&stats);
	assert_in_range(stats.procs, 1, 1024);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_wrong_values_end_the_program),
	    cmocka_unit_test(test_right_values_are_taken),
	    cmocka_unit_test(test_environment_overrides),
	    cmocka_unit_test(test_preemption_at_calls),
	    cmocka_unit_test(test_default_procs),
	};

	return RUN_TESTS(tests);
}
