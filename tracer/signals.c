/* SPDX-License-Identifier: MIT
 *
 * See signals.h.
 */
#include "tracer/signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

#define ENDING (sizeof(ending) / sizeof(ending[0]))

static sigset_t started_with;
static struct sigaction child_action, pipe_action;

static void ending_set(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < ENDING; i++)
		sigaddset(set, ending[i]);
}

void signals_hold(void)
{
	sigset_t held;
	struct sigaction action = {.sa_handler = SIG_DFL};

	/* Where SIGCHLD is ignored there is nothing to wait for. */
	sigaction(SIGCHLD, &action, &child_action);
	/* A reader of our stderr that went away must not end the recording. */
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, &pipe_action);

	ending_set(&held);
	sigaddset(&held, SIGCHLD);
	sigprocmask(SIG_BLOCK, &held, &started_with);
}

void signals_release(void)
{
	sigaction(SIGCHLD, &child_action, NULL);
	sigaction(SIGPIPE, &pipe_action, NULL);
	sigprocmask(SIG_SETMASK, &started_with, NULL);
}

int signals_wait(siginfo_t *info)
{
	sigset_t set;
	int signal_number;

	ending_set(&set);
	sigaddset(&set, SIGCHLD);
	do
		signal_number = sigwaitinfo(&set, info);
	while (signal_number < 0 && errno == EINTR);
	return signal_number;
}

int signals_asked_to_end(void)
{
	sigset_t set;
	const struct timespec now = {0};

	ending_set(&set);
	int signal_number = sigtimedwait(&set, NULL, &now);
	return signal_number > 0 ? signal_number : 0;
}
