/* SPDX-License-Identifier: MIT
 *
 * Channels.
 */
#include <string.h>

#include "tests/runtime/support.h"

static const struct grt_opts one_proc = {.procs = 1};
static const struct grt_opts four_procs = {.procs = 4};

/* --- order and capacity ---------------------------------------------------*/

struct pipe_state {
	struct grt_chan *chan;
	int sent_before_first_receive;
	int received[100];
	int results[100];
	int sent;
	int last_recv;
};

static void send_hundred(void *arg)
{
	struct pipe_state *state = arg;

	for (int i = 0; i < 100; i++) {
		state->results[i] = grt_chan_send(state->chan, &i);
		state->sent++;
	}
	grt_chan_close(state->chan);
}

static void receive_hundred(void *arg)
{
	struct pipe_state *state = arg;
	int value = -1;

	grt_go(send_hundred, state);
	grt_yield();
	state->sent_before_first_receive = state->sent;
	for (int i = 0; i < 100; i++)
		grt_chan_recv(state->chan, &state->received[i]);
	state->last_recv = grt_chan_recv(state->chan, &value);
	if (value != 0)
		state->last_recv = -1;
}

static void check_order(size_t capacity)
{
	struct pipe_state state = {.chan = grt_chan_new(sizeof(int), capacity)};

	run(&one_proc, receive_hundred, &state);
	grt_chan_free(state.chan);
	assert_int_equal(state.sent_before_first_receive, capacity < 100 ? capacity : 100);
	assert_int_equal(state.last_recv, EPIPE);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(state.results[i], 0);
		assert_int_equal(state.received[i], i);
	}
}

static void test_first_in_first_out(void **state)
{
	(void)state;
	check_order(0);
	check_order(1);
	check_order(7);
	check_order(1000);
}

/* --- try forms ------------------------------------------------------------*/

struct tries {
	int results[10];
	int value;
};

static void try_forms(void *arg)
{
	struct tries *tries = arg;
	struct grt_chan *chan = grt_chan_new(sizeof(int), 1);
	int one = 1;
	int two = 2;

	tries->results[0] = grt_chan_try_recv(chan, &tries->value);
	tries->results[1] = grt_chan_try_send(chan, &one);
	tries->results[2] = grt_chan_try_send(chan, &two);
	tries->results[3] = grt_chan_close(chan);
	tries->results[4] = grt_chan_try_send(chan, &two);
	tries->results[5] = grt_chan_send(chan, &two);
	tries->results[6] = grt_chan_try_recv(chan, &tries->value); /* was sent before */
	tries->results[7] = grt_chan_try_recv(chan, NULL);
	tries->results[8] = grt_chan_recv(chan, NULL);
	tries->results[9] = grt_chan_close(chan);
	grt_chan_free(chan);
}

static void test_try_forms(void **state)
{
	static const int expected[10] = {EAGAIN, 0, EAGAIN, 0,     EPIPE,
					 EPIPE,  0, EPIPE,  EPIPE, EPIPE};
	struct tries tries = {0};

	(void)state;
	run(&one_proc, try_forms, &tries);
	assert_memory_equal(tries.results, expected, sizeof(expected));
	assert_int_equal(tries.value, 1);
}

/* A task that only tries must not keep the one it waits for from running. */
static void send_one(void *arg)
{
	grt_chan_send(arg, &(int){5});
}

static void receive_one(void *arg)
{
	grt_chan_recv(arg, NULL);
}

static void poll_for_one(void *arg)
{
	struct grt_chan *chan = grt_chan_new(sizeof(int), 0);

	grt_go(send_one, chan);
	while (grt_chan_try_recv(chan, arg) == EAGAIN)
		;
	grt_go(receive_one, chan);
	while (grt_chan_try_send(chan, &(int){6}) == EAGAIN)
		;
	grt_yield();
	grt_chan_free(chan);
}

static void test_polling_lets_others_run(void **state)
{
	int value = 0;

	(void)state;
	run(&one_proc, poll_for_one, &value);
	assert_int_equal(value, 5);
}

/* --- closing --------------------------------------------------------------*/

#define WAITERS 50

struct closing {
	struct grt_chan *chan;
	struct grt_wait_group ended;
	_Atomic int waiting;
	_Atomic int epipe;
	_Atomic int zeroed;
	bool receivers;
};

static void wait_for_close(void *arg)
{
	struct closing *closing = arg;
	int value = 77;
	int result;

	atomic_fetch_add(&closing->waiting, 1);
	result = closing->receivers ? grt_chan_recv(closing->chan, &value)
				    : grt_chan_send(closing->chan, &value);
	if (result == EPIPE)
		atomic_fetch_add(&closing->epipe, 1);
	if (value == 0)
		atomic_fetch_add(&closing->zeroed, 1);
	grt_wait_group_done(&closing->ended);
}

static void close_on_waiters(void *arg)
{
	struct closing *closing = arg;

	grt_wait_group_add(&closing->ended, WAITERS);
	for (int i = 0; i < WAITERS; i++)
		grt_go(wait_for_close, closing);
	while (atomic_load(&closing->waiting) < WAITERS)
		grt_yield();
	grt_chan_close(closing->chan);
	grt_wait_group_wait(&closing->ended);
}

static void test_close_wakes_all(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct closing closing = {.chan = grt_chan_new(sizeof(int), 0), .receivers = i & 1};

		run(i & 2 ? &four_procs : &one_proc, close_on_waiters, &closing);
		grt_chan_free(closing.chan);
		assert_int_equal(closing.epipe, WAITERS);
		assert_int_equal(closing.zeroed, closing.receivers ? WAITERS : 0);
	}
}

/* --- sizes ----------------------------------------------------------------*/

struct zero_size {
	size_t capacity;
	int received;
	int left;
};

static void send_signals(void *arg)
{
	for (int i = 0; i < 100; i++)
		grt_chan_send(arg, NULL);
	grt_chan_close(arg);
}

static void receive_signals(void *arg)
{
	struct zero_size *self = arg;
	struct grt_chan *chan = grt_chan_new(0, self->capacity);
	char canary = 42;

	grt_go(send_signals, chan);
	while (grt_chan_recv(chan, self->received % 2 ? &canary : NULL) == 0)
		self->received++;
	self->left = canary;
	grt_chan_free(chan);
}

static void test_elements_without_size(void **state)
{
	(void)state;
	for (size_t capacity = 0; capacity < 4; capacity++) {
		struct zero_size self = {.capacity = capacity};

		run(&four_procs, receive_signals, &self);
		assert_int_equal(self.received, 100);
		assert_int_equal(self.left, 42);
	}
}

static void test_sizes_that_overflow(void **state)
{
	(void)state;
	errno = 0;
	assert_null(grt_chan_new(SIZE_MAX, 2));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(grt_chan_new(1, SIZE_MAX - 8));
	assert_int_equal(errno, EINVAL);
	grt_chan_free(NULL);
}

struct large {
	unsigned char bytes[3000];
};

static void send_large(void *arg)
{
	for (int i = 0; i < 50; i++) {
		struct large element;

		memset(&element, i, sizeof(element));
		grt_chan_send(arg, &element);
		memset(&element, 0xee, sizeof(element));
	}
	grt_chan_close(arg);
}

static void receive_large(void *arg)
{
	struct grt_chan *chan = grt_chan_new(sizeof(struct large), 3);
	struct large element;
	int *good = arg;

	grt_go(send_large, chan);
	for (int i = 0; grt_chan_recv(chan, &element) == 0; i++) {
		struct large expected;

		memset(&expected, i, sizeof(expected));
		*good += memcmp(&element, &expected, sizeof(element)) == 0;
	}
	grt_chan_free(chan);
}

static void test_large_elements_are_copied(void **state)
{
	int good = 0;

	(void)state;
	run(&four_procs, receive_large, &good);
	assert_int_equal(good, 50);
}

/* --- many -----------------------------------------------------------------*/

#define PRODUCERS 20
#define CONSUMERS 20
#define EACH 500

struct crowd {
	struct grt_chan *chan;
	struct grt_wait_group producing;
	_Atomic uint64_t sum;
	_Atomic int received;
	_Atomic int refused;
	_Atomic unsigned char seen[PRODUCERS * EACH];
};

struct producer {
	struct crowd *crowd;
	int first;
};

static void produce(void *arg)
{
	struct producer *self = arg;

	for (int i = 0; i < EACH; i++) {
		int value = self->first + i;

		if (grt_chan_send(self->crowd->chan, &value))
			atomic_fetch_add(&self->crowd->refused, 1);
	}
	grt_wait_group_done(&self->crowd->producing);
}

static void consume(void *arg)
{
	struct crowd *crowd = arg;
	int value;

	while (grt_chan_recv(crowd->chan, &value) == 0) {
		atomic_fetch_add(&crowd->sum, (uint64_t)value);
		atomic_fetch_add(&crowd->received, 1);
		atomic_fetch_add(&crowd->seen[value], 1);
	}
}

static void start_crowd(void *arg)
{
	static struct producer producers[PRODUCERS];
	struct crowd *crowd = arg;

	grt_wait_group_add(&crowd->producing, PRODUCERS);
	for (int i = 0; i < PRODUCERS; i++) {
		producers[i] = (struct producer){crowd, i * EACH};
		grt_go(produce, &producers[i]);
	}
	for (int i = 0; i < CONSUMERS; i++)
		grt_go(consume, crowd);
	grt_wait_group_wait(&crowd->producing);
	grt_chan_close(crowd->chan);
}

static void test_many_producers_and_consumers(void **state)
{
	static struct crowd crowd;
	const uint64_t count = PRODUCERS * EACH;

	(void)state;
	for (size_t capacity = 0; capacity < 100; capacity += 33) {
		memset(&crowd, 0, sizeof(crowd));
		crowd.chan = grt_chan_new(sizeof(int), capacity);
		run(&four_procs, start_crowd, &crowd);
		grt_chan_free(crowd.chan);
		assert_int_equal(crowd.refused, 0);
		assert_int_equal(crowd.received, count);
		assert_int_equal(crowd.sum, count * (count - 1) / 2);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(crowd.seen[i], 1);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_first_in_first_out),
	    cmocka_unit_test(test_try_forms),
	    cmocka_unit_test(test_polling_lets_others_run),
	    cmocka_unit_test(test_close_wakes_all),
	    cmocka_unit_test(test_elements_without_size),
	    cmocka_unit_test(test_sizes_that_overflow),
	    cmocka_unit_test(test_large_elements_are_copied),
	    cmocka_unit_test(test_many_producers_and_consumers),
	};

	return RUN_TESTS(tests);
}
