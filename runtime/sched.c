/* SPDX-License-Identifier: MIT
 *
 * The scheduler proper: which task a worker runs next, and the switches
 * between tasks.  scheduler.h tells the states and the rules.
 *
 * A task that stops goes over to the next one directly where the next one is
 * at hand in the proc's own queue; else to the worker's scheduler loop, which
 * looks further.  What must not happen before the stopping task is saved
 * (queueing it, unlocking what it waits on, freeing its stack) is left to the
 * other side: worker->after.
 */
#include "runtime/scheduler.h"
#undef errno

/* Every so many turns the global queue is looked at first. */
#define GLOBAL_TURN 61
/* Reading the clock costs as much as a switch: timers are looked at every so
 * many turns while there is other work. */
#define TIMER_TURN 8
#define STEAL_ROUNDS 4

struct sched sched;

void sched_arrive(struct worker *worker)
{
	after_fn *after = worker->after;

	if (!after)
		return;
	worker->after = NULL;
	after(worker, worker->after_task, worker->after_arg);
}

/* --- making tasks runnable ------------------------------------------------*/

void wake_for_work(void)
{
	if (sched.options.procs == 1)
		return;
	/* The work is queued before `spinning` is read: see scheduler.h. */
	full_barrier();
	if (atomic_load_explicit(&sched.idle_count, memory_order_acquire) > 0 &&
	    relaxed_load(&sched.spinning) == 0)
		proc_wake_one();
}

void sched_submit(struct worker *worker, struct task *task)
{
	relaxed_store(&task->state, TASK_RUNNABLE);
	queue_put(worker->proc, task, false);
	wake_for_work();
}

void sched_ready(struct worker *worker, struct task *task, bool next)
{
	TRACE(task_ready, task->id, worker->current ? worker->current->id : 0);
	relaxed_store(&task->state, TASK_RUNNABLE);
	queue_put(worker->proc, task, next);
	wake_for_work();
}

/* --- choosing -------------------------------------------------------------*/

static bool suits(struct worker *worker, struct task *task)
{
	if (task->locked)
		return task->locked == worker;
	return !task->worker || task->worker == worker || !affinity_tied(task);
}

static bool timer_due(struct proc *proc, int64_t *now)
{
	int64_t first = relaxed_load(&proc->timers.first);

	if (!first)
		return false;
	*now = sys_now();
	return first <= *now;
}

/* The next task of the proc's own queue, if nothing speaks against switching
 * to it at once. */
static struct task *quick_next(struct worker *worker)
{
	struct proc *proc = worker->proc;
	uint32_t turn = relaxed_load(&proc->tick) + 1;
	struct task *task;
	int64_t now;

	if (worker->locked || relaxed_load(&sched.waiter_count) ||
	    relaxed_load(&worker->tied_length) || turn % GLOBAL_TURN == 0)
		return NULL;
	if (turn % TIMER_TURN == 0 && timer_due(proc, &now))
		return NULL;
	task = queue_take(proc);
	if (!task)
		return NULL;
	if (suits(worker, task) && (task->stack || task_bind_stack(proc, task)))
		return task;
	worker->handed = task;
	return NULL;
}

static uint32_t random_next(struct worker *worker)
{
	worker->random ^= worker->random << 13;
	worker->random ^= worker->random >> 17;
	worker->random ^= worker->random << 5;
	return worker->random;
}

/* Look at the queues and timers of all procs, from a random one on. */
static struct task *steal(struct worker *worker)
{
	struct proc *proc = worker->proc;
	int procs = sched.options.procs;
	int64_t now;

	for (int round = 0; round < STEAL_ROUNDS; round++) {
		bool last = round == STEAL_ROUNDS - 1;
		uint32_t start = random_next(worker);

		for (int i = 0; i < procs; i++) {
			struct proc *victim = &sched.procs[(start + (uint32_t)i) % (uint32_t)procs];
			struct task *task;

			if (victim == proc)
				continue;
			if (last && timer_due(victim, &now) && timer_run(worker, victim, now))
				return queue_take(proc);
			task = queue_steal(proc, victim, last);
			if (task)
				return task;
		}
	}
	return NULL;
}

/* Spinners cost processor time: at most half as many as busy procs. */
static bool may_spin(const struct worker *worker)
{
	int busy = sched.options.procs - relaxed_load(&sched.idle_count);

	return worker->spinning || 2 * relaxed_load(&sched.spinning) < busy;
}

static struct task *take_tied(struct worker *worker)
{
	struct task *task;

	if (!relaxed_load(&worker->tied_length))
		return NULL;
	lock_acquire(&sched.lock);
	task = list_pop(&worker->tied);
	if (task)
		sched.tied--;
	relaxed_store(&worker->tied_length, worker->tied.length);
	lock_release(&sched.lock);
	return task;
}

/*
 * Workers that came back from a call wait for a proc: every second turn of a
 * proc goes to them, so that neither they nor the queued tasks starve.
 */
static bool give_to_returning(struct worker *worker)
{
	struct proc *proc = worker->proc;
	struct worker *returning;

	if (!relaxed_load(&sched.waiter_count) || proc->gave_last) {
		proc->gave_last = false;
		return false;
	}
	lock_acquire(&sched.lock);
	returning = waiter_take();
	lock_release(&sched.lock);
	if (!returning)
		return false;
	proc->gave_last = true;
	proc_stop(worker, GRT_PROC_STOP_GIVEN_RETURNING);
	proc_give(proc, returning, NULL);
	return true;
}

/* A task for a worker that has a proc; NULL: none, or the proc is gone. */
static struct task *find(struct worker *worker)
{
	struct proc *proc = worker->proc;
	struct task *task = worker->handed;
	int64_t now;

	worker->handed = NULL;
	if (task)
		return task;
	if (give_to_returning(worker))
		return NULL;
	if ((task = take_tied(worker)))
		return task;
	/* As in quick_next(), which leaves this turn to us.  As many as there
	 * were turns: a full ring of tasks that yield must not keep the rest
	 * of a crowd waiting. */
	if ((relaxed_load(&proc->tick) + 1) % GLOBAL_TURN == 0 &&
	    (task = global_take(proc, GLOBAL_TURN)))
		return task;
	if (timer_due(proc, &now))
		timer_run(worker, proc, now);
	if ((task = queue_take(proc)))
		return task;
	if ((task = global_take(proc, QUEUE_SIZE / 2)))
		return task;
	if (sched.options.procs == 1 || !may_spin(worker))
		return NULL;
	spin_begin(worker);
	return steal(worker);
}

/* --- tasks that only another worker may run --------------------------------*/

/* The proc goes along with the task to its worker, if that sleeps. */
static void give_to_its_worker(struct worker *worker, struct task *task)
{
	struct worker *target = task->locked ? task->locked : task->worker;
	struct proc *proc = worker->proc;
	bool sleeping;

	atomic_fetch_add(&sched.ties, 1);
	lock_acquire(&sched.lock);
	sleeping = target->idle;
	if (sleeping) {
		idle_list_remove(target);
	} else {
		sched.tied++;
		list_push(&target->tied, task);
		relaxed_store(&target->tied_length, target->tied.length);
	}
	lock_release(&sched.lock);
	if (!sleeping)
		return; /* it looks at its tied tasks whenever it has a proc */
	proc_stop(worker, GRT_PROC_STOP_GIVEN_LOCKED);
	proc_give(proc, target, task);
	idle_without_proc(worker);
}

/* The worker's own task is locked to it and stopped: let another worker have
 * the proc.  Tasks that only this one may run keep it. */
static void release_for_locked(struct worker *worker)
{
	struct proc *proc = worker->proc;
	bool tied;

	spin_end(worker);
	lock_acquire(&sched.lock);
	tied = worker->tied.first;
	if (!tied)
		idle_list_add(worker);
	lock_release(&sched.lock);
	if (tied)
		return;
	proc_stop(worker, GRT_PROC_STOP_GIVEN_LOCKED);
	proc_release(proc, NULL, GRT_CREATE_LOCKED);
}

/* --- the loop -------------------------------------------------------------*/

static void begin_run(struct worker *worker, struct task *task)
{
	struct proc *proc = worker->proc;

	/* While the hook runs, `current` must be whose stack this is. */
	TRACE(task_start, proc->id, ++proc->trace_seq, worker->id, task->id);
	worker->current = task;
	task->worker = worker;
	relaxed_store(&task->state, TASK_RUNNING);
	relaxed_store(&proc->tick, relaxed_load(&proc->tick) + 1);
	relaxed_store(&proc->switches, relaxed_load(&proc->switches) + 1);
	relaxed_store(&proc->preempt, false);
}

/* Memory for a stack is missing: others may free some meanwhile. */
static void put_off(struct worker *worker, struct task *task)
{
	static _Atomic uint32_t nothing;

	global_put(task);
	if (queue_empty(worker->proc))
		sys_futex_wait(&nothing, 0, 1000000);
}

/* The next task to run here; NULL: the run is over. */
static struct task *next_task(struct worker *worker)
{
	for (;;) {
		struct task *task = NULL;
		bool given = !worker->proc;

		/* Only with a proc that was given may next_task be read: while
		 * it has another, somebody may be about to give. */
		if (given) {
			if (!idle_wait_for_proc(worker))
				return NULL;
			task = worker->next_task;
			worker->next_task = NULL;
		}
		/* One that is given a proc without a task although it is
		 * locked is the last to be had: see start_worker(). */
		if (!task && worker->locked && !given && !(task = take_tied(worker))) {
			release_for_locked(worker);
			continue;
		}
		if (!task && !(task = find(worker))) {
			if (!worker->proc)
				idle_without_proc(worker);
			else if (worker->locked)
				release_for_locked(worker);
			else if (idle_lay_down_proc(worker))
				idle_look_again(worker);
			continue;
		}
		if (!suits(worker, task)) {
			give_to_its_worker(worker, task);
			continue;
		}
		if (!task->stack && !task_bind_stack(worker->proc, task)) {
			put_off(worker, task);
			continue;
		}
		return task;
	}
}

void sched_loop(struct worker *worker)
{
	struct task *task;

	while ((task = next_task(worker))) {
		if (spin_end(worker))
			wake_for_work();
		begin_run(worker, task);
		context_switch(&worker->system, &task->context, false);
		sched_arrive(worker);
	}
}

/* --- stopping -------------------------------------------------------------*/

NEVER_LEFT static void switch_away(struct worker *worker, after_fn *after, void *arg, bool dies)
{
	struct task *task = worker->current;
	struct task *next;

	task->error = errno_get();
	worker->after = after;
	worker->after_task = task;
	worker->after_arg = arg;
	next = quick_next(worker);
	if (next)
		begin_run(worker, next);
	else
		worker->current = NULL;
	context_switch(&task->context, next ? &next->context : &worker->system, dies);
	sched_arrive(worker_self());
	errno_set(task->error);
}

void sched_park(struct worker *worker, uint32_t reason, after_fn *after, void *arg)
{
	struct proc *proc = worker->proc;
	struct task *task = worker->current;

	TRACE(task_stop, proc->id, ++proc->trace_seq, worker->id, task->id, reason);
	relaxed_store(&task->state, TASK_PARKED);
	switch_away(worker, after, arg, false);
}

static void after_yield(struct worker *worker, struct task *task, void *arg)
{
	(void)arg;
	sched_submit(worker, task);
}

static bool nothing_else(struct worker *worker)
{
	struct proc *proc = worker->proc;
	int64_t now;

	return queue_empty(proc) && !relaxed_load(&sched.global_length) &&
	       !relaxed_load(&sched.waiter_count) && !relaxed_load(&worker->tied_length) &&
	       !timer_due(proc, &now);
}

void sched_yield_now(struct worker *worker, uint32_t reason)
{
	struct proc *proc = worker->proc;
	struct task *task = worker->current;

	relaxed_store(&proc->preempt, false);
	if (nothing_else(worker))
		return;
	TRACE(task_stop, proc->id, ++proc->trace_seq, worker->id, task->id, reason);
	switch_away(worker, after_yield, NULL, false);
}

void sched_checkpoint(struct worker *worker)
{
	if (unlikely(relaxed_load(&worker->proc->preempt)))
		sched_yield_now(worker, GRT_STOP_PREEMPTED);
}

static void after_exit(struct worker *worker, struct task *task, void *arg)
{
	struct proc *proc = worker->proc;

	(void)arg;
	task_unbind_stack(proc, task);
	task_free(proc, task);
	relaxed_store(&proc->ended, relaxed_load(&proc->ended) + 1);
}

NEVER_LEFT void sched_exit(struct worker *worker)
{
	struct proc *proc = worker->proc;
	struct task *task = worker->current;

	task->locked = NULL;
	if (worker->locked == task)
		worker->locked = NULL;
	TRACE(task_end, proc->id, ++proc->trace_seq, worker->id, task->id);
	relaxed_store(&task->state, TASK_DEAD);
	switch_away(worker, after_exit, NULL, true);
	__builtin_unreachable();
}
