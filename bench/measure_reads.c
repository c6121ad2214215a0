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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"
#include "grt.h"

#define BATCHES 5
#define READS 100000
#define FEW_READS 20000

static int reads_in_batch = READS;
static double figure;

static void fail(const char *what, int error)
{
	fprintf(stderr, "gtrace-bench: %s: %s\n", what, strerror(error));
	exit(1);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
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
	double batches[BATCHES];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)arg;
	if (fd < 0)
		fail("/dev/zero", errno);
	for (int i = 0; i < BATCHES; i++)
		batches[i] = read_batch(fd);
	close(fd);
	qsort(batches, BATCHES, sizeof(batches[0]), compare);
	figure = batches[BATCHES / 2];
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
