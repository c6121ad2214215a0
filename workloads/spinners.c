/* SPDX-License-Identifier: MIT
 *
 * Starvation: tasks that never let go of their procs, and one task, `work`,
 * that becomes runnable when all procs are taken.
 *
 * The spinner that takes the last free proc starts `work`, so the outcome does
 * not depend on timing.  Time is kept by a plain thread, which needs no proc.
 */
#include <pthread.h>
#include <time.h>

#include "common.h"

static int64_t spinners = 10;
static int64_t procs;
static double seconds = 1;

static const struct setting settings[] = {
    {.name = "spinners",
     .kind = SETTING_COUNT,
     .count = &spinners,
     .min = 1,
     .max = 100000,
     .help = "tasks that loop until the end"},
    {.name = "seconds",
     .kind = SETTING_SECONDS,
     .seconds = &seconds,
     .min = 0.001,
     .max = 86400,
     .help = "how long they loop"},
    {.name = "procs",
     .kind = SETTING_COUNT,
     .count = &procs,
     .min = 0,
     .max = 1024,
     .help = "procs; 0: as many as CPUs; GRT_PROCS overrides it"},
    {0},
};

static const struct workload workload = {
    .name = "spinners",
    .about = "Endless loops hold all procs; does one more task, `work`, ever run?\n"
	     "The loops call nothing, so that only preemption by signal could stop them.\n",
    .settings = settings,
};

static struct grt_wait_group running;
static _Atomic bool stop;
static _Atomic int64_t spinning;
static int64_t spinners_before_work;
static int64_t work_ready;           /* written before `work` exists */
static _Atomic int64_t work_started; /* 0: not yet */
static _Atomic int64_t stopped;
static int64_t spun; /* spinners that had a proc by then */

static void work(void *arg)
{
	(void)arg;
	work_started = now_ns();
	grt_wait_group_done(&running);
}

static void spinner(void *arg)
{
	(void)arg;
	if (++spinning == spinners_before_work) {
		work_ready = now_ns();
		start_task("work", work, NULL);
	}
	while (!stop)
		;
	grt_wait_group_done(&running);
}

static void *keep_time(void *arg)
{
	struct timespec time = {.tv_sec = (time_t)seconds,
				.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time) == EINTR)
		;
	stopped = now_ns();
	spun = spinning;
	stop = true;
	return arg;
}

static void tell(void)
{
	bool was_ready = work_ready && work_ready < stopped;
	bool ran = work_started && work_started < stopped;
	struct grt_stats stats;

	grt_stats(&stats);
	facts_begin();
	fact_count("procs", "", stats.procs);
	fact_count("spinners_that_ran", "", spun);
	fact_flag("work_ran", ran);
	if (was_ready)
		fact_real("work_waited", "ms",
			  (double)((ran ? work_started : stopped) - work_ready) / 1e6);
	else
		fact_unknown("work_waited", "ms", "the spinners had not taken the procs in time");
	if (!ran)
		fact_note("work ran only after the spinners had been stopped");
}

static void start(void *arg)
{
	struct grt_stats stats;

	(void)arg;
	grt_stats(&stats);
	spinners_before_work = spinners < stats.procs ? spinners : stats.procs;
	grt_wait_group_add(&running, spinners + 1);
	for (int64_t i = 0; i < spinners; i++)
		start_task("spinner", spinner, NULL);
	grt_wait_group_wait(&running);
}

int main(int argc, char **argv)
{
	struct grt_opts opts = {0};
	pthread_t clock;

	workload_begin(&workload, argc, argv);
	opts.procs = (int)procs;
	must(pthread_create(&clock, NULL, keep_time, NULL), "cannot start the clock");
	run_tasks(&opts, start);
	pthread_join(clock, NULL);
	tell();
	facts_end();
	return 0;
}
