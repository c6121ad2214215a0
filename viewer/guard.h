/* SPDX-License-Identifier: MIT
 *
 * Reading survives a trace so damaged that babeltrace2 crashes on it.
 */
#ifndef GTRACE_VIEWER_GUARD_H
#define GTRACE_VIEWER_GUARD_H

#include <stdbool.h>

#include "viewer/source/source.h"

/*
 * Go on in a child process; this one waits and leaves with its status.  If the
 * child crashes while it reads, another one reads up to just before that.
 * folder: what complaints name.  Returns how far to read.
 */
struct source_watch *guard_begin(const char *folder);

/* All was read: a crash from now on is our own. */
void guard_end(struct source_watch *watch);

#endif
