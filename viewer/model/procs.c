/* SPDX-License-Identifier: MIT
 *
 * Owns the order of the events of a P, and its spans.
 *
 * Order.  Events of one P are numbered.  One that comes before its turn (equal
 * times on two CPUs, or a hook that was told late) is held until those before
 * it have come.  If they do not come within HELD_NS, or HELD_MAX are held,
 * they are lost: the P is unknown from the last event to the first held one.
 *
 *   proc_start                 -> idle       task_start          -> running
 *   proc_stop                  -> idle       task_stop, task_end -> idle
 *   proc_handoff to a worker   -> moving     proc_handoff to -1  -> idle
 *   call_end  short               ... | in call | running
 *             after a handoff     ... | running, from return + wait for P on
 */
#include "viewer/model/parts.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/vocabulary.h"

#define HELD_NS INT64_C(1000000)

void procs_span(struct live *live, int64_t proc, int64_t from, int64_t to, enum proc_state state,
		const struct task_name *task)
{
	struct proc_span span = {.proc = proc, .from = from, .to = to, .state = state};

	if (to <= from)
		return;
	if (state == PROC_RUNNING || state == PROC_IN_CALL)
		span.task = *task;
	else
		span.task.name = "";
	live->consumer->proc_span(live->process.consumer, &span);
}

static void change(struct live *live, struct proc *proc, int64_t time, enum proc_state state)
{
	if (state == proc->state && (state == PROC_IDLE || state == PROC_UNKNOWN))
		return; /* one span */
	time = between(time, proc->since, INT64_MAX);
	procs_span(live, proc->number, proc->since, time, proc->state, &proc->task);
	proc->state = state;
	proc->since = time;
}

static struct proc *get(struct live *live, int64_t number)
{
	if (number < 0 || number >= PROCS_MAX)
		return NULL;
	if (number >= live->proc_count) {
		live->procs = must_grow(live->procs, (size_t)number + 1, sizeof *live->procs);
		memset(live->procs + live->proc_count, 0,
		       (size_t)(number + 1 - live->proc_count) * sizeof *live->procs);
		live->proc_count = number + 1;
	}
	return &live->procs[number];
}

/* A P begins as idle if its scheduler was seen to start, else as unknown. */
static void exist(struct proc *proc, int64_t number, int64_t since, enum proc_state state)
{
	if (proc->exists)
		return;
	*proc = (struct proc){
	    .number = number,
	    .exists = true,
	    .state = state,
	    .since = since,
	    .moving_to = -1,
	    .task.name = "",
	    .held = proc->held,
	};
}

static void apply(struct live *live, struct proc *proc, const struct event *event);

/* The events that it waited for are lost. */
static void gap(struct live *live, struct proc *proc, int64_t time)
{
	proc->state = PROC_UNKNOWN;
	change(live, proc, time, PROC_UNKNOWN);
	proc->moving_to = -1;
	live->process.gaps++;
	live->last_gap = time;
}

static uint32_t sequence(const struct event *event)
{
	return (uint32_t)event->on_proc.seq;
}

static void remove_held(struct proc *proc, unsigned index)
{
	proc->held_count--;
	memmove(&proc->held[index], &proc->held[index + 1],
		(proc->held_count - index) * sizeof *proc->held);
}

/* Hand on what is held and has its turn now. */
static void drain(struct live *live, struct proc *proc)
{
	for (unsigned i = 0; i < proc->held_count;) {
		if (sequence(&proc->held[i]) != proc->next_seq) {
			i++;
			continue;
		}
		struct event event = proc->held[i];

		remove_held(proc, i);
		apply(live, proc, &event);
		i = 0;
	}
}

/* Give the missing ones up. */
static void skip_gap(struct live *live, struct proc *proc)
{
	unsigned first = 0;

	for (unsigned i = 1; i < proc->held_count; i++) {
		if ((int32_t)(sequence(&proc->held[i]) - sequence(&proc->held[first])) < 0)
			first = i;
	}
	gap(live, proc, proc->held[first].time);
	proc->next_seq = sequence(&proc->held[first]);
	drain(live, proc);
}

static void hold(struct live *live, struct proc *proc, const struct event *event)
{
	if (!proc->held)
		proc->held = must_alloc(HELD_MAX, sizeof *proc->held);
	if (proc->held_count == HELD_MAX)
		skip_gap(live, proc);
	proc->held[proc->held_count++] = *event;
	if (event->time + HELD_NS < live->held_until)
		live->held_until = event->time + HELD_NS;
}

void procs_give_up_waiting(struct live *live, int64_t now)
{
	live->held_until = INT64_MAX;
	for (int64_t i = 0; i < live->proc_count; i++) {
		struct proc *proc = &live->procs[i];

		while (proc->held_count > 0 && proc->held[0].time + HELD_NS <= now)
			skip_gap(live, proc);
		if (proc->held_count > 0 && proc->held[0].time + HELD_NS < live->held_until)
			live->held_until = proc->held[0].time + HELD_NS;
	}
}

void procs_take(struct live *live, const struct event *event)
{
	struct proc *proc = get(live, event->on_proc.proc);
	int32_t ahead;

	if (!proc)
		return;
	exist(proc, event->on_proc.proc, live->process.begin, PROC_UNKNOWN);
	if (!proc->ordered) { /* who knows how many came before the recording */
		proc->ordered = true;
		proc->next_seq = sequence(event);
	}
	ahead = (int32_t)(sequence(event) - proc->next_seq);
	if (ahead < 0)
		return; /* it was given up already */
	if (ahead > 0) {
		hold(live, proc, event);
		return;
	}
	apply(live, proc, event);
	if (proc->held_count > 0)
		drain(live, proc);
}

/* --- the meaning of each event -------------------------------------------------*/

static void on_start(struct live *live, struct proc *proc, const struct event *event)
{
	int64_t handed_off = proc->since;
	bool moved = proc->state == PROC_MOVING && proc->moving_to == event->on_proc.worker;

	change(live, proc, event->time, PROC_IDLE);
	if (moved)
		live->consumer->handoff(live->process.consumer,
					proc->moving_new ? HANDOFF_STARTED_NEW
							 : HANDOFF_STARTED_REUSED,
					event->time - handed_off);
	proc->moving_to = -1;
}

static void on_handoff(struct live *live, struct proc *proc, const struct event *event)
{
	bool known = proc->state == PROC_RUNNING && proc->task.task == event->proc_handoff.task;

	live->consumer->handoff(live->process.consumer, HANDOFF_DECIDED, 0);
	tasks_handed_off(live, event);
	if (known) {
		int64_t from = proc->since;

		proc->since = between(event->time, from, INT64_MAX);
		threads_handoff(live, event, from, &proc->task);
	} else {
		threads_handoff(live, event, event->time, &proc->task);
	}
	change(live, proc, event->time, event->proc_handoff.to >= 0 ? PROC_MOVING : PROC_IDLE);
	proc->moving_to = event->proc_handoff.to;
	proc->moving_new = event->proc_handoff.new_thread != 0;
}

static void on_task_start(struct live *live, struct proc *proc, const struct event *event)
{
	const struct task *task = tasks_start(live, event);

	threads_not_in_call(live, event->on_proc.worker);
	change(live, proc, event->time, PROC_RUNNING);
	proc->task = task->name;
}

static void run_task(struct live *live, struct proc *proc, int64_t from, uint64_t task)
{
	change(live, proc, from, PROC_RUNNING);
	if (task != proc->task.task)
		proc->task = tasks_get(live, task, from)->name;
}

static void on_short_call(struct live *live, struct proc *proc, const struct event *event)
{
	int64_t start = between(event->call.start, proc->since, event->time);
	int64_t back = between(later(event->call.start, event->call.duration), start, event->time);

	if (event->call.start == 0) { /* it began before the recording */
		proc->state = PROC_UNKNOWN;
		run_task(live, proc, event->time, event->call.task);
		return;
	}
	run_task(live, proc, start, event->call.task);
	proc->state = PROC_IN_CALL;
	run_task(live, proc, back, event->call.task);
}

static void on_call_end(struct live *live, struct proc *proc, const struct event *event)
{
	int64_t back = later(event->call.start, event->call.duration);
	int64_t running = later(back, event->call.p_wait);

	tasks_call_end(live, event);
	threads_call_end(live, event);
	switch (event->call.path) {
	case GTRACE_PATH_SHORT:
		on_short_call(live, proc, event);
		break;
	case GTRACE_PATH_PARKED: /* its stop and start were told as any other */
		if (proc->state != PROC_RUNNING || proc->task.task != event->call.task)
			run_task(live, proc, event->time, event->call.task);
		break;
	default:
		if (event->call.start == 0)
			running = event->time;
		run_task(live, proc, between(running, proc->since, event->time), event->call.task);
	}
}

static void apply(struct live *live, struct proc *proc, const struct event *event)
{
	proc->next_seq = sequence(event) + 1;
	switch (event->kind) {
	case EVENT_proc_start:
		on_start(live, proc, event);
		break;
	case EVENT_proc_stop:
		change(live, proc, event->time, PROC_IDLE);
		proc->ended = event->on_proc.reason == GTRACE_PROC_STOP_END;
		return;
	case EVENT_proc_handoff:
		on_handoff(live, proc, event);
		break;
	case EVENT_task_start:
		on_task_start(live, proc, event);
		break;
	case EVENT_task_stop:
		tasks_stop(live, event);
		change(live, proc, event->time, PROC_IDLE);
		break;
	case EVENT_task_end:
		tasks_end(live, event);
		change(live, proc, event->time, PROC_IDLE);
		break;
	case EVENT_call_end:
		on_call_end(live, proc, event);
		break;
	default:
		break;
	}
	proc->ended = false;
}

/* --- begin and end -------------------------------------------------------------*/

static void flush_held(struct live *live, struct proc *proc)
{
	while (proc->held_count > 0)
		skip_gap(live, proc);
}

/* A scheduler starts.  Where one had been before, its Ps end here. */
void procs_begin(struct live *live, const struct event *event)
{
	int64_t count = between(event->procs.procs, 0, PROCS_MAX);

	for (int64_t i = 0; i < live->proc_count; i++) {
		struct proc *proc = &live->procs[i];

		if (!proc->exists)
			continue;
		flush_held(live, proc);
		change(live, proc, event->time, PROC_IDLE);
		proc->ordered = false;
	}
	for (int64_t i = 0; i < count; i++) {
		struct proc *proc = get(live, i);

		if (proc->exists)
			continue;
		exist(proc, i, event->time, PROC_IDLE);
		proc->ordered = true;
		proc->next_seq = 1;
	}
}

bool procs_all_ended(const struct live *live)
{
	bool any = false;

	for (int64_t i = 0; i < live->proc_count; i++) {
		const struct proc *proc = &live->procs[i];

		if (!proc->exists || (proc->next_seq <= 1 && proc->state == PROC_IDLE))
			continue; /* it was never used */
		any = any || proc->ended;
		if (proc->state != PROC_IDLE)
			return false;
	}
	return any;
}

bool procs_any_running(const struct live *live)
{
	for (int64_t i = 0; i < live->proc_count; i++) {
		if (live->procs[i].exists && live->procs[i].state == PROC_RUNNING)
			return true;
	}
	return false;
}

/* A P whose task is still in its call without having let go of it. */
static void cut_in_flight(struct live *live, struct proc *proc, int64_t end)
{
	const struct open_call *call;

	if (proc->state != PROC_RUNNING)
		return;
	call = threads_call_of_task(live, proc->task.task);
	if (call && call->start != 0)
		change(live, proc, between(call->start, proc->since, end), PROC_IN_CALL);
}

void procs_finish(struct live *live, int64_t end)
{
	for (int64_t i = 0; i < live->proc_count; i++) {
		struct proc *proc = &live->procs[i];

		if (!proc->exists)
			continue;
		flush_held(live, proc);
		cut_in_flight(live, proc, end);
		procs_span(live, proc->number, proc->since, end, proc->state, &proc->task);
	}
}

void procs_free(struct live *live)
{
	for (int64_t i = 0; i < live->proc_count; i++)
		free(live->procs[i].held);
	free(live->procs);
}
