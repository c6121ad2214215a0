/* SPDX-License-Identifier: MIT
 *
 * sysmon: a thread without a proc that looks after the others.  It takes procs
 * back from workers in blocking calls, tells the recording of calls that last,
 * asks tasks that have run for long to let others run, and sees to work that
 * nobody was woken for because no thread was to be had.
 *
 * It looks every 20 us, after a millisecond without finding anything ever more
 * rarely, down to every 10 ms; while all procs are idle it sleeps until one is
 * taken or a timer is due.
 */
#include <string.h>
#include <sys/prctl.h>

#include "runtime/scheduler.h"
#undef errno

#define TICK_MIN_NS 20000
#define TICK_MAX_NS 10000000
/* Looks at the shortest interval before it doubles. */
#define TICK_PATIENCE 50
/* A call this long is told of, and its proc is taken if there is work. */
#define CALL_LONG_NS 20000
/* Its proc is taken even if nobody seems to need it. */
#define CALL_VERY_LONG_NS 10000000
#define SLICE_NS 10000000
/* After a failure to get a thread. */
#define RETRY_NS 10000000

static struct {
	pthread_t thread;
	_Atomic uint32_t poked;
	_Atomic int64_t sleeps_until;
	_Atomic bool stop;
	int64_t retry_at;
} sysmon;

static __thread bool self_is_sysmon __attribute__((tls_model("initial-exec")));

bool sysmon_self(void)
{
	return self_is_sysmon;
}

void sysmon_poke(void)
{
	if (atomic_exchange_explicit(&sysmon.poked, 1, memory_order_acq_rel) == 0)
		sys_futex_wake(&sysmon.poked, 1);
}

void sysmon_poke_before(int64_t deadline)
{
	full_barrier();
	if (deadline < atomic_load(&sysmon.sleeps_until))
		sysmon_poke();
}

/* When to look next, all being as it is. */
static int64_t next_look(int64_t now, int64_t interval)
{
	int64_t until = now + interval;
	int idle = atomic_load(&sched.idle_count);
	int64_t timer = idle && !atomic_load(&sched.timer_sleeper) ? timer_next() : 0;

	/* Work beside idle procs waits for a thread: try again. */
	if (idle == sched.options.procs && !relaxed_load(&sched.spinning) && !work_visible())
		until = INT64_MAX;
	/* One that is due has just been seen to. */
	return timer > now && timer < until ? timer : until;
}

static void sleep_until_next_look(int64_t now, int64_t interval)
{
	int64_t until = next_look(now, interval);
	int64_t earlier;
	int64_t left;

	atomic_store(&sysmon.sleeps_until, until);
	/* Who added a timer before that was known did not poke. */
	full_barrier();
	earlier = next_look(now, interval);
	if (earlier < until)
		until = earlier;
	/* The poke that came with `stop` may be the one just answered. */
	while (atomic_load_explicit(&sysmon.poked, memory_order_acquire) == 0 &&
	       !atomic_load_explicit(&sysmon.stop, memory_order_acquire) &&
	       (left = until - sys_now()) > 0)
		sys_futex_wait(&sysmon.poked, 0, left);
	atomic_store(&sysmon.sleeps_until, 0);
}

/* --- procs in calls -------------------------------------------------------*/

static void tell_begin(const struct handoff *handoff, int64_t start_ns, uint64_t arg)
{
	struct grt_call_record record = {
	    .task = handoff->task,
	    .seq = handoff->call_seq,
	    .start_ns = start_ns,
	    .arg = arg,
	    .site = handoff->site,
	    .call = handoff->call,
	    .worker = handoff->from->id,
	    .proc = -1,
	};

	if (start_ns)
		TRACE(call_begin, &record);
}

/* Whether anybody could use the proc. */
static bool needed(struct proc *proc, int64_t in_call_ns)
{
	if (!queue_empty(proc) || relaxed_load(&sched.global_length) ||
	    relaxed_load(&sched.waiter_count))
		return true;
	if (relaxed_load(&sched.idle_count) + relaxed_load(&sched.spinning) == 0)
		return true;
	return in_call_ns >= CALL_VERY_LONG_NS;
}

/* True: a proc was taken back. */
static bool look_at_call(struct proc *proc, uint64_t state, int64_t now)
{
	struct handoff handoff = {.reason = GRT_HANDOFF_BY_SYSMON};
	uint64_t arg;
	int64_t start_ns;
	int64_t lasted;

	if (state != proc->seen_state) {
		proc->seen_state = state;
		proc->seen_at = now;
		return false;
	}
	lasted = now - proc->seen_at;
	if (lasted < CALL_LONG_NS || !call_look(proc, state, &handoff, &start_ns, &arg))
		return false;
	if (relaxed_load(&proc->seen_call) != state) {
		tell_begin(&handoff, start_ns, arg);
		relaxed_store(&proc->seen_call, state);
	}
	if (!needed(proc, lasted) || !call_retake(proc, state))
		return false;
	proc_release(proc, &handoff, GRT_CREATE_CALL);
	return true;
}

/* --- procs that run -------------------------------------------------------*/

static void look_at_run(struct proc *proc, int64_t now)
{
	uint32_t tick = relaxed_load(&proc->tick);

	if (tick != proc->seen_tick) {
		proc->seen_tick = tick;
		proc->seen_run_at = now;
	} else if (sched.options.preempt && now - proc->seen_run_at >= SLICE_NS) {
		relaxed_store(&proc->preempt, true);
	}
}

static bool look_at_procs(int64_t now)
{
	bool found = false;

	for (int i = 0; i < sched.options.procs; i++) {
		struct proc *proc = &sched.procs[i];
		uint64_t state = atomic_load_explicit(&proc->state, memory_order_acquire);

		if ((state & PROC_STATE_MASK) == PROC_IN_CALL)
			found |= look_at_call(proc, state, now);
		else if ((state & PROC_STATE_MASK) == PROC_RUNNING)
			look_at_run(proc, now);
	}
	return found;
}

/* An idle proc beside visible work: nobody slept for the timer, or the thread
 * for it could not be made. */
static void look_for_forgotten_work(int64_t now)
{
	if (now < sysmon.retry_at || !relaxed_load(&sched.idle_count) ||
	    relaxed_load(&sched.spinning) || !work_visible())
		return;
	if (!proc_wake_one())
		sysmon.retry_at = now + RETRY_NS;
}

static void *sysmon_main(void *arg)
{
	int64_t interval = TICK_MIN_NS;
	int patience = TICK_PATIENCE;

	(void)arg;
	self_is_sysmon = true;
	/* Sleeps of this thread may not be stretched by the usual 50 us. */
	sys_call4(SYS_prctl, PR_SET_TIMERSLACK, 1, 0, 0);
	TRACE(worker_start, -1, sys_tid());
	while (!atomic_load_explicit(&sysmon.stop, memory_order_acquire)) {
		int64_t now = sys_now();

		if (atomic_exchange_explicit(&sysmon.poked, 0, memory_order_acq_rel) ||
		    look_at_procs(now)) {
			interval = TICK_MIN_NS;
			patience = TICK_PATIENCE;
		} else if (patience > 0) {
			patience--;
		} else if (interval < TICK_MAX_NS) {
			interval = 2 * interval < TICK_MAX_NS ? 2 * interval : TICK_MAX_NS;
		}
		look_for_forgotten_work(now);
		sleep_until_next_look(now, interval);
	}
	TRACE(worker_exit, -1);
	return NULL;
}

int sysmon_start(void)
{
	struct grt_worker_record record = {
	    .worker = -1, .creator = -1, .cause = GRT_CREATE_SYSMON, .call_worker = -1};

	memset(&sysmon, 0, sizeof(sysmon));
	return worker_thread_create(&sysmon.thread, sysmon_main, NULL, &record);
}

void sysmon_stop(void)
{
	atomic_store_explicit(&sysmon.stop, true, memory_order_release);
	sysmon_poke();
	pthread_join(sysmon.thread, NULL);
}
