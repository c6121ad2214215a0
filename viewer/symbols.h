/* SPDX-License-Identifier: MIT
 *
 * Addresses of a recorded process as function, file and line.
 */
#ifndef GTRACE_VIEWER_SYMBOLS_H
#define GTRACE_VIEWER_SYMBOLS_H

#include "viewer/model/model.h"

struct symbol {
	const char *function; /* never NULL: module+0x1234 or 0x1234 where unknown */
	const char *file;     /* "" where unknown */
	int line;             /* 0 where unknown */
};

struct symbols;

struct symbols *symbols_open(void);
/* What is returned lasts until symbols_close(). */
const struct symbol *symbols_entry(struct symbols *symbols, const struct process *process,
				   uint64_t address);
/* The call that returns to address, so that the line is that of the call. */
const struct symbol *symbols_call(struct symbols *symbols, const struct process *process,
				  uint64_t address);
void symbols_close(struct symbols *symbols);

#endif
