/* SPDX-License-Identifier: MIT
 *
 * What belongs to lttng-ust, or to libunwind, and not to the program: threads,
 * descriptors, and calls in the program's threads outside of a tracepoint.
 */
#ifndef GTRACE_LTTNG_H
#define GTRACE_LTTNG_H

#include <stdbool.h>

/* The code at this address is theirs. */
bool lttng_owns(const void *site);

#endif
