/* SPDX-License-Identifier: MIT
 *
 * Running measurements in processes of their own.
 *
 * A command is a process group, so that all of it ends with us; what it prints
 * on stdout and stderr is kept to find the figure, or the reason for none.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/command.h"
#include "bench/measure.h"

#define MEASURE_SECONDS 120
#define END_SECONDS 20
#define OUTPUT_MAX 16384

static volatile sig_atomic_t caught;

static void catch (int number)
{
	caught = number;
}

void command_catch_signals(void)
{
	struct sigaction action = {.sa_handler = catch};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int command_signal(void)
{
	return caught;
}

/* --- the process ----------------------------------------------------------*/

/* Settings of the user's would change what is compared. */
static const char *const unwanted[] = {"GRT_PROCS",      "GRT_HANDOFF",  "GRT_PREEMPT",
				       "GRT_MAXTHREADS", "GRT_PRESPAWN", "GTRACE_MODE",
				       "LD_PRELOAD"};

static _Noreturn void become(const struct command *command, int out)
{
	setpgid(0, 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
		unsetenv(unwanted[i]);
	if (command->home)
		setenv("LTTNG_HOME", command->home, 1);
	if (command->preload)
		setenv("LD_PRELOAD", command->preload, 1);
	execvp(command->argv[0], (char *const *)command->argv);
	dprintf(STDERR_FILENO, "%s: %s\n", command->argv[0], strerror(errno));
	_exit(127);
}

static pid_t start(const struct command *command, int *in)
{
	int ends[2];
	pid_t pid;

	if (caught || pipe2(ends, O_CLOEXEC))
		return -1;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		become(command, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -1;
	}
	setpgid(pid, pid);
	*in = ends[0];
	return pid;
}

/* Read until it ends; false: it took too long, or we were told to stop. */
static bool collect(int in, int seconds, char *output, size_t size)
{
	double limit = measure_now() + seconds * 1e9;
	size_t length = 0;

	output[0] = '\0';
	for (;;) {
		double left = (limit - measure_now()) / 1e6;
		struct pollfd poll_in = {.fd = in, .events = POLLIN};
		char more[1024];
		ssize_t got;

		if (left <= 0 || caught)
			return false;
		if (poll(&poll_in, 1, (int)left + 1) <= 0)
			continue;
		got = read(in, more, sizeof(more));
		if (got <= 0)
			return true;
		if ((size_t)got > size - 1 - length)
			got = (ssize_t)(size - 1 - length);
		memcpy(output + length, more, (size_t)got);
		length += (size_t)got;
		output[length] = '\0';
	}
}

/* First line of output that says something, for a table. */
static void first_line(const char *output, char *why)
{
	output += strspn(output, "\n# ");
	snprintf(why, COMMAND_WHY, "%.*s", (int)strcspn(output, "\n"), output);
	if (!*why)
		snprintf(why, COMMAND_WHY, "it failed without a word");
}

/* It was asked to end, and gets so long to clean up. */
static void wait_or_kill(pid_t pid, int *status)
{
	const struct timespec tick = {.tv_nsec = 10000000};

	for (int i = 0; i < END_SECONDS * 100; i++) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return;
		nanosleep(&tick, NULL);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, status, 0);
}

static bool run(const struct command *command, int seconds, char *output, size_t size, char *why)
{
	bool whole;
	int status = 0;
	int in;
	pid_t pid = start(command, &in);

	if (pid < 0) {
		snprintf(why, COMMAND_WHY, "%s", caught ? "interrupted" : strerror(errno));
		return false;
	}
	whole = collect(in, seconds, output, size);
	close(in);
	if (!whole)
		kill(-pid, SIGTERM);
	wait_or_kill(pid, &status);
	if (!whole)
		snprintf(why, COMMAND_WHY, caught ? "interrupted" : "not done after %d s", seconds);
	else if (status)
		first_line(output, why);
	return whole && !status;
}

bool command_run(const struct command *command, int seconds, char *why)
{
	char output[OUTPUT_MAX];

	return run(command, seconds, output, sizeof(output), why);
}

bool command_measure(const struct command *command, double *figure, char *why)
{
	char output[OUTPUT_MAX];
	const char *line;

	if (!run(command, MEASURE_SECONDS, output, sizeof(output), why))
		return false;
	line = strstr(output, "figure ");
	if (!line || sscanf(line, "figure %lf", figure) != 1) {
		first_line(output, why);
		return false;
	}
	/* What was not recorded was not paid for. */
	if (strstr(output, "events lost")) {
		snprintf(why, COMMAND_WHY, "events were lost while recording");
		return false;
	}
	return true;
}
