/* SPDX-License-Identifier: MIT
 *
 * Forks again and again while other threads make calls that have their stacks
 * taken: the child has such calls, too, and must not wait for a lock that one
 * of those threads held.
 */
#include <stdatomic.h>
#include <sys/wait.h>

#include "subject.h"

enum { CALLERS = 3, FORKS = 60 };

static atomic_bool over;

/* As many places as possible, so that the unwinder has much to look up. */
__attribute__((noinline)) static void call_from(int depth)
{
	if (depth > 0)
		call_from(depth - 1);
	else
		usleep(30);
	__asm__ volatile("" ::: "memory");
}

static void *call(void *nothing)
{
	(void)nothing;
	while (!over)
		call_from(25);
	return NULL;
}

static void *call_once(void *nothing)
{
	call_from(25);
	return nothing;
}

/* New threads have everything to look up yet. */
static void *begin_threads(void *nothing)
{
	pthread_t thread;

	(void)nothing;
	while (!over) {
		MUST(pthread_create(&thread, NULL, call_once, NULL) == 0);
		MUST(pthread_join(thread, NULL) == 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[CALLERS + 1];

	for (int i = 0; i < CALLERS; i++)
		MUST(pthread_create(&thread[i], NULL, call, NULL) == 0);
	MUST(pthread_create(&thread[CALLERS], NULL, begin_threads, NULL) == 0);
	for (int i = 0; i < FORKS; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			call_from(25);
			_exit(3);
		}
		MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
		MUST(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	}
	over = true;
	for (int i = 0; i <= CALLERS; i++)
		MUST(pthread_join(thread[i], NULL) == 0);
	puts("over");
	return 0;
}
