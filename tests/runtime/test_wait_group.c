/* SPDX-License-Identifier: MIT
 *
 * Wait groups.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/runtime/support.h"

#define TASKS 1000

struct work {
	struct grt_wait_group group;
	_Atomic int done;
	int seen_by_waiters[3];
	int seen;
};

static void do_one(void *arg)
{
	struct work *work = arg;

	grt_yield();
	atomic_fetch_add(&work->done, 1);
	grt_wait_group_done(&work->group);
}

struct waiter {
	struct work *work;
	int *seen;
	struct grt_wait_group *ended;
};

static void wait_too(void *arg)
{
	struct waiter *self = arg;

	grt_wait_group_wait(&self->work->group);
	*self->seen = atomic_load(&self->work->done);
	grt_wait_group_done(self->ended);
}

static void spawn_and_wait(void *arg)
{
	struct work *work = arg;
	struct grt_wait_group ended = {0};
	struct waiter waiters[3];

	grt_wait_group_wait(&work->group); /* zero: at once */
	grt_wait_group_add(&work->group, TASKS);
	grt_wait_group_add(&ended, 3);
	for (int i = 0; i < 3; i++) {
		waiters[i] = (struct waiter){work, &work->seen_by_waiters[i], &ended};
		grt_go(wait_too, &waiters[i]);
	}
	for (int i = 0; i < TASKS; i++)
		grt_go(do_one, work);
	grt_wait_group_wait(&work->group);
	work->seen = atomic_load(&work->done);
	grt_wait_group_wait(&ended);
}

static void test_all_waiters_see_all_work(void **state)
{
	(void)state;
	for (int procs = 1; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs};
		struct work work = {0};

		run(&opts, spawn_and_wait, &work);
		assert_int_equal(work.seen, TASKS);
		for (int i = 0; i < 3; i++)
			assert_int_equal(work.seen_by_waiters[i], TASKS);
	}
}

/* The group lies on the waiter's stack and is gone as soon as it is woken. */
static void finish(void *arg)
{
	grt_wait_group_done(arg);
}

static void short_lived(void *arg)
{
	int *rounds = arg;

	for (int i = 0; i < 2000; i++) {
		struct grt_wait_group group = {0};

		grt_wait_group_add(&group, 1);
		if (grt_go(finish, &group))
			break;
		grt_wait_group_wait(&group);
		memset(&group, 0xff, sizeof(group));
		++*rounds;
	}
}

static void test_group_on_the_stack_of_its_waiter(void **state)
{
	struct grt_opts opts = {.procs = 4};
	int rounds = 0;

	(void)state;
	run(&opts, short_lived, &rounds);
	assert_int_equal(rounds, 2000);
}

static void add_outside(void *arg)
{
	grt_wait_group_done(arg);
	grt_wait_group_wait(arg);
}

static void test_counted_before_the_run(void **state)
{
	struct grt_wait_group group = {0};

	(void)state;
	grt_wait_group_add(&group, 1);
	run(NULL, add_outside, &group);
	grt_wait_group_add(&group, 2);
	grt_wait_group_add(&group, -2);
}

static void below_zero(void *arg)
{
	struct grt_wait_group group = {0};

	(void)arg;
	grt_wait_group_done(&group);
}

static void too_many(void *arg)
{
	struct grt_wait_group group = {0};

	(void)arg;
	grt_wait_group_add(&group, INT64_MAX);
	grt_wait_group_add(&group, 1);
}

static void run_wrong(const char *word)
{
	grt_run(NULL, *word == 'b' ? below_zero : too_many, NULL);
}

static void test_count_out_of_range_aborts(void **state)
{
	static const char *const wrong[] = {"below zero", "too many"};
	struct child child;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		in_child(&child, run_wrong, wrong[i]);
		assert_true(WIFSIGNALED(child.status));
		assert_int_equal(WTERMSIG(child.status), SIGABRT);
		assert_string_equal(child.said, "grt: wait group: count below zero: more were done "
						"than added\n");
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_waiters_see_all_work),
	    cmocka_unit_test(test_group_on_the_stack_of_its_waiter),
	    cmocka_unit_test(test_counted_before_the_run),
	    cmocka_unit_test(test_count_out_of_range_aborts),
	};

	return RUN_TESTS(tests);
}
