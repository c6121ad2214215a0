/* SPDX-License-Identifier: MIT
 *
 * Owns the spans of tasks.
 *
 *   task_create, task_ready            -> runnable
 *   task_start                         -> running
 *   task_stop  yield, preempted,
 *              thread affinity         -> runnable
 *              any other reason        -> parked
 *   task_end                           -> gone
 *   call_end   short                      running | in call | running
 *              after a handoff at h       running | in call | (h) in call
 *                                         without P | waiting for P | running
 *
 * The spans of a task begin with the first event that names it.
 * A task_ready may be told before the task_stop that it answers; it is kept
 * until that comes.
 */
#include "viewer/model/parts.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/vocabulary.h"

#define NAMES_MAX 4096

/* Names of tasks are kept once each.  A program that names every task
 * differently gets no names beyond the bound; functions still tell. */
static const char *intern(struct live *live, const char *name)
{
	if (!name || !*name)
		return "";
	for (unsigned i = live->name_count; i-- > 0;) {
		if (strcmp(live->names[i], name) == 0)
			return live->names[i];
	}
	if (live->name_count == NAMES_MAX)
		return "";
	live->names = must_grow(live->names, live->name_count + 1, sizeof *live->names);
	return live->names[live->name_count++] = must_copy(name);
}

struct task *tasks_get(struct live *live, uint64_t number, int64_t time)
{
	struct task *task = map_get(&live->tasks, number);

	if (task)
		return task;
	task = must_alloc(1, sizeof *task);
	task->name = (struct task_name){.task = number, .name = ""};
	task->state = TASK_UNKNOWN;
	/* An event that was held may be of a task that ended meanwhile. */
	task->since = between(time, live->last_task_end, INT64_MAX);
	map_put(&live->tasks, number, task);
	return task;
}

static void close_span(struct live *live, const struct task *task, int64_t to, bool open)
{
	struct task_span span = {
	    .from = task->since,
	    .to = to,
	    .state = task->state,
	    .task = task->name,
	    .uncertain = live->last_gap > task->since,
	    .open = open,
	};

	if (span.to > span.from)
		live->consumer->task_span(live->process.consumer, &span);
}

static void change(struct live *live, struct task *task, int64_t time, enum task_state state)
{
	time = between(time, task->since, INT64_MAX);
	close_span(live, task, time, false);
	task->state = state;
	task->since = time;
}

void tasks_create(struct live *live, const struct event *event)
{
	struct task *task = tasks_get(live, event->task_create.task, event->time);

	task->name.fn = event->task_create.fn;
	task->name.name = intern(live, event->task_create.name);
	/* Its creation may be told after its start on another P. */
	if (task->state == TASK_UNKNOWN) {
		task->since = between(event->time, task->since, INT64_MAX);
		task->state = TASK_RUNNABLE;
	}
}

const struct task *tasks_start(struct live *live, const struct event *event)
{
	struct task *task = tasks_get(live, event->on_proc.task, event->time);

	/* Its stop is missing, so when that was is not known.  From parked it
	 * may start: who made it ready may be told at the same time. */
	if (task->state != TASK_RUNNABLE && task->state != TASK_PARKED)
		task->state = TASK_UNKNOWN;
	change(live, task, event->time, TASK_RUNNING);
	task->ready_early = 0;
	task->handed_off = 0;
	return task;
}

static bool stays_runnable(int64_t reason)
{
	return reason == GTRACE_STOP_YIELD || reason == GTRACE_STOP_PREEMPTED ||
	       reason == GTRACE_STOP_AFFINITY;
}

void tasks_stop(struct live *live, const struct event *event)
{
	struct task *task = tasks_get(live, event->on_proc.task, event->time);
	bool runnable = stays_runnable(event->on_proc.reason) || task->ready_early;

	if (task->state != TASK_RUNNING)
		task->state = TASK_UNKNOWN;
	change(live, task, event->time, runnable ? TASK_RUNNABLE : TASK_PARKED);
	task->ready_early = 0;
}

void tasks_end(struct live *live, const struct event *event)
{
	struct task *task = tasks_get(live, event->on_proc.task, event->time);

	if (task->state != TASK_RUNNING)
		task->state = TASK_UNKNOWN;
	change(live, task, event->time, TASK_UNKNOWN);
	live->last_task_end = between(task->since, live->last_task_end, INT64_MAX);
	free(map_take(&live->tasks, event->on_proc.task));
}

void tasks_ready(struct live *live, const struct event *event)
{
	struct task *task = tasks_get(live, event->task_ready.task, event->time);

	if (task->state == TASK_PARKED || task->state == TASK_UNKNOWN)
		change(live, task, event->time, TASK_RUNNABLE);
	else if (task->state == TASK_RUNNING && event->time > task->since)
		task->ready_early = event->time;
}

void tasks_handed_off(struct live *live, const struct event *event)
{
	if (event->proc_handoff.task)
		tasks_get(live, event->proc_handoff.task, event->time)->handed_off = event->time;
}

/* The task ran until start, and was in the call until back. */
static void cut_call(struct live *live, struct task *task, int64_t start, int64_t back)
{
	int64_t handed_off = task->handed_off ? between(task->handed_off, start, back) : back;

	if (task->state != TASK_RUNNING && task->state != TASK_UNKNOWN)
		task->state = TASK_UNKNOWN;
	change(live, task, start, TASK_IN_CALL);
	change(live, task, handed_off, TASK_IN_CALL_NO_P);
	change(live, task, back, TASK_RUNNING);
	task->handed_off = 0;
}

void tasks_call_end(struct live *live, const struct event *event)
{
	struct task *task = tasks_get(live, event->call.task, event->time);
	int64_t start = event->call.start;
	int64_t back, running;

	/* A parked call left its spans as a stop and a start already. */
	if (event->call.path == GTRACE_PATH_PARKED)
		return;
	if (start == 0) { /* nobody saw it begin */
		task->state = TASK_UNKNOWN;
		task->handed_off = 0;
		change(live, task, event->time, TASK_RUNNING);
		return;
	}
	start = between(start, task->since, event->time);
	back = between(later(event->call.start, event->call.duration), start, event->time);
	running = between(later(later(event->call.start, event->call.duration), event->call.p_wait),
			  back, event->time);
	if (event->call.path != GTRACE_PATH_SHORT && !task->handed_off)
		task->handed_off = start; /* its handoff was lost */
	cut_call(live, task, start, back);
	task->state = TASK_WAITING_FOR_P;
	change(live, task, running, TASK_RUNNING);
}

void tasks_call_in_flight(struct live *live, const struct open_call *call, int64_t end)
{
	struct task *task = map_get(&live->tasks, call->task);

	if (!task || task->state != TASK_RUNNING || call->start == 0)
		return;
	change(live, task, between(call->start, task->since, end), TASK_IN_CALL);
	if (task->handed_off)
		change(live, task, between(task->handed_off, task->since, end), TASK_IN_CALL_NO_P);
}

void tasks_finish(struct live *live, int64_t end)
{
	struct task *task;

	for (size_t at = 0; (task = map_next(&live->tasks, &at));) {
		close_span(live, task, end, true);
		free(task);
	}
	map_free(&live->tasks);
}

void tasks_free(struct live *live)
{
	struct task *task;

	for (size_t at = 0; (task = map_next(&live->tasks, &at));)
		free(task);
	map_free(&live->tasks);
	for (unsigned i = 0; i < live->name_count; i++)
		free(live->names[i]);
	free(live->names);
}
