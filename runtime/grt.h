/* SPDX-License-Identifier: MIT
 *
 * grt.h - green threads on several cores, with Go's model.
 *
 *   task    a green thread: a function with a stack of its own
 *   worker  an OS thread that runs tasks
 *   proc    the right to run tasks; there are GRT_PROCS of them
 *
 * A task runs while its worker holds a proc.  A blocking call hands the proc
 * to another worker; the task that comes back waits until it has one again.
 *
 * Conventions.  Functions return 0 or an errno value; those that cannot fail
 * return nothing.  Durations are nanoseconds in int64_t.  Unless a comment
 * says otherwise a function may only be called from a task, and objects may be
 * shared by all tasks of one grt_run().  An object belongs to who made it and
 * must outlive every call on it.
 *
 * Environment, read by grt_run(); it overrides struct grt_opts.  A value that
 * makes no sense ends the program with status 2 and one line on stderr.
 *   GRT_PROCS       1..1024; default: CPUs of the affinity mask, bounded by
 *                   the quota of the cgroup
 *   GRT_HANDOFF     sysmon (default) | eager: who takes the proc from a worker
 *                   in a blocking call: sysmon after 20 us or more, or the
 *                   call itself at its entry
 *   GRT_PREEMPT     coop (default) | off: whether a task that ran for 10 ms
 *                   is asked to let others run at its next call into grt.h
 *                   or next interposed call
 *   GRT_MAXTHREADS  most workers at a time, 1..1000000; default 10000.  At the
 *                   limit procs wait for a worker to come back
 *   GRT_PRESPAWN    workers that are made at start beside the calling thread,
 *                   0..GRT_MAXTHREADS - 1; default: one for each further proc,
 *                   so that each one made later is due to a blocking call
 */
#ifndef GRT_H
#define GRT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRT_API __attribute__((visibility("default")))

/* --- errno ---------------------------------------------------------------
 * errno travels with its task.  libc declares its accessor const, so that a
 * compiler may keep the address across a call that moves the task to another
 * thread; this one is not.  May be called anywhere.
 */
GRT_API int *grt_errno_location(void);
#undef errno
#define errno (*grt_errno_location())

/* --- running -------------------------------------------------------------*/
typedef void grt_fn(void *arg);

enum grt_handoff {
	GRT_HANDOFF_DEFAULT,
	GRT_HANDOFF_SYSMON,
	GRT_HANDOFF_EAGER,
};

enum grt_preempt {
	GRT_PREEMPT_DEFAULT,
	GRT_PREEMPT_COOP,
	GRT_PREEMPT_OFF,
};

/* Zero means "the default" in each member. */
#define GRT_PRESPAWN_NONE (-1)
struct grt_opts {
	int procs;
	enum grt_handoff handoff;
	enum grt_preempt preempt;
	int max_threads;
	int prespawn; /* or GRT_PRESPAWN_NONE */
};

/*
 * Run fn(arg) as the first task; the calling thread becomes worker M0.
 * Returns when every task has ended (call exit() to end sooner).  opts may be
 * NULL.  EBUSY: a grt_run() is under way; EINVAL: a member of opts is out of
 * range; ENOMEM, EAGAIN: no memory, or no thread for sysmon.
 * Call it from a plain thread, one at a time; it may be called again later.
 */
GRT_API int grt_run(const struct grt_opts *opts, grt_fn *fn, void *arg);

/* --- tasks ---------------------------------------------------------------*/
struct grt_attr {
	const char *name;  /* for traces; must stay valid while the task lives; NULL: none */
	size_t stack_size; /* bytes reserved, 16 KiB .. 1 GiB, rounded up to a power of two;
			      0: 256 KiB.  Memory is used only as it is touched. */
};

/* Start a task.  ENOMEM; EINVAL: attr out of range; EPERM: not in a task. */
GRT_API int grt_go(grt_fn *fn, void *arg);
GRT_API int grt_go_attr(const struct grt_attr *attr, grt_fn *fn, void *arg);

/* Number of the running task, from 1; 0 outside of a task (any thread). */
GRT_API uint64_t grt_self(void);

/* Let other tasks run. */
GRT_API void grt_yield(void);

/* Park the task for at least ns nanoseconds; at once if ns <= 0. */
GRT_API void grt_sleep(int64_t ns);

/*
 * Bind the task to the worker that it is on: no other worker runs it and
 * this worker runs no other task, until as many unlocks.  A locked task that
 * ends unlocks.  Made rather than waiting for ever, two exceptions: tasks that
 * hold an address of this thread's memory from before, and, while no other
 * worker is to be had, any task.
 */
GRT_API void grt_lock_thread(void);
GRT_API void grt_unlock_thread(void);

/* --- wait group ----------------------------------------------------------
 * Counts work that is under way.  Zero-initialise.
 */
struct grt_wait_group {
	uint64_t opaque[3];
};

/* Add n (may be negative) to the count; done is add -1.  A count below zero is
 * a bug of the caller and aborts with a message. */
GRT_API void grt_wait_group_add(struct grt_wait_group *wg, int64_t n);
GRT_API void grt_wait_group_done(struct grt_wait_group *wg);
/* Return once the count is zero. */
GRT_API void grt_wait_group_wait(struct grt_wait_group *wg);

/* --- channels ------------------------------------------------------------
 * Move elements of one size, by copy, first in first out; capacity 0 hands
 * each over directly.
 */
struct grt_chan;

/* NULL with errno ENOMEM or EINVAL (sizes that overflow).  Any thread. */
GRT_API struct grt_chan *grt_chan_new(size_t element_size, size_t capacity);
/* No task may be using it.  NULL is allowed.  Any thread. */
GRT_API void grt_chan_free(struct grt_chan *chan);
/* EPIPE: closed.  The try forms do not wait: EAGAIN. */
GRT_API int grt_chan_send(struct grt_chan *chan, const void *element);
GRT_API int grt_chan_try_send(struct grt_chan *chan, const void *element);
/* EPIPE: closed and empty; element is then zeroed. */
GRT_API int grt_chan_recv(struct grt_chan *chan, void *element);
GRT_API int grt_chan_try_recv(struct grt_chan *chan, void *element);
/* Wake all who wait.  EPIPE: it was closed already. */
GRT_API int grt_chan_close(struct grt_chan *chan);

/* --- blocking calls ------------------------------------------------------
 * libgtrace.so brackets the libc calls of tasks by itself.  These are for
 * calls that it cannot see.
 */

/* Run fn(arg) as a blocking call on the worker's own stack (as large as that
 * of a thread).  fn runs on one thread throughout and must not call functions
 * that are for tasks. */
GRT_API void grt_call(grt_fn *fn, void *arg);

/*
 * The same for code in place.  call: 0, or a number of the recorder's
 * vocabulary; arg: what the report shows with it; site: where the call was
 * made.  False: not in a task or already inside a call; then do not leave.
 */
GRT_API bool grt_enter_call(uint32_t call, uint64_t arg, const void *site);
/* result and error are recorded; errno is kept. */
GRT_API void grt_leave_call(int64_t result, int32_t error);

/* --- looking in ----------------------------------------------------------*/
struct grt_stats {
	int procs;
	int workers; /* threads now: workers only, sysmon is one more */
	int workers_peak;
	uint64_t workers_created;
	uint64_t workers_failed; /* pthread_create said no */
	uint64_t tasks_created;
	uint64_t tasks_ended;
	uint64_t switches;        /* task starts */
	uint64_t steals;          /* tasks taken from another proc's queue */
	uint64_t calls;           /* blocking calls that ended */
	uint64_t handoffs;        /* procs that left a blocking call */
	uint64_t reacquired_same; /* ... and how their tasks got one again */
	uint64_t reacquired_other;
	uint64_t reacquired_queued;
	uint64_t ties; /* runs that had to wait for one certain worker */
};

/* A snapshot; each figure is exact, all together only when nothing runs.
 * Any thread; all zero before the first grt_run(). */
GRT_API void grt_stats(struct grt_stats *stats);

/* Tell the recording what runs: two short texts.  Any thread. */
GRT_API void grt_workload(const char *name, const char *settings);

#ifdef __cplusplus
}
#endif
#endif
