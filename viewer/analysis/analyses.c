/* SPDX-License-Identifier: MIT
 *
 * Owns which analysis gets which fact.
 */
#include "viewer/analysis/analysis.h"

#include <stdlib.h>

#include "viewer/map.h"

static void *on_begin(void *context, const struct process *process)
{
	struct analyses *analyses = must_alloc(1, sizeof *analyses);

	const struct analysis_options *options = context;

	analyses->options = options;
	analyses->window_from = process->begin + options->window_from;
	analyses->window_to =
	    options->window_length ? analyses->window_from + options->window_length : INT64_MAX;
	if (options->timeline)
		timeline_begin(&analyses->timeline, analyses->window_from, options->window_length);
	return analyses;
}

static void on_proc_span(void *of, const struct proc_span *span)
{
	struct analyses *analyses = of;

	incidents_proc_span(&analyses->incidents, span);
	if (analyses->options->timeline)
		timeline_proc_span(&analyses->timeline, span);
}

static void on_task_span(void *of, const struct task_span *span)
{
	struct analyses *analyses = of;

	if (span->to > analyses->window_from && span->from < analyses->window_to)
		incidents_task_span(&analyses->incidents, span);
	if (analyses->options->timeline)
		timeline_task_span(&analyses->timeline, span);
}

static void on_call(void *of, const struct call_fact *call)
{
	struct analyses *analyses = of;

	calls_call(&analyses->calls, call);
	waits_call(&analyses->waits, call);
	growth_call(&analyses->growth, call);
}

static void on_handoff(void *of, enum handoff_part part, int64_t ns)
{
	struct analyses *analyses = of;

	waits_handoff(&analyses->waits, part, ns);
}

static void on_creation(void *of, const struct creation_fact *creation)
{
	struct analyses *analyses = of;

	growth_creation(&analyses->growth, creation);
}

static void on_threads(void *of, int64_t time, int64_t count)
{
	struct analyses *analyses = of;

	if (analyses->options->timeline)
		timeline_threads(&analyses->timeline, time, count);
}

static void on_end(void *of, const struct process *process)
{
	struct analyses *analyses = of;

	growth_finish(&analyses->growth);
	incidents_finish(&analyses->incidents);
	calls_finish(&analyses->calls);
	if (analyses->options->timeline)
		timeline_finish(&analyses->timeline, process->end);
}

struct model_consumer analyses_consumer(const struct analysis_options *options)
{
	return (struct model_consumer){
	    .context = (void *)options,
	    .process_begin = on_begin,
	    .proc_span = on_proc_span,
	    .task_span = on_task_span,
	    .call = on_call,
	    .handoff = on_handoff,
	    .creation = on_creation,
	    .threads = on_threads,
	    .process_end = on_end,
	};
}

void analyses_free(const struct process *process)
{
	struct analyses *analyses = process->consumer;

	growth_free(&analyses->growth);
	waits_free(&analyses->waits);
	incidents_free(&analyses->incidents);
	calls_free(&analyses->calls);
	timeline_free(&analyses->timeline);
	free(analyses);
}
