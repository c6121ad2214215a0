/* SPDX-License-Identifier: MIT
 *
 * Running a program that makes one measurement and prints "figure NUMBER".
 */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#define COMMAND_WHY 160

struct command {
	const char *argv[12];
	const char *preload; /* NULL: nothing is preloaded */
	const char *home;    /* where liblttng-ust looks for a daemon; NULL: as it is */
};

/* The figure; or false, and why.  why has COMMAND_WHY bytes. */
bool command_measure(const struct command *command, double *figure, char *why);

/* Run it for its success only, for at most so many seconds. */
bool command_run(const struct command *command, int seconds, char *why);

/* From now on SIGINT and SIGTERM end the running command, and no other starts. */
void command_catch_signals(void);
/* The signal that came; 0: none. */
int command_signal(void);

#endif
