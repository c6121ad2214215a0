/* SPDX-License-Identifier: MIT
 *
 * Blocking calls: the way in, the way back, and what becomes of the proc.
 *
 * In: the worker writes down which call it is in and sets its proc's state to
 * "in call"; from then on the proc belongs to whoever swaps that word.  Back:
 * the worker swaps it itself (a short call), or finds that the proc is gone
 * and gets one again: the same if it is idle, another idle one, one that is
 * stuck in somebody else's call, or it waits in line.
 */
#include "runtime/scheduler.h"
#undef errno

static uint64_t in_call_state(const struct worker *worker, uint64_t seq)
{
	return PROC_IN_CALL | (uint64_t)worker->id << PROC_WORKER_SHIFT | seq << PROC_SEQ_SHIFT;
}

bool call_look(struct proc *proc, uint64_t state, struct handoff *handoff, int64_t *start_ns,
	       uint64_t *arg)
{
	struct worker *worker = relaxed_load(&proc->worker);
	const struct call *call;

	/* It may have moved on; a worker's memory stays while the run lasts. */
	if (!worker)
		return false;
	call = &worker->call;
	handoff->from = worker;
	handoff->task = relaxed_load(&call->task);
	handoff->call_seq = relaxed_load(&call->seq);
	handoff->call = relaxed_load(&call->number);
	handoff->site = relaxed_load(&call->site);
	*start_ns = relaxed_load(&call->start_ns);
	*arg = relaxed_load(&call->arg);
	full_barrier();
	return relaxed_load(&proc->state) == state;
}

bool call_retake(struct proc *proc, uint64_t state)
{
	if (!atomic_compare_exchange_strong(&proc->state, &state, PROC_RUNNING))
		return false;
	relaxed_store(&proc->worker, NULL);
	relaxed_store(&proc->seen_call, 0);
	return true;
}

/* --- in -------------------------------------------------------------------*/

static void tell_begin(struct worker *worker)
{
	struct grt_call_record record = {
	    .task = worker->current->id,
	    .seq = relaxed_load(&worker->call.seq),
	    .start_ns = relaxed_load(&worker->call.start_ns),
	    .arg = relaxed_load(&worker->call.arg),
	    .site = relaxed_load(&worker->call.site),
	    .call = relaxed_load(&worker->call.number),
	    .worker = worker->id,
	    .proc = -1,
	};

	TRACE(call_begin, &record);
}

/* Give the proc away at once; it is this worker's until then. */
static void hand_off_at_entry(struct worker *worker)
{
	struct proc *proc = worker->old_proc;
	struct handoff handoff = {
	    .reason = GRT_HANDOFF_AT_ENTRY,
	    .from = worker,
	    .task = worker->current->id,
	    .call_seq = relaxed_load(&worker->call.seq),
	    .call = relaxed_load(&worker->call.number),
	    .site = relaxed_load(&worker->call.site),
	    .on_task = true,
	};

	tell_begin(worker);
	relaxed_store(&proc->worker, NULL);
	proc_release(proc, &handoff, GRT_CREATE_CALL);
}

bool grt_enter_call(uint32_t number, uint64_t arg, const void *site)
{
	struct worker *worker = worker_self();
	struct call *call;
	struct proc *proc;
	uint64_t seq;

	if (!worker || !worker->current || worker->in_call)
		return false;
	worker->in_call = true;
	proc = worker->proc;
	call = &worker->call;
	seq = relaxed_load(&call->seq) + 1;
	relaxed_store(&call->seq, seq);
	relaxed_store(&call->number, number);
	relaxed_store(&call->arg, arg);
	relaxed_store(&call->site, site);
	relaxed_store(&call->task, worker->current->id);
	relaxed_store(&call->start_ns, TRACING(call_end) ? sys_now() : 0);
	worker->old_proc = proc;
	worker->proc = NULL;
	worker->call_state = in_call_state(worker, seq);
	if (sched.options.handoff == HANDOFF_EAGER) {
		int error = errno_get();

		hand_off_at_entry(worker);
		errno_set(error);
	} else {
		atomic_store_explicit(&proc->state, worker->call_state, memory_order_release);
	}
	return true;
}

/* --- back -----------------------------------------------------------------*/

static void wait_in_line(struct worker *worker)
{
	struct proc *proc;

	while (!(proc = atomic_load_explicit(&worker->next_proc, memory_order_acquire)))
		worker_sleep(worker, -1);
	relaxed_store(&worker->next_proc, NULL);
	proc_start(proc, worker);
}

/* A proc whose worker has been in one call for a whole tick of sysmon would
 * be retaken at sysmon's next tick; this worker cannot wait for that. */
static bool take_stuck(struct worker *worker)
{
	for (int i = 0; i < sched.options.procs; i++) {
		struct proc *proc = &sched.procs[i];
		struct handoff handoff = {.reason = GRT_HANDOFF_TO_RETURNING};
		uint64_t state = relaxed_load(&proc->seen_call);
		uint64_t arg;
		int64_t start_ns;

		if (!state || atomic_load_explicit(&proc->state, memory_order_acquire) != state ||
		    !call_look(proc, state, &handoff, &start_ns, &arg) || !call_retake(proc, state))
			continue;
		lock_acquire(&sched.lock);
		call_lost_proc(&handoff);
		lock_release(&sched.lock);
		atomic_fetch_add(&sched.handoffs, 1);
		TRACE(proc_handoff, proc->id, ++proc->trace_seq, handoff.from->id, worker->id,
		      handoff.reason, false, handoff.task, handoff.call_seq);
		proc_start(proc, worker);
		return true;
	}
	return false;
}

static void join_line(struct worker *worker)
{
	worker->list_next = NULL;
	if (sched.waiters.last)
		sched.waiters.last->list_next = worker;
	else
		sched.waiters.first = worker;
	sched.waiters.last = worker;
	atomic_fetch_add(&sched.waiter_count, 1);
}

uint32_t call_reacquire(struct worker *worker)
{
	struct proc *proc;

	lock_acquire(&sched.lock);
	proc = idle_proc_take(worker->old_proc);
	if (!proc)
		proc = idle_proc_take(NULL);
	lock_release(&sched.lock);
	if (!proc && take_stuck(worker))
		return GRT_PATH_OTHER_P;
	if (!proc) {
		/* One may have become idle since; nobody gives to a line that
		 * he did not see. */
		lock_acquire(&sched.lock);
		proc = idle_proc_take(NULL);
		if (!proc)
			join_line(worker);
		lock_release(&sched.lock);
	}
	if (!proc) {
		sysmon_poke();
		wait_in_line(worker);
		return GRT_PATH_QUEUED;
	}
	proc_start(proc, worker);
	return proc == worker->old_proc ? GRT_PATH_SAME_P : GRT_PATH_OTHER_P;
}

/* The proc is gone: get one.  Returns the path, and when the wait began. */
static uint32_t reacquire_after_call(struct worker *worker, int64_t returned, int64_t *waiting)
{
	int64_t start = relaxed_load(&worker->call.start_ns);
	uint32_t path;

	*waiting = returned;
	if (TRACING(call_returned) && start && returned) {
		TRACE(call_returned, relaxed_load(&worker->call.site), returned - start);
		*waiting = sys_now();
	}
	path = call_reacquire(worker);
	lock_acquire(&sched.lock);
	sched.in_call--;
	lock_release(&sched.lock);
	atomic_fetch_add(&sched.reacquired[path - GRT_PATH_SAME_P], 1);
	return path;
}

static void tell_end(struct worker *worker, uint32_t path, int64_t returned, int64_t waiting,
		     int64_t result, int32_t error)
{
	struct proc *proc = worker->proc;
	int64_t start = relaxed_load(&worker->call.start_ns);
	struct grt_call_record record = {
	    .task = worker->current->id,
	    .seq = relaxed_load(&worker->call.seq),
	    .start_ns = start,
	    .duration_ns = start ? returned - start : 0,
	    .p_wait_ns = path == GRT_PATH_SHORT ? 0 : sys_now() - waiting,
	    .result = result,
	    .arg = relaxed_load(&worker->call.arg),
	    .site = relaxed_load(&worker->call.site),
	    .call = relaxed_load(&worker->call.number),
	    .error = error,
	    .worker = worker->id,
	    .proc = proc->id,
	    .proc_seq = ++proc->trace_seq,
	    .path = path,
	};

	TRACE(call_end, &record);
}

void grt_leave_call(int64_t result, int32_t error)
{
	struct worker *worker = worker_self();
	struct proc *proc = worker->old_proc;
	uint64_t state = worker->call_state;
	uint32_t path = GRT_PATH_SHORT;
	int64_t returned = 0;
	int64_t waiting = 0;
	int saved = 0;
	bool slow;

	slow = TRACING(call_end) || sched.options.handoff == HANDOFF_EAGER;
	if (slow) {
		saved = errno_get();
		returned = sys_now();
	}
	if (likely(atomic_compare_exchange_strong(&proc->state, &state, PROC_RUNNING))) {
		worker->proc = proc;
	} else {
		if (!slow)
			saved = errno_get();
		slow = true;
		path = reacquire_after_call(worker, returned, &waiting);
		proc = worker->proc;
		/* A slice begins; one with short calls only goes on. */
		relaxed_store(&proc->tick, relaxed_load(&proc->tick) + 1);
	}
	relaxed_store(&proc->calls, relaxed_load(&proc->calls) + 1);
	if (TRACING(call_end) && returned)
		tell_end(worker, path, returned, waiting, result, error);
	worker->in_call = false;
	if (slow)
		errno_set(saved);
	sched_checkpoint(worker);
}

/* --- grt_call -------------------------------------------------------------*/

void grt_call(grt_fn *fn, void *arg)
{
	struct worker *worker = worker_self();

	if (!grt_enter_call(GRT_CALL_NUMBER, (uint64_t)(uintptr_t)fn,
			    __builtin_return_address(0))) {
		fn(arg);
		return;
	}
	grt_call_on_stack(fn, arg, context_sp(&worker->system));
	grt_leave_call(0, 0);
}
