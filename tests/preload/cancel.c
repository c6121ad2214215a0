/* SPDX-License-Identifier: MIT
 *
 * Threads are cancelled inside calls that block for ever, round after round.
 * Each must end as PTHREAD_CANCELED with its cleanup done.  The argument is
 * the number of rounds.
 */
#include <poll.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "subject.h"

static int nothing_comes[2], server;
static sem_t never;

struct waiting {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
};

static void in_read(struct waiting *w)
{
	char byte;

	(void)w;
	MUST(read(nothing_comes[0], &byte, 1) == 1);
}

static void in_sem_wait(struct waiting *w)
{
	(void)w;
	MUST(sem_wait(&never) == 0);
}

static void in_nanosleep(struct waiting *w)
{
	const struct timespec long_time = {1000, 0};

	(void)w;
	MUST(nanosleep(&long_time, NULL) == 0);
}

static void unlock(void *mutex)
{
	MUST(pthread_mutex_unlock(mutex) == 0);
}

static void in_cond_wait(struct waiting *w)
{
	MUST(pthread_mutex_lock(&w->mutex) == 0);
	pthread_cleanup_push(unlock, &w->mutex);
	for (;;)
		MUST(pthread_cond_wait(&w->cond, &w->mutex) == 0);
	pthread_cleanup_pop(1);
}

static void in_accept(struct waiting *w)
{
	(void)w;
	MUST(accept(server, NULL, NULL) >= 0);
}

static void in_poll(struct waiting *w)
{
	struct pollfd fd = {.fd = nothing_comes[0], .events = POLLIN};

	(void)w;
	MUST(poll(&fd, 1, -1) == 1);
}

static void (*const waits[])(struct waiting *) = {in_read,      in_sem_wait, in_nanosleep,
						  in_cond_wait, in_accept,   in_poll};
#define WAITS (sizeof(waits) / sizeof(waits[0]))

struct thread {
	pthread_t thread;
	_Atomic pid_t tid;
	void (*wait)(struct waiting *);
	struct waiting waiting;
};

static void *wait_for_ever(void *arg)
{
	struct thread *t = arg;

	t->tid = gettid();
	t->wait(&t->waiting);
	return NULL;
}

static void round_of_cancelling(struct thread *threads)
{
	void *result;

	for (size_t i = 0; i < WAITS; i++) {
		struct thread *t = &threads[i];

		*t = (struct thread){
		    .wait = waits[i],
		    .waiting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER}};
		MUST(pthread_create(&t->thread, NULL, wait_for_ever, t) == 0);
	}
	for (size_t i = 0; i < WAITS; i++) {
		while (!threads[i].tid)
			sched_yield();
		until_asleep(threads[i].tid);
		MUST(pthread_cancel(threads[i].thread) == 0);
		MUST(pthread_join(threads[i].thread, &result) == 0);
		MUST(result == PTHREAD_CANCELED);
		MUST(pthread_mutex_trylock(&threads[i].waiting.mutex) == 0);
	}
}

/* A cancellation that is pending acts where a semaphore is free, too. */
static void *take_free(void *sem)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	MUST(pthread_cancel(pthread_self()) == 0);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	sem_wait(sem);
	return NULL;
}

static void cancel_at_free_semaphore(void)
{
	sem_t free_one;
	pthread_t thread;
	void *result;
	int value;

	MUST(sem_init(&free_one, 0, 1) == 0);
	MUST(pthread_create(&thread, NULL, take_free, &free_one) == 0);
	MUST(pthread_join(thread, &result) == 0);
	MUST(sem_getvalue(&free_one, &value) == 0);
	printf("pending: %s, semaphore at %d\n", result == PTHREAD_CANCELED ? "cancelled" : "lost",
	       value);
}

int main(int argc, char **argv)
{
	struct thread threads[WAITS];
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};

	server = socket(AF_UNIX, SOCK_STREAM, 0);
	MUST(bind(server, (struct sockaddr *)&name, sizeof(name)) == 0 && listen(server, 1) == 0);
	MUST(pipe(nothing_comes) == 0 && sem_init(&never, 0, 0) == 0);
	for (int i = 0; i < rounds; i++)
		round_of_cancelling(threads);
	cancel_at_free_semaphore();
	printf("%d cancelled\n", rounds * (int)WAITS);
	return 0;
}
