/* SPDX-License-Identifier: MIT
 *
 * Measurements of a short call that libgtrace.so interposes.
 *
 * A process with one thread reads faster, since the kernel then need not count
 * references to its files.  lttng-ust starts threads, so what the interposed
 * call itself adds is measured beside another thread; what a program with one
 * thread loses in all is measured too.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"
#include "grt.h"

/* A figure is that of the fastest of many short batches: what disturbs a batch
 * only ever adds to it, and it adds more than the calls differ by. */
#define BATCHES 51
#define READS 8000
#define FEW_READS 2000

static int reads_in_batch = READS;
static double figure;

static void fail(const char *what, int error)
{
	fprintf(stderr, "gtrace-bench: %s: %s\n", what, strerror(error));
	exit(1);
}

/* On the last CPU that there is: interrupts mostly go to the first ones, and a
 * call costs more or less depending on where its thread is put. */
static void stay_on_last_cpu(void)
{
	cpu_set_t set;
	int last = CPU_SETSIZE - 1;

	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	while (last > 0 && !CPU_ISSET(last, &set))
		last--;
	CPU_ZERO(&set);
	CPU_SET(last, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static double read_batch(int fd)
{
	double begin = measure_now();
	char byte;

	for (int i = 0; i < reads_in_batch; i++)
		if (read(fd, &byte, 1) != 1)
			fail("/dev/zero", errno);
	return (measure_now() - begin) / reads_in_batch;
}

static void reads(void *arg)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)arg;
	if (fd < 0)
		fail("/dev/zero", errno);
	stay_on_last_cpu();
	figure = read_batch(fd);
	for (int i = 1; i < BATCHES; i++) {
		double batch = read_batch(fd);

		if (batch < figure)
			figure = batch;
	}
	close(fd);
}

double measure_read(void)
{
	const struct grt_opts opts = {.procs = 1};
	int error = grt_run(&opts, reads, NULL);

	if (error)
		fail("cannot run tasks", error);
	return figure;
}

double measure_few_reads(void)
{
	reads_in_batch = FEW_READS;
	return measure_read();
}

double measure_single_read(void)
{
	reads(NULL);
	return figure;
}

/* Ends when the other end of the pipe is closed. */
static void *wait_for_end(void *fd)
{
	char byte;

	if (read(*(int *)fd, &byte, 1) < 0)
		fail("cannot read from a pipe", errno);
	return NULL;
}

double measure_thread_read(void)
{
	pthread_t other;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		fail("cannot make a pipe", errno);
	if (pthread_create(&other, NULL, wait_for_end, &ends[0]))
		fail("cannot make a thread", EAGAIN);
	reads(NULL);
	close(ends[1]);
	pthread_join(other, NULL);
	close(ends[0]);
	return figure;
}
