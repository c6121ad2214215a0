/* SPDX-License-Identifier: MIT
 *
 * The keeper: a process beside gtrace that ends what a recording began.
 *
 * It has its own session, so no Ctrl-C reaches it, and hangs on a socket to
 * gtrace.  When gtrace ends, in whatever way, SIGKILL included, the keeper
 * stops the recording, ends the private session daemon and all its children,
 * and removes the private folder.  Should the keeper itself be killed, the
 * kernel ends the daemon (PR_SET_PDEATHSIG).
 *
 * The private daemon of root.  lttng-sessiond fixes the folder of root at
 * /var/run/lttng, which would make it the machine's daemon, and one only.  So
 * it gets a mount namespace with a folder of its own there, and `lttng` enters
 * that namespace to talk to it; the recorded program finds it by LTTNG_HOME
 * and stays where it is.  Where root may not have namespaces (in a container,
 * in a chroot) the daemon runs as another user instead, whose folder LTTNG_HOME
 * decides, and what it recorded is given to root at the end.  The first way is
 * preferred since no file is ever another user's; the second one fails where
 * there is no other user (user namespaces that map root alone).
 */
#ifndef GTRACE_KEEPER_H
#define GTRACE_KEEPER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "tracer/command.h"

struct keeper {
	pid_t pid;
	int line;         /* to the keeper */
	char folder[128]; /* private, removed at the end */
	bool private_daemon;
	struct command_place place; /* how `lttng` finds the daemon */
};

/*
 * Start the keeper of the recording session `session`, which goes into the
 * folder `output` (absolute), and with private_daemon a session daemon.  0, or
 * an exit code after having said why.
 */
int keeper_start(struct keeper *keeper, const char *session, const char *output,
		 bool private_daemon);

/* End all that the keeper keeps.  stopped: the recording is known to be
 * stopped, else the keeper stops it. */
void keeper_end(struct keeper *keeper, bool stopped);

#endif
