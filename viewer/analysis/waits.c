/* SPDX-License-Identifier: MIT
 *
 * Owns the figures of waits for a P, by the path that a task took to get one
 * again, and of handoffs.
 */
#include "viewer/analysis/analysis.h"

#include "tracer/vocabulary.h"

void waits_call(struct waits *waits, const struct call_fact *call)
{
	static const int by_number[] = {
	    [GTRACE_PATH_SHORT] = -1,
	    [GTRACE_PATH_SAME_P] = WAIT_SAME_P,
	    [GTRACE_PATH_OTHER_P] = WAIT_OTHER_P,
	    [GTRACE_PATH_QUEUED] = WAIT_QUEUED,
	};

	if (call->in_flight || call->path <= GTRACE_PATH_SHORT || call->path > GTRACE_PATH_QUEUED)
		return;
	stats_add(&waits->by_path[by_number[call->path]], call->p_wait);
}

void waits_handoff(struct waits *waits, enum handoff_part part, int64_t ns)
{
	switch (part) {
	case HANDOFF_DECIDED:
		waits->handoffs++;
		break;
	case HANDOFF_DETECTED:
		stats_add(&waits->detect, ns);
		break;
	case HANDOFF_STARTED_NEW:
		stats_add(&waits->start_new, ns);
		break;
	case HANDOFF_STARTED_REUSED:
		stats_add(&waits->start_reused, ns);
		break;
	}
}

void waits_free(struct waits *waits)
{
	for (int i = 0; i < WAIT_PATH_COUNT; i++)
		stats_free(&waits->by_path[i]);
	stats_free(&waits->detect);
	stats_free(&waits->start_new);
	stats_free(&waits->start_reused);
}
