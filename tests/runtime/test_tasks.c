/* SPDX-License-Identifier: MIT
 *
 * Tasks: how they begin, take turns and end; runs after runs.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tests/runtime/support.h"

static const struct grt_opts one_proc = {.procs = 1};

/* --- order ----------------------------------------------------------------*/

struct order {
	int length;
	int values[16];
};

static void note(struct order *order, int value)
{
	order->values[order->length++] = value;
}

struct numbered {
	struct order *order;
	int number;
};

static void yield_twice(void *arg)
{
	struct numbered *self = arg;

	note(self->order, self->number);
	grt_yield();
	note(self->order, self->number + 10);
}

static void spawn_three(void *arg)
{
	static struct numbered tasks[3];

	note(arg, 0);
	for (int i = 0; i < 3; i++) {
		tasks[i] = (struct numbered){.order = arg, .number = i + 1};
		grt_go(yield_twice, &tasks[i]);
	}
	note(arg, 9);
}

static void test_one_proc_runs_first_in_first_out(void **state)
{
	static const int expected[] = {0, 9, 1, 2, 3, 11, 12, 13};
	struct order order = {0};

	(void)state;
	run(&one_proc, spawn_three, &order);
	assert_int_equal(order.length, COUNT(expected));
	assert_memory_equal(order.values, expected, sizeof(expected));
}

/* --- many -----------------------------------------------------------------*/

#define MANY 20000

static _Atomic int ran[MANY];

static void count_me(void *arg)
{
	atomic_fetch_add((_Atomic int *)arg, 1);
}

static void spawn_many(void *arg)
{
	int *failures = arg;

	for (int i = 0; i < MANY; i++)
		*failures += grt_go(count_me, &ran[i]) != 0;
}

static void test_each_task_runs_once(void **state)
{
	struct grt_opts opts = {.procs = 4};
	struct grt_stats stats;
	int failures = 0;

	(void)state;
	run(&opts, spawn_many, &failures);
	grt_stats(&stats);
	assert_int_equal(failures, 0);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(ran[i], 1);
	assert_int_equal(stats.tasks_created, MANY + 1);
	assert_int_equal(stats.tasks_ended, MANY + 1);
	assert_int_equal(stats.procs, 4);
	assert_int_equal(stats.workers, 0);
}

struct tree {
	_Atomic long leaves;
};

static struct tree tree;

static void grow(void *arg)
{
	intptr_t depth = (intptr_t)arg;

	if (depth == 0) {
		atomic_fetch_add(&tree.leaves, 1);
		return;
	}
	grt_go(grow, (void *)(depth - 1));
	grt_go(grow, (void *)(depth - 1));
}

static void test_trees_of_tasks(void **state)
{
	(void)state;
	for (int procs = 1; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs};

		atomic_store(&tree.leaves, 0);
		run(&opts, grow, (void *)(intptr_t)13);
		assert_int_equal(tree.leaves, 1 << 13);
	}
}

/* --- numbers --------------------------------------------------------------*/

struct ids {
	uint64_t seen[1000];
	_Atomic int length;
	int changed;
};

static void note_id(void *arg)
{
	struct ids *ids = arg;
	uint64_t id = grt_self();

	ids->seen[atomic_fetch_add(&ids->length, 1)] = id;
	grt_yield();
	if (grt_self() != id)
		ids->changed++; /* only ever written when something is wrong */
}

static void spawn_ids(void *arg)
{
	note_id(arg);
	for (int i = 1; i < 1000; i++)
		grt_go(note_id, arg);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void test_numbers_are_unique_and_from_one(void **state)
{
	struct grt_opts opts = {.procs = 4};
	struct ids ids = {0};

	(void)state;
	assert_int_equal(grt_self(), 0);
	run(&opts, spawn_ids, &ids);
	assert_int_equal(grt_self(), 0);
	assert_int_equal(ids.changed, 0);
	assert_int_equal(ids.length, 1000);
	assert_int_equal(ids.seen[0], 1);
	qsort(ids.seen, 1000, sizeof(ids.seen[0]), by_value);
	for (int i = 1; i < 1000; i++)
		assert_true(ids.seen[i - 1] < ids.seen[i]);
}

/* --- errors ---------------------------------------------------------------*/

static void nothing(void *arg)
{
	(void)arg;
}

struct attr_errors {
	int too_large;
	int largest;
	int smallest;
	int named;
};

static void try_attrs(void *arg)
{
	struct attr_errors *errors = arg;
	struct grt_attr attr = {.stack_size = ((size_t)1 << 30) + 1};

	errors->too_large = grt_go_attr(&attr, nothing, NULL);
	attr.stack_size = (size_t)1 << 30;
	errors->largest = grt_go_attr(&attr, nothing, NULL);
	attr.stack_size = 1;
	errors->smallest = grt_go_attr(&attr, nothing, NULL);
	attr = (struct grt_attr){.name = "named"};
	errors->named = grt_go_attr(&attr, nothing, NULL);
}

static void test_attributes(void **state)
{
	struct attr_errors errors = {-1, -1, -1, -1};
	struct grt_stats stats;

	(void)state;
	run(&one_proc, try_attrs, &errors);
	grt_stats(&stats);
	assert_int_equal(errors.too_large, EINVAL);
	assert_int_equal(errors.largest, 0);
	assert_int_equal(errors.smallest, 0);
	assert_int_equal(errors.named, 0);
	assert_int_equal(stats.tasks_created, 4);
}

static void test_outside_of_tasks(void **state)
{
	struct grt_attr attr = {.name = "x"};
	struct grt_chan *chan = grt_chan_new(1, 1);
	char element = 0;

	(void)state;
	assert_int_equal(grt_go(nothing, NULL), EPERM);
	assert_int_equal(grt_go_attr(&attr, nothing, NULL), EPERM);
	assert_int_equal(grt_chan_send(chan, &element), EPERM);
	assert_int_equal(grt_chan_try_send(chan, &element), EPERM);
	assert_int_equal(grt_chan_recv(chan, &element), EPERM);
	assert_int_equal(grt_chan_try_recv(chan, &element), EPERM);
	assert_int_equal(grt_chan_close(chan), EPERM);
	assert_false(grt_enter_call(0, 0, NULL));
	grt_yield();
	grt_sleep(1);
	grt_lock_thread();
	grt_unlock_thread();
	grt_chan_free(chan);
}

static void test_options_out_of_range(void **state)
{
	static const struct grt_opts wrong[] = {
	    {.procs = -1},
	    {.procs = 1025},
	    {.handoff = (enum grt_handoff)77},
	    {.preempt = (enum grt_preempt)77},
	    {.max_threads = -1},
	    {.max_threads = 1000001},
	    {.prespawn = -2},
	    {.max_threads = 2, .prespawn = 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(grt_run(&wrong[i], nothing, NULL), EINVAL);
}

/* --- runs -----------------------------------------------------------------*/

static void run_again(void *arg)
{
	*(int *)arg = grt_run(NULL, nothing, NULL);
}

static void *run_on_thread(void *arg)
{
	run_again(arg);
	return NULL;
}

static void run_on_other_thread(void *arg)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run_on_thread, arg);
	pthread_join(thread, NULL);
}

static void test_one_run_at_a_time(void **state)
{
	int error = 0;

	(void)state;
	run(NULL, run_again, &error);
	assert_int_equal(error, EBUSY);
	error = 0;
	run(NULL, run_on_other_thread, &error);
	assert_int_equal(error, EBUSY);
	/* Both have left it usable. */
	run(NULL, nothing, NULL);
	run_on_other_thread(&error);
	assert_int_equal(error, 0);
}

static void spawn_hundred(void *arg)
{
	for (int i = 0; i < 100; i++)
		grt_go(count_me, arg);
}

static _Atomic bool polling;

static void *poll_stats(void *arg)
{
	struct grt_stats stats;
	bool *bad = arg;

	while (atomic_load(&polling)) {
		grt_stats(&stats);
		*bad |= stats.procs < 0 || stats.procs > 4;
	}
	return NULL;
}

/* Starts and ends race with nothing; grt_stats() may be called meanwhile. */
static void test_run_after_run(void **state)
{
	pthread_t poller;
	bool bad = false;

	(void)state;
	atomic_store(&polling, true);
	assert_int_equal(pthread_create(&poller, NULL, poll_stats, &bad), 0);
	for (int i = 0; i < 200; i++) {
		struct grt_opts opts = {.procs = 1 + i % 4};
		_Atomic int count = 0;
		struct grt_stats stats;

		run(&opts, spawn_hundred, &count);
		grt_stats(&stats);
		assert_int_equal(count, 100);
		assert_int_equal(stats.tasks_created, 101);
		assert_int_equal(stats.procs, 1 + i % 4);
	}
	atomic_store(&polling, false);
	pthread_join(poller, NULL);
	assert_false(bad);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_proc_runs_first_in_first_out),
	    cmocka_unit_test(test_each_task_runs_once),
	    cmocka_unit_test(test_trees_of_tasks),
	    cmocka_unit_test(test_numbers_are_unique_and_from_one),
	    cmocka_unit_test(test_attributes),
	    cmocka_unit_test(test_outside_of_tasks),
	    cmocka_unit_test(test_options_out_of_range),
	    cmocka_unit_test(test_one_run_at_a_time),
	    cmocka_unit_test(test_run_after_run),
	};

	return RUN_TESTS(tests);
}
