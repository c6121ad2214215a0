/* SPDX-License-Identifier: MIT
 *
 * A run: from grt_run() to the end of its last task.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/options.h"
#undef errno

void run_deadlocked(uint64_t tasks)
{
	lock_release(&sched.lock);
	fprintf(stderr,
		"grt: deadlock: all tasks wait and nothing can wake them (%llu left); "
		"look for a channel or wait group that nobody completes\n",
		(unsigned long long)tasks);
	exit(2);
}

static int make_procs(void)
{
	size_t size = sizeof(struct proc) * (size_t)sched.options.procs;

	sched.procs = aligned_alloc(CACHE_LINE, size);
	if (!sched.procs)
		return ENOMEM;
	memset(sched.procs, 0, size);
	for (int i = 0; i < sched.options.procs; i++)
		sched.procs[i].id = i;
	return 0;
}

/* The first task, queued at the first proc, which the calling thread holds. */
static int make_first_task(struct worker *worker, grt_fn *fn, void *arg)
{
	struct task *task = task_new(worker->proc);

	if (!task)
		return ENOMEM;
	task->fn = fn;
	task->arg = arg;
	task->name = "main";
	task->stack_order = STACK_DEFAULT_ORDER;
	TRACE(task_create, task->id, 0, (const void *)fn, task->name);
	queue_put(worker->proc, task, false);
	return 0;
}

static void take_first_proc(struct worker *worker)
{
	atomic_store(&sched.procs[0].state, PROC_RUNNING);
	lock_acquire(&sched.lock);
	for (int i = sched.options.procs - 1; i > 0; i--)
		idle_proc_put(&sched.procs[i]);
	lock_release(&sched.lock);
	proc_start(&sched.procs[0], worker);
}

/* They stand in the list before their threads run, so that whoever needs one
 * makes no other meanwhile.  Nobody needs any before the first task. */
static void add_idle_workers(int count)
{
	for (int i = 0; i < count; i++) {
		struct worker *worker = worker_new();
		struct grt_worker_record record = {.cause = GRT_CREATE_PRESPAWN, .call_worker = -1};

		if (!worker)
			return;
		lock_acquire(&sched.lock);
		idle_list_add(worker);
		lock_release(&sched.lock);
		if (worker_spawn(worker, &record))
			return;
	}
}

static void join_workers(struct worker *self)
{
	struct worker *worker = sched.workers;

	while (worker) {
		struct worker *next = worker->all_next;

		if (worker != self)
			pthread_join(worker->thread, NULL);
		worker = next;
	}
}

static void free_workers(void)
{
	while (sched.workers) {
		struct worker *worker = sched.workers;

		sched.workers = worker->all_next;
		free(worker);
	}
}

/* Totals of procs that are gone, for grt_stats(). */
static struct grt_stats last_run;
static struct lock stats_lock;

static void end(void)
{
	struct grt_stats stats;

	grt_stats(&stats);
	lock_acquire(&stats_lock);
	stats.workers = 0;
	last_run = stats;
	atomic_store(&sched.running, false);
	lock_release(&stats_lock);
	for (int i = 0; i < sched.options.procs; i++) {
		stack_cache_drain(&sched.procs[i].stacks);
		task_release_all(&sched.procs[i]);
	}
	free_workers();
	free(sched.procs);
	sched.procs = NULL;
}

static void reset(const struct options *options)
{
	/* grt_stats() may be called at any time. */
	lock_acquire(&stats_lock);
	memset(&sched, 0, sizeof(sched));
	sched.options = *options;
	lock_release(&stats_lock);
}

static struct lock run_lock;
static bool run_active;

static bool claim_run(void)
{
	bool free_now;

	lock_acquire(&run_lock);
	free_now = !run_active;
	run_active = true;
	lock_release(&run_lock);
	return free_now;
}

static void unclaim_run(void)
{
	lock_acquire(&run_lock);
	run_active = false;
	lock_release(&run_lock);
}

static int run(const struct options *options, grt_fn *fn, void *arg)
{
	struct worker *worker;
	int error;

	reset(options);
	error = make_procs();
	if (error)
		return error;
	worker = worker_new();
	if (!worker) {
		free(sched.procs);
		return ENOMEM;
	}
	trace_attach();
	TRACE(procs, options->procs, options->handoff, options->max_threads);
	worker_enter_thread(worker);
	take_first_proc(worker);
	lock_acquire(&stats_lock);
	atomic_store(&sched.running, true);
	lock_release(&stats_lock);
	error = sysmon_start();
	if (!error) {
		add_idle_workers(options->prespawn);
		/* Without a task the loop ends at once. */
		error = make_first_task(worker, fn, arg);
		sched_loop(worker);
		sysmon_stop();
		join_workers(worker);
	}
	TRACE(worker_exit, worker->id);
	worker_set_self(NULL);
	end();
	return error;
}

int grt_run(const struct grt_opts *opts, grt_fn *fn, void *arg)
{
	struct options options;
	int error = options_read(opts, &options);

	if (error)
		return error;
	if (!claim_run())
		return EBUSY;
	error = run(&options, fn, arg);
	unclaim_run();
	return error;
}

static void add_proc(struct grt_stats *stats, struct proc *proc)
{
	stats->tasks_created += relaxed_load(&proc->created);
	stats->tasks_ended += relaxed_load(&proc->ended);
	stats->switches += relaxed_load(&proc->switches);
	stats->steals += relaxed_load(&proc->steals);
	stats->calls += relaxed_load(&proc->calls);
}

void grt_stats(struct grt_stats *stats)
{
	lock_acquire(&stats_lock);
	if (!atomic_load(&sched.running)) {
		*stats = last_run;
		lock_release(&stats_lock);
		return;
	}
	memset(stats, 0, sizeof(*stats));
	for (int i = 0; i < sched.options.procs; i++)
		add_proc(stats, &sched.procs[i]);
	stats->procs = sched.options.procs;
	stats->handoffs = atomic_load(&sched.handoffs);
	stats->reacquired_same = atomic_load(&sched.reacquired[0]);
	stats->reacquired_other = atomic_load(&sched.reacquired[1]);
	stats->reacquired_queued = atomic_load(&sched.reacquired[2]);
	stats->ties = atomic_load(&sched.ties);
	lock_acquire(&sched.lock);
	stats->workers = sched.live_workers;
	stats->workers_peak = sched.peak_workers;
	stats->workers_created = (uint64_t)sched.next_worker - sched.failed_workers;
	stats->workers_failed = sched.failed_workers;
	lock_release(&sched.lock);
	lock_release(&stats_lock);
}
