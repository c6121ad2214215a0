/* SPDX-License-Identifier: MIT
 *
 * The probes of the provider `gtrace`: lttng-ust makes them from events.h.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tracer/events.h"
