/* SPDX-License-Identifier: MIT
 *
 * What the programs under test share: results printed so that two runs of a
 * right interposer print the same, and signals and helpers at a known moment.
 */
#ifndef TESTS_PRELOAD_SUBJECT_H
#define TESTS_PRELOAD_SUBJECT_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A failed setup is no result: stop. */
#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition,         \
				strerror(errno));                                                  \
			_exit(99);                                                                 \
		}                                                                                  \
	} while (0)

/* The result of a call, and errno: which a success must leave as it was. */
#define SAY(call)                                                                                  \
	do {                                                                                       \
		errno = 77;                                                                        \
		long result_ = (long)(call);                                                       \
		int error_ = errno;                                                                \
		printf("%s = %ld errno %d\n", #call, result_, error_);                             \
	} while (0)

static inline int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The same, and whether it took as long as it must. */
#define SAY_LASTS(ms, call)                                                                        \
	do {                                                                                       \
		int64_t begin_ = now_ns();                                                         \
		SAY(call);                                                                         \
		printf("  at least %d ms: %s\n", (int)(ms),                                        \
		       now_ns() - begin_ >= (ms)*INT64_C(1000000) ? "yes" : "no");                 \
	} while (0)

static inline struct timespec after_ms(clockid_t clock, int64_t ms)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	ts.tv_nsec += ms * 1000000;
	ts.tv_sec += ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	return ts;
}

/* Whether a thread of this process sleeps in the kernel. */
static inline bool is_asleep(pid_t tid)
{
	char path[64], line[512];
	FILE *file;
	char *end = NULL;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fgets(line, sizeof(line), file))
		end = strrchr(line, ')');
	fclose(file);
	return end && end[2] == 'S';
}

static inline void until_asleep(pid_t tid)
{
	while (!is_asleep(tid))
		sched_yield();
}

#endif
