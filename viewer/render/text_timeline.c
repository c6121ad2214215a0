/* SPDX-License-Identifier: MIT
 *
 * Owns the form of the timeline in a terminal: for each process the worst
 * incidents, then a line for each P over time, and below them how many tasks
 * waited for a P, how many starved, and how many threads there were.
 *
 * A column shows the state that its P was in for most of that time; what is
 * unknown for more than a quarter of it is shown as unknown.
 */
#include "viewer/render/render.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LABEL_WIDTH 10
#define TAIL_WIDTH 10
#define COLUMNS_MIN 10
#define LANES_MAX 64
#define SHOWN_MAX 5
#define CULPRITS_SHOWN 3

static const struct {
	const char *name, *unicode, *ascii, *color;
} states[PROC_STATE_COUNT] = {
    [PROC_IDLE] = {"idle", "·", ".", "\033[90m"},
    [PROC_RUNNING] = {"running", "█", "#", "\033[32m"},
    [PROC_IN_CALL] = {"in call", "▒", "c", "\033[33m"},
    [PROC_MOVING] = {"handed off", "›", ">", "\033[36m"},
    [PROC_UNKNOWN] = {"unknown", "?", "?", "\033[35m"},
};

static const char *const levels_unicode[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const levels_ascii[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
#define LEVELS 8

#define COLOR_OFF "\033[0m"
#define COLOR_WAIT "\033[31m"

struct chart {
	FILE *out;
	const struct render *render;
	const struct process *process;
	const struct timeline *timeline;
	const struct timeline_look *look;
	int columns;
	int buckets; /* in use */
};

/* --- incidents -----------------------------------------------------------------*/

static void print_culprits(const struct chart *chart, const struct incident *incident)
{
	char task[FORMAT_SIZE], ran[FORMAT_SIZE];
	int64_t others = incident->all_ran_ns;

	for (unsigned i = 0; i < incident->culprit_count && i < CULPRITS_SHOWN; i++) {
		const struct culprit *culprit = &incident->culprits[i];

		fprintf(chart->out, "%s%s %s", i ? ", " : "; ran meanwhile: ",
			format_task(task, chart->render, chart->process, &culprit->task),
			format_ns(ran, culprit->ran_ns));
		others -= culprit->ran_ns;
	}
	if (incident->culprit_count > CULPRITS_SHOWN)
		fprintf(chart->out, ", others %s", format_ns(ran, others));
}

static void print_incident(const struct chart *chart, const struct incident *incident,
			   const char *what)
{
	char length[FORMAT_SIZE], at[FORMAT_SIZE], task[FORMAT_SIZE];

	fprintf(chart->out, "  at %8s  %s%s %8s%s  %s%s",
		format_ns(at, incident->from - chart->process->begin),
		chart->look->color ? COLOR_WAIT : "", what,
		format_ns(length, incident->to - incident->from),
		chart->look->color ? COLOR_OFF : "",
		format_task(task, chart->render, chart->process, &incident->task),
		incident->open ? " (until the end)" : "");
	print_culprits(chart, incident);
	fputc('\n', chart->out);
}

static void print_list(const struct chart *chart, const struct incident_list *list,
		       const char *what)
{
	const struct incident *picked[SHOWN_MAX];
	unsigned shown = incidents_pick(list, picked, SHOWN_MAX);

	for (unsigned i = 0; i < shown; i++)
		print_incident(chart, picked[i], what);
	if (list->total > shown)
		fprintf(chart->out, "  and %" PRIu64 " more of this kind\n", list->total - shown);
}

static void print_incidents(const struct chart *chart)
{
	const struct incidents *incidents = &analyses_of(chart->process)->incidents;

	if (incidents->starvation.total + incidents->p_wait.total == 0) {
		fprintf(chart->out, "\nNo incident: no task waited for a P after a call, none was "
				    "runnable for over 10 ms.\n");
		return;
	}
	fprintf(chart->out, "\nWorst incidents\n");
	print_list(chart, &incidents->starvation, "starved");
	print_list(chart, &incidents->p_wait, "P wait ");
}

/* --- lanes ---------------------------------------------------------------------*/

static int first_bucket(const struct chart *chart, int column)
{
	return (int)((int64_t)column * chart->buckets / chart->columns);
}

static int last_bucket(const struct chart *chart, int column)
{
	int end = first_bucket(chart, column + 1);

	return end > first_bucket(chart, column) ? end : first_bucket(chart, column) + 1;
}

static void sum_column(const struct chart *chart, float (*lane)[PROC_STATE_COUNT], int column,
		       double sum[PROC_STATE_COUNT])
{
	memset(sum, 0, PROC_STATE_COUNT * sizeof *sum);
	for (int i = first_bucket(chart, column); i < last_bucket(chart, column); i++) {
		for (int state = 0; state < PROC_STATE_COUNT; state++)
			sum[state] += (double)lane[i][state];
	}
}

/* PROC_STATE_COUNT: the P was not there. */
static int state_of(const double sum[PROC_STATE_COUNT])
{
	int most = PROC_IDLE;
	double all = 0;

	for (int state = 0; state < PROC_STATE_COUNT; state++) {
		all += sum[state];
		if (sum[state] > sum[most])
			most = state;
	}
	if (all <= 0)
		return PROC_STATE_COUNT;
	return sum[PROC_UNKNOWN] > all / 4 ? PROC_UNKNOWN : most;
}

static void put_state(const struct chart *chart, int state, int *colored)
{
	if (chart->look->color && state != *colored)
		fputs(state == PROC_STATE_COUNT ? COLOR_OFF : states[state].color, chart->out);
	*colored = state;
	if (state == PROC_STATE_COUNT)
		fputc(' ', chart->out);
	else
		fputs(chart->look->unicode ? states[state].unicode : states[state].ascii,
		      chart->out);
}

static void print_lane(const struct chart *chart, int64_t proc)
{
	float(*lane)[PROC_STATE_COUNT] = chart->timeline->lanes[proc];
	double sum[PROC_STATE_COUNT], running = 0, all = 0;
	int colored = PROC_STATE_COUNT;
	char label[32];

	snprintf(label, sizeof label, "P%" PRId64, proc);
	fprintf(chart->out, "%-*s", LABEL_WIDTH, label);
	for (int column = 0; column < chart->columns; column++) {
		sum_column(chart, lane, column, sum);
		put_state(chart, state_of(sum), &colored);
		running += sum[PROC_RUNNING];
		for (int state = 0; state < PROC_STATE_COUNT; state++)
			all += sum[state];
	}
	if (chart->look->color)
		fputs(COLOR_OFF, chart->out);
	if (all > 0)
		fprintf(chart->out, " %3.0f %% run", 100 * running / all);
	fputc('\n', chart->out);
}

static void print_lanes(const struct chart *chart)
{
	int64_t shown = 0, there = 0;

	for (int64_t i = 0; i < chart->timeline->lane_count; i++) {
		if (!chart->timeline->lanes[i])
			continue;
		there++;
		if (shown < LANES_MAX) {
			print_lane(chart, i);
			shown++;
		}
	}
	if (there > shown)
		fprintf(chart->out, "and %" PRId64 " more Ps\n", there - shown);
}

/* --- counters ------------------------------------------------------------------*/

static double column_peak(const struct chart *chart, const struct timeline_counter *counter,
			  int column)
{
	double peak = 0;

	for (int i = first_bucket(chart, column); i < last_bucket(chart, column); i++)
		peak = fmax(peak, (double)counter->now[i]);
	return peak;
}

static void print_counter(const struct chart *chart, const char *name,
			  const struct timeline_counter *counter)
{
	const char *const *levels = chart->look->unicode ? levels_unicode : levels_ascii;
	double peak = 0;

	for (int column = 0; column < chart->columns; column++)
		peak = fmax(peak, column_peak(chart, counter, column));
	fprintf(chart->out, "%-*s", LABEL_WIDTH, name);
	for (int column = 0; column < chart->columns; column++) {
		double value = column_peak(chart, counter, column);
		/* A little is more than nothing, so it gets the lowest mark. */
		int level = value > 1e-6 && peak > 0 ? (int)ceil(value / peak * LEVELS) : 0;

		fputs(levels[level > LEVELS ? LEVELS : level], chart->out);
	}
	if (peak > 1e-6 && peak < 0.995)
		fprintf(chart->out, " max <1\n");
	else
		fprintf(chart->out, " max %.0f\n", fmax(ceil(peak - 0.005), 0));
}

/* --- the frame -----------------------------------------------------------------*/

static void print_axis(const struct chart *chart)
{
	int64_t begin = chart->timeline->from - chart->process->begin;
	int64_t length = chart->timeline->to - chart->timeline->from;
	char from[FORMAT_SIZE], middle[FORMAT_SIZE], to[FORMAT_SIZE];
	int half = chart->columns / 2;

	format_ns(from, begin);
	format_ns(middle, begin + length / 2);
	format_ns(to, begin + length);
	fprintf(chart->out, "%*s", LABEL_WIDTH, "");
	if (chart->columns < 36)
		fprintf(chart->out, "%s..%s\n", from, to);
	else
		fprintf(chart->out, "%-*s%-*s%*s\n", half, from, chart->columns - half - 10, middle,
			10, to);
}

static void print_legend(const struct chart *chart)
{
	fprintf(chart->out, "%*s", LABEL_WIDTH, "");
	for (int state = 0; state < PROC_STATE_COUNT; state++)
		fprintf(chart->out, "%s%s%s %s  ", chart->look->color ? states[state].color : "",
			chart->look->unicode ? states[state].unicode : states[state].ascii,
			chart->look->color ? COLOR_OFF : "", states[state].name);
	fputc('\n', chart->out);
}

static void print_chart(struct chart *chart)
{
	int64_t length = chart->timeline->to - chart->timeline->from;

	if (length <= 0) {
		fprintf(chart->out, "\nNothing in this part of time.\n");
		return;
	}
	chart->buckets = (int)((length + chart->timeline->width - 1) / chart->timeline->width);
	if (chart->buckets > TIMELINE_BUCKETS)
		chart->buckets = TIMELINE_BUCKETS;
	fputc('\n', chart->out);
	print_axis(chart);
	print_lanes(chart);
	if (chart->timeline->lane_count > 0) {
		print_counter(chart, "P waits", &chart->timeline->waiting);
		print_counter(chart, "starving", &chart->timeline->starving);
	}
	print_counter(chart, "threads", &chart->timeline->threads);
	if (chart->timeline->lane_count > 0)
		print_legend(chart);
}

void render_text_timeline(const struct render *render, const struct timeline_look *look)
{
	struct chart chart = {.out = render->out, .render = render, .look = look};

	chart.columns = look->width - LABEL_WIDTH - TAIL_WIDTH;
	if (chart.columns < COLUMNS_MIN)
		chart.columns = COLUMNS_MIN;
	for (uint32_t i = 0; (chart.process = model_process(render->model, i)); i++) {
		if (i > 0)
			fputc('\n', render->out);
		chart.timeline = &analyses_of(chart.process)->timeline;
		print_header(render, chart.process);
		print_incidents(&chart);
		print_chart(&chart);
	}
}
