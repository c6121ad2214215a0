/* SPDX-License-Identifier: MIT
 *
 * Tasks that are locked to their thread.
 */
#include "tests/runtime/support.h"

#define LOCKED 8
#define OTHERS 40
#define ROUNDS 300

struct stay {
	struct grt_chan *chan;
	struct grt_wait_group group;
	_Atomic int foreign; /* turns of others seen on a locked thread */
	_Atomic int moved;
	_Atomic int turns;
};

/* Which locked task a thread belongs to; only read and written by the thread. */
static __thread uint64_t owner;

/* A task may change its thread at any grt_ call: the address of `owner` must
 * not be kept across one. */
static __attribute__((noinline)) uint64_t get_owner(void)
{
	__asm__ volatile("");
	return owner;
}

static __attribute__((noinline)) void set_owner(uint64_t id)
{
	__asm__ volatile("");
	owner = id;
}

static void take_turns(struct stay *stay, int i)
{
	int value = i;

	switch (i % 5) {
	case 0:
		grt_yield();
		break;
	case 1:
		grt_sleep(10 * US);
		break;
	case 2:
		grt_chan_send(stay->chan, &value);
		break;
	case 3:
		grt_chan_recv(stay->chan, &value);
		break;
	default:
		grt_enter_call(0, 0, NULL);
		grt_leave_call(0, 0);
		break;
	}
}

static void stay_on_thread(void *arg)
{
	struct stay *stay = arg;
	int tid;

	grt_lock_thread();
	grt_lock_thread();
	grt_unlock_thread(); /* one is left */
	tid = thread_id();
	set_owner(grt_self());
	for (int i = 0; i < ROUNDS; i++) {
		take_turns(stay, i);
		if (thread_id() != tid)
			atomic_fetch_add(&stay->moved, 1);
		if (get_owner() != grt_self())
			atomic_fetch_add(&stay->foreign, 1);
	}
	set_owner(0);
	grt_unlock_thread();
	atomic_fetch_add(&stay->turns, ROUNDS);
	grt_wait_group_done(&stay->group);
}

static void roam(void *arg)
{
	struct stay *stay = arg;

	for (int i = 0; i < ROUNDS; i++) {
		take_turns(stay, i);
		if (get_owner())
			atomic_fetch_add(&stay->foreign, 1);
	}
	atomic_fetch_add(&stay->turns, ROUNDS);
	grt_wait_group_done(&stay->group);
}

static void start_stay(void *arg)
{
	struct stay *stay = arg;

	grt_wait_group_add(&stay->group, LOCKED + OTHERS);
	for (int i = 0; i < LOCKED + OTHERS; i++)
		grt_go(i % 6 == 0 ? stay_on_thread : roam, stay);
	grt_wait_group_wait(&stay->group);
}

static void check_stay(struct grt_opts *opts)
{
	struct stay stay = {.chan = grt_chan_new(sizeof(int), 4)};

	run(opts, start_stay, &stay);
	grt_chan_free(stay.chan);
	assert_int_equal(stay.turns, (LOCKED + OTHERS) * ROUNDS);
	assert_int_equal(stay.moved, 0);
	/* A sanitizer's own data on the stacks ties tasks to threads: those may
	 * run on one that was locked afterwards. */
	if (!SANITIZED)
		assert_int_equal(stay.foreign, 0);
}

static void test_locked_stay_alone(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct grt_opts opts = {.procs = 1 + i / 2,
					.handoff = i % 2 ? GRT_HANDOFF_EAGER : GRT_HANDOFF_SYSMON};

		check_stay(&opts);
	}
}

/* Two that wake each other at every step, from procs that are awake. */
struct pair {
	struct grt_chan *there;
	struct grt_chan *back;
	int rounds;
	int moved;
};

static void answer(void *arg)
{
	struct pair *pair = arg;
	int value;

	grt_lock_thread();
	while (grt_chan_recv(pair->there, &value) == 0)
		grt_chan_send(pair->back, &value);
}

static void ask(void *arg)
{
	struct pair *pair = arg;
	int value;
	int tid;

	grt_lock_thread();
	tid = thread_id();
	for (int i = 0; i < 2000; i++) {
		grt_chan_send(pair->there, &i);
		grt_chan_recv(pair->back, &value);
		pair->rounds += value == i;
		pair->moved += thread_id() != tid;
	}
	grt_chan_close(pair->there);
}

static void start_pair(void *arg)
{
	grt_go(answer, arg);
	ask(arg);
}

static void test_locked_wake_locked(void **state)
{
	(void)state;
	for (int procs = 1; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs};
		struct pair pair = {.there = grt_chan_new(sizeof(int), 0),
				    .back = grt_chan_new(sizeof(int), 0)};

		run(&opts, start_pair, &pair);
		grt_chan_free(pair.there);
		grt_chan_free(pair.back);
		assert_int_equal(pair.rounds, 2000);
		assert_int_equal(pair.moved, 0);
	}
}

/* No thread is left for the others: they share with the locked ones rather
 * than wait for ever. */
static void test_at_the_thread_limit(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 3; threads++) {
		for (int procs = 1; procs <= 4; procs += 3) {
			struct grt_opts opts = {.procs = procs, .max_threads = threads};
			struct stay stay = {.chan = grt_chan_new(sizeof(int), 4)};
			struct grt_stats stats;

			run(&opts, start_stay, &stay);
			grt_chan_free(stay.chan);
			grt_stats(&stats);
			assert_int_equal(stay.turns, (LOCKED + OTHERS) * ROUNDS);
			assert_int_equal(stay.moved, 0);
			assert_true(stats.workers_peak <= threads);
		}
	}
}

/* The lock ends with its task. */
static void lock_and_end(void *arg)
{
	(void)arg;
	grt_lock_thread();
}

static void end_locked(void *arg)
{
	int *count = arg;

	for (int i = 0; i < 200; i++)
		*count += grt_go(lock_and_end, NULL) == 0;
	grt_unlock_thread(); /* one too many: nothing happens */
}

static void test_end_unlocks(void **state)
{
	struct grt_opts opts = {.procs = 2};
	struct grt_stats stats;
	int count = 0;

	(void)state;
	run(&opts, end_locked, &count);
	grt_stats(&stats);
	assert_int_equal(count, 200);
	assert_true(stats.workers_created <= 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_locked_stay_alone),
	    cmocka_unit_test(test_locked_wake_locked),
	    cmocka_unit_test(test_at_the_thread_limit),
	    cmocka_unit_test(test_end_unlocks),
	};

	return RUN_TESTS(tests);
}
