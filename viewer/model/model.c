/* SPDX-License-Identifier: MIT
 *
 * Owns the processes of a recording and which event goes to which part.
 *
 * A process is (trace, pid).  It begins with its `process` event, or with the
 * first event of its pid where that one was before the recording.  Another
 * `process` event of the same pid ends it: an exec, or the pid came again.
 *
 * A process ends when its main thread does.  Where that is not told (killed, or
 * left by exit_group), one that has something going on (calls in flight, tasks
 * that run) is taken to live as long as its trace reaches; else it ends with
 * its last event.
 */
#include "viewer/model/model.h"

#include <stdio.h>
#include <stdlib.h>

#include "viewer/model/parts.h"

struct model {
	struct model_consumer consumer;
	struct live **all; /* in the order in which they began */
	uint32_t count;
	struct map current; /* by trace and pid */
	struct live *last;  /* the one of the last event */
	int64_t *reach;     /* by trace */
	uint32_t reach_count;
};

struct model *model_open(const struct model_consumer *consumer)
{
	struct model *model = must_alloc(1, sizeof *model);

	model->consumer = *consumer;
	return model;
}

static uint64_t key_of(uint32_t trace, int64_t pid)
{
	return (uint64_t)trace << 32 | (uint32_t)pid;
}

/* --- life of a process ---------------------------------------------------------*/

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = must_copy(text);
}

static struct live *begin(struct model *model, const struct event *event)
{
	bool told = event->kind == EVENT_process;
	struct live *live = must_alloc(1, sizeof *live);
	char name[32];

	snprintf(name, sizeof name, "pid %lld", (long long)event->pid);
	live->consumer = &model->consumer;
	live->held_until = INT64_MAX;
	live->last_event = event->time;
	live->last_gap = INT64_MIN;
	live->last_task_end = INT64_MIN;
	live->process = (struct process){
	    .trace = event->trace,
	    .pid = event->pid,
	    .parent = told ? event->process.parent : -1,
	    .name = must_copy(told ? event->process.name : name),
	    .command = must_copy(told ? event->process.command : ""),
	    .workload = must_copy(""),
	    .settings = must_copy(""),
	    .mode = told ? event->process.mode : 0,
	    .begin = event->time,
	    .end = event->time,
	};
	model->all = must_grow(model->all, model->count + 1, sizeof *model->all);
	model->all[model->count++] = live;
	map_put(&model->current, key_of(event->trace, event->pid), live);
	live->process.consumer =
	    model->consumer.process_begin(model->consumer.context, &live->process);
	threads_begin(live, told ? event->process.tid : event->pid);
	return live;
}

static void finish(struct live *live, int64_t end)
{
	live->finished = true;
	live->process.end = between(end, live->last_event, INT64_MAX);
	end = live->process.end;
	procs_finish(live, end);
	threads_finish(live, end);
	tasks_finish(live, end);
	live->consumer->process_end(live->process.consumer, &live->process);
	procs_free(live);
	threads_free(live);
	live->procs = NULL;
	live->proc_count = 0;
}

static bool busy(const struct live *live)
{
	if (live->main_ended || procs_all_ended(live))
		return false;
	return threads_any_in_call(live) || procs_any_running(live);
}

static int64_t reach_of(const struct model *model, const struct live *live)
{
	uint32_t trace = live->process.trace;

	if (trace >= model->reach_count || !busy(live))
		return live->last_event;
	return between(model->reach[trace], live->last_event, INT64_MAX);
}

/* --- events --------------------------------------------------------------------*/

static void take_process(struct model *model, struct live *live, const struct event *event)
{
	if (live->last_event == event->time && event->time == live->process.begin)
		return; /* the event that made it */
	finish(live, event->time);
	model->last = begin(model, event);
}

static void take_module(struct live *live, const struct event *event)
{
	struct process *process = &live->process;

	process->modules =
	    must_grow(process->modules, process->module_count + 1, sizeof *process->modules);
	process->modules[process->module_count++] = (struct module){
	    .base = event->module.base,
	    .low = event->module.low,
	    .high = event->module.high,
	    .path = must_copy(event->module.path),
	    .build_id = event->module.build_id,
	};
}

static void take_workload(struct live *live, const struct event *event)
{
	set_text(&live->process.workload, event->workload.name);
	set_text(&live->process.settings, event->workload.settings);
}

static void take_procs(struct live *live, const struct event *event)
{
	live->process.procs = event->procs.procs;
	live->process.handoff = event->procs.handoff;
	procs_begin(live, event);
}

/* A call of a worker is in the order of its P; any other one is not. */
static void take_call_end(struct live *live, const struct event *event)
{
	if (event->call.worker >= 0 && event->call.proc >= 0)
		procs_take(live, event);
	else
		threads_call_end(live, event);
}

static void dispatch(struct live *live, const struct event *event)
{
	switch (event->kind) {
	case EVENT_workload:
		take_workload(live, event);
		break;
	case EVENT_module:
		take_module(live, event);
		break;
	case EVENT_procs:
		take_procs(live, event);
		break;
	case EVENT_worker_create:
		threads_worker_create(live, event);
		break;
	case EVENT_worker_start:
		threads_worker_start(live, event);
		break;
	case EVENT_worker_exit:
		threads_worker_exit(live, event);
		break;
	case EVENT_proc_start:
	case EVENT_proc_stop:
	case EVENT_proc_handoff:
	case EVENT_task_start:
	case EVENT_task_stop:
	case EVENT_task_end:
		procs_take(live, event);
		break;
	case EVENT_task_create:
		tasks_create(live, event);
		break;
	case EVENT_task_ready:
		tasks_ready(live, event);
		break;
	case EVENT_call_begin:
		threads_call_begin(live, event);
		break;
	case EVENT_call_end:
		take_call_end(live, event);
		break;
	case EVENT_thread_create:
		threads_create(live, event);
		break;
	case EVENT_thread_start:
		threads_start(live, event);
		break;
	case EVENT_thread_exit:
		live->main_ended = live->main_ended || event->thread.tid == live->process.pid;
		threads_exit(live, event);
		break;
	case EVENT_process:
	case EVENT_worker_park:
	case EVENT_KIND_COUNT:
		break;
	}
}

static struct live *find(struct model *model, const struct event *event)
{
	struct live *live = model->last;

	if (live && live->process.pid == event->pid && live->process.trace == event->trace)
		return live;
	live = map_get(&model->current, key_of(event->trace, event->pid));
	if (!live)
		live = begin(model, event);
	return model->last = live;
}

void model_event(struct model *model, const struct event *event)
{
	struct live *live = find(model, event);

	if (event->kind == EVENT_process)
		take_process(model, live, event);
	live = model->last;
	if (event->time >= live->held_until)
		procs_give_up_waiting(live, event->time);
	if (event->time > live->last_event)
		live->last_event = event->time;
	dispatch(live, event);
}

void model_loss(struct model *model, const struct event_loss *loss)
{
	for (uint32_t i = 0; i < model->count; i++) {
		struct live *live = model->all[i];
		struct process *process = &live->process;

		if (live->finished || process->trace != loss->trace)
			continue;
		if (process->loss_windows++ == 0)
			process->loss_from = loss->begin;
		process->loss_to = loss->end;
		process->lost += loss->count;
		if (loss->end > live->last_gap)
			live->last_gap = loss->end;
	}
}

void model_reach(struct model *model, uint32_t trace, int64_t end)
{
	for (; model->reach_count <= trace; model->reach_count++) {
		model->reach =
		    must_grow(model->reach, model->reach_count + 1, sizeof *model->reach);
		model->reach[model->reach_count] = INT64_MIN;
	}
	if (end > model->reach[trace])
		model->reach[trace] = end;
}

void model_finish(struct model *model)
{
	for (uint32_t i = 0; i < model->count; i++) {
		if (!model->all[i]->finished)
			finish(model->all[i], reach_of(model, model->all[i]));
	}
}

const struct process *model_process(const struct model *model, uint32_t index)
{
	return index < model->count ? &model->all[index]->process : NULL;
}

static void live_free(struct live *live)
{
	struct process *process = &live->process;

	for (uint32_t i = 0; i < process->module_count; i++)
		free(process->modules[i].path);
	free(process->modules);
	free(process->name);
	free(process->command);
	free(process->workload);
	free(process->settings);
	tasks_free(live);
	if (!live->finished) {
		procs_free(live);
		threads_free(live);
	}
	free(live);
}

void model_close(struct model *model)
{
	for (uint32_t i = 0; i < model->count; i++)
		live_free(model->all[i]);
	free(model->all);
	free(model->reach);
	map_free(&model->current);
	free(model);
}
