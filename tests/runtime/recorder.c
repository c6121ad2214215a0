/* SPDX-License-Identifier: MIT
 *
 * The tracer of recorder.h.
 *
 * Events stand in one array; a place is taken by an atomic add, so whatever
 * happened before something else stands before it.  Two stories are checked:
 * that of each proc, by its sequence numbers, and that of each task, by place.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/hooks.h"
#include "runtime/sys.h"
#include "tests/runtime/recorder.h"

enum kind {
	NOTHING,
	PROC_START,
	PROC_STOP,
	PROC_HANDOFF,
	TASK_CREATE,
	TASK_START,
	TASK_STOP,
	TASK_READY,
	TASK_END,
	TASK_STEAL,
	CALL_BEGIN,
	CALL_END,
	WORKER_CREATE,
	WORKER_START,
	WORKER_EXIT,
	STACK_ALLOC,
	STACK_FREE,
};

struct event {
	enum kind kind;
	int32_t proc;
	uint32_t seq; /* in the order of the proc; 0: in none */
	int32_t worker;
	int32_t to;
	uint32_t why; /* reason, path, result, tasks: by kind */
	uint64_t task;
	uint64_t call_seq;
	int64_t start;
	int64_t ended; /* start, duration and wait */
	int64_t at;
};

#define EVENTS_MOST ((size_t)8 << 20)

static struct event *events;
static _Atomic size_t length;
static bool enabled;
static char problem[256];

/* --- writing down ---------------------------------------------------------*/

static void add(struct event event)
{
	size_t place = atomic_fetch_add(&length, 1);

	event.at = sys_now();
	if (place < EVENTS_MOST)
		events[place] = event;
}

static void on_proc_start(int32_t proc, uint32_t seq, int32_t worker)
{
	add((struct event){.kind = PROC_START, .proc = proc, .seq = seq, .worker = worker});
}

static void on_proc_stop(int32_t proc, uint32_t seq, int32_t worker, uint32_t why)
{
	add((struct event){
	    .kind = PROC_STOP, .proc = proc, .seq = seq, .worker = worker, .why = why});
}

static void on_proc_handoff(int32_t proc, uint32_t seq, int32_t from, int32_t to, uint32_t why,
			    bool new_thread, uint64_t task, uint64_t call_seq)
{
	(void)new_thread;
	add((struct event){.kind = PROC_HANDOFF,
			   .proc = proc,
			   .seq = seq,
			   .worker = from,
			   .to = to,
			   .why = why,
			   .task = task,
			   .call_seq = call_seq});
}

static void on_task_create(uint64_t task, uint64_t parent, const void *fn, const char *name)
{
	(void)parent;
	(void)fn;
	(void)name;
	add((struct event){.kind = TASK_CREATE, .task = task});
}

static void on_task_start(int32_t proc, uint32_t seq, int32_t worker, uint64_t task)
{
	add((struct event){
	    .kind = TASK_START, .proc = proc, .seq = seq, .worker = worker, .task = task});
}

static void on_task_stop(int32_t proc, uint32_t seq, int32_t worker, uint64_t task, uint32_t why)
{
	add((struct event){.kind = TASK_STOP,
			   .proc = proc,
			   .seq = seq,
			   .worker = worker,
			   .task = task,
			   .why = why});
}

static void on_task_ready(uint64_t task, uint64_t by)
{
	(void)by;
	add((struct event){.kind = TASK_READY, .task = task});
}

static void on_task_end(int32_t proc, uint32_t seq, int32_t worker, uint64_t task)
{
	add((struct event){
	    .kind = TASK_END, .proc = proc, .seq = seq, .worker = worker, .task = task});
}

static void on_task_steal(int32_t to, int32_t from, uint32_t tasks)
{
	add((struct event){.kind = TASK_STEAL, .proc = to, .to = from, .why = tasks});
}

static struct event of_call(enum kind kind, const struct grt_call_record *record)
{
	return (struct event){.kind = kind,
			      .proc = record->proc,
			      .seq = record->proc_seq,
			      .worker = record->worker,
			      .why = record->path,
			      .task = record->task,
			      .call_seq = record->seq,
			      .start = record->start_ns,
			      .ended = record->start_ns + record->duration_ns + record->p_wait_ns};
}

static void on_call_begin(const struct grt_call_record *record)
{
	add(of_call(CALL_BEGIN, record));
}

static void on_call_end(const struct grt_call_record *record)
{
	struct event event = of_call(CALL_END, record);

	if (record->duration_ns < 0 || record->p_wait_ns < 0)
		event.ended = INT64_MAX;
	add(event);
}

static void on_worker_create(const struct grt_worker_record *record)
{
	add((struct event){
	    .kind = WORKER_CREATE, .worker = record->worker, .why = (uint32_t)record->result});
}

static void on_worker_start(int32_t worker, int32_t tid)
{
	(void)tid;
	add((struct event){.kind = WORKER_START, .worker = worker});
}

static void on_worker_exit(int32_t worker)
{
	add((struct event){.kind = WORKER_EXIT, .worker = worker});
}

static void on_stack_alloc(uint64_t task, const void *low, uint64_t size, bool reused)
{
	(void)low;
	(void)size;
	(void)reused;
	add((struct event){.kind = STACK_ALLOC, .task = task});
}

static void on_stack_free(uint64_t task, const void *low, uint64_t size)
{
	(void)low;
	(void)size;
	add((struct event){.kind = STACK_FREE, .task = task});
}

__attribute__((visibility("default"))) grt_attach_fn gtrace_attach;

bool gtrace_attach(unsigned version, struct grt_hooks *hooks, const struct grt_runtime *runtime)
{
	static const int on = 1;

	(void)runtime;
	if (!enabled || version != GRT_HOOKS_VERSION)
		return false;
#define LISTEN(name) (hooks->name.call = on_##name, hooks->name.on = &on)
	LISTEN(proc_start);
	LISTEN(proc_stop);
	LISTEN(proc_handoff);
	LISTEN(task_create);
	LISTEN(task_start);
	LISTEN(task_stop);
	LISTEN(task_ready);
	LISTEN(task_end);
	LISTEN(task_steal);
	LISTEN(call_begin);
	LISTEN(call_end);
	LISTEN(worker_create);
	LISTEN(worker_start);
	LISTEN(worker_exit);
	LISTEN(stack_alloc);
	LISTEN(stack_free);
#undef LISTEN
	return true;
}

void recorder_enable(void)
{
	events = mmap(NULL, EVENTS_MOST * sizeof(*events), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (events == MAP_FAILED)
		abort();
	enabled = true;
}

void recorder_clear(void)
{
	atomic_store(&length, 0);
}

/* --- the story of each proc -----------------------------------------------*/

static const char *wrong(const char *what, const struct event *event)
{
	snprintf(problem, sizeof(problem),
		 "%s: event %td kind %d P%d seq %u M%d why %u G%" PRIu64 " call %" PRIu64, what,
		 event - events, (int)event->kind, event->proc, event->seq, event->worker,
		 event->why, event->task, event->call_seq);
	return problem;
}

struct proc_story {
	const struct event **by_seq;
	size_t count;
	int worker;   /* that holds it; -1: none */
	int expected; /* the worker that it was handed to; -1: any */
	uint64_t task;
};

static const char *sort_by_seq(struct proc_story *procs, int count, size_t total)
{
	for (size_t i = 0; i < total; i++)
		if (events[i].seq) {
			if (events[i].proc < 0 || events[i].proc >= count)
				return wrong("no such proc", &events[i]);
			procs[events[i].proc].count++;
		}
	for (int i = 0; i < count; i++)
		procs[i].by_seq = calloc(procs[i].count + 1, sizeof(*procs[i].by_seq));
	for (size_t i = 0; i < total; i++) {
		struct proc_story *proc = &procs[events[i].seq ? events[i].proc : 0];

		if (!events[i].seq)
			continue;
		if (events[i].seq > proc->count)
			return wrong("a gap before", &events[i]);
		if (proc->by_seq[events[i].seq])
			return wrong("a number twice", &events[i]);
		proc->by_seq[events[i].seq] = &events[i];
	}
	return NULL;
}

static const char *begin_hold(struct proc_story *proc, const struct event *event)
{
	if (proc->worker >= 0)
		return wrong("start of a proc that is held", event);
	if (proc->expected >= 0 && proc->expected != event->worker)
		return wrong("start on another worker than it was handed to", event);
	proc->worker = event->worker;
	proc->expected = -1;
	proc->task = 0;
	return NULL;
}

static const char *end_hold(struct proc_story *proc, const struct event *event)
{
	/* Worker -1: no thread was to be had for a proc that nobody holds. */
	if (event->worker != proc->worker || proc->task)
		return wrong("stop of a proc by one that does not hold it, or in a task", event);
	proc->worker = -1;
	proc->expected = -1;
	return NULL;
}

static const char *hand_over(struct proc_story *proc, const struct event *event)
{
	if (event->worker != proc->worker || event->task != proc->task)
		return wrong("handoff from one that does not hold it", event);
	proc->worker = -1;
	proc->expected = event->to;
	proc->task = 0;
	return NULL;
}

static const char *end_call(struct proc_story *proc, const struct event *event)
{
	bool lost = event->why != GRT_PATH_SHORT && event->why != GRT_PATH_PARKED;

	if (proc->worker != event->worker || proc->task != (lost ? 0 : event->task))
		return wrong("end of a call of another task or worker", event);
	proc->task = event->task;
	return NULL;
}

static const char *step_proc(struct proc_story *proc, const struct event *event)
{
	switch (event->kind) {
	case PROC_START:
		return begin_hold(proc, event);
	case PROC_STOP:
		return end_hold(proc, event);
	case PROC_HANDOFF:
		return hand_over(proc, event);
	case CALL_END:
		return end_call(proc, event);
	case TASK_START:
		if (proc->worker != event->worker || proc->task)
			return wrong("start of a task beside another, or without the proc", event);
		proc->task = event->task;
		return NULL;
	case TASK_STOP:
	case TASK_END:
		if (proc->worker != event->worker || proc->task != event->task)
			return wrong("stop of a task that does not run there", event);
		proc->task = 0;
		return NULL;
	default:
		return wrong("a number where none belongs", event);
	}
}

static const char *check_procs(int count, size_t total)
{
	struct proc_story *procs = calloc((size_t)count, sizeof(*procs));
	const char *bad = sort_by_seq(procs, count, total);

	for (int i = 0; i < count && !bad; i++) {
		procs[i].worker = procs[i].expected = -1;
		for (size_t seq = 1; seq <= procs[i].count && !bad; seq++)
			bad = procs[i].by_seq[seq] ? step_proc(&procs[i], procs[i].by_seq[seq])
						   : "a number is missing";
		if (!bad && procs[i].worker >= 0)
			bad = wrong("held at the end", procs[i].by_seq[procs[i].count]);
	}
	for (int i = 0; i < count; i++)
		free(procs[i].by_seq);
	free(procs);
	return bad;
}

/* --- the story of each task -----------------------------------------------*/

enum state { UNKNOWN, RUNNABLE, RUNNING, PARKED, DEAD };

struct task_story {
	enum state state;
	bool stack;
};

/* kind, the states it may be met in (bits), the one after. */
static const struct {
	enum kind kind;
	unsigned from;
	enum state to;
} steps[] = {
    {TASK_CREATE, 1u << UNKNOWN, RUNNABLE}, {TASK_START, 1u << RUNNABLE, RUNNING},
    {TASK_READY, 1u << PARKED, RUNNABLE},   {TASK_STOP, 1u << RUNNING, PARKED},
    {TASK_END, 1u << RUNNING, DEAD},        {CALL_END, 1u << RUNNING, RUNNING},
};

static const char *step_task(struct task_story *task, const struct event *event)
{
	if (event->kind == STACK_ALLOC || event->kind == STACK_FREE) {
		if (task->stack == (event->kind == STACK_ALLOC))
			return wrong("a stack twice", event);
		task->stack = event->kind == STACK_ALLOC;
		return NULL;
	}
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i].kind != event->kind)
			continue;
		if (!(steps[i].from & 1u << task->state))
			return wrong("not possible in the state of the task", event);
		if (event->kind == TASK_START && !task->stack)
			return wrong("a task starts without a stack", event);
		task->state = steps[i].to;
		if (event->kind == TASK_STOP &&
		    (event->why == GRT_STOP_YIELD || event->why == GRT_STOP_PREEMPTED))
			task->state = RUNNABLE;
	}
	return NULL;
}

static const char *check_tasks(uint64_t created, size_t total)
{
	uint64_t most = 0;
	uint64_t ended = 0;
	struct task_story *tasks;
	const char *bad = NULL;

	for (size_t i = 0; i < total; i++)
		if (events[i].kind != CALL_BEGIN && events[i].task > most)
			most = events[i].task;
	tasks = calloc(most + 1, sizeof(*tasks));
	for (size_t i = 0; i < total && !bad; i++)
		if (events[i].task)
			bad = step_task(&tasks[events[i].task], &events[i]);
	for (uint64_t id = 1; id <= most; id++)
		ended += tasks[id].state == DEAD && !tasks[id].stack;
	free(tasks);
	if (!bad && ended != created)
		bad = "tasks that did not end, or kept their stack";
	return bad;
}

/* --- calls and workers ----------------------------------------------------*/

struct call_key {
	int32_t worker;
	uint64_t seq;
	const struct event *end;
	const struct event *begin;
};

static int by_call(const void *a, const void *b)
{
	const struct call_key *x = a;
	const struct call_key *y = b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static const char *match_begin(struct call_key *calls, size_t count, const struct event *event)
{
	struct call_key key = {.worker = event->worker, .seq = event->call_seq};
	struct call_key *call = bsearch(&key, calls, count, sizeof(*calls), by_call);

	if (!call)
		return wrong("a call that began and never ended", event);
	if (call->begin)
		return wrong("a call that began twice", event);
	if (call->end->start != event->start || call->end->task != event->task)
		return wrong("begin and end of a call differ", event);
	call->begin = event;
	return NULL;
}

static const char *collect_calls(struct call_key *calls, size_t count, size_t total)
{
	const char *bad = NULL;
	size_t at = 0;

	for (size_t i = 0; i < total; i++)
		if (events[i].kind == CALL_END) {
			if (events[i].start <= 0 || events[i].ended > events[i].at)
				return wrong("times of a call", &events[i]);
			calls[at++] = (struct call_key){events[i].worker, events[i].call_seq,
							&events[i], NULL};
		}
	qsort(calls, count, sizeof(*calls), by_call);
	for (size_t i = 1; i < count; i++)
		if (by_call(&calls[i - 1], &calls[i]) == 0)
			return wrong("a call that ended twice", calls[i].end);
	for (size_t i = 0; i < total && !bad; i++)
		if (events[i].kind == CALL_BEGIN)
			bad = match_begin(calls, count, &events[i]);
	return bad;
}

static const char *check_calls(uint64_t expected, size_t total)
{
	struct call_key *calls;
	const char *bad;
	size_t count = 0;

	for (size_t i = 0; i < total; i++)
		count += events[i].kind == CALL_END;
	if (count != expected)
		return "not every call appears once";
	calls = calloc(count + 1, sizeof(*calls));
	bad = collect_calls(calls, count, total);
	free(calls);
	return bad;
}

static const char *check_totals(const struct grt_stats *stats, size_t total)
{
	uint64_t paths[GRT_PATH_NO_P + 1] = {0};
	uint64_t handoffs = 0;
	uint64_t stolen = 0;
	uint64_t starts = 0;
	uint64_t failed = 0;
	int64_t workers = 0;
	int64_t started = 0;

	for (size_t i = 0; i < total; i++) {
		const struct event *event = &events[i];

		if (event->kind == CALL_END)
			paths[event->why]++;
		handoffs += event->kind == PROC_HANDOFF;
		stolen += event->kind == TASK_STEAL ? event->why : 0;
		starts += event->kind == TASK_START;
		failed += event->kind == WORKER_CREATE && event->why;
		workers += event->kind == WORKER_START && event->worker >= 0;
		started += event->kind == WORKER_START;
		started -= event->kind == WORKER_EXIT;
	}
	if (paths[GRT_PATH_SAME_P] != stats->reacquired_same ||
	    paths[GRT_PATH_OTHER_P] != stats->reacquired_other ||
	    paths[GRT_PATH_QUEUED] != stats->reacquired_queued)
		return "paths of calls and the statistics differ";
	if (handoffs != stats->handoffs)
		return "handoffs and the statistics differ";
	if (stolen != stats->steals || starts != stats->switches)
		return "steals or switches and the statistics differ";
	if (failed != stats->workers_failed || workers != (int64_t)stats->workers_created)
		return "workers and the statistics differ";
	return started ? "a worker did not start, or did not exit, once" : NULL;
}

const char *recorder_check(const struct grt_stats *stats)
{
	size_t total = atomic_load(&length);
	const char *bad;

	if (total > EVENTS_MOST)
		return "more events than there is room for";
	bad = check_procs(stats->procs, total);
	if (!bad)
		bad = check_tasks(stats->tasks_created, total);
	if (!bad)
		bad = check_calls(stats->calls, total);
	return bad ? bad : check_totals(stats, total);
}
