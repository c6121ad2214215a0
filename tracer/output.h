/* SPDX-License-Identifier: MIT
 *
 * The folder that a recording goes to.
 */
#ifndef GTRACE_OUTPUT_H
#define GTRACE_OUTPUT_H

#include <limits.h>
#include <stdbool.h>

struct output {
	char shown[PATH_MAX];    /* as the user calls it */
	char absolute[PATH_MAX]; /* as the session daemon needs it */
	bool made;               /* it was not there before */
};

/*
 * Take `wanted`, which must be empty where it exists; NULL: make
 * gtrace-NAME-YYYYMMDD-HHMMSS in the current folder, with a number behind
 * where that exists.  Says what is wrong and returns false.
 */
bool output_open(struct output *output, const char *wanted, const char *name);

/* Nothing was recorded: remove the folder where we made it, if it holds no file. */
void output_abandon(const struct output *output);

#endif
