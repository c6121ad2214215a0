/* SPDX-License-Identifier: MIT
 *
 * What belongs to a thread: a task that holds an address of its thread's
 * memory stays on that thread, others move; errno moves with its task.
 */
#include "tests/runtime/support.h"

int *__errno_location(void);

#define MOVERS 24
/* The sanitizers keep their state in thread-local memory, and addresses of it may
 * be on every stack: then all tasks are tied. */
#define FREE_MOVES (SANITIZED ? 0 : 10)
#define TURNS_MOST 100000000 /* only met where something is wrong */

struct moving {
	struct grt_chan *chan;
	struct grt_wait_group group;
	_Atomic int free_moved; /* moves of tasks without an address */
	_Atomic int tied_moved; /* of tasks with one: must stay 0 */
	_Atomic int wrong_errno;
	_Atomic bool enough;
};

/* The sleeps leave procs without work, which then take tasks from others. */
static void take_turn(struct moving *moving, int i)
{
	int value = i;

	if (i % 16 == 15)
		grt_sleep((int64_t)((grt_self() * 7 + (uint64_t)i) % 20) * 100 * US);
	switch (i % 3) {
	case 0:
		grt_yield();
		break;
	case 1:
		grt_chan_send(moving->chan, &value);
		break;
	default:
		grt_chan_recv(moving->chan, &value);
		break;
	}
}

static bool enough(struct moving *moving)
{
	struct grt_stats stats;

	if (atomic_load(&moving->enough))
		return true;
	grt_stats(&stats);
	if (stats.ties < 10 || atomic_load(&moving->free_moved) < FREE_MOVES)
		return false;
	atomic_store(&moving->enough, true);
	return true;
}

/* Ends after a number of turns that leaves the channel balanced. */
static void stay_with_address(void *arg)
{
	struct moving *moving = arg;
	int *volatile kept = __errno_location();
	int tid = thread_id();

	for (int i = 0; i < TURNS_MOST && (i % 3 || !enough(moving)); i++) {
		take_turn(moving, i);
		if (thread_id() != tid || kept != __errno_location())
			atomic_fetch_add(&moving->tied_moved, 1);
	}
	grt_wait_group_done(&moving->group);
}

/* The same in a register that calls preserve. */
static void stay_with_register(void *arg)
{
	struct moving *moving = arg;
	register int *kept __asm__(
#ifdef __x86_64__
	    "rbx"
#else
	    "x19"
#endif
	    ) = __errno_location();
	int tid = thread_id();

	for (int i = 0; i < TURNS_MOST && (i % 3 || !enough(moving)); i++) {
		__asm__ volatile("" : "+r"(kept));
		take_turn(moving, i);
		__asm__ volatile("" : "+r"(kept));
		if (thread_id() != tid)
			atomic_fetch_add(&moving->tied_moved, 1);
	}
	grt_wait_group_done(&moving->group);
}

/* grt.h's errno holds no address across a call. */
static void move_freely(void *arg)
{
	struct moving *moving = arg;
	int mine = 1000 + (int)grt_self();
	int tid = thread_id();

	errno = mine;
	for (int i = 0; i < TURNS_MOST && (i % 3 || !enough(moving)); i++) {
		take_turn(moving, i);
		if (errno != mine)
			atomic_fetch_add(&moving->wrong_errno, 1);
		if (thread_id() != tid)
			atomic_fetch_add(&moving->free_moved, 1);
		tid = thread_id();
	}
	grt_wait_group_done(&moving->group);
}

static void start_movers(void *arg)
{
	static grt_fn *const kinds[] = {move_freely, stay_with_address, move_freely,
					stay_with_register};
	struct moving *moving = arg;

	grt_wait_group_add(&moving->group, MOVERS);
	for (int i = 0; i < MOVERS; i++)
		grt_go(kinds[i % 4], moving);
	grt_wait_group_wait(&moving->group);
}

static void test_addresses_tie_and_errno_moves(void **state)
{
	(void)state;
	for (int procs = 2; procs <= 4; procs++) {
		struct grt_opts opts = {.procs = procs};
		/* Room for all that can be sent: nobody is left waiting. */
		struct moving moving = {.chan = grt_chan_new(sizeof(int), MOVERS)};
		struct grt_stats stats;

		run(&opts, start_movers, &moving);
		grt_chan_free(moving.chan);
		grt_stats(&stats);
		assert_int_equal(moving.tied_moved, 0);
		assert_int_equal(moving.wrong_errno, 0);
		assert_true(stats.ties >= 10);
		assert_true(moving.free_moved >= FREE_MOVES);
	}
}

/* --- without an address ---------------------------------------------------*/

static __attribute__((noinline)) void hold_nothing(void *arg)
{
	struct moving *moving = arg;
	int tid = thread_id();

	for (int i = 0; i < 50; i++) {
		grt_sleep(((int64_t)grt_self() + i) % 10 * 20 * US);
		if (thread_id() != tid)
			atomic_fetch_add(&moving->free_moved, 1);
		tid = thread_id();
	}
	grt_wait_group_done(&moving->group);
}

/* One frame with a gap: clang fills it with what is in the register for results. */
static void leave_a_gap(void *arg)
{
	hold_nothing(arg);
	__asm__ volatile("");
}

static void start_holding_nothing(void *arg)
{
	struct moving *moving = arg;

	grt_wait_group_add(&moving->group, MOVERS);
	for (int i = 0; i < MOVERS; i++)
		grt_go(i % 2 ? hold_nothing : leave_a_gap, moving);
	grt_wait_group_wait(&moving->group);
}

/* The runtime itself leaves no address on a stack that would tie its task. */
static void test_others_are_not_tied(void **state)
{
	struct grt_opts opts = {.procs = 4};
	int moved = 0;

	(void)state;
	if (SANITIZED)
		skip();
	for (int i = 0; i < 50 && moved < 100; i++) {
		struct moving moving = {0};
		struct grt_stats stats;

		run(&opts, start_holding_nothing, &moving);
		grt_stats(&stats);
		assert_int_equal(stats.ties, 0);
		moved += moving.free_moved;
	}
	assert_true(moved > 0);
}

/* --- errno by itself ------------------------------------------------------*/

struct kept {
	int after[10];
};

static void clobber(void *arg)
{
	(void)arg;
	for (int i = 0; i < 100; i++) {
		errno = 1;
		grt_yield();
	}
}

static void keep_errno(void *arg)
{
	struct kept *kept = arg;
	struct grt_chan *chan = grt_chan_new(sizeof(int), 1);
	struct grt_wait_group group = {0};
	int value = 0;

	kept->after[0] = errno; /* a new task's is 0 */
	for (int i = 0; i < 4; i++)
		grt_go(clobber, NULL);
	errno = 42;
	grt_go(clobber, NULL);
	kept->after[1] = errno;
	grt_yield();
	kept->after[2] = errno;
	grt_sleep(100 * US);
	kept->after[3] = errno;
	grt_chan_send(chan, &value);
	kept->after[4] = errno;
	grt_chan_recv(chan, &value);
	kept->after[5] = errno;
	grt_wait_group_wait(&group);
	kept->after[6] = errno;
	grt_enter_call(0, 0, NULL);
	kept->after[7] = errno;
	errno = 43;
	grt_leave_call(0, 0);
	kept->after[8] = errno;
	grt_enter_call(0, 0, NULL);
	sleep_raw(5 * MS);
	errno = 44;
	grt_leave_call(0, 0);
	kept->after[9] = errno;
	grt_chan_free(chan);
}

static void test_errno_is_kept(void **state)
{
	static const int expected[10] = {0, 42, 42, 42, 42, 42, 42, 42, 43, 44};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct grt_opts opts = {.procs = 1 + i / 2 * 3,
					.handoff = i % 2 ? GRT_HANDOFF_EAGER : GRT_HANDOFF_SYSMON};
		struct kept kept = {0};

		errno = 99;
		run(&opts, keep_errno, &kept);
		assert_memory_equal(kept.after, expected, sizeof(expected));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_addresses_tie_and_errno_moves),
	    cmocka_unit_test(test_others_are_not_tied),
	    cmocka_unit_test(test_errno_is_kept),
	};

	return RUN_TESTS(tests);
}
