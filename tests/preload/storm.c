/* SPDX-License-Identifier: MIT
 *
 * Threads load and unload a library whose constructor makes calls, others make
 * calls that are long enough to have their stacks taken, and all are hit by
 * signals whose handler makes calls as well.  The argument is the library.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>

#include "subject.h"

enum { LOADERS = 3, CALLERS = 3, ROUNDS = 300 };

static const char *library;
static int zero;

static void on_signal(int number)
{
	int error = errno;
	char byte;

	(void)number;
	if (read(zero, &byte, 1) != 1)
		_exit(96);
	usleep(50);
	errno = error;
}

static void *load(void *nothing)
{
	(void)nothing;
	for (int i = 0; i < ROUNDS; i++) {
		void *handle = dlopen(library, RTLD_NOW);
		int (*fn)(void);

		MUST(handle);
		*(void **)&fn = dlsym(handle, "plug_sleep");
		MUST(fn);
		fn(); /* may be interrupted */
		MUST(dlclose(handle) == 0);
	}
	return NULL;
}

static void *call(void *nothing)
{
	(void)nothing;
	for (int i = 0; i < ROUNDS; i++) {
		void *memory = malloc(1000);

		usleep(100);
		free(memory);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {0};
	pthread_t thread[LOADERS + CALLERS];
	sigset_t alarms;

	MUST(argc == 2);
	library = argv[1];
	zero = open("/dev/zero", O_RDONLY);
	MUST(sigaction(SIGALRM, &action, NULL) == 0);
	MUST(setitimer(ITIMER_REAL, &often, NULL) == 0);
	for (int i = 0; i < LOADERS + CALLERS; i++)
		MUST(pthread_create(&thread[i], NULL, i < LOADERS ? load : call, NULL) == 0);
	/* It is theirs now. */
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	MUST(pthread_sigmask(SIG_BLOCK, &alarms, NULL) == 0);
	for (int i = 0; i < LOADERS + CALLERS; i++)
		MUST(pthread_join(thread[i], NULL) == 0);
	MUST(setitimer(ITIMER_REAL, &never, NULL) == 0);
	puts("over");
	return 0;
}
