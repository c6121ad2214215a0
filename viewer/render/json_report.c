/* SPDX-License-Identifier: MIT
 *
 * Owns the form of `gtrace-report --json`, as the contract in the manual has
 * it: {"workloads":[...]}, one for each process.
 */
#include "viewer/render/render.h"

#include "tracer/vocabulary.h"
#include "viewer/names.h"
#include "viewer/render/json.h"

struct writer {
	struct json json;
	const struct render *render;
	const struct process *process;
};

/* The members of S in the contract. */
static void put_summary(struct writer *w, const struct stats *stats)
{
	struct stats_summary summary = stats_summarize(stats);
	struct json *json = &w->json;

	json_unsigned(json, "count", summary.count);
	json_real(json, "outlier_share", summary.outlier_share);
	json_real(json, "mean_ns", summary.mean);
	json_real(json, "std_ns", summary.std);
	json_int(json, "median_ns", summary.median);
	json_int(json, "p99_ns", summary.p99);
	json_int(json, "max_ns", summary.max);
	json_int(json, "min_ns", summary.min);
}

static void put_stats(struct writer *w, const char *key, const struct stats *stats)
{
	json_object(&w->json, key);
	put_summary(w, stats);
	json_object_end(&w->json);
}

static void put_symbol(struct writer *w, const struct symbol *symbol)
{
	json_text(&w->json, "function", symbol->function);
	json_text(&w->json, "file", symbol->file);
	json_int(&w->json, "line", symbol->line);
}

static void put_site(struct writer *w, uint64_t site)
{
	static const struct symbol unknown = {"", "", 0};

	put_symbol(w, site ? symbols_call(w->render->symbols, w->process, site) : &unknown);
}

static void put_stack(struct writer *w, const struct event_stack *stack)
{
	json_array(&w->json, "stack");
	for (uint32_t i = 0; stack && i < stack->depth; i++) {
		json_object(&w->json, NULL);
		put_symbol(w, symbols_call(w->render->symbols, w->process, stack->pc[i]));
		json_object_end(&w->json);
	}
	json_array_end(&w->json);
}

static const char *task_function(struct writer *w, const struct task_name *task)
{
	return task->fn ? symbols_entry(w->render->symbols, w->process, task->fn)->function : "";
}

/* --- threads -------------------------------------------------------------------*/

static void put_growth_row(struct writer *w, const struct growth_row *row)
{
	struct json *json = &w->json;
	bool by_call = row->cause == GTRACE_CREATE_CALL;

	json_object(json, NULL);
	json_text(json, "cause", name_of_cause(row->cause));
	if (by_call)
		json_text(json, "call", name_of_call(row->call));
	else if (row->cause == CREATION_BY_PROGRAM)
		json_text(json, "call", "pthread_create");
	else
		json_null(json, "call");
	put_site(w, row->site);
	json_unsigned(json, "threads", row->threads);
	json_unsigned(json, "failed", row->failed);
	json_int(json, "errno", row->error);
	put_stack(w, row->stack_count ? &row->stacks[0].stack : NULL);
	json_array(json, "stacks");
	for (unsigned i = 0; i < row->stack_count; i++) {
		json_object(json, NULL);
		json_unsigned(json, "threads", row->stacks[i].threads);
		put_stack(w, &row->stacks[i].stack);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void put_threads(struct writer *w, const struct growth *growth)
{
	json_object(&w->json, "threads");
	json_int(&w->json, "start", w->process->threads_start);
	json_int(&w->json, "peak", w->process->threads_peak);
	json_int(&w->json, "end", w->process->threads_now);
	json_array(&w->json, "growth");
	for (size_t i = 0; i < growth->count; i++)
		put_growth_row(w, &growth->rows[i]);
	json_array_end(&w->json);
	json_object_end(&w->json);
}

/* --- calls ---------------------------------------------------------------------*/

static void put_in_flight(struct writer *w, const struct call_in_flight *call)
{
	struct json *json = &w->json;

	json_object(json, NULL);
	json_text(json, "call", name_of_call(call->call));
	json_unsigned(json, "task", call->task.task);
	json_int(json, "tid", call->tid);
	put_site(w, call->site);
	json_unsigned(json, "arg", call->arg);
	json_int(json, "for_ns", call->for_ns);
	json_object_end(json);
}

static void put_call_row(struct writer *w, const struct call_row *row)
{
	struct json *json = &w->json;

	json_object(json, NULL);
	json_text(json, "call", name_of_call(row->call));
	put_site(w, row->site);
	json_unsigned(json, "count", row->count);
	json_unsigned(json, "short", row->shorts);
	json_int(json, "total_ns", row->total);
	json_real(json, "mean_ns", (double)row->total / (double)row->count);
	json_int(json, "max_ns", row->max);
	json_object_end(json);
}

static void put_calls(struct writer *w, const struct calls *calls)
{
	struct json *json = &w->json;

	json_object(json, "calls");
	json_unsigned(json, "count", calls->count);
	json_unsigned(json, "short", calls->shorts);
	json_unsigned(json, "in_flight_count", calls->in_flight_total);
	json_array(json, "in_flight");
	for (size_t i = 0; i < calls->in_flight_count; i++)
		put_in_flight(w, &calls->in_flight[i]);
	json_array_end(json);
	json_array(json, "by_site");
	for (size_t i = 0; i < calls->row_count; i++)
		put_call_row(w, calls->rows[i]);
	json_array_end(json);
	json_object_end(json);
}

/* --- waits ---------------------------------------------------------------------*/

static void put_p_wait(struct writer *w, const struct waits *waits)
{
	static const char *const names[] = {"same P", "other idle P", "queued"};
	struct stats all = {0};

	for (int i = 0; i < WAIT_PATH_COUNT; i++)
		stats_merge(&all, &waits->by_path[i]);
	json_object(&w->json, "p_wait");
	put_summary(w, &all);
	json_object(&w->json, "by_path");
	for (int i = 0; i < WAIT_PATH_COUNT; i++)
		put_stats(w, names[i], &waits->by_path[i]);
	json_object_end(&w->json);
	json_object_end(&w->json);
	stats_free(&all);
}

static void put_handoff(struct writer *w, const struct waits *waits)
{
	json_object(&w->json, "handoff");
	json_unsigned(&w->json, "count", waits->handoffs);
	put_stats(w, "detect", &waits->detect);
	put_stats(w, "start_new", &waits->start_new);
	put_stats(w, "start_reused", &waits->start_reused);
	json_object_end(&w->json);
}

static void put_culprit(struct writer *w, const struct culprit *culprit)
{
	json_object(&w->json, NULL);
	json_unsigned(&w->json, "task", culprit->task.task);
	json_text(&w->json, "name", culprit->task.name);
	json_text(&w->json, "function", task_function(w, &culprit->task));
	json_int(&w->json, "ran_ns", culprit->ran_ns);
	put_stack(w, NULL);
	json_object_end(&w->json);
}

static void put_incident(struct writer *w, const struct incident *incident)
{
	struct json *json = &w->json;

	json_object(json, NULL);
	json_unsigned(json, "task", incident->task.task);
	json_text(json, "name", incident->task.name);
	json_text(json, "function", task_function(w, &incident->task));
	json_int(json, "from_ns", incident->from - w->process->begin);
	json_int(json, "waited_ns", incident->to - incident->from);
	json_bool(json, "still_waiting", incident->open);
	json_bool(json, "uncertain", incident->uncertain);
	json_int(json, "culprits_from_ns", incident->known_from - w->process->begin);
	json_int(json, "culprits_ran_ns", incident->all_ran_ns);
	json_array(json, "culprits");
	for (unsigned i = 0; i < incident->culprit_count; i++)
		put_culprit(w, &incident->culprits[i]);
	json_array_end(json);
	json_object_end(json);
}

static void put_incidents(struct writer *w, const char *key, const struct incident_list *list)
{
	json_array(&w->json, key);
	for (unsigned i = 0; i < list->count; i++)
		put_incident(w, &list->worst[i]);
	json_array_end(&w->json);
}

static void put_starvation(struct writer *w, const struct incident_list *list)
{
	put_incidents(w, "starvation", list);
	json_object(&w->json, "starvation_total");
	json_unsigned(&w->json, "count", list->total);
	json_unsigned(&w->json, "still_waiting", list->open_total);
	put_stats(w, "waited", &list->lengths);
	json_object_end(&w->json);
}

/* --- the whole -----------------------------------------------------------------*/

static void put_workload(struct writer *w, const struct process *process)
{
	const struct analyses *analyses = analyses_of(process);
	struct json *json = &w->json;

	w->process = process;
	json_object(json, NULL);
	json_text(json, "name", *process->workload ? process->workload : process->name);
	json_text(json, "settings", process->settings);
	json_text(json, "process", process->name);
	json_text(json, "command", process->command);
	json_int(json, "pid", process->pid);
	json_int(json, "parent", process->parent);
	json_text(json, "mode", name_of_mode(process->mode));
	json_int(json, "procs", process->procs);
	json_int(json, "duration_ns", process->end - process->begin);
	put_threads(w, &analyses->growth);
	put_calls(w, &analyses->calls);
	put_p_wait(w, &analyses->waits);
	put_handoff(w, &analyses->waits);
	put_starvation(w, &analyses->incidents.starvation);
	put_incidents(w, "p_wait_worst", &analyses->incidents.p_wait);
	json_unsigned(json, "lost_events", process->lost);
	json_unsigned(json, "sequence_gaps", process->gaps);
	json_object_end(json);
}

void render_json_report(const struct render *render)
{
	struct writer w = {.json.out = render->out, .render = render};
	const struct process *process;

	json_object(&w.json, NULL);
	json_array(&w.json, "workloads");
	for (uint32_t i = 0; (process = model_process(render->model, i)); i++)
		put_workload(&w, process);
	json_array_end(&w.json);
	json_object_end(&w.json);
	fputc('\n', render->out);
}
