/* SPDX-License-Identifier: MIT
 *
 * Calls whose number, place, object and result are known.  What the recording
 * must say of them is printed: name value, one a line.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "subject.h"

enum { READS = 25, FAILURES = 4, SLEEPS = 3, DEEP = 6, THREADS = 5, UNCONTENDED = 1000 };

static uint32_t futex_word;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;
static _Atomic pid_t waiter;

static void tell(const char *name, uint64_t value)
{
	printf("%s %llu\n", name, (unsigned long long)value);
}

__attribute__((noinline)) static void read_zeroes(int fd)
{
	char byte;

	for (int i = 0; i < READS; i++)
		MUST(read(fd, &byte, 1) == 1);
	for (int i = 0; i < FAILURES; i++)
		MUST(read(12345, &byte, 1) == -1 && errno == EBADF);
}

__attribute__((noinline)) static void sleep_deep(int depth)
{
	if (depth > 0)
		sleep_deep(depth - 1);
	else
		usleep(1000);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

static void *hold(void *nothing)
{
	(void)nothing;
	MUST(pthread_mutex_lock(&mutex) == 0);
	pthread_barrier_wait(&held);
	until_asleep(waiter);
	MUST(pthread_mutex_unlock(&mutex) == 0);
	return NULL;
}

static void lock_and_unlock(void)
{
	for (int i = 0; i < UNCONTENDED; i++) {
		MUST(pthread_mutex_lock(&mutex) == 0);
		MUST(pthread_mutex_unlock(&mutex) == 0);
	}
}

static void lock_against(void)
{
	pthread_t thread;

	MUST(pthread_barrier_init(&held, NULL, 2) == 0);
	waiter = gettid();
	MUST(pthread_create(&thread, NULL, hold, NULL) == 0);
	pthread_barrier_wait(&held);
	MUST(pthread_mutex_lock(&mutex) == 0);
	MUST(pthread_mutex_unlock(&mutex) == 0);
	MUST(pthread_join(thread, NULL) == 0);
}

static void *end_somehow(void *how)
{
	if (how)
		pthread_exit(NULL);
	return NULL;
}

__attribute__((noinline)) static void make_threads(void)
{
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		MUST(pthread_create(&thread, NULL, end_somehow, i % 2 ? &held : NULL) == 0);
		MUST(pthread_join(thread, NULL) == 0);
	}
}

/* No machine has room for that stack. */
__attribute__((noinline)) static int make_impossible_thread(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	MUST(pthread_attr_setstacksize(&attr, (size_t)1 << 46) == 0);
	error = pthread_create(&thread, &attr, end_somehow, NULL);
	MUST(error);
	return error;
}

int main(void)
{
	const struct timespec short_time = {0, 1000000};
	int fd = open("/dev/zero", O_RDONLY);

	tell("reads", READS);
	tell("failures", FAILURES);
	tell("zero", (uint64_t)fd);
	tell("read_zeroes", (uintptr_t)read_zeroes);
	read_zeroes(fd);

	tell("sleeps", SLEEPS);
	tell("deep", DEEP);
	tell("sleep_deep", (uintptr_t)sleep_deep);
	tell("main", (uintptr_t)main);
	for (int i = 0; i < SLEEPS; i++)
		sleep_deep(DEEP - 1);

	tell("futex_word", (uintptr_t)&futex_word);
	syscall(SYS_futex, &futex_word, FUTEX_WAIT, 0, &short_time);
	syscall(SYS_futex, &futex_word, FUTEX_WAKE, 1);
	for (int i = 0; i < 100; i++)
		syscall(SYS_getpid);

	tell("mutex", (uintptr_t)&mutex);
	lock_and_unlock();
	lock_against();

	tell("threads", THREADS);
	tell("make_threads", (uintptr_t)make_threads);
	tell("end_somehow", (uintptr_t)end_somehow);
	make_threads();
	tell("impossible", (uint64_t)make_impossible_thread());
	tell("pid", (uint64_t)getpid());
	return 0;
}
