/* SPDX-License-Identifier: MIT
 *
 * Forks: the child is a process of its own in the recording.
 *
 * lttng-ust must be told before and after, or the child inherits locks that
 * threads held which it has not, and would write in its parent's name.
 * Where a session daemon is there, lttng-ust starts anew in the child: it
 * registers and makes its two threads again.  Where there is none, the child
 * only gets its locks back and remains as single-threaded as it would be
 * without us; a daemon that comes later does not see it.
 *
 * fork(), daemon() and forkpty() are all that libc forks by.  vfork(),
 * posix_spawn() and clone() are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <lttng/ust-fork.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/lttng.h"
#include "preload/mode.h"
#include "preload/passage.h"
#include "preload/resolve.h"
#include "tracer/callstack.h"

/* In this process lttng-ust's threads are not there, though it believes so. */
static bool without_listeners;

struct before {
	sigset_t mask;
	int32_t parent;
	bool again; /* start lttng-ust anew in the child */
	bool told;  /* lttng-ust has been told */
};

/* --- is there a session daemon? ----------------------------------------------*/

static bool is_socket_in(const char *folder, const char *below)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s%s/lttng-ust-sock-8", folder, below);

	return length > 0 && (size_t)length < sizeof(path) && access(path, F_OK) == 0;
}

static bool is_daemon_there(void)
{
	const char *home = getenv("LTTNG_HOME");

	if (!home)
		home = getenv("HOME");
	return is_socket_in("/var/run/lttng", "") || (home && is_socket_in(home, "/.lttng"));
}

/* --- around a fork -----------------------------------------------------------*/

/* Where lttng's own library for this is preloaded too, it tells lttng-ust. */
static bool lttng_tells(void *real)
{
	return lttng_owns(real);
}

static void before_fork(struct before *before, void *real)
{
	int error = errno;

	before->parent = tracer_pid;
	before->told = !lttng_tells(real) && !tracer_thread.inside;
	if (before->told) {
		before->again = *(const volatile int *)tracer_calls_on || is_daemon_there();
		tracer_thread.inside = true;
		lttng_ust_before_fork(&before->mask);
		callstack_before_fork();
	}
	errno = error;
}

static void in_parent(struct before *before)
{
	int error = errno;

	if (before->told) {
		callstack_after_fork(false);
		lttng_ust_after_fork_parent(&before->mask);
		tracer_thread.inside = false;
	}
	errno = error;
}

static void in_child(struct before *before)
{
	int error = errno;

	if (before->told)
		callstack_after_fork(true);
	if (before->told && before->again)
		lttng_ust_after_fork_child(&before->mask);
	else if (before->told)
		lttng_ust_after_fork_parent(&before->mask); /* gives its locks back, no more */
	if (before->told) {
		without_listeners = !before->again;
		tracer_thread.inside = false;
	}
	tracer_process_begin(before->parent, mode_get());
	errno = error;
}

EXPORTED pid_t fork(void)
{
	pid_t (*real)(void) = RESOLVED("fork", NULL);
	struct before before;
	pid_t pid;

	before_fork(&before, (void *)real);
	pid = real();
	if (pid == 0)
		in_child(&before);
	else
		in_parent(&before);
	return pid;
}

EXPORTED int forkpty(int *terminal, char *name, const struct termios *settings,
		     const struct winsize *size)
{
	int (*real)(int *, char *, const struct termios *, const struct winsize *) =
	    RESOLVED("forkpty", NULL);
	struct before before;
	int pid;

	before_fork(&before, (void *)real);
	pid = real(terminal, name, settings, size);
	if (pid == 0)
		in_child(&before);
	else
		in_parent(&before);
	return pid;
}

/* The parent ends inside; who comes back is the child, or nobody was forked. */
EXPORTED int daemon(int stay, int keep)
{
	int (*real)(int, int) = RESOLVED("daemon", NULL);
	struct before before;
	pid_t parent = getpid();
	int result;

	before_fork(&before, (void *)real);
	result = real(stay, keep);
	if (getpid() != parent)
		in_child(&before);
	else
		in_parent(&before);
	return result;
}

/* lttng-ust cancels its threads when the process ends.  In a child without
 * them their memory may be gone. */
EXPORTED int pthread_cancel(pthread_t thread)
{
	int (*real)(pthread_t) = RESOLVED("pthread_cancel", NULL);

	if (unlikely(without_listeners) && lttng_owns(SITE))
		return 0;
	return real(thread);
}
