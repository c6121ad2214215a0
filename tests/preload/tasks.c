/* SPDX-License-Identifier: MIT
 *
 * Tasks that make known calls: TASKS tasks, each CALLS sleeps by each function
 * of the sleeping family and one read from a pipe.  Prints how many threads
 * the runtime made.
 */
#include <time.h>
#include <unistd.h>

#include "runtime/grt.h"
#undef errno
#define errno (*__errno_location())
#include "subject.h"

enum { TASKS = 20, CALLS = 2 };

static int full[2];

static void task(void *arg)
{
	struct grt_wait_group *wg = arg;
	const struct timespec moment = {0, 1000000};
	char byte;

	for (int i = 0; i < CALLS; i++) {
		struct timespec then = after_ms(CLOCK_MONOTONIC, 1);

		MUST(usleep(1000) == 0);
		MUST(nanosleep(&moment, NULL) == 0);
		MUST(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) == 0);
		then = after_ms(CLOCK_REALTIME, 1);
		MUST(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &then, NULL) == 0);
		MUST(sleep(0) == 0);
	}
	MUST(read(full[0], &byte, 1) == 1);
	grt_wait_group_done(wg);
}

static void first(void *nothing)
{
	struct grt_wait_group wg = {0};
	struct grt_stats stats;

	(void)nothing;
	grt_wait_group_add(&wg, TASKS);
	for (int i = 0; i < TASKS; i++)
		MUST(grt_go(task, &wg) == 0);
	grt_wait_group_wait(&wg);
	grt_stats(&stats);
	printf("tasks %d\ncalls %d\nworkers %d\n", TASKS, CALLS, (int)stats.workers_created);
	printf("task_fn %llu\n", (unsigned long long)(uintptr_t)task);
}

static void *foreign(void *nothing)
{
	usleep(1000);
	return nothing;
}

int main(void)
{
	char bytes[TASKS] = "";
	pthread_t thread;

	MUST(pipe(full) == 0 && write(full[1], bytes, TASKS) == TASKS);
	MUST(grt_run(NULL, first, NULL) == 0);
	MUST(pthread_create(&thread, NULL, foreign, NULL) == 0);
	MUST(pthread_join(thread, NULL) == 0);
	return 0;
}
