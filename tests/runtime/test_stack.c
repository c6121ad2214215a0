/* SPDX-License-Identifier: MIT
 *
 * Stacks: memory on demand, for the kernel too; guarded; used again; many.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runtime/support.h"

/* --- the kernel writes into untouched stack -------------------------------*/

#define SMALL_BUFFER (200 << 10)
#define LARGE_BUFFER (10 << 20)

static int pattern_fd;

static unsigned char pattern_at(size_t i)
{
	return (unsigned char)(i * 31 + (i >> 12));
}

static int make_pattern_file(void **state)
{
	unsigned char *bytes = malloc(LARGE_BUFFER);

	pattern_fd = memfd_create("pattern", MFD_CLOEXEC);
	for (size_t i = 0; i < LARGE_BUFFER; i++)
		bytes[i] = pattern_at(i);
	if (write(pattern_fd, bytes, LARGE_BUFFER) != LARGE_BUFFER)
		return -1;
	free(bytes);
	return clear_environment(state);
}

struct reading {
	ssize_t got;
	size_t wrong;
};

static void check_read(struct reading *reading, volatile unsigned char *buffer, size_t size)
{
	reading->got = pread(pattern_fd, (void *)buffer, size, 0);
	for (size_t i = 0; i < size; i++)
		reading->wrong += buffer[i] != pattern_at(i);
}

static void read_small(void *arg)
{
	volatile unsigned char buffer[SMALL_BUFFER];

	check_read(arg, buffer, sizeof(buffer));
}

static void read_large(void *arg)
{
	volatile unsigned char buffer[LARGE_BUFFER];

	check_read(arg, buffer, sizeof(buffer));
}

static void read_both(void *arg)
{
	struct grt_attr attr = {.stack_size = (size_t)16 << 20};
	struct reading *readings = arg;

	grt_go(read_small, &readings[0]);
	grt_go_attr(&attr, read_large, &readings[1]);
}

static void test_read_into_untouched_stack(void **state)
{
	struct reading readings[2] = {{0}};

	(void)state;
	run(NULL, read_both, readings);
	assert_int_equal(readings[0].got, SMALL_BUFFER);
	assert_int_equal(readings[0].wrong, 0);
	assert_int_equal(readings[1].got, LARGE_BUFFER);
	assert_int_equal(readings[1].wrong, 0);
}

/* --- sizes ----------------------------------------------------------------*/

struct sized {
	size_t size;
	size_t touch;
	bool done;
};

static __attribute__((noinline)) void touch_down(size_t bytes)
{
	volatile char page[1024];

	page[0] = 1;
	if (bytes > sizeof(page))
		touch_down(bytes - sizeof(page));
	page[sizeof(page) - 1] = page[0];
}

static void touch(void *arg)
{
	struct sized *self = arg;

	touch_down(self->touch);
	self->done = true;
}

static void touch_each(void *arg)
{
	struct sized *sized = arg;

	for (int i = 0; i < 6; i++) {
		struct grt_attr attr = {.stack_size = sized[i].size};

		grt_go_attr(&attr, touch, &sized[i]);
	}
}

/* Each can use at least three quarters of what it asked for, frames of the
 * recursion counted. */
static void test_sizes_asked_for_are_there(void **state)
{
	static const size_t sizes[] = {64 << 10, 100 << 10, 0, 1 << 20, 8 << 20, (size_t)64 << 20};
	struct sized sized[6] = {{0}};

	(void)state;
	for (int i = 0; i < 6; i++) {
		sized[i].size = sizes[i];
		sized[i].touch = (sizes[i] ? sizes[i] : 256 << 10) / 2;
	}
	run(NULL, touch_each, sized);
	for (int i = 0; i < 6; i++)
		assert_true(sized[i].done);
}

/* --- the guard ------------------------------------------------------------*/

struct beyond {
	size_t size;
	struct grt_chan *never;
};

static void stay(void *arg)
{
	struct beyond *beyond = arg;

	grt_chan_recv(beyond->never, NULL);
}

/* Just over the end, and back: with nothing in between it would go unseen. */
static void run_over(void *arg)
{
	struct beyond *beyond = arg;

	touch_down(beyond->size + (16 << 10));
	_exit(0);
}

/* The neighbours' memory lies below. */
static void spawn_run_over(void *arg)
{
	struct beyond *beyond = arg;
	struct grt_attr attr = {.stack_size = beyond->size};

	for (int i = 0; i < 8; i++)
		grt_go_attr(&attr, stay, beyond);
	grt_go_attr(&attr, run_over, beyond);
	grt_chan_recv(beyond->never, NULL);
}

static void overflow(const char *word)
{
	struct grt_opts opts = {.procs = 1};
	struct beyond beyond = {.size = strtoul(word, NULL, 10), .never = grt_chan_new(1, 0)};

	grt_run(&opts, spawn_run_over, &beyond);
}

static void test_overflow_ends_the_program(void **state)
{
	static const char *const sizes[] = {"16384", "262144", "1048576"};

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct child child;

		in_child(&child, overflow, sizes[i]);
		assert_true(WIFSIGNALED(child.status));
		assert_int_equal(WTERMSIG(child.status), SIGSEGV);
	}
}

/* --- used again -----------------------------------------------------------*/

#define GENERATIONS 5000

static uintptr_t lowest;
static uintptr_t highest;

static void note_stack(void *arg)
{
	char here;
	uintptr_t address = (uintptr_t)&here;

	lowest = address < lowest ? address : lowest;
	highest = address > highest ? address : highest;
	grt_wait_group_done(arg);
}

static void one_after_another(void *arg)
{
	struct grt_wait_group group = {0};

	(void)arg;
	for (int i = 0; i < GENERATIONS; i++) {
		grt_wait_group_add(&group, 1);
		grt_go(note_stack, &group);
		grt_wait_group_wait(&group);
	}
}

/* As many stacks as tasks at a time, not as tasks in all. */
static void test_stacks_are_used_again(void **state)
{
	struct grt_opts opts = {.procs = 1};

	(void)state;
	lowest = UINTPTR_MAX;
	highest = 0;
	run(&opts, one_after_another, NULL);
	assert_true(highest - lowest < 16 << 18);
}

/* --- many -----------------------------------------------------------------*/

struct parked {
	struct grt_chan *chan;
	int count;
	_Atomic int waiting;
	_Atomic int woken;
	_Atomic int refused;
	long resident;
};

static long resident_bytes(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file)
		return 0;
	if (fscanf(file, "%*d %ld", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

static void park(void *arg)
{
	struct parked *parked = arg;

	atomic_fetch_add(&parked->waiting, 1);
	if (grt_chan_recv(parked->chan, NULL) == EPIPE)
		atomic_fetch_add(&parked->woken, 1);
}

static void park_many(void *arg)
{
	struct parked *parked = arg;
	long before = resident_bytes();

	for (int i = 0; i < parked->count; i++)
		if (grt_go(park, parked))
			atomic_fetch_add(&parked->refused, 1);
	while (atomic_load(&parked->waiting) < parked->count)
		grt_yield();
	parked->resident = (resident_bytes() - before) / parked->count;
	grt_chan_close(parked->chan);
}

static void test_many_parked_at_once(void **state)
{
	struct grt_opts opts = {.procs = 4};
	struct parked parked = {.count = UNDER_TSAN ? 4000 : 100000};

	(void)state;
	parked.chan = grt_chan_new(1, 0);
	run(&opts, park_many, &parked);
	grt_chan_free(parked.chan);
	assert_int_equal(parked.refused, 0);
	assert_int_equal(parked.woken, parked.count);
	/* One page of stack, and what describes the task. */
	if (!SANITIZED)
		assert_in_range(parked.resident, 1, 4096 + 512);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_read_into_untouched_stack),
	    cmocka_unit_test(test_sizes_asked_for_are_there),
	    cmocka_unit_test(test_overflow_ends_the_program),
	    cmocka_unit_test(test_stacks_are_used_again),
	    cmocka_unit_test(test_many_parked_at_once),
	};

	return cmocka_run_group_tests(tests, make_pattern_file, NULL);
}
