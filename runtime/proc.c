/* SPDX-License-Identifier: MIT
 *
 * Procs: the idle ones, and how they pass from worker to worker.
 */
#include "runtime/scheduler.h"
#undef errno

/* All tasks have ended: let every worker go home.  sched.lock is held. */
static void stop_all(void)
{
	__atomic_store_n(&sched.stopping, true, __ATOMIC_RELEASE);
	for (struct worker *w = sched.idle_workers; w; w = w->list_next)
		worker_wake(w);
}

/* Every proc is idle.  The counts of tasks are still, since only the owner of
 * a proc changes them. */
static void all_idle(void)
{
	uint64_t created = 0;
	uint64_t ended = 0;
	bool pending =
	    sched.in_call > 0 || sched.tied > 0 || sched.waiters.first || sched.global.first;

	for (int i = 0; i < sched.options.procs; i++) {
		created += relaxed_load(&sched.procs[i].created);
		ended += relaxed_load(&sched.procs[i].ended);
		pending |= relaxed_load(&sched.procs[i].timers.first) != 0;
		pending |= !queue_empty(&sched.procs[i]);
	}
	if (created == ended)
		stop_all();
	else if (!pending)
		run_deadlocked(created - ended);
}

void idle_proc_put(struct proc *proc)
{
	relaxed_store(&proc->worker, NULL);
	atomic_store_explicit(&proc->state, PROC_IDLE, memory_order_release);
	proc->idle_next = sched.idle_procs;
	sched.idle_procs = proc;
	if (atomic_fetch_add(&sched.idle_count, 1) + 1 == sched.options.procs)
		all_idle();
}

struct proc *idle_proc_take(struct proc *wanted)
{
	struct proc **link = &sched.idle_procs;
	struct proc *proc;

	while (*link && wanted && *link != wanted)
		link = &(*link)->idle_next;
	proc = *link;
	if (!proc)
		return NULL;
	*link = proc->idle_next;
	atomic_store_explicit(&proc->state, PROC_RUNNING, memory_order_release);
	if (atomic_fetch_sub(&sched.idle_count, 1) == sched.options.procs)
		sysmon_poke();
	return proc;
}

void proc_start(struct proc *proc, struct worker *worker)
{
	worker->proc = proc;
	relaxed_store(&proc->worker, worker);
	TRACE(proc_start, proc->id, ++proc->trace_seq, worker->id);
}

void proc_stop(struct worker *worker, uint32_t reason)
{
	struct proc *proc = worker->proc;

	TRACE(proc_stop, proc->id, ++proc->trace_seq, worker->id, reason);
	worker->proc = NULL;
}

void proc_give(struct proc *proc, struct worker *worker, struct task *task)
{
	worker->next_task = task;
	atomic_store_explicit(&worker->next_proc, proc, memory_order_release);
	worker_wake(worker);
}

struct worker *waiter_take(void)
{
	struct worker *worker = sched.waiters.first;

	if (!worker)
		return NULL;
	sched.waiters.first = worker->list_next;
	if (!sched.waiters.first)
		sched.waiters.last = NULL;
	atomic_fetch_sub(&sched.waiter_count, 1);
	return worker;
}

static struct worker *idle_worker_take(struct worker **list)
{
	struct worker *worker;

	lock_acquire(&sched.lock);
	worker = *list;
	if (worker) {
		*list = worker->list_next;
		worker->idle = false;
	}
	lock_release(&sched.lock);
	return worker;
}

/* sched.lock is held. */
void call_lost_proc(const struct handoff *handoff)
{
	sched.in_call++;
	sched.last_handoff = *handoff;
}

/* --- a worker for a proc --------------------------------------------------*/

static const struct handoff no_handoff;

static void tell_handoff(struct proc *proc, const struct handoff *handoff, int to, bool new_thread)
{
	if (!handoff)
		return;
	atomic_fetch_add(&sched.handoffs, 1);
	TRACE(proc_handoff, proc->id, ++proc->trace_seq, handoff->from->id, to, handoff->reason,
	      new_thread, handoff->task, handoff->call_seq);
}

/* No use for proc (owned): to a worker that waits for one, else idle. */
static void lay_down(struct proc *proc)
{
	struct worker *returning;

	lock_acquire(&sched.lock);
	returning = waiter_take();
	if (!returning)
		idle_proc_put(proc);
	lock_release(&sched.lock);
	if (returning)
		proc_give(proc, returning, NULL);
}

/*
 * Why a proc that came from no call finds no idle worker: the others are
 * inside calls.  There is a worker for each proc at the start, so the call
 * that took the last one away made one more thread necessary.
 */
static bool blamed_call(struct handoff *blamed)
{
	bool any;

	lock_acquire(&sched.lock);
	any = sched.in_call > 0;
	*blamed = sched.last_handoff;
	lock_release(&sched.lock);
	blamed->on_task = false;
	return any;
}

static bool spawn_for(struct proc *proc, const struct handoff *handoff, uint32_t cause,
		      bool spinning)
{
	struct worker *self = worker_self();
	struct worker *worker = worker_new();
	struct grt_worker_record record = {0};
	struct handoff blamed;

	if (!worker) {
		tell_handoff(proc, handoff, -1, false);
		return false;
	}
	tell_handoff(proc, handoff, worker->id, true);
	if (!handoff && blamed_call(&blamed)) {
		handoff = &blamed;
		cause = GRT_CREATE_CALL;
	}
	if (!handoff)
		handoff = &no_handoff;
	record.creator = self ? self->id : -1;
	record.cause = cause;
	record.task = handoff->task;
	record.call_seq = handoff->call_seq;
	record.call_worker = handoff->from ? handoff->from->id : -1;
	record.call = handoff->call;
	record.site = handoff->site;
	record.on_task = handoff->on_task;
	worker->spinning = spinning;
	atomic_store_explicit(&worker->next_proc, proc, memory_order_release);
	return worker_spawn(worker, &record) == 0;
}

/* Run proc (owned) on an idle worker or a new one, else on one that is locked
 * but has nothing to do.  False: there is no thread to be had; the proc is idle
 * now. */
static bool start_worker(struct proc *proc, const struct handoff *handoff, uint32_t cause,
			 bool spinning)
{
	struct worker *worker = idle_worker_take(&sched.idle_workers);

	if (worker) {
		tell_handoff(proc, handoff, worker->id, false);
		worker->spinning = spinning;
		proc_give(proc, worker, NULL);
		return true;
	}
	if (spawn_for(proc, handoff, cause, spinning))
		return true;
	worker = idle_worker_take(&sched.locked_workers);
	if (worker) {
		worker->spinning = spinning;
		proc_give(proc, worker, NULL);
		return true;
	}
	if (spinning)
		atomic_fetch_sub(&sched.spinning, 1);
	TRACE(proc_stop, proc->id, ++proc->trace_seq, -1, GRT_PROC_STOP_IDLE);
	lay_down(proc);
	return false;
}

bool proc_wake_one(void)
{
	int none = 0;
	struct proc *proc;

	if (!atomic_compare_exchange_strong(&sched.spinning, &none, 1))
		return true;
	lock_acquire(&sched.lock);
	proc = sched.stopping ? NULL : idle_proc_take(NULL);
	/* Still under the lock: who sees a proc idle after this must not see
	 * a spinner that is none. */
	if (!proc)
		atomic_fetch_sub(&sched.spinning, 1);
	lock_release(&sched.lock);
	if (!proc)
		return true;
	return start_worker(proc, NULL, GRT_CREATE_RUNNABLE, true);
}

void proc_release(struct proc *proc, const struct handoff *handoff, uint32_t cause)
{
	struct worker *returning;
	int64_t timer;
	bool work;

	lock_acquire(&sched.lock);
	if (handoff)
		call_lost_proc(handoff);
	returning = waiter_take();
	work = sched.global.first || !queue_empty(proc);
	lock_release(&sched.lock);
	if (returning) {
		tell_handoff(proc, handoff, returning->id, false);
		proc_give(proc, returning, NULL);
		return;
	}
	if (work) {
		start_worker(proc, handoff, cause, false);
		return;
	}
	tell_handoff(proc, handoff, -1, false);
	lay_down(proc);
	/* Work that came meanwhile saw no idle proc. */
	full_barrier();
	if (relaxed_load(&sched.spinning) == 0 && work_visible())
		proc_wake_one();
	timer = timer_next();
	if (timer)
		sysmon_poke_before(timer);
}
