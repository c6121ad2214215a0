/* SPDX-License-Identifier: MIT
 *
 * Settings of a run: the program's (struct grt_opts), overridden by the
 * environment's, checked.
 */
#ifndef GRT_OPTIONS_H
#define GRT_OPTIONS_H

#include "runtime/scheduler.h"

/* 0, or EINVAL for a member of opts out of range.  A bad environment variable
 * ends the program. */
int options_read(const struct grt_opts *opts, struct options *options);

#endif
