/* SPDX-License-Identifier: MIT
 *
 * What the viewer's programs have in common: their options, and reading
 * traces into a finished model.
 */
#ifndef GTRACE_VIEWER_PROGRAM_H
#define GTRACE_VIEWER_PROGRAM_H

#include <getopt.h>
#include <stddef.h>

#include "viewer/analysis/analysis.h"
#include "viewer/complain.h"
#include "viewer/source/source.h"

#define PROGRAM_USAGE 2 /* exit status for a command line that makes no sense */

/* Remember the program's name, and take texts as the locale has them. */
void program_begin(const char *name);

/* getopt_long() with one line for what it does not know; then it exits. */
int program_option(int argc, char **argv, const char *short_options, const struct option *options);

/* Read the folders.  *status tells how well; the model is finished either way. */
struct model *program_read(const char *const *folders, size_t count,
			   const struct analysis_options *options, enum source_status *status);

/* Frees it and what the analyses hold. */
void program_close(struct model *model);

/* Flush stdout; complains and returns 1 when it could not be written. */
int program_end(enum source_status status);

#endif
