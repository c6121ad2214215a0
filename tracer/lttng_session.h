/* SPDX-License-Identifier: MIT
 *
 * The recording session at LTTng's session daemon.
 *
 * Commands go through the program `lttng` and not through liblttng-ctl.  The
 * program writes ~/.lttngrc, so that a plain `lttng view` finds the session
 * afterwards; it can be started inside the mount namespace of a private daemon
 * of root (keeper.h) while gtrace stays outside; a daemon that hangs can be
 * given up on; and nothing but the package lttng-tools is needed.  What gtrace
 * has to read back it gets as XML (--mi), whose schema is versioned.
 */
#ifndef GTRACE_LTTNG_SESSION_H
#define GTRACE_LTTNG_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer/buffers.h"
#include "tracer/command.h"

struct lttng_session {
	char name[160];
	struct command_place place; /* how to reach the daemon */
};

/* The user's own session daemon answers. */
bool lttng_own_daemon(void);

/* Create the session, its channel and the rule for all events of gtrace, and
 * start to record into folder (absolute).  Says what failed; false then, with
 * nothing left at the daemon. */
bool lttng_session_start(const struct lttng_session *session, const char *folder,
			 const struct buffers *buffers);

/* Stop and wait until all data is in the folder.  Says what failed. */
bool lttng_session_stop(const struct lttng_session *session);

void lttng_session_destroy(const struct lttng_session *session);

/* Events that found no room; call after the stop.  UINT64_MAX: not known. */
uint64_t lttng_session_lost(const struct lttng_session *session);

/* Some program in the recording had libgtrace.so loaded. */
bool lttng_recorded_gtrace(const char *folder);

#endif
