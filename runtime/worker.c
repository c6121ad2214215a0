/* SPDX-License-Identifier: MIT
 *
 * Workers: the threads that run tasks.  How they begin, sleep and end.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/scheduler.h"
#undef errno

static __thread bool creating __attribute__((tls_model("initial-exec")));

bool worker_creating(void)
{
	return creating;
}

/* A number and memory for one more worker.  NULL: the limit is met, or there
 * is no memory. */
struct worker *worker_new(void)
{
	struct worker *worker = NULL;

	lock_acquire(&sched.lock);
	if (sched.live_workers < sched.options.max_threads)
		worker = aligned_alloc(CACHE_LINE, sizeof(*worker));
	if (worker) {
		sched.live_workers++;
		memset(worker, 0, sizeof(*worker));
		worker->id = sched.next_worker++;
		worker->random = (uint32_t)worker->id * 2654435761u + 1;
		worker->all_next = sched.workers;
		sched.workers = worker;
		if (sched.live_workers > sched.peak_workers)
			sched.peak_workers = sched.live_workers;
	}
	lock_release(&sched.lock);
	return worker;
}

/* What every worker does on its own thread before anything else. */
void worker_enter_thread(struct worker *worker)
{
	worker_set_self(worker);
	worker->tid = sys_tid();
	context_adopt(&worker->system);
	affinity_find_tls(worker);
	TRACE(worker_start, worker->id, worker->tid);
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;

	worker_enter_thread(worker);
	sched_loop(worker);
	TRACE(worker_exit, worker->id);
	worker_set_self(NULL);
	return NULL;
}

/* The thread did not come to be: nobody else knows the worker yet. */
static void discard(struct worker *worker)
{
	struct worker **link = &sched.workers;

	lock_acquire(&sched.lock);
	while (*link != worker)
		link = &(*link)->all_next;
	*link = worker->all_next;
	if (worker->idle)
		idle_list_remove(worker);
	sched.live_workers--;
	sched.failed_workers++;
	lock_release(&sched.lock);
	free(worker);
}

int worker_thread_create(pthread_t *thread, void *(*main)(void *), void *arg,
			 struct grt_worker_record *record)
{
	int64_t begin = TRACING(worker_create) ? sys_now() : 0;

	creating = true;
	record->result = pthread_create(thread, NULL, main, arg);
	creating = false;
	if (begin) {
		record->latency_ns = sys_now() - begin;
		TRACE(worker_create, record);
	}
	return record->result;
}

int worker_spawn(struct worker *worker, struct grt_worker_record *record)
{
	record->worker = worker->id;
	if (worker_thread_create(&worker->thread, worker_main, worker, record))
		discard(worker);
	return record->result;
}

bool worker_sleep(struct worker *worker, int64_t until)
{
	while (atomic_load_explicit(&worker->wake, memory_order_acquire) == 0) {
		int64_t left = -1;

		if (until >= 0) {
			left = until - sys_now();
			if (left <= 0)
				return false;
		}
		sys_futex_wait(&worker->wake, 0, left);
	}
	atomic_store_explicit(&worker->wake, 0, memory_order_relaxed);
	full_barrier();
	return true;
}

void worker_wake(struct worker *worker)
{
	if (atomic_exchange_explicit(&worker->wake, 1, memory_order_acq_rel) == 0)
		sys_futex_wake(&worker->wake, 1);
}
