/* SPDX-License-Identifier: MIT
 *
 * Measurements of libgrt.  All run on one proc, as their peers do, so that
 * they cost what the operation costs and not what the machine's caches do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"
#include "grt.h"

#define YIELDS 1000000
#define SPAWN_BATCH 100
#define SPAWN_BATCHES 5000
#define ROUND_TRIPS 500000
#define CALLS 5000000
#define PARKED 100000

static struct grt_wait_group running;
static double figure;

static void need(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "gtrace-bench: %s: %s\n", what, strerror(error));
	exit(1);
}

static void go(grt_fn *fn)
{
	grt_wait_group_add(&running, 1);
	need(grt_go(fn, NULL), "cannot start a task");
}

static double in_a_task(grt_fn *fn)
{
	const struct grt_opts opts = {.procs = 1};

	need(grt_run(&opts, fn, NULL), "cannot run tasks");
	return figure;
}

/* --- yield ----------------------------------------------------------------*/

static void yielder(void *arg)
{
	(void)arg;
	for (int i = 0; i < YIELDS; i++)
		grt_yield();
	grt_wait_group_done(&running);
}

static void yields(void *arg)
{
	double begin = measure_now();

	(void)arg;
	go(yielder);
	go(yielder);
	grt_wait_group_wait(&running);
	figure = (measure_now() - begin) / (2.0 * YIELDS);
}

double measure_yield(void)
{
	return in_a_task(yields);
}

/* --- spawn ----------------------------------------------------------------*/

static void empty(void *arg)
{
	(void)arg;
	grt_wait_group_done(&running);
}

static void spawn_batches(int batches)
{
	for (int b = 0; b < batches; b++) {
		for (int i = 0; i < SPAWN_BATCH; i++)
			go(empty);
		grt_wait_group_wait(&running);
	}
}

static void spawns(void *arg)
{
	double begin;

	(void)arg;
	spawn_batches(10); /* stacks are there from now on */
	begin = measure_now();
	spawn_batches(SPAWN_BATCHES);
	figure = (measure_now() - begin) / (SPAWN_BATCH * SPAWN_BATCHES);
}

double measure_spawn(void)
{
	return in_a_task(spawns);
}

/* --- channel --------------------------------------------------------------*/

static struct grt_chan *there, *back;

static void echo(void *arg)
{
	int64_t value;

	(void)arg;
	while (!grt_chan_recv(there, &value))
		grt_chan_send(back, &value);
	grt_wait_group_done(&running);
}

static void round_trips(void *arg)
{
	double begin;

	(void)arg;
	there = grt_chan_new(sizeof(int64_t), 0);
	back = grt_chan_new(sizeof(int64_t), 0);
	need(there && back ? 0 : ENOMEM, "cannot make a channel");
	go(echo);
	begin = measure_now();
	for (int64_t i = 0; i < ROUND_TRIPS; i++) {
		grt_chan_send(there, &i);
		grt_chan_recv(back, &i);
	}
	figure = (measure_now() - begin) / ROUND_TRIPS;
	grt_chan_close(there);
	grt_wait_group_wait(&running);
	grt_chan_free(there);
	grt_chan_free(back);
}

double measure_channel(void)
{
	return in_a_task(round_trips);
}

/* --- call -----------------------------------------------------------------*/

static void calls(void *arg)
{
	double begin = measure_now();

	(void)arg;
	for (int i = 0; i < CALLS; i++) {
		grt_enter_call(0, 0, NULL);
		grt_leave_call(0, 0);
	}
	figure = (measure_now() - begin) / CALLS;
}

double measure_call(void)
{
	return in_a_task(calls);
}

/* --- memory ---------------------------------------------------------------*/

static int64_t parked;

static double resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long pages = 0;

	if (!file || fscanf(file, "%*s %ld", &pages) != 1)
		need(EIO, "/proc/self/statm");
	fclose(file);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void park(void *arg)
{
	char byte;

	(void)arg;
	parked++;
	grt_chan_recv(there, &byte);
	grt_wait_group_done(&running);
}

static void park_all(void *arg)
{
	double before = resident_bytes();

	(void)arg;
	there = grt_chan_new(1, 0);
	need(there ? 0 : ENOMEM, "cannot make a channel");
	for (int i = 0; i < PARKED; i++)
		go(park);
	while (parked < PARKED)
		grt_yield();
	figure = (resident_bytes() - before) / PARKED;
	grt_chan_close(there);
	grt_wait_group_wait(&running);
	grt_chan_free(there);
}

double measure_parked_bytes(void)
{
	return in_a_task(park_all);
}
