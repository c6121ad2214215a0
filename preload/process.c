/* SPDX-License-Identifier: MIT
 *
 * The process and its threads: what happens when the library is loaded, when
 * the process forks, and when it makes threads.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <lttng/ust-fork.h>

#include "preload/mode.h"
#include "preload/passage.h"
#include "preload/resolve.h"
#include "tracer/events.h"

/* --- threads ----------------------------------------------------------------*/

static pthread_key_t exit_key;
static bool have_exit_key;

struct start {
	void *(*routine)(void *);
	void *arg;
	int32_t creator;
};

static void at_exit(void *value)
{
	(void)value;
	tracer_thread_exit();
}

static void *begin_thread(void *arg)
{
	struct start start = *(struct start *)arg;

	free(arg);
	tracer_thread_start(start.creator);
	if (have_exit_key)
		pthread_setspecific(exit_key, &exit_key);
	return start.routine(start.arg);
}

/* lttng-ust makes threads of its own, which are none of the program's. */
static bool from_lttng(const void *site)
{
	Dl_info info;

	return dladdr(site, &info) && info.dli_fname && strstr(info.dli_fname, "liblttng-ust");
}

static bool is_for_the_record(const void *site)
{
	if (likely(!*(const volatile int *)tracer_threads_on) || tracer_thread.inside)
		return false;
	return !(tracer_runtime && tracer_runtime->creating_worker()) && !from_lttng(site);
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
			    void *arg)
{
	create_fn *real = RESOLVED("pthread_create", NULL);
	struct gtrace_thread_record record = {.start = (const void *)routine, .site = SITE};
	struct start *start;
	int64_t begin;

	if (!is_for_the_record(SITE))
		return real(thread, attr, routine, arg);
	start = malloc(sizeof(*start));
	if (!start)
		return real(thread, attr, routine, arg);
	*start = (struct start){routine, arg, tracer_tid()};
	begin = tracer_now();
	record.result = real(thread, attr, begin_thread, start);
	record.latency_ns = tracer_now() - begin;
	if (record.result)
		free(start);
	tracer_thread_create(&record);
	return record.result;
}

/* --- fork -------------------------------------------------------------------*/

/* Where lttng's own fork library is preloaded too, it does all this. */
static bool lttng_forks(void *real)
{
	Dl_info info;

	return dladdr(real, &info) && info.dli_fname && strstr(info.dli_fname, "liblttng-ust-fork");
}

static void after_fork(pid_t pid, sigset_t *mask, int32_t parent)
{
	int error = errno;

	if (pid == 0) {
		lttng_ust_after_fork_child(mask);
		tracer_process_begin(parent, mode_get());
	} else {
		lttng_ust_after_fork_parent(mask);
	}
	errno = error;
}

EXPORTED pid_t fork(void)
{
	pid_t (*real)(void) = RESOLVED("fork", NULL);
	int32_t parent = tracer_pid;
	sigset_t mask;
	pid_t pid;

	if (lttng_forks(real)) {
		pid = real();
		if (pid == 0)
			tracer_process_begin(parent, mode_get());
		return pid;
	}
	lttng_ust_before_fork(&mask);
	pid = real();
	after_fork(pid, &mask, parent);
	return pid;
}

/* It forks inside libc; the parent never comes back. */
EXPORTED int daemon(int nochdir, int noclose)
{
	int (*real)(int, int) = RESOLVED("daemon", NULL);
	int32_t parent = tracer_pid;
	sigset_t mask;
	int result;

	if (lttng_forks(real))
		return real(nochdir, noclose);
	lttng_ust_before_fork(&mask);
	result = real(nochdir, noclose);
	after_fork(result, &mask, parent);
	return result;
}

/* --- the beginning ----------------------------------------------------------*/

/* After the constructors of lttng-ust, which this library depends on, and of
 * the provider, which come first in it. */
__attribute__((constructor)) static void begin(void)
{
	int error = errno;

	mode_read();
	have_exit_key = pthread_key_create(&exit_key, at_exit) == 0;
	tracer_process_begin(0, mode_get());
	errno = error;
}
