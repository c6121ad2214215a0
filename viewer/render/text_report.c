/* SPDX-License-Identifier: MIT
 *
 * Owns the form of the report for people: a section for each process, thread
 * growth first.  A table that would be empty is one sentence instead.
 */
#include "viewer/render/render.h"

#include <inttypes.h>
#include <string.h>

#include "tracer/vocabulary.h"
#include "viewer/names.h"

#define ROWS_MAX 12 /* of a table; a last line tells of the rest */
#define STACK_MAX 8 /* frames that are printed */
#define INCIDENTS_SHOWN 5
#define CULPRITS_SHOWN 4

struct page {
	FILE *out;
	const struct render *render;
	const struct process *process;
	const struct analyses *analyses;
};

static void more(FILE *out, uint64_t count, uint64_t shown, const char *what)
{
	if (count > shown)
		fprintf(out, "  ... and %" PRIu64 " more %s\n", count - shown, what);
}

/* --- threads -------------------------------------------------------------------*/

static void print_stack(const struct page *page, const struct event_stack *stack)
{
	char site[FORMAT_SIZE];

	for (uint32_t i = 0; i < stack->depth && i < STACK_MAX; i++)
		fprintf(page->out, "             %s %s\n", i == 0 ? "at" : "by",
			format_site(site, page->render, page->process, stack->pc[i]));
}

static void print_growth_row(const struct page *page, const struct growth_row *row)
{
	char site[FORMAT_SIZE];
	const char *what = text_of_cause(row->cause);

	if (row->cause == GTRACE_CREATE_CALL)
		what = name_of_call(row->call);
	else if (row->cause == CREATION_BY_PROGRAM)
		what = "pthread_create";
	if (row->threads > 0 || row->failed == 0)
		fprintf(page->out, "  %8" PRIu64 "  %s", row->threads, what);
	else
		fprintf(page->out, "      none  %s", what);
	if (row->site)
		fprintf(page->out, " in %s",
			format_site(site, page->render, page->process, row->site));
	if (row->failed)
		fprintf(page->out, "; %s, %" PRIu64 " %s",
			row->error ? strerrorname_np((int)row->error) : "failed", row->failed,
			row->failed == 1 ? "try" : "tries");
	fputc('\n', page->out);
	if (row->stack_count)
		print_stack(page, &row->stacks[0].stack);
}

/* One sentence: what the growth comes to. */
static void print_verdict(const struct page *page)
{
	const struct growth *growth = &page->analyses->growth;
	uint64_t all = 0, by_calls = 0;
	char site[FORMAT_SIZE];

	for (size_t i = 0; i < growth->count; i++) {
		all += growth->rows[i].threads;
		if (growth->rows[i].cause == GTRACE_CREATE_CALL)
			by_calls += growth->rows[i].threads;
	}
	if (by_calls == 0) {
		fprintf(page->out, "  No blocking call made a thread.\n");
		return;
	}
	for (size_t i = 0; i < growth->count; i++) {
		const struct growth_row *row = &growth->rows[i];

		if (row->cause != GTRACE_CREATE_CALL)
			continue;
		fprintf(page->out,
			"  Blocking calls made %" PRIu64 " of %" PRIu64
			" new threads; %s in %s alone made %" PRIu64 ".\n",
			by_calls, all, name_of_call(row->call),
			format_site(site, page->render, page->process, row->site), row->threads);
		return;
	}
}

static void print_threads(const struct page *page)
{
	const struct process *process = page->process;
	const struct growth *growth = &page->analyses->growth;

	fprintf(page->out,
		"\nThreads: %" PRId64 " at the start, %" PRId64 " at the peak, %" PRId64
		" at the end\n",
		process->threads_start, process->threads_peak, process->threads_now);
	if (growth->count == 0) {
		fprintf(page->out, "  No thread was made.\n");
		return;
	}
	print_verdict(page);
	fprintf(page->out, "   threads  made for\n");
	for (size_t i = 0; i < growth->count && i < ROWS_MAX; i++)
		print_growth_row(page, &growth->rows[i]);
	more(page->out, growth->count, ROWS_MAX, "causes");
}

/* --- tables of figures ---------------------------------------------------------*/

static void print_stats_heading(const struct page *page)
{
	fprintf(page->out, "  %-22s %9s %9s %8s %8s %8s %8s %8s %8s\n", "", "count", "outliers",
		"mean", "std", "median", "p99", "max", "min");
}

static void print_stats(const struct page *page, const char *name, const struct stats *stats)
{
	struct stats_summary s = stats_summarize(stats);
	char b[7][FORMAT_SIZE];

	if (s.count == 0)
		return;
	fprintf(page->out, "  %-22s %9" PRIu64 " %9s %8s %8s %8s %8s %8s %8s\n", name, s.count,
		format_share(b[0], s.outlier_share), format_ns(b[1], (int64_t)s.mean),
		format_ns(b[2], (int64_t)s.std), format_ns(b[3], s.median), format_ns(b[4], s.p99),
		format_ns(b[5], s.max), format_ns(b[6], s.min));
}

static void print_p_waits(const struct page *page)
{
	static const char *const names[] = {"same P", "other idle P", "queued"};
	const struct waits *waits = &page->analyses->waits;
	struct stats all = {0};

	for (int i = 0; i < WAIT_PATH_COUNT; i++)
		stats_merge(&all, &waits->by_path[i]);
	if (all.count == 0) {
		fprintf(page->out, "\nP waits: no call lost its P.\n");
	} else {
		fprintf(page->out, "\nP waits: back from a call, until it had a P again\n");
		print_stats_heading(page);
		print_stats(page, "all", &all);
		for (int i = 0; i < WAIT_PATH_COUNT; i++)
			print_stats(page, names[i], &waits->by_path[i]);
	}
	stats_free(&all);
}

static void print_handoffs(const struct page *page)
{
	const struct waits *waits = &page->analyses->waits;

	if (waits->handoffs == 0)
		return;
	fprintf(page->out, "\nHandoffs: %" PRIu64 "\n", waits->handoffs);
	print_stats_heading(page);
	print_stats(page, "begin of call to it", &waits->detect);
	print_stats(page, "to start, new thread", &waits->start_new);
	print_stats(page, "to start, reused", &waits->start_reused);
}

/* --- incidents -----------------------------------------------------------------*/

static void print_culprits(const struct page *page, const struct incident *incident)
{
	char task[FORMAT_SIZE], ran[FORMAT_SIZE];
	int64_t others = incident->all_ran_ns;

	fprintf(page->out, "        ran meanwhile:");
	for (unsigned i = 0; i < incident->culprit_count && i < CULPRITS_SHOWN; i++) {
		const struct culprit *culprit = &incident->culprits[i];

		fprintf(page->out, "%s %s %s", i ? "," : "",
			format_task(task, page->render, page->process, &culprit->task),
			format_ns(ran, culprit->ran_ns));
		others -= culprit->ran_ns;
	}
	if (incident->culprit_count == 0)
		fprintf(page->out, " no task");
	else if (incident->culprit_count > CULPRITS_SHOWN)
		fprintf(page->out, ", others %s", format_ns(ran, others));
	if (incident->known_from > incident->from)
		fprintf(page->out, " (of its last %s)",
			format_ns(ran, incident->to - incident->known_from));
	fputc('\n', page->out);
}

static void print_starvation(const struct page *page)
{
	const struct incident_list *list = &page->analyses->incidents.starvation;
	char task[FORMAT_SIZE], waited[FORMAT_SIZE], at[FORMAT_SIZE];
	const struct incident *picked[INCIDENTS_SHOWN];
	unsigned shown = incidents_pick(list, picked, INCIDENTS_SHOWN);

	if (list->total == 0) {
		fprintf(page->out, "\nStarvation: no task stayed runnable for over 10 ms.\n");
		return;
	}
	fprintf(page->out,
		"\nStarvation: %" PRIu64 " times a task stayed runnable for over 10 ms; %" PRIu64
		" still wait at the end\n",
		list->total, list->open_total);
	print_stats_heading(page);
	print_stats(page, "runnable for", &list->lengths);
	for (unsigned i = 0; i < shown; i++) {
		const struct incident *incident = picked[i];

		fprintf(page->out, "  %8s %s from %s on%s%s\n",
			format_ns(waited, incident->to - incident->from),
			format_task(task, page->render, page->process, &incident->task),
			format_ns(at, incident->from - page->process->begin),
			incident->open ? ", still waiting at the end" : "",
			incident->uncertain ? " (events were lost meanwhile)" : "");
		print_culprits(page, incident);
	}
	more(page->out, list->total, shown, "waits");
}

/* --- calls ---------------------------------------------------------------------*/

static void print_call_sites(const struct page *page)
{
	const struct calls *calls = &page->analyses->calls;
	char site[FORMAT_SIZE], b[3][FORMAT_SIZE];

	if (calls->count == 0) {
		fprintf(page->out, "\nCalls: none that can block.\n");
		return;
	}
	fprintf(page->out, "\nCalls: %" PRIu64 ", %" PRIu64 " of them short (kept their P)\n",
		calls->count, calls->shorts);
	fprintf(page->out, "  %9s %8s %8s %8s  call\n", "count", "total", "mean", "max");
	for (size_t i = 0; i < calls->row_count && i < ROWS_MAX; i++) {
		const struct call_row *row = calls->rows[i];

		fprintf(page->out, "  %9" PRIu64 " %8s %8s %8s  %s in %s\n", row->count,
			format_ns(b[0], row->total),
			format_ns(b[1], row->total / (int64_t)row->count),
			format_ns(b[2], row->max), name_of_call(row->call),
			format_site(site, page->render, page->process, row->site));
	}
	more(page->out, calls->row_count, ROWS_MAX, "call sites");
}

static void print_caller(const struct page *page, const struct call_in_flight *call)
{
	char task[FORMAT_SIZE];

	if (call->task.task)
		fputs(format_task(task, page->render, page->process, &call->task), page->out);
	else
		fprintf(page->out, "thread %" PRId64, call->tid);
}

static void print_in_flight(const struct page *page)
{
	const struct calls *calls = &page->analyses->calls;
	char site[FORMAT_SIZE], length[FORMAT_SIZE];

	if (calls->in_flight_total == 0)
		return;
	fprintf(page->out, "\nIn flight when the record ends: %" PRIu64 " call%s\n",
		calls->in_flight_total, calls->in_flight_total == 1 ? "" : "s");
	for (size_t i = 0; i < calls->in_flight_count && i < ROWS_MAX; i++) {
		const struct call_in_flight *call = &calls->in_flight[i];

		fprintf(page->out, "  %8s %s in %s by ",
			call->start ? format_ns(length, call->for_ns) : "?",
			name_of_call(call->call),
			format_site(site, page->render, page->process, call->site));
		print_caller(page, call);
		fputc('\n', page->out);
	}
	more(page->out, calls->in_flight_total, ROWS_MAX, "calls");
}

static void print_lost(const struct page *page)
{
	const struct process *process = page->process;
	char from[FORMAT_SIZE], to[FORMAT_SIZE];

	if (process->lost == 0 && process->gaps == 0)
		return;
	fprintf(page->out, "\nLost events: %" PRIu64, process->lost);
	if (process->loss_windows)
		fprintf(page->out, " in %" PRIu64 " windows from %s to %s after the begin",
			process->loss_windows, format_ns(from, process->loss_from - process->begin),
			format_ns(to, process->loss_to - process->begin));
	fprintf(page->out, "; %" PRIu64 " gaps in what is known of the Ps.\n", process->gaps);
	fprintf(page->out, "  Counts above are lower bounds.  Larger buffers lose fewer "
			   "(lttng enable-channel --subbuf-size).\n");
}

static void print_process(const struct page *page)
{
	print_header(page->render, page->process);
	print_threads(page);
	if (page->process->procs > 0 || page->analyses->waits.handoffs > 0) {
		print_p_waits(page);
		print_handoffs(page);
		print_starvation(page);
	}
	print_call_sites(page);
	print_in_flight(page);
	print_lost(page);
}

void render_text_report(const struct render *render)
{
	struct page page = {.out = render->out, .render = render};

	for (uint32_t i = 0; (page.process = model_process(render->model, i)); i++) {
		if (i > 0)
			fputs("\n----------------------------------------\n\n", render->out);
		page.analyses = analyses_of(page.process);
		print_process(&page);
	}
}
