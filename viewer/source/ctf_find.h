/* SPDX-License-Identifier: MIT
 *
 * Which CTF traces there are below a folder, made safe to read.  Only the CTF
 * source includes this.
 */
#ifndef GTRACE_VIEWER_CTF_FIND_H
#define GTRACE_VIEWER_CTF_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "viewer/source/source.h"

struct ctf_trace {
	char *folder; /* as the user knows it */
	char *copy;   /* what to read instead, if a file of it is cut short */
	bool damaged;
};

struct ctf_traces {
	struct ctf_trace *items;
	size_t count;
};

/* Add the traces at or below folder, in the order of their names.  Complains
 * where a folder holds none, returns whether it held some. */
bool ctf_find(struct ctf_traces *traces, const char *folder, const struct source_sink *sink);

/* Look for files that end within a packet; complain, and make a copy of the
 * trace that ends before the damage.  False: it cannot be read at all. */
bool ctf_check(struct ctf_trace *trace, const struct source_sink *sink);

void ctf_copy_remove(struct ctf_trace *trace);

/* How many whole events babeltrace2 reads from the one trace in folder, until
 * its end or the first error.  (In ctf.c.) */
uint64_t ctf_count_events(const char *folder);

/* Also removes the copies. */
void ctf_traces_free(struct ctf_traces *traces);

/* sink->complain with a format. */
void ctf_complain(const struct source_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
