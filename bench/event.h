/* SPDX-License-Identifier: MIT
 *
 * One LTTng event with two numbers, for lttng_event.c.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER gtrace_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/event.h"

#if !defined(BENCH_EVENT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_EVENT_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(gtrace_bench, event,
	LTTNG_UST_TP_ARGS(uint32_t, number, uint64_t, value),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, number, number)
		lttng_ust_field_integer(uint64_t, value, value)))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
