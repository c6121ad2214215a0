/* SPDX-License-Identifier: MIT
 *
 * Owns the processes that a viewer runs in.  babeltrace2 2.0 trusts the
 * lengths of arrays in a trace; a damaged one makes it write through a null
 * pointer.  Since reading the same trace takes the same steps, the next child
 * can stop one step before the crash and report what came until then.
 */
#include "viewer/guard.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "viewer/complain.h"

#define TRIES 2

static bool is_crash(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGABRT || number == SIGFPE ||
	       number == SIGILL;
}

static void be_child(void)
{
	const struct rlimit no_core = {0, 0};

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setrlimit(RLIMIT_CORE, &no_core);
}

/* Leave as the child did. */
static void leave_like(int status)
{
	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	_exit(EXIT_FAILURE);
}

static int wait_for(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0)
		;
	return status;
}

struct source_watch *guard_begin(const char *folder)
{
	struct source_watch *watch =
	    mmap(NULL, sizeof *watch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (watch == MAP_FAILED)
		return NULL;
	watch->limit = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		pid_t child = fork();
		int status;

		if (child <= 0) {
			if (child == 0)
				be_child();
			return watch;
		}
		status = wait_for(child);
		if (watch->done || WIFEXITED(status) || !is_crash(WTERMSIG(status)))
			leave_like(status);
		watch->limit = watch->taken;
		watch->taken = 0;
		if (watch->limit == 0)
			break;
	}
	complain("%s: so damaged that babeltrace2 crashes on it, so nothing can be reported",
		 folder);
	_exit(EXIT_FAILURE);
}

void guard_end(struct source_watch *watch)
{
	if (watch)
		watch->done = true;
}
