/* SPDX-License-Identifier: MIT
 *
 * Every way to make a child.  Each process that should be in a recording makes
 * a number of usleep() calls of its own and prints a line: how it came to be,
 * its pid, its parent's, and that number.
 */
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "subject.h"

extern char **environ;

static int report; /* where the lines go, also from a daemon */

static void work(const char *name, int calls)
{
	char line[128];
	int length = snprintf(line, sizeof(line), "%s %d %d %d\n", name, (int)getpid(),
			      (int)getppid(), calls);

	for (int i = 0; i < calls; i++)
		usleep(100);
	MUST(write(report, line, (size_t)length) == length);
}

static void reap(pid_t pid, int code)
{
	int status;

	MUST(waitpid(pid, &status, 0) == pid);
	MUST(WIFEXITED(status) && WEXITSTATUS(status) == code);
}

/* exit(), not _exit(): destructors run in the child, too. */
static void forked(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		work("fork", 3);
		exit(3);
	}
	reap(pid, 3);
}

static void forked_twice(void)
{
	pid_t pid = fork(), inner;

	if (pid == 0) {
		inner = fork();
		if (inner == 0) {
			work("grandchild", 5);
			exit(5);
		}
		reap(inner, 5);
		work("child", 4);
		exit(4);
	}
	reap(pid, 4);
}

static void *fork_in_thread(void *nothing)
{
	(void)nothing;
	forked();
	return NULL;
}

/* Forks while other threads are in calls, and forks themselves. */
static void forked_among_threads(void)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		MUST(pthread_create(&thread[i], NULL, fork_in_thread, NULL) == 0);
	for (int i = 0; i < 4; i++)
		MUST(pthread_join(thread[i], NULL) == 0);
}

static void daemonized(void)
{
	int p[2];
	char end;
	pid_t pid;

	MUST(pipe(p) == 0);
	pid = fork();
	if (pid == 0) {
		close(p[0]);
		MUST(daemon(1, 1) == 0);
		work("daemon", 6);
		exit(0);
	}
	close(p[1]);
	reap(pid, 0);
	MUST(read(p[0], &end, 1) == 0); /* the daemon has ended */
}

static void on_a_terminal(void)
{
	int terminal;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	if (pid == 0) {
		work("forkpty", 7);
		exit(7);
	}
	reap(pid, 7);
	close(terminal);
}

/* The child of vfork() runs on our stack: what it changes stays. */
static void vforked(void)
{
	volatile int seen = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		seen = 8;
		execl("/bin/sh", "sh", "-c", "exit 8", NULL);
		_exit(99);
	}
	reap(pid, 8);
	MUST(seen == 8);
}

static void spawned(void)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)"exit 9", NULL};

	for (int i = 0; i < 20; i++) {
		pid_t pid;

		MUST(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) == 0);
		reap(pid, 9);
	}
	MUST(WEXITSTATUS(system("exit 10")) == 10);
}

/* Made behind libc's back: not recorded under its own pid, but unharmed. */
static void cloned(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid == 0) {
		usleep(100);
		_exit(11);
	}
	reap(pid, 11);
}

int main(void)
{
	report = dup(STDOUT_FILENO);
	forked();
	forked_twice();
	forked_among_threads();
	daemonized();
	on_a_terminal();
	vforked();
	spawned();
	cloned();
	work("parent", 2);
	return 0;
}
