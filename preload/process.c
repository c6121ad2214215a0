/* SPDX-License-Identifier: MIT
 *
 * The process and its threads: what happens when the library is loaded, when
 * the program makes threads, and when it unloads code.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "preload/mode.h"
#include "preload/passage.h"
#include "preload/lttng.h"
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

/* lttng-ust's own threads: whatever they call is the tracer's. */
static void *begin_lttng_thread(void *arg)
{
	struct start start = *(struct start *)arg;

	free(arg);
	tracer_thread.inside = true;
	tracer_thread.lttng = true;
	return start.routine(start.arg);
}

static bool is_for_the_record(void)
{
	if (likely(!*(const volatile int *)tracer_threads_on) || tracer_thread.inside ||
	    !*tracer_here)
		return false;
	return !(tracer_runtime && tracer_runtime->creating_worker());
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int create(create_fn *real, pthread_t *thread, const pthread_attr_t *attr,
		  void *(*begin)(void *), void *(*routine)(void *), void *arg)
{
	struct start *start = malloc(sizeof(*start));
	int result;

	if (!start)
		return real(thread, attr, routine, arg);
	*start = (struct start){routine, arg, tracer_tid()};
	result = real(thread, attr, begin, start);
	if (result)
		free(start);
	return result;
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
			    void *arg)
{
	create_fn *real = RESOLVED("pthread_create", NULL);
	struct gtrace_thread_record record = {.start = (const void *)routine, .site = SITE};
	int64_t begin;

	if (lttng_owns(SITE))
		return create(real, thread, attr, begin_lttng_thread, routine, arg);
	if (!is_for_the_record())
		return real(thread, attr, routine, arg);
	begin = tracer_now();
	record.result = create(real, thread, attr, begin_thread, routine, arg);
	record.latency_ns = tracer_now() - begin;
	tracer_thread_create(&record);
	return record.result;
}

/* --- unloading --------------------------------------------------------------*/

EXPORTED int dlclose(void *handle)
{
	int (*real)(void *) = RESOLVED("dlclose", NULL);
	int result;

	tracer_unloading();
	result = real(handle);
	tracer_unloading();
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
