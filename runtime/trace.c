/* SPDX-License-Identifier: MIT
 *
 * The runtime's end of the seam in hooks.h: the table of hooks, all off until
 * a tracer fills them in, and what the runtime offers to the interposer.
 */
#include <dlfcn.h>

#include "runtime/scheduler.h"
#undef errno

static const int off = 0;

#define HOOK_OFF(name, parameters) .name = {.on = &off},
struct grt_hooks grt_hooks = {GRT_HOOKS(HOOK_OFF)};
#undef HOOK_OFF

static uint64_t current_task(void)
{
	return grt_self();
}

static bool own_thread(void)
{
	return worker_self() || sysmon_self();
}

static bool park_sleep(int64_t ns, uint32_t number, const void *site)
{
	struct worker *worker = worker_self();
	struct task *task;
	int64_t start;

	if (!worker || !worker->current || worker->in_call)
		return false;
	task = worker->current;
	start = TRACING(call_end) ? sys_now() : 0;
	if (ns > 0)
		sched_sleep(worker, ns);
	worker = worker_self();
	if (start) {
		struct grt_call_record record = {
		    .task = task->id,
		    .start_ns = start,
		    .duration_ns = sys_now() - start,
		    .site = site,
		    .call = number,
		    .worker = worker->id,
		    .proc = worker->proc->id,
		    .proc_seq = ++worker->proc->trace_seq,
		    .path = GRT_PATH_PARKED,
		};

		TRACE(call_end, &record);
	}
	return true;
}

static size_t stack_left(void)
{
	struct worker *worker = worker_self();
	char here;
	const char *sp = &here;
	struct stack *stack;

	if (!worker || !worker->current)
		return SIZE_MAX;
	stack = worker->current->stack;
	if (sp < stack->low || sp >= stack->low + stack->size)
		return SIZE_MAX;
	return (size_t)(sp - stack->low);
}

static void on_worker_stack(void (*fn)(void *), void *arg)
{
	struct worker *worker = worker_self();

	if (worker && stack_left() != SIZE_MAX)
		grt_call_on_stack(fn, arg, context_sp(&worker->system));
	else
		fn(arg);
}

static const struct grt_runtime runtime = {
    .enter_call = grt_enter_call,
    .leave_call = grt_leave_call,
    .park_sleep = park_sleep,
    .current_task = current_task,
    .own_thread = own_thread,
    .creating_worker = worker_creating,
    .stack_left = stack_left,
    .on_worker_stack = on_worker_stack,
};

void trace_attach(void)
{
	static bool tried;
	grt_attach_fn *attach;

	if (tried)
		return;
	tried = true;
	*(void **)&attach = dlsym(RTLD_DEFAULT, "gtrace_attach");
	if (attach)
		attach(GRT_HOOKS_VERSION, &grt_hooks, &runtime);
}

void grt_workload(const char *name, const char *settings)
{
	trace_attach();
	TRACE(workload, name, settings);
}
