/* SPDX-License-Identifier: MIT
 *
 * The recorded program: started as it would be without gtrace, with
 * libgtrace.so preloaded, and followed to its end.
 */
#ifndef GTRACE_PROGRAM_H
#define GTRACE_PROGRAM_H

struct program_setup {
	const char *path;       /* what to execute */
	char *const *argv;      /* as the user gave it */
	const char *preload;    /* path of libgtrace.so */
	const char *mode;       /* GTRACE_MODE; NULL: leave as it is */
	const char *lttng_home; /* of a private daemon; NULL: the user's own */
};

/*
 * Run it and wait.  Signals that would end gtrace go to it.  Returns its exit
 * code, 128 + the signal that killed it (and *signal_number is set), or
 * 126/127 where it could not be executed, having said why; *started is then 0.
 */
int program_run(const struct program_setup *setup, int *started, int *signal_number);

#endif
