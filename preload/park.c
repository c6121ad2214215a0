/* SPDX-License-Identifier: MIT
 *
 * Calls of tasks that can park: the task sleeps, its thread does not.  Those
 * of other threads, and all in handoff mode, take the path of every call.
 *
 * A sleep that is parked cannot be interrupted by a signal: the process has
 * other threads that take it.  What cannot be parked is handed off.
 */
#include <limits.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "preload/mode.h"
#include "preload/passage.h"
#include "preload/resolve.h"

#define NS_PER_SECOND 1000000000

static bool in_parkable_task(void)
{
	return tracer_runtime && mode_get() == GTRACE_PRELOAD_MODE_PARK && !tracer_thread.inside &&
	       tracer_runtime->current_task();
}

/* Nanoseconds of a valid interval, no more than fit; -1: not valid. */
static int64_t nanoseconds(const struct timespec *interval)
{
	if (!interval || interval->tv_sec < 0 || interval->tv_nsec < 0 ||
	    interval->tv_nsec >= NS_PER_SECOND)
		return -1;
	if (interval->tv_sec > INT64_MAX / NS_PER_SECOND - 1)
		return INT64_MAX;
	return (int64_t)interval->tv_sec * NS_PER_SECOND + interval->tv_nsec;
}

/* True: the task slept without its thread. */
static bool park(int64_t ns, uint32_t call, const void *site)
{
	return ns >= 0 && in_parkable_task() && tracer_runtime->park_sleep(ns, call, site);
}

EXPORTED unsigned int sleep(unsigned int seconds)
{
	unsigned int (*real)(unsigned int) = RESOLVED("sleep", NULL);

	if (park((int64_t)seconds * NS_PER_SECOND, GTRACE_CALL_sleep, SITE))
		return 0;
	THROUGH(unsigned int, GTRACE_CALL_sleep, seconds, SITE, real(seconds), NEVER);
}

EXPORTED int usleep(useconds_t us)
{
	int (*real)(useconds_t) = RESOLVED("usleep", NULL);

	if (park((int64_t)us * 1000, GTRACE_CALL_usleep, SITE))
		return 0;
	THROUGH(int, GTRACE_CALL_usleep, us, SITE, real(us), BY_ERRNO);
}

EXPORTED int nanosleep(const struct timespec *interval, struct timespec *left)
{
	int (*real)(const struct timespec *, struct timespec *) = RESOLVED("nanosleep", NULL);

	if (in_parkable_task() && park(nanoseconds(interval), GTRACE_CALL_nanosleep, SITE))
		return 0;
	THROUGH(int, GTRACE_CALL_nanosleep, (uintptr_t)interval, SITE, real(interval, left),
		BY_ERRNO);
}

/* How long a sleep on this clock lasts if nothing sets the clock; -1: it
 * cannot be told, or the call is not valid.  The time of day may be set
 * meanwhile, which an absolute sleep must notice: that one is handed off. */
static int64_t clock_interval(clockid_t clock, int flags, const struct timespec *time)
{
	struct timespec now;
	int64_t then;

	if (flags & ~TIMER_ABSTIME ||
	    (clock != CLOCK_MONOTONIC && !(clock == CLOCK_REALTIME && flags == 0)))
		return -1;
	then = nanoseconds(time);
	if (then < 0 || flags == 0)
		return then;
	clock_gettime(clock, &now);
	then -= nanoseconds(&now);
	return then > 0 ? then : 0;
}

EXPORTED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			     struct timespec *left)
{
	int (*real)(clockid_t, int, const struct timespec *, struct timespec *) =
	    RESOLVED("clock_nanosleep", NULL);

	if (in_parkable_task() &&
	    park(clock_interval(clock, flags, time), GTRACE_CALL_clock_nanosleep, SITE))
		return 0;
	THROUGH(int, GTRACE_CALL_clock_nanosleep, (uint64_t)clock, SITE,
		real(clock, flags, time, left), BY_CODE);
}

EXPORTED int thrd_sleep(const struct timespec *interval, struct timespec *left)
{
	int (*real)(const struct timespec *, struct timespec *) = RESOLVED("thrd_sleep", NULL);

	if (in_parkable_task() && park(nanoseconds(interval), GTRACE_CALL_thrd_sleep, SITE))
		return 0;
	THROUGH(int, GTRACE_CALL_thrd_sleep, (uintptr_t)interval, SITE, real(interval, left),
		NEVER);
}
