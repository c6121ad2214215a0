/* SPDX-License-Identifier: MIT
 *
 * Threads that blocking calls cost: many tasks sleep at the same time, in
 * usleep() or through the runtime.
 */
#include <unistd.h>

#include "common.h"

static int64_t tasks = 100;
static int64_t ms = 300;
static bool runtime_sleep;

static const struct setting settings[] = {
    {.name = "tasks",
     .kind = SETTING_COUNT,
     .count = &tasks,
     .min = 1,
     .max = 1000000,
     .help = "tasks that sleep"},
    {.name = "ms",
     .kind = SETTING_COUNT,
     .count = &ms,
     .min = 0,
     .max = 3600000,
     .help = "milliseconds that each sleeps"},
    {.name = "runtime-sleep",
     .kind = SETTING_FLAG,
     .flag = &runtime_sleep,
     .help = "sleep with grt_sleep() instead of usleep()"},
    {0},
};

static const struct workload workload = {
    .name = "sleepers",
    .about = "Tasks that sleep all at once; how many threads did that take?\n"
	     "Run it with LD_PRELOAD=libgtrace.so (or gtrace record): without it usleep() keeps\n"
	     "its proc, so that only GRT_PROCS tasks sleep at a time and no thread is added.\n",
    .settings = settings,
};

static struct grt_wait_group asleep;
static _Atomic int64_t too_short;

static void sleeper(void *arg)
{
	int64_t begin = now_ns();

	(void)arg;
	if (runtime_sleep)
		grt_sleep(ms * 1000000);
	else
		usleep((useconds_t)(ms * 1000));
	if (now_ns() - begin < ms * 1000000)
		too_short++;
	grt_wait_group_done(&asleep);
}

static void sleep_all(void *arg)
{
	struct grt_stats before, after;
	int64_t begin = now_ns();
	int64_t elapsed;

	(void)arg;
	grt_stats(&before);
	grt_wait_group_add(&asleep, tasks);
	for (int64_t i = 0; i < tasks; i++)
		start_task("sleeper", sleeper, NULL);
	grt_wait_group_wait(&asleep);
	elapsed = now_ns() - begin;
	grt_stats(&after);

	facts_begin();
	fact_count("procs", "", after.procs);
	fact_count("slept", "", tasks);
	fact_count("slept_too_short", "", too_short);
	fact_word("sleep", runtime_sleep ? "grt_sleep" : "usleep");
	fact_note("workers are the threads that run tasks, as grt_stats() counts them:");
	fact_count("workers_before", "", before.workers);
	fact_count("workers_peak", "", after.workers_peak);
	fact_count("workers_after", "", after.workers);
	fact_real("elapsed", "ms", (double)elapsed / 1e6);
}

int main(int argc, char **argv)
{
	workload_begin(&workload, argc, argv);
	run_tasks(NULL, sleep_all);
	facts_end();
	return 0;
}
