/* SPDX-License-Identifier: MIT
 *
 * Threads that fork as soon as they begin, several at a time: while one does,
 * others take their first stacks.  The child has calls whose stacks are taken,
 * too, and must not wait for a lock that one of those threads held.
 */
#include <sys/wait.h>

#include "subject.h"

enum { THREADS = 4, ROUNDS = 25 };

/* As many places as possible, so that the unwinder has much to look up. */
__attribute__((noinline)) static void call_from(int depth)
{
	if (depth > 0)
		call_from(depth - 1);
	else
		usleep(30);
	__asm__ volatile("" ::: "memory");
}

static void *fork_at_once(void *nothing)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		call_from(25);
		_exit(3);
	}
	MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
	MUST(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	call_from(25);
	return nothing;
}

int main(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < THREADS; j++)
			MUST(pthread_create(&thread[j], NULL, fork_at_once, NULL) == 0);
		for (int j = 0; j < THREADS; j++)
			MUST(pthread_join(thread[j], NULL) == 0);
	}
	puts("over");
	return 0;
}
