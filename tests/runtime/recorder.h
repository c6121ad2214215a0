/* SPDX-License-Identifier: MIT
 *
 * A tracer for tests: writes down every call of a hook in the order in which
 * they happen, and checks that they tell a possible story.
 */
#ifndef TESTS_RUNTIME_RECORDER_H
#define TESTS_RUNTIME_RECORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/grt.h"

/* To be called before the first grt_run(); without it no hook is filled in. */
void recorder_enable(void);
/* Forget what was recorded.  Between runs. */
void recorder_clear(void);
/* NULL: the record of one whole run is right and agrees with its statistics;
 * else what is wrong, in words. */
const char *recorder_check(const struct grt_stats *stats);

#endif
