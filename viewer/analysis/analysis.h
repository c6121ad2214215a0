/* SPDX-License-Identifier: MIT
 *
 * The analyses: what the model's facts add up to, per process.  Each lives in
 * a file of its own, is fed through `struct analysis`, and keeps memory that
 * does not grow with events; renderers read its results once the model is
 * finished.
 */
#ifndef GTRACE_VIEWER_ANALYSIS_H
#define GTRACE_VIEWER_ANALYSIS_H

#include "viewer/map.h"
#include "viewer/model/model.h"
#include "viewer/stats.h"

/* --- growth.c: which cause made how many threads ---------------------------------*/

#define GROWTH_STACKS_MAX 4

struct growth_stack {
	uint64_t threads;
	struct event_stack stack;
};

/* Threads of one cause, made necessary by one call at one site. */
struct growth_row {
	int64_t cause; /* enum gtrace_create, or CREATION_BY_PROGRAM */
	int64_t call;  /* where cause is "call" */
	uint64_t site; /* 0: none */
	uint64_t threads;
	uint64_t failed; /* tries that got no thread */
	int64_t error;   /* errno value of the last of them */
	/* Distinct stacks of them, the most frequent first. */
	struct growth_stack stacks[GROWTH_STACKS_MAX];
	unsigned stack_count;
};

struct growth {
	struct growth_row *rows; /* after growth_finish(): most threads first */
	size_t count;
	struct map waits; /* by worker: stacks that a call_end still brings */
};

void growth_creation(struct growth *growth, const struct creation_fact *creation);
void growth_call(struct growth *growth, const struct call_fact *call);
void growth_finish(struct growth *growth);
void growth_free(struct growth *growth);

/* --- waits.c: waits for a P after a call, and handoffs ---------------------------*/

enum wait_path { WAIT_SAME_P, WAIT_OTHER_P, WAIT_QUEUED, WAIT_PATH_COUNT };

struct waits {
	struct stats by_path[WAIT_PATH_COUNT];
	uint64_t handoffs;
	struct stats detect, start_new, start_reused;
};

void waits_call(struct waits *waits, const struct call_fact *call);
void waits_handoff(struct waits *waits, enum handoff_part part, int64_t ns);
void waits_free(struct waits *waits);

/* --- incidents.c: the worst waits, and who ran meanwhile -------------------------*/

#define STARVATION_NS INT64_C(10000000)
#define INCIDENTS_MAX 16
#define CULPRITS_MAX 64 /* that are kept; renderers show the first few */

struct culprit {
	struct task_name task;
	int64_t ran_ns;
};

struct incident {
	struct task_name task;
	int64_t from, to;
	bool open;                             /* it still waits when the record ends */
	bool uncertain;                        /* events were lost meanwhile */
	int64_t known_from;                    /* culprits are known from here on; later than from
						  where the wait is longer than what is kept */
	struct culprit culprits[CULPRITS_MAX]; /* after the end: longest first */
	unsigned culprit_count;
	int64_t all_ran_ns; /* culprits and all others together */
};

struct incident_list {
	/* The worst, of each function only a few; after incidents_finish():
	 * longest first. */
	struct incident worst[INCIDENTS_MAX];
	unsigned count;
	uint64_t total;      /* how many there were */
	uint64_t open_total; /* of them, still waiting at the end */
	struct stats lengths;
};

struct incidents {
	struct incident_list starvation; /* runnable for longer than STARVATION_NS */
	struct incident_list p_wait;     /* any wait for a P after a call */
	struct ran *ran;                 /* who ran lately, in the order of the ends */
	size_t ran_count, ran_capacity;
	int64_t forgotten; /* end of the last span that is no longer in ran */
};

void incidents_proc_span(struct incidents *incidents, const struct proc_span *span);
void incidents_task_span(struct incidents *incidents, const struct task_span *span);
void incidents_finish(struct incidents *incidents);
/* At most `most` of them, longest first, so that every kind of task is among
 * them if it can be.  Returns how many. */
unsigned incidents_pick(const struct incident_list *list, const struct incident **picked,
			unsigned most);
void incidents_free(struct incidents *incidents);

/* --- calls.c: blocking calls by site, and those that never ended -----------------*/

#define CALL_SITES_MAX 4096
#define IN_FLIGHT_MAX 1000

struct call_row {
	int64_t call;
	uint64_t site;
	uint64_t count, shorts;
	int64_t total, max; /* ns */
};

struct call_in_flight {
	int64_t call;
	uint64_t site, arg;
	struct task_name task;
	int64_t tid, start, for_ns;
};

struct calls {
	uint64_t count, shorts; /* those in flight are in count */
	struct call_row **rows; /* after calls_finish(): most time first */
	size_t row_count;
	uint64_t unlisted; /* calls beyond CALL_SITES_MAX sites */
	struct map index;  /* of rows, by call and site */
	/* after calls_finish(): longest first */
	struct call_in_flight *in_flight;
	size_t in_flight_count; /* listed: at most IN_FLIGHT_MAX */
	uint64_t in_flight_total;
};

void calls_call(struct calls *calls, const struct call_fact *call);
void calls_finish(struct calls *calls);
void calls_free(struct calls *calls);

/* --- timeline.c: what each P did, over time --------------------------------------*/

#define TIMELINE_BUCKETS 2048

struct timeline_counter {
	float *now;    /* per bucket, time-weighted mean */
	float *change; /* what the buckets after this one have more; folded in at the end */
};

struct timeline {
	int64_t from, to;                  /* the window; to INT64_MAX: open, buckets widen */
	int64_t width;                     /* ns per bucket */
	float (**lanes)[PROC_STATE_COUNT]; /* per P: ns per bucket and state */
	int64_t lane_count;
	struct timeline_counter waiting;  /* tasks that wait for a P after a call */
	struct timeline_counter starving; /* tasks runnable beyond STARVATION_NS */
	struct timeline_counter threads;
	int64_t thread_time, thread_count; /* since when there are so many */
	int64_t thread_low, thread_high;
};

/* length 0: up to the end, whenever that is. */
void timeline_begin(struct timeline *timeline, int64_t from, int64_t length);
void timeline_proc_span(struct timeline *timeline, const struct proc_span *span);
void timeline_task_span(struct timeline *timeline, const struct task_span *span);
void timeline_threads(struct timeline *timeline, int64_t time, int64_t count);
void timeline_finish(struct timeline *timeline, int64_t end);
void timeline_free(struct timeline *timeline);

/* --- analyses.c: all of them together --------------------------------------------*/

/* What to leave out or add.  The window is in ns after the begin of a process,
 * and bounds the incidents and the timeline; length 0: to the end. */
struct analysis_options {
	bool timeline;
	int64_t window_from, window_length;
};

struct analyses {
	struct growth growth;
	struct waits waits;
	struct incidents incidents;
	struct calls calls;
	struct timeline timeline;
	const struct analysis_options *options;
	int64_t window_from, window_to; /* of incidents and timeline */
};

/* A consumer for model_open(); options must outlive the model. */
struct model_consumer analyses_consumer(const struct analysis_options *options);
static inline const struct analyses *analyses_of(const struct process *process)
{
	return process->consumer;
}
void analyses_free(const struct process *process);

#endif
