/* SPDX-License-Identifier: MIT
 *
 * What gtrace-bench can measure by itself.  Each measurement is made in a
 * process of its own, once per round, and gives one figure.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdint.h>
#include <time.h>

/* libgrt, one proc: nanoseconds per switch, task, round trip, call. */
double measure_yield(void);
double measure_spawn(void);
double measure_channel(void);
double measure_call(void);
/* Nanoseconds per read() of one byte: in a task; the same with so few reads
 * that a recording of them fits into its buffers; in a plain thread beside
 * another one; in a process with one thread. */
double measure_read(void);
double measure_few_reads(void);
double measure_thread_read(void);
double measure_single_read(void);
/* Resident bytes per parked task. */
double measure_parked_bytes(void);

/* POSIX threads: one thread wakes the other, there and back; both on one CPU
 * or where the system puts them. */
double measure_threads_round_trip_one_cpu(void);
double measure_threads_round_trip(void);
/* Half of the former: one switch. */
double measure_threads_switch(void);
/* Create and join. */
double measure_threads_spawn(void);

static inline double measure_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#endif
