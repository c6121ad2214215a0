/* SPDX-License-Identifier: MIT
 *
 * What the tests of the runtime share; see support.h.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/sys.h"
#include "tests/runtime/support.h"

#define CHILD_SECONDS 60

void run(const struct grt_opts *opts, grt_fn *fn, void *arg)
{
	assert_int_equal(grt_run(opts, fn, arg), 0);
}

static void read_all(int fd, char *text, size_t size)
{
	char rest[512];
	size_t length = 0;
	ssize_t got;

	while (length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	while (read(fd, rest, sizeof(rest)) > 0) /* a full pipe would stop the child */
		;
}

/* Functions are named by their distance from this one: each process of the
 * program lies elsewhere. */
static intptr_t distance(void (*fn)(const char *))
{
	return (intptr_t)fn - (intptr_t)in_child;
}

/* The child's side, before main(). */
__attribute__((constructor)) static void be_child(int argc, char **argv)
{
	void (*fn)(const char *);

	if (argc != 4 || strcmp(argv[1], "--child"))
		return;
	alarm(CHILD_SECONDS);
	fn = (void (*)(const char *))((intptr_t)in_child + strtoll(argv[2], NULL, 10));
	fn(argv[3]);
	_exit(0);
}

void in_child(struct child *child, void (*fn)(const char *), const char *word)
{
	char where[32];
	int fds[2];
	pid_t pid;

	snprintf(where, sizeof(where), "%lld", (long long)distance(fn));
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(fds[1], STDERR_FILENO);
		execl("/proc/self/exe", "test", "--child", where, word ? word : "", (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	read_all(fds[0], child->said, sizeof(child->said));
	close(fds[0]);
	assert_int_equal(waitpid(pid, &child->status, 0), pid);
}

void assert_exited(const struct child *child, int code)
{
	if (!WIFEXITED(child->status) || WEXITSTATUS(child->status) != code)
		fail_msg("child: status %#x instead of exit code %d; it said: %s",
			 (unsigned)child->status, code, child->said);
}

int64_t now(void)
{
	return sys_now();
}

int thread_id(void)
{
	return sys_tid();
}

void sleep_raw(int64_t ns)
{
	_Atomic uint32_t nothing = 0;
	int64_t until = sys_now() + ns;
	int64_t left;

	while ((left = until - sys_now()) > 0)
		sys_futex_wait(&nothing, 0, left);
}

void gate_open(struct gate *gate)
{
	atomic_store(&gate->open, 1);
	sys_futex_wake(&gate->open, 1 << 30);
}

void gate_wait(struct gate *gate)
{
	while (!atomic_load(&gate->open))
		sys_futex_wait(&gate->open, 0, -1);
}

int clear_environment(void **state)
{
	static const char *const names[] = {"GRT_PROCS", "GRT_HANDOFF", "GRT_PREEMPT",
					    "GRT_MAXTHREADS", "GRT_PRESPAWN"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		unsetenv(names[i]);
	return 0;
}

/* A stack that runs over must end the program as it does without them. */
#if defined(GRT_ASAN)
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "handle_segv=0:detect_stack_use_after_return=0";
}
#elif defined(GRT_TSAN)
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "handle_segv=0:atexit_sleep_ms=0";
}
#endif
