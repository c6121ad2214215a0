/* SPDX-License-Identifier: MIT
 *
 * Workers without work: the lists that they stand in, how they lay down their
 * proc, sleep, and look once more before they do.  scheduler.h tells why the
 * last look must come after the proc is idle.
 */
#include "runtime/scheduler.h"
#undef errno

void spin_begin(struct worker *worker)
{
	if (worker->spinning)
		return;
	worker->spinning = true;
	atomic_fetch_add(&sched.spinning, 1);
}

bool spin_end(struct worker *worker)
{
	if (!worker->spinning)
		return false;
	worker->spinning = false;
	return atomic_fetch_sub(&sched.spinning, 1) == 1;
}

static struct worker **list_of_idle(const struct worker *worker)
{
	return worker->locked ? &sched.locked_workers : &sched.idle_workers;
}

void idle_list_add(struct worker *worker)
{
	struct worker **list = list_of_idle(worker);

	worker->idle = true;
	worker->list_next = *list;
	*list = worker;
}

void idle_list_remove(struct worker *worker)
{
	struct worker **link = list_of_idle(worker);

	while (*link != worker)
		link = &(*link)->list_next;
	*link = worker->list_next;
	worker->idle = false;
}

/* Give the proc back unless there is a reason to look again.  From the moment
 * it stands in the list another thread may own the worker. */
bool idle_lay_down_proc(struct worker *worker)
{
	struct proc *proc = worker->proc;
	bool again;

	proc_stop(worker, GRT_PROC_STOP_IDLE);
	lock_acquire(&sched.lock);
	again =
	    !sched.stopping && (sched.global.first || sched.waiters.first || worker->tied.first);
	if (!again) {
		spin_end(worker);
		idle_list_add(worker);
		idle_proc_put(proc);
	}
	lock_release(&sched.lock);
	if (again)
		proc_start(proc, worker);
	return !again;
}

/* Work may have come between the last look and the moment the proc was idle:
 * its submitter saw no idle proc.  Take one back then. */
bool idle_look_again(struct worker *worker)
{
	struct proc *proc = NULL;

	full_barrier();
	if (!work_visible())
		return false;
	lock_acquire(&sched.lock);
	if (worker->idle && !sched.stopping && (proc = idle_proc_take(NULL)))
		idle_list_remove(worker);
	lock_release(&sched.lock);
	if (!proc)
		return false;
	spin_begin(worker);
	proc_start(proc, worker);
	return true;
}

/* Sleep as the one who wakes for timers, if nobody else does.  While no proc is
 * idle it could do nothing about them: those who have the procs look. */
static void sleep_for_timers(struct worker *worker)
{
	int64_t until = relaxed_load(&sched.idle_count) ? timer_next() : 0;
	struct worker *nobody = NULL;
	int64_t earlier;

	if (!until || !atomic_compare_exchange_strong(&sched.timer_sleeper, &nobody, worker)) {
		worker_sleep(worker, -1);
		return;
	}
	relaxed_store(&sched.timer_sleeper_until, until);
	/* An earlier one may have been added before it was known who sleeps;
	 * never sleep longer than the others think. */
	full_barrier();
	earlier = timer_next();
	worker_sleep(worker, earlier && earlier < until ? earlier : until);
	atomic_store(&sched.timer_sleeper, NULL);
	full_barrier();
	/* Woken for something else, and maybe nobody takes over. */
	until = timer_next();
	if (until)
		sysmon_poke_before(until);
}

/* Sleep until a proc is given.  False: the run is over. */
bool idle_wait_for_proc(struct worker *worker)
{
	struct proc *proc;

	TRACE(worker_park, worker->id);
	while (!(proc = atomic_load_explicit(&worker->next_proc, memory_order_acquire))) {
		if (worker->locked) {
			worker_sleep(worker, -1);
			continue;
		}
		if (__atomic_load_n(&sched.stopping, __ATOMIC_ACQUIRE))
			return false;
		sleep_for_timers(worker);
		if (!atomic_load_explicit(&worker->next_proc, memory_order_acquire) &&
		    idle_look_again(worker))
			return true;
	}
	relaxed_store(&worker->next_proc, NULL);
	proc_start(proc, worker);
	return true;
}

/* The proc was given away, and the worker is in no list yet. */
void idle_without_proc(struct worker *worker)
{
	bool last = spin_end(worker);
	bool tied;

	lock_acquire(&sched.lock);
	tied = worker->tied.first;
	if (!tied)
		idle_list_add(worker);
	lock_release(&sched.lock);
	/* It stopped looking before it found nothing. */
	if (last)
		wake_for_work();
	/* Nobody else can run these, so it needs a proc as if from a call. */
	if (tied)
		call_reacquire(worker);
}
