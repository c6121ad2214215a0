/* SPDX-License-Identifier: MIT
 *
 * The same with POSIX threads: what a program pays that has no tasks.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/measure.h"

#define ROUND_TRIPS 20000
#define THREADS 5000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void take_turns(int self)
{
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < ROUND_TRIPS; i++) {
		while (turn != self)
			pthread_cond_wait(&changed, &mutex);
		turn = !self;
		pthread_cond_signal(&changed);
	}
	pthread_mutex_unlock(&mutex);
}

static void *other(void *arg)
{
	take_turns(1);
	return arg;
}

static void *empty(void *arg)
{
	return arg;
}

static pthread_t start(void *(*fn)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, NULL)) {
		fprintf(stderr, "gtrace-bench: cannot make a thread\n");
		exit(1);
	}
	return thread;
}

static void stay_on_this_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

double measure_threads_round_trip(void)
{
	pthread_t thread = start(other);
	double begin = measure_now();

	take_turns(0);
	pthread_join(thread, NULL);
	return (measure_now() - begin) / ROUND_TRIPS;
}

double measure_threads_round_trip_one_cpu(void)
{
	stay_on_this_cpu();
	return measure_threads_round_trip();
}

double measure_threads_switch(void)
{
	return measure_threads_round_trip_one_cpu() / 2;
}

double measure_threads_spawn(void)
{
	double begin = measure_now();

	for (int i = 0; i < THREADS; i++)
		pthread_join(start(empty), NULL);
	return (measure_now() - begin) / THREADS;
}
