/* SPDX-License-Identifier: MIT
 *
 * What belongs to lttng-ust and not to the program: its threads, and calls
 * that it makes in the program's threads outside of a tracepoint.
 */
#ifndef GTRACE_LTTNG_H
#define GTRACE_LTTNG_H

#include <stdbool.h>

/* The code at this address is lttng-ust's. */
bool lttng_owns(const void *site);

#endif
