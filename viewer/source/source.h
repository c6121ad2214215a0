/* SPDX-License-Identifier: MIT
 *
 * Where events come from.  A source hands them out in the order of time; the
 * events of different CPUs may have equal times and then come in any order.
 */
#ifndef GTRACE_VIEWER_SOURCE_H
#define GTRACE_VIEWER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "viewer/event.h"

/* How far reading came, kept where it survives a crash.  A step is the same at
 * each reading of the same traces. */
struct source_watch {
	uint64_t taken; /* steps */
	uint64_t limit; /* stop after so many, and say that the trace is damaged */
	bool done;
};

/* Who takes the events.  context is handed back with each call. */
struct source_sink {
	void *context;
	void (*event)(void *context, const struct event *event);
	void (*loss)(void *context, const struct event_loss *loss);
	/* A trace reaches until `end`, although nothing may have happened since. */
	void (*reach)(void *context, uint32_t trace, int64_t end);
	/* Something could not be read: one line, "where: why, and what to do". */
	void (*complain)(void *context, const char *line);
	struct source_watch *watch; /* may be NULL */
};

enum source_status {
	SOURCE_OK,
	SOURCE_DAMAGED, /* complained; what was readable was handed out */
	SOURCE_NOTHING, /* complained; there was nothing to hand out */
};

/* Read every CTF trace at or below the folders, merged by time. */
enum source_status source_read_ctf(const char *const *folders, size_t count,
				   const struct source_sink *sink);

#endif
