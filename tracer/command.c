/* SPDX-License-Identifier: MIT
 *
 * See command.h.
 */
#include "tracer/command.h"
#include "tracer/identity.h"
#include "tracer/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_STARTED 127

/* Go to where the daemon can be talked to. */
static bool enter(const struct command_place *place)
{
	if (place->home)
		setenv("LTTNG_HOME", place->home, 1);
	if (place->mount_ns >= 0 && setns(place->mount_ns, CLONE_NEWNS))
		return false;
	return !place->as_other || identity_become_other();
}

static _Noreturn void become(const char *const argv[], const struct command_place *place, int out)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	signals_release();
	unsetenv("LD_PRELOAD");
	dup2(nothing, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (!place || enter(place))
		execvp(argv[0], (char *const *)argv);
	dprintf(STDERR_FILENO, "%s: %s", argv[0], strerror(errno));
	_exit(NOT_STARTED);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Read what there is; false at the end of the pipe. */
static bool take_output(int in, char *output, size_t size, size_t *used)
{
	char rest[4096];
	bool room = *used + 1 < size;
	ssize_t got =
	    room ? read(in, output + *used, size - 1 - *used) : read(in, rest, sizeof(rest));

	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	if (room)
		*used += (size_t)got;
	return got > 0;
}

/* Follow the child until it has ended; false: the time is over. */
static bool follow(int pidfd, int in, int64_t deadline, char *output, size_t size)
{
	struct pollfd watched[] = {{.fd = pidfd, .events = POLLIN}, {.fd = in, .events = POLLIN}};
	size_t used = 0;
	bool ended = false;

	while (!ended) {
		int64_t left = deadline - now_ms();
		if (left <= 0 || poll(watched, 2, (int)left) == 0)
			break;
		if (watched[1].revents && !take_output(in, output, size, &used))
			watched[1].fd = -1;
		ended = watched[0].revents != 0;
	}
	/* What it wrote before it ended; a process that it left behind may
	 * still hold the pipe, so never wait for the end of the pipe. */
	fcntl(in, F_SETFL, O_NONBLOCK);
	while (used + 1 < size) {
		ssize_t got = read(in, output + used, size - 1 - used);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	if (size)
		output[used] = '\0';
	return ended;
}

int command_run(const char *const argv[], const struct command_place *place, int timeout_ms,
		char *output, size_t size)
{
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid_t pid = fork();
	if (pid < 0) {
		int error = errno;
		close(ends[0]);
		close(ends[1]);
		return -error;
	}
	if (pid == 0)
		become(argv, place, ends[1]);
	close(ends[1]);

	int pidfd = pidfd_open(pid, 0);
	bool ended = pidfd >= 0 && follow(pidfd, ends[0], now_ms() + timeout_ms, output, size);
	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	close(ends[0]);
	if (pidfd >= 0)
		close(pidfd);
	if (!ended)
		return -ETIMEDOUT;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int try_path(const char *path)
{
	struct stat file;

	if (stat(path, &file))
		return errno == ENOTDIR ? ENOENT : errno;
	if (!S_ISREG(file.st_mode) || access(path, X_OK))
		return EACCES;
	return 0;
}

int command_find(const char *name, char *path, size_t size)
{
	const char *folder = getenv("PATH");
	int worst = ENOENT;

	if (!*name)
		return ENOENT;
	if (strchr(name, '/')) {
		if ((size_t)snprintf(path, size, "%s", name) >= size)
			return ENAMETOOLONG;
		return try_path(path);
	}
	if (!folder)
		folder = "/usr/local/bin:/usr/bin:/bin";
	for (;;) {
		size_t length = strcspn(folder, ":");
		/* An empty entry means the current folder. */
		int written = length ? snprintf(path, size, "%.*s/%s", (int)length, folder, name)
				     : snprintf(path, size, "./%s", name);
		int error = (size_t)written < size ? try_path(path) : ENOENT;
		if (error == 0)
			return 0;
		if (error == EACCES)
			worst = EACCES;
		if (!folder[length])
			return worst;
		folder += length + 1;
	}
}

bool command_beside(const char *built, const char *installed, char *path, size_t size)
{
	const char *const candidates[] = {built, installed};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0)
		return false;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < 2; i++) {
		char name[2 * PATH_MAX], resolved[PATH_MAX];
		if (candidates[i][0] == '/')
			snprintf(name, sizeof(name), "%s", candidates[i]);
		else
			snprintf(name, sizeof(name), "%s/%s", self, candidates[i]);
		if (realpath(name, resolved) && (size_t)snprintf(path, size, "%s", resolved) < size)
			return true;
	}
	return false;
}
