/* SPDX-License-Identifier: MIT
 *
 * The watched half of the path of every interposed call.
 */
#include "preload/passage.h"
#include "preload/lttng.h"

bool passage_enter_watched(struct passage *passage, uint32_t call, uint64_t arg, const void *site)
{
	/* Between two calls its thread has done what the session daemon asked for. */
	if (tracer_thread.lttng)
		tracer_session_changed();
	/* Not here yet: the constructors before ours, lttng-ust's among them. */
	if (tracer_thread.inside || !*tracer_here)
		return false;
	passage->task = tracer_runtime && tracer_runtime->enter_call(call, arg, site);
	if (passage->task)
		return true;
	if (!*(const volatile int *)tracer_calls_on ||
	    (tracer_runtime && tracer_runtime->own_thread()) || lttng_owns(site))
		return false;
	passage->record = (struct grt_call_record){.call = call, .arg = arg, .site = site};
	tracer_plain_begin(&passage->record);
	return true;
}

void passage_leave(struct passage *passage, int64_t result, int error)
{
	struct grt_call_record *record = &passage->record;

	if (passage->task) {
		tracer_runtime->leave_call(result, error);
		return;
	}
	record->duration_ns = tracer_now() - record->start_ns;
	record->result = result;
	record->error = error;
	tracer_plain_end(record);
}
