/* SPDX-License-Identifier: MIT
 *
 * See program.h.
 */
#include "tracer/program.h"
#include "tracer/say.h"
#include "tracer/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Long enough for a loaded machine, and an end to it: liblttng-ust holds the
 * program back until the daemon knows it, by itself for 3 s only. */
#define REGISTER_TIMEOUT_MS "30000"

static void prepend_preload(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	char *value;

	if (!old || !*old)
		setenv("LD_PRELOAD", library, 1);
	else if (asprintf(&value, "%s:%s", library, old) > 0)
		setenv("LD_PRELOAD", value, 1);
}

static _Noreturn void become(const struct program_setup *setup, int failed)
{
	prepend_preload(setup->preload);
	if (setup->mode)
		setenv("GTRACE_MODE", setup->mode, 1);
	if (setup->lttng_home)
		setenv("LTTNG_HOME", setup->lttng_home, 1);
	setenv("LTTNG_UST_REGISTER_TIMEOUT", REGISTER_TIMEOUT_MS, 0);
	signals_release();
	execv(setup->path, setup->argv);

	int error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

/*
 * A signal from the terminal went to the whole process group, the program
 * included; one that was sent to gtrace alone is passed on.
 */
static void pass_on(pid_t pid, const siginfo_t *info)
{
	if (info->si_code <= 0)
		kill(pid, info->si_signo);
}

static int follow(pid_t pid, int *signal_number)
{
	siginfo_t info;
	int status;

	for (;;) {
		pid_t ended = waitpid(pid, &status, WNOHANG);
		if (ended == pid)
			break;
		if (signals_wait(&info) != SIGCHLD)
			pass_on(pid, &info);
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	*signal_number = WTERMSIG(status);
	return 128 + *signal_number;
}

int program_run(const struct program_setup *setup, int *started, int *signal_number)
{
	int failed[2], error;

	*started = 0;
	*signal_number = 0;
	if (pipe2(failed, O_CLOEXEC)) {
		say("%s: %s", setup->path, strerror(errno));
		return 126;
	}
	pid_t pid = fork();
	if (pid < 0) {
		say("%s: cannot start a process: %s", setup->path, strerror(errno));
		close(failed[0]);
		close(failed[1]);
		return 126;
	}
	if (pid == 0)
		become(setup, failed[1]);
	close(failed[1]);

	ssize_t got = read(failed[0], &error, sizeof(error));
	close(failed[0]);
	if (got == sizeof(error)) {
		say("%s: cannot be executed: %s", setup->path, strerror(error));
		waitpid(pid, NULL, 0);
		return error == ENOENT ? 127 : 126;
	}
	*started = 1;
	return follow(pid, signal_number);
}
