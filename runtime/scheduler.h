/* SPDX-License-Identifier: MIT
 *
 * The scheduler: its things, their states, and who may change what.
 *
 * Three kinds of things, as in Go's scheduler:
 *   task    what runs.  In exactly one place at a time: a worker's `current`,
 *           a proc's queue, the global queue, a worker's `tied` queue, or
 *           held by whoever will make it ready (a channel, a timer ...).
 *   worker  an OS thread.  Holds a proc while it runs tasks; without one it is
 *           idle, inside a blocking call, or waiting for a proc after one.
 *   proc    the right to run tasks, with a queue of runnable ones.
 *
 * States of a proc, in its `state` word:
 *   idle      in sched.idle_procs
 *   running   owned by one thread: proc->worker, or a thread that is about to
 *             pass it on
 *   in call   its worker is inside a blocking call.  Nobody owns it: whoever
 *             compares-and-swaps the word to `running` does.  The word names
 *             the worker and the number of its call, so that no later call is
 *             ever taken for an earlier one.
 *
 * Only the owner of a proc touches its plain members.  Ownership passes by the
 * state word (in call), by sched.lock (idle), or by worker->next_proc and the
 * worker's `wake` word (given).
 *
 * When workers are woken.  A worker that finds nothing spins: it looks at all
 * queues a few times before it sleeps.  At most one worker is woken for new
 * work while none spins; the last spinner that finds work wakes the next.
 * New work is made visible before `spinning` is read (the submitter), and
 * `spinning` is lowered before the queues are read again (the spinner), each
 * with a full barrier between, so one of the two sees the other.  Rejected: to
 * wake a worker for each new task (they would fight over short bursts), and a
 * central queue (its lock is the bottleneck).
 *
 * A locked worker runs its locked task only.  Where no other worker is to be had
 * - the limit is met, the system has no thread - it runs others too until its
 * own is ready: they might be what that one waits for.  The same goes for tasks
 * that were tied to it before.
 *
 * A task never changes its thread inside a blocking call: back from it, the
 * *worker* waits for a proc (sched.waiters, first in first out) and is given
 * one by the next worker that lets go of its own.  Rejected: to queue the task
 * for any worker, as Go does; C code keeps addresses of thread-local memory.
 *
 * Lock order: a channel's or wait group's lock, then proc->timers.lock, then
 * sched.lock.  No lock is held across a switch unless the other side releases
 * it, and none while a hook is called.
 */
#ifndef GRT_SCHEDULER_H
#define GRT_SCHEDULER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/context.h"
#include "runtime/grt.h"
#include "runtime/hooks.h"
#include "runtime/lock.h"
#include "runtime/stack.h"

#define CACHE_LINE 64
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define relaxed_load(p) atomic_load_explicit(p, memory_order_relaxed)
#define relaxed_store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

enum task_state {
	TASK_RUNNABLE,
	TASK_RUNNING,
	TASK_PARKED,
	TASK_DEAD,
};

struct task {
	struct context context; /* while it does not run */
	struct task *next;      /* in whatever list it stands */
	struct worker *worker;  /* where it runs or ran last; NULL: never */
	struct worker *locked;  /* grt_lock_thread; changed by the task itself */
	struct stack *stack;    /* bound at its first run */
	grt_fn *fn;
	void *arg;
	const char *name;
	uint64_t id;
	void *slot;       /* what a waker hands over or takes */
	int64_t deadline; /* of its timer; with the links of the heap */
	struct task *timer_child;
	struct task *timer_sibling;
	uint32_t lock_depth;
	int result; /* of a wait, set by the waker */
	int error;  /* errno while it does not run */
	unsigned char stack_order;
	_Atomic unsigned char state; /* for looking in; nothing depends on it */
};

struct task_list {
	struct task *first;
	struct task *last;
	long length;
};

#define QUEUE_SIZE 256u

/* A proc's queue: a ring that the owner fills and empties and others steal
 * from, and a slot for the task to run next. */
struct queue {
	_Alignas(CACHE_LINE) _Atomic uint32_t head; /* owner and thieves, by CAS */
	_Atomic uint32_t tail;                      /* owner only */
	_Atomic(struct task *) next;                /* owner puts, owner and thieves take */
	uint32_t next_streak;                       /* runs from `next` in a row */
	_Atomic(struct task *) ring[QUEUE_SIZE];
};

/* Sleeping tasks of a proc: a pairing heap through the tasks, by deadline. */
struct timers {
	struct lock lock;
	struct task *root;
	_Atomic int64_t first; /* earliest deadline; 0: none */
};

enum {
	PROC_IDLE = 0,
	PROC_RUNNING = 1,
	PROC_IN_CALL = 2,
	PROC_STATE_MASK = 3,
	PROC_WORKER_SHIFT = 2,
	PROC_SEQ_SHIFT = 26,
};

/* The call that a proc left. */
struct handoff {
	uint32_t reason;
	struct worker *from; /* inside a call; NULL: not a handoff from a call */
	uint64_t task;
	uint64_t call_seq;
	uint32_t call;
	const void *site;
	bool on_task;
};

struct proc {
	_Alignas(CACHE_LINE) _Atomic uint64_t state;
	struct worker *_Atomic worker;
	struct proc *idle_next;
	int id;
	_Atomic uint32_t tick; /* slices: task starts and calls that lost the proc */
	_Atomic bool preempt;  /* let others run at the next occasion */
	bool gave_last;        /* the last turn was given to a returning worker */
	uint32_t trace_seq;

	struct task *free_tasks;
	int free_length;
	uint64_t next_id;
	uint64_t last_id;
	struct stack_cache stacks;

	_Atomic uint64_t created;
	_Atomic uint64_t ended;
	_Atomic uint64_t switches;
	_Atomic uint64_t steals;
	_Atomic uint64_t calls;

	struct queue queue;
	_Alignas(CACHE_LINE) struct timers timers;

	/* What sysmon saw; its own, but for the last. */
	_Alignas(CACHE_LINE) uint32_t seen_tick;
	int64_t seen_run_at;
	uint64_t seen_state;
	int64_t seen_at;
	_Atomic uint64_t seen_call; /* the state of a call that has lasted 20 us */
};

typedef void after_fn(struct worker *worker, struct task *task, void *arg);

/* The call that a worker is in.  Written by the worker before the state word
 * says so; sysmon reads it, and the state word again. */
struct call {
	_Atomic uint64_t seq;
	_Atomic uint64_t task;
	_Atomic uint64_t arg;
	_Atomic(const void *) site;
	_Atomic int64_t start_ns; /* 0: not recorded */
	_Atomic uint32_t number;
};

struct worker {
	_Alignas(CACHE_LINE) struct context system; /* of its scheduler loop */
	struct proc *proc;
	struct task *current;
	struct task *handed; /* taken from a queue, to be run by the scheduler loop */
	struct task *locked; /* the task that is locked to this thread */
	after_fn *after;     /* to be done for after_task by the other side of a switch */
	struct task *after_task;
	void *after_arg;
	bool in_call;
	bool spinning;
	uint32_t random;
	struct proc *old_proc; /* in call: the one that it held */
	uint64_t call_state;   /* in call: what old_proc's state was set to */
	struct call call;
	uintptr_t tls_low; /* thread-local memory of this thread */
	uintptr_t tls_high;

	/* Given under sched.lock or by the only owner; then `wake`. */
	_Alignas(CACHE_LINE) struct proc *_Atomic next_proc;
	struct task *next_task;
	_Atomic uint32_t wake;
	struct worker *list_next; /* idle or waiters */
	bool idle;                /* is in one of the lists of idle workers; sched.lock */
	struct task_list tied;    /* tasks only this worker may run; sched.lock */
	_Atomic long tied_length;

	struct worker *all_next;
	pthread_t thread;
	int id;
	int tid;
};

struct worker_list {
	struct worker *first;
	struct worker *last;
};

/* Numbers as recorded. */
enum { HANDOFF_SYSMON = 0, HANDOFF_EAGER = 1 };

struct options {
	int procs;
	uint32_t handoff; /* HANDOFF_... */
	bool preempt;
	int max_threads;
	int prespawn;
};

struct sched {
	struct options options;
	struct proc *procs;
	_Atomic bool running; /* between begin and end of a grt_run() */

	_Alignas(CACHE_LINE) struct lock lock;
	struct proc *idle_procs;
	struct worker *idle_workers;
	struct worker *locked_workers; /* idle, but for their locked tasks */
	struct worker_list waiters;
	struct task_list global;
	struct worker *workers; /* all, by all_next */
	int live_workers;
	int peak_workers;
	int next_worker;
	uint64_t failed_workers;
	long in_call;                /* calls that lost their proc */
	struct handoff last_handoff; /* of these, the one that lost it last */
	long tied;                   /* tasks in the workers' tied queues */
	bool stopping;
	bool exhausted_told; /* the thread limit was met */

	_Alignas(CACHE_LINE) _Atomic int idle_count;
	_Atomic int spinning;
	_Atomic int waiter_count;
	_Atomic long global_length;
	_Atomic uint64_t task_ids;
	_Atomic uint64_t handoffs;
	_Atomic uint64_t reacquired[3]; /* same, other, queued */
	_Atomic uint64_t ties;
	struct worker *_Atomic timer_sleeper; /* idle worker that wakes for timers */
	_Atomic int64_t timer_sleeper_until;
};

extern struct sched sched;

/* --- tls.c: the worker of the calling thread; never inlined ---------------*/
struct worker *worker_self(void);
void worker_set_self(struct worker *worker);
int errno_get(void);
int errno_set(int error);

/* --- queue.c --------------------------------------------------------------*/
void list_push(struct task_list *list, struct task *task);
struct task *list_pop(struct task_list *list);
/* Owner only.  next: run it before all others. */
void queue_put(struct proc *proc, struct task *task, bool next);
struct task *queue_take(struct proc *proc);
bool queue_empty(struct proc *proc);
/* Take half of victim's tasks; returns one, the others are queued at proc. */
struct task *queue_steal(struct proc *proc, struct proc *victim, bool take_next);
void global_put(struct task *task);
/* A fair share of the global queue: returns one, queues the others at proc. */
struct task *global_take(struct proc *proc, long most);
/* Some queue holds a task, or a timer is due. */
bool work_visible(void);

/* --- sched.c --------------------------------------------------------------*/
/* The scheduler loop of a worker; returns when the run is over. */
void sched_loop(struct worker *worker);
/* Stop the calling task; after(…) is done once it is saved.  Returns when the
 * task runs again. */
void sched_park(struct worker *worker, uint32_t reason, after_fn *after, void *arg);
/* The calling task is done. */
void sched_exit(struct worker *worker) __attribute__((noreturn));
/* First thing after a switch, on the side that goes on: what the other side
 * left to be done. */
void sched_arrive(struct worker *worker);
/* Queue a task that is runnable and in nobody's hands. */
void sched_submit(struct worker *worker, struct task *task);
/* Make a parked task runnable; the caller is a worker with a proc.  next: in
 * place of the running task's turn. */
void sched_ready(struct worker *worker, struct task *task, bool next);
void sched_yield_now(struct worker *worker, uint32_t reason);
/* Yield if somebody asked for it; at grt_ calls. */
void sched_checkpoint(struct worker *worker);

/* Tasks were queued: somebody may have to be woken for them. */
void wake_for_work(void);

/* --- self.c ---------------------------------------------------------------*/
/* Park the calling task for ns > 0. */
void sched_sleep(struct worker *worker, int64_t ns);

/* --- idle.c ---------------------------------------------------------------*/
/* The lists of workers that sleep for want of a proc.  sched.lock is held. */
void idle_list_add(struct worker *worker);
void idle_list_remove(struct worker *worker);
/* The worker looks for work in other procs' queues, or not any more; true: it
 * was the last one that did. */
void spin_begin(struct worker *worker);
bool spin_end(struct worker *worker);
/* Lay down the proc for want of work; false: there is some, look again. */
bool idle_lay_down_proc(struct worker *worker);
/* After that: true if there was work after all, and a proc to do it with. */
bool idle_look_again(struct worker *worker);
/* Sleep until a proc is given.  False: the run is over. */
bool idle_wait_for_proc(struct worker *worker);
/* The proc was given away, and the worker is in no list yet. */
void idle_without_proc(struct worker *worker);

/* --- proc.c: who has which proc -------------------------------------------*/
/* sched.lock is held. */
struct proc *idle_proc_take(struct proc *wanted);
void idle_proc_put(struct proc *proc);
/* The worker that has waited longest for a proc after a call; NULL: none. */
struct worker *waiter_take(void);
/* Any worker, and sysmon: if there is an idle proc and nobody spins, start a
 * spinning worker on it.  False: no thread was to be had. */
bool proc_wake_one(void);
/* The caller owns proc and has no use for it: to a returning worker, to a new
 * owner if there is work, else idle. */
void proc_release(struct proc *proc, const struct handoff *handoff, uint32_t create_cause);
/* A call has lost its proc.  sched.lock is held. */
void call_lost_proc(const struct handoff *handoff);
/* Give proc (owned) to a worker that sleeps, or is in no list any more. */
void proc_give(struct proc *proc, struct worker *worker, struct task *task);
void proc_start(struct proc *proc, struct worker *worker);
void proc_stop(struct worker *worker, uint32_t reason);

/* --- run.c ----------------------------------------------------------------*/
/* Tasks are left, and nothing can wake them.  sched.lock is held. */
void run_deadlocked(uint64_t tasks) __attribute__((noreturn));

/* --- worker.c -------------------------------------------------------------*/
struct worker *worker_new(void);
/* pthread_create, and the record of it; 0 or an errno value. */
int worker_thread_create(pthread_t *thread, void *(*main)(void *), void *arg,
			 struct grt_worker_record *record);
/* Start the thread of a new worker; 0 or an errno value. */
int worker_spawn(struct worker *worker, struct grt_worker_record *record);
/* Sleep until woken or the time is over (-1: none).  True: woken. */
bool worker_sleep(struct worker *worker, int64_t until);
void worker_wake(struct worker *worker);
void worker_enter_thread(struct worker *worker);
/* The calling thread is inside worker_spawn. */
bool worker_creating(void);

/* --- task.c ---------------------------------------------------------------*/
struct task *task_new(struct proc *proc);
void task_free(struct proc *proc, struct task *task);
/* The run is over: give the memory of tasks back. */
void task_release_all(struct proc *proc);
/* Bind a stack; false: no memory. */
bool task_bind_stack(struct proc *proc, struct task *task);
void task_unbind_stack(struct proc *proc, struct task *task);

/* --- affinity.c -----------------------------------------------------------*/
void affinity_find_tls(struct worker *worker);
/* The saved task holds an address of the thread-local memory of the worker
 * that it ran on. */
bool affinity_tied(const struct task *task);

/* --- timer.c --------------------------------------------------------------*/
/* Wake the task at its deadline; by the owner of proc. */
void timer_add(struct proc *proc, struct task *task);
/* Make tasks that are due runnable at worker's proc; returns how many. */
int timer_run(struct worker *worker, struct proc *of, int64_t now);
/* Earliest deadline of all procs; 0: none. */
int64_t timer_next(void);

/* --- sysmon.c -------------------------------------------------------------*/
int sysmon_start(void);
void sysmon_stop(void);
/* New trouble: look now rather than at the next tick. */
void sysmon_poke(void);
/* ... unless it wakes before this time anyway. */
void sysmon_poke_before(int64_t deadline);
/* The calling thread is sysmon. */
bool sysmon_self(void);

/* --- call.c ---------------------------------------------------------------*/
/* The call that the worker of a proc in this state is in.  False: it is over,
 * or was another one. */
bool call_look(struct proc *proc, uint64_t state, struct handoff *handoff, int64_t *start_ns,
	       uint64_t *arg);
/* Take the proc out of the call that it is in with this state. */
bool call_retake(struct proc *proc, uint64_t state);
/* Get a proc for a worker that has none; returns an enum grt_path. */
uint32_t call_reacquire(struct worker *worker);

/* --- trace.c --------------------------------------------------------------*/
extern struct grt_hooks grt_hooks;
void trace_attach(void);
/* Record an event: two loads and a branch while nothing records. */
#define TRACE(name, ...)                                                                           \
	do {                                                                                       \
		if (unlikely(*(const volatile int *)grt_hooks.name.on))                            \
			grt_hooks.name.call(__VA_ARGS__);                                          \
	} while (0)
#define TRACING(name) unlikely(*(const volatile int *)grt_hooks.name.on)

#endif
