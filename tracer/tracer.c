/* SPDX-License-Identifier: MIT
 *
 * From the runtime's hooks and the interposer to the provider's tracepoints.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <lttng/ust-thread.h>

#include "tracer/callstack.h"
#include "tracer/events.h"
#include "tracer/modules.h"
#include "tracer/tracer.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME(GTRACE_PATH_SAME_P, GRT_PATH_SAME_P);
SAME(GTRACE_PATH_OTHER_P, GRT_PATH_OTHER_P);
SAME(GTRACE_PATH_QUEUED, GRT_PATH_QUEUED);
SAME(GTRACE_PATH_PARKED, GRT_PATH_PARKED);
SAME(GTRACE_PATH_NO_P, GRT_PATH_NO_P);
SAME(GTRACE_STOP_SELECT, GRT_STOP_SELECT);
SAME(GTRACE_HANDOFF_RETURNING, GRT_HANDOFF_TO_RETURNING);
SAME(GTRACE_PROC_STOP_END, GRT_PROC_STOP_END);
SAME(GTRACE_CREATE_SYSMON_THREAD, GRT_CREATE_SYSMON);
SAME(GTRACE_CALL_grt_call, GRT_CALL_NUMBER);

__thread struct tracer_thread tracer_thread __attribute__((tls_model("initial-exec")));
int32_t tracer_pid;
static const int nowhere = 0;
const int *tracer_here = &nowhere;
const struct grt_runtime *tracer_runtime;
const int *const tracer_calls_on = &lttng_ust_tracepoint_gtrace___call_end.state;
const int *const tracer_threads_on = &lttng_ust_tracepoint_gtrace___thread_create.state;

int32_t tracer_tid(void)
{
	if (!tracer_thread.tid)
		tracer_thread.tid = gettid();
	return tracer_thread.tid;
}

int64_t tracer_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* --- who we are --------------------------------------------------------------*/

static struct {
	_Atomic uint32_t session; /* grows with what the session daemon orders */
	_Atomic uint32_t told_in; /* the session that was told of this process */
	bool told_at_start;
	int32_t parent;
	uint32_t mode;
} process = {.session = 1};

/* /proc/self/cmdline with spaces between the words, cut where it is long. */
static void read_command(char *command, size_t size)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, command, size - 1);

	if (fd >= 0)
		close(fd);
	while (length > 0 && command[length - 1] == '\0')
		length--;
	for (ssize_t i = 0; i < length; i++)
		if (command[i] == '\0')
			command[i] = ' ';
	command[length < 0 ? 0 : length] = '\0';
}

static bool tell_process(void)
{
	char command[4096];

	if (!lttng_ust_tracepoint_enabled(gtrace, process))
		return false;
	read_command(command, sizeof(command));
	lttng_ust_do_tracepoint(gtrace, process, tracer_pid, tracer_tid(), process.parent,
				program_invocation_short_name, command, process.mode);
	return true;
}

static void tell_process_with_room(void *nothing)
{
	(void)nothing;
	tell_process();
}

/*
 * A recording that began after the program learns of it now.  The orders of
 * the daemon come one by one and only the last starts the session: hence again
 * after each.  A process that was told at its start is left at that, since a
 * second time would mean an exec.
 */
static void introduce(void)
{
	uint32_t session = atomic_load_explicit(&process.session, memory_order_relaxed);
	uint32_t told = atomic_load_explicit(&process.told_in, memory_order_relaxed);

	if (__builtin_expect(session == told, 1) || process.told_at_start || !*tracer_here ||
	    !lttng_ust_tracepoint_enabled(gtrace, process) ||
	    !atomic_compare_exchange_strong(&process.told_in, &told, session))
		return;
	if (tracer_runtime)
		tracer_runtime->on_worker_stack(tell_process_with_room, NULL);
	else
		tell_process();
}

void tracer_session_changed(void)
{
	atomic_fetch_add(&process.session, 1);
	modules_new_round();
}

void tracer_unloading(void)
{
	modules_new_round();
	callstack_unloading();
}

/* Every way into the tracer goes through these two. */
struct visit {
	int error;
	bool inside;
};

static struct visit enter(void)
{
	struct visit visit = {errno, tracer_thread.inside};

	tracer_thread.inside = true;
	introduce();
	return visit;
}

static void leave(struct visit visit)
{
	tracer_thread.inside = visit.inside;
	errno = visit.error;
}

#define EMIT(name, ...)                                                                            \
	do {                                                                                       \
		struct visit visit = enter();                                                      \
		lttng_ust_do_tracepoint(gtrace, name, tracer_pid, __VA_ARGS__);                    \
		leave(visit);                                                                      \
	} while (0)

/* Near the end of a task's stack there is no room for a tracepoint: these take
 * what they need along to the worker's stack. */
#define STACK_NEEDED 8192

static void with_room(void (*fn)(void *), void *arg)
{
	struct visit visit = enter();

	if (tracer_runtime && tracer_runtime->stack_left() < STACK_NEEDED)
		tracer_runtime->on_worker_stack(fn, arg);
	else
		fn(arg);
	leave(visit);
}

/* --- the runtime's hooks ---------------------------------------------------*/

static void on_procs(int32_t procs, uint32_t handoff_mode, int32_t max_threads)
{
	EMIT(procs, procs, handoff_mode, max_threads);
}

static void on_worker_create(const struct grt_worker_record *record)
{
	struct visit visit = enter();
	struct gtrace_stack stack = {.depth = 0};

	if (record->on_task) {
		callstack_take(&stack, record->site);
		modules_tell(&stack);
	}
	lttng_ust_do_tracepoint(gtrace, worker_create, tracer_pid, record, &stack);
	leave(visit);
}

static void on_worker_start(int32_t worker, int32_t tid)
{
	struct visit visit = enter();

	lttng_ust_init_thread();
	lttng_ust_do_tracepoint(gtrace, worker_start, tracer_pid, worker, tid);
	leave(visit);
}

static void on_worker_park(int32_t worker)
{
	EMIT(worker_park, worker);
}

static void on_worker_exit(int32_t worker)
{
	EMIT(worker_exit, worker);
	free(tracer_thread.returned);
	tracer_thread.returned = NULL;
}

static void on_proc_start(int32_t proc, uint32_t seq, int32_t worker)
{
	EMIT(proc_start, proc, seq, worker);
}

static void on_proc_stop(int32_t proc, uint32_t seq, int32_t worker, uint32_t reason)
{
	EMIT(proc_stop, proc, seq, worker, reason);
}

static void on_proc_handoff(int32_t proc, uint32_t seq, int32_t from, int32_t to, uint32_t reason,
			    bool new_thread, uint64_t task, uint64_t call_seq)
{
	EMIT(proc_handoff, proc, seq, from, to, reason, new_thread, task, call_seq);
}

static void on_task_create(uint64_t task, uint64_t parent, const void *fn, const char *name)
{
	EMIT(task_create, task, parent, fn, name);
}

static void on_task_start(int32_t proc, uint32_t seq, int32_t worker, uint64_t task)
{
	EMIT(task_start, proc, seq, worker, task);
}

static void on_task_stop(int32_t proc, uint32_t seq, int32_t worker, uint64_t task, uint32_t reason)
{
	EMIT(task_stop, proc, seq, worker, task, reason);
}

static void on_task_ready(uint64_t task, uint64_t by)
{
	EMIT(task_ready, task, by);
}

static void on_task_end(int32_t proc, uint32_t seq, int32_t worker, uint64_t task)
{
	EMIT(task_end, proc, seq, worker, task);
}

static void on_task_steal(int32_t to, int32_t from, uint32_t tasks)
{
	EMIT(task_steal, to, from, tasks);
}

static void emit_begin(void *arg)
{
	const struct grt_call_record *record = arg;

	modules_tell_at(record->site);
	lttng_ust_do_tracepoint(gtrace, call_begin, tracer_pid,
				record->worker < 0 ? tracer_tid() : -1, record);
}

static void on_call_begin(const struct grt_call_record *record)
{
	with_room(emit_begin, (void *)record);
}

static void take_long_call(struct gtrace_stack *stack, const void *site, int64_t duration_ns)
{
	stack->depth = 0;
	if (duration_ns < TRACER_LONG_CALL_NS) {
		modules_tell_at(site);
		return;
	}
	callstack_take(stack, site);
	modules_tell(stack);
}

/* The stack of a call whose task has no P yet is kept until its call_end. */
static void on_call_returned(const void *site, int64_t duration_ns)
{
	struct visit visit = enter();

	if (!tracer_thread.returned)
		tracer_thread.returned = malloc(sizeof(struct gtrace_stack));
	if (tracer_thread.returned)
		take_long_call(tracer_thread.returned, site, duration_ns);
	leave(visit);
}

static void emit_end(void *arg)
{
	const struct grt_call_record *record = arg;
	struct gtrace_stack *kept = tracer_thread.returned;
	struct gtrace_stack stack;

	stack.depth = 0;
	if (!kept || !kept->depth)
		take_long_call(&stack, record->site, record->duration_ns);
	lttng_ust_do_tracepoint(gtrace, call_end, tracer_pid,
				record->worker < 0 ? tracer_tid() : -1, record,
				kept && kept->depth ? kept : &stack);
	if (kept)
		kept->depth = 0;
}

static void on_call_end(const struct grt_call_record *record)
{
	with_room(emit_end, (void *)record);
}

static void on_stack_alloc(uint64_t task, const void *low, uint64_t size, bool reused)
{
	EMIT(stack_alloc, task, low, size, reused);
}

static void on_stack_free(uint64_t task, const void *low, uint64_t size)
{
	EMIT(stack_free, task, low, size);
}

static void on_workload(const char *name, const char *settings)
{
	EMIT(workload, name, settings);
}

/* call_returned works for call_end. */
#define lttng_ust_tracepoint_gtrace___call_returned lttng_ust_tracepoint_gtrace___call_end

__attribute__((visibility("default"))) grt_attach_fn gtrace_attach;

bool gtrace_attach(unsigned version, struct grt_hooks *hooks, const struct grt_runtime *runtime)
{
	if (version != GRT_HOOKS_VERSION)
		return false;
	tracer_runtime = runtime;
#define FILL_IN(name, parameters)                                                                  \
	hooks->name.call = on_##name;                                                              \
	hooks->name.on = &lttng_ust_tracepoint_gtrace___##name.state;
	GRT_HOOKS(FILL_IN)
#undef FILL_IN
	return true;
}

/* --- plain threads ---------------------------------------------------------*/

void tracer_plain_begin(struct grt_call_record *record)
{
	struct visit visit = enter();

	record->seq = ++tracer_thread.calls;
	record->worker = -1;
	record->proc = -1;
	record->path = GRT_PATH_NO_P;
	callstack_warm_up();
	record->start_ns = tracer_now();
	tracer_thread.open.start_ns = record->start_ns;
	tracer_thread.open.arg = record->arg;
	tracer_thread.open.site = record->site;
	tracer_thread.open.call = record->call;
	tracer_thread.open.seq = record->seq;
	if (lttng_ust_tracepoint_enabled(gtrace, call_begin))
		emit_begin(record);
	leave(visit);
}

void tracer_plain_end(const struct grt_call_record *record)
{
	struct visit visit = enter();

	tracer_thread.open.seq = 0;
	if (lttng_ust_tracepoint_enabled(gtrace, call_end))
		emit_end((void *)record);
	leave(visit);
}

void tracer_thread_create(const struct gtrace_thread_record *record)
{
	struct visit visit = enter();
	struct gtrace_stack stack;

	callstack_take(&stack, record->site);
	modules_tell(&stack);
	lttng_ust_do_tracepoint(gtrace, thread_create, tracer_pid, tracer_tid(), record, &stack);
	leave(visit);
}

void tracer_thread_start(int32_t creator)
{
	struct visit visit = enter();

	lttng_ust_init_thread();
	callstack_warm_up();
	if (lttng_ust_tracepoint_enabled(gtrace, thread_start))
		lttng_ust_do_tracepoint(gtrace, thread_start, tracer_pid, tracer_tid(), creator);
	leave(visit);
}

/* A cancelled call comes back to nobody: its thread's end is its end. */
static void end_cancelled_call(void)
{
	struct grt_call_record record = {
	    .seq = tracer_thread.open.seq,
	    .start_ns = tracer_thread.open.start_ns,
	    .duration_ns = tracer_now() - tracer_thread.open.start_ns,
	    .result = -1,
	    .arg = tracer_thread.open.arg,
	    .site = tracer_thread.open.site,
	    .call = tracer_thread.open.call,
	    .error = ECANCELED,
	    .worker = -1,
	    .proc = -1,
	    .path = GRT_PATH_NO_P,
	};
	static const struct gtrace_stack no_stack;

	tracer_thread.open.seq = 0;
	if (lttng_ust_tracepoint_enabled(gtrace, call_end))
		lttng_ust_do_tracepoint(gtrace, call_end, tracer_pid, tracer_tid(), &record,
					&no_stack);
}

void tracer_thread_exit(void)
{
	struct visit visit = enter();

	if (tracer_thread.open.seq)
		end_cancelled_call();
	if (lttng_ust_tracepoint_enabled(gtrace, thread_exit))
		lttng_ust_do_tracepoint(gtrace, thread_exit, tracer_pid, tracer_tid());
	leave(visit);
}

/* --- the process -----------------------------------------------------------*/

/* The kernel clears this page in every child. */
static void be_here(void)
{
	static const int always = 1;
	static int *page;

	if (!page) {
		void *mapped = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (mapped != MAP_FAILED && madvise(mapped, sizeof(*page), MADV_WIPEONFORK) == 0)
			page = mapped;
		else if (mapped != MAP_FAILED)
			munmap(mapped, sizeof(*page));
	}
	if (page)
		*page = 1;
	tracer_here = page ? page : &always;
}

void tracer_process_begin(int32_t parent, uint32_t mode)
{
	int error = errno;

	tracer_pid = getpid();
	tracer_thread.tid = 0;
	tracer_thread.open.seq = 0;
	process.parent = parent;
	process.mode = mode;
	process.told_at_start = false;
	if (parent)
		tracer_session_changed();
	be_here();
	tracer_thread.inside = true;
	process.told_at_start = tell_process();
	if (process.told_at_start && !parent)
		modules_tell_all();
	tracer_thread.inside = false;
	errno = error;
}
