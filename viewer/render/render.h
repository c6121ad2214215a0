/* SPDX-License-Identifier: MIT
 *
 * The renderers: finished processes and their analyses, as text.  A renderer
 * reads results and writes to a stream; it changes nothing.
 */
#ifndef GTRACE_VIEWER_RENDER_H
#define GTRACE_VIEWER_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "viewer/analysis/analysis.h"
#include "viewer/symbols.h"

struct render {
	FILE *out;
	struct symbols *symbols;
	const struct model *model;
};

void render_text_report(const struct render *render);
void render_json_report(const struct render *render);

struct timeline_look {
	int width; /* columns */
	bool color, unicode;
};

void render_text_timeline(const struct render *render, const struct timeline_look *look);

/* --- format.c: pieces that text renderers share ----------------------------------*/

#define FORMAT_SIZE 256

/* "1.23 ms": three figures, the unit that fits.  Each writes at most
 * FORMAT_SIZE bytes and returns its buffer. */
const char *format_ns(char *buffer, int64_t ns);
const char *format_share(char *buffer, double share);
/* "sleeper (sleepers.c:42)" for a site; "?" where it is 0. */
const char *format_site(char *buffer, const struct render *render, const struct process *process,
			uint64_t site);
/* "G17 (spin)": the task's name, or else its function. */
const char *format_task(char *buffer, const struct render *render, const struct process *process,
			const struct task_name *task);
/* Text from the recording, made safe for a terminal. */
void print_safe(FILE *out, const char *text);
/* Name, pid, mode, procs, duration and command: the lines above everything else. */
void print_header(const struct render *render, const struct process *process);

#endif
