/* SPDX-License-Identifier: MIT
 *
 * Helper programs (lttng, gtrace-report): run one, wait, take what it printed.
 *
 * They run in a session of their own, so that a Ctrl-C meant for the recorded
 * program does not end them half-way, and without LD_PRELOAD, so that gtrace
 * does not record itself.
 */
#ifndef GTRACE_COMMAND_H
#define GTRACE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* Where a command finds its session daemon. */
struct command_place {
	const char *home; /* its LTTNG_HOME; NULL: as gtrace was started */
	int mount_ns;     /* mount namespace to enter; -1: stay */
	bool as_other;    /* it runs as another user: identity.h */
};

/*
 * Run argv[0] (looked up in PATH) and wait at most timeout_ms, then kill it.
 * output gets the first size - 1 bytes of its stdout and stderr.
 * Returns its exit code, 128 + signal, or -errno where it could not be run
 * (-ETIMEDOUT: killed).
 */
int command_run(const char *const argv[], const struct command_place *place, int timeout_ms,
		char *output, size_t size);

/* Find name in PATH and write the path; an errno value otherwise: ENOENT, or
 * EACCES where all that was found may not be run.  A name with a slash is
 * taken as it is. */
int command_find(const char *name, char *path, size_t size);

/* A file that was built or installed beside the program gtrace: `built` is
 * relative to the folder that gtrace is in, `installed` absolute or relative
 * likewise. */
bool command_beside(const char *built, const char *installed, char *path, size_t size);

#endif
