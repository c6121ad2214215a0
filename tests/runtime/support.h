/* SPDX-License-Identifier: MIT
 *
 * What the tests of the runtime share.
 *
 * Nothing is asserted inside a task: cmocka leaves a failed test by longjmp,
 * and that must not cross stacks.  Tasks write down what they saw; the test
 * looks at it when grt_run() has returned.
 */
#ifndef TESTS_RUNTIME_SUPPORT_H
#define TESTS_RUNTIME_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/context.h" /* GRT_ASAN, GRT_TSAN */
#include "runtime/grt.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Sanitizers make everything slower, and that for threads knows no more than
 * 8,000 stacks. */
#if defined(GRT_TSAN)
#define UNDER_TSAN 1
#else
#define UNDER_TSAN 0
#endif
#if defined(GRT_ASAN) || defined(GRT_TSAN)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* grt_run() that has to succeed. */
void run(const struct grt_opts *opts, grt_fn *fn, void *arg);

struct child {
	int status; /* as of waitpid() */
	char said[4096];
};

/* Run fn(word) in a new process of this program whose stderr is caught; it
 * ends by itself or when fn returns, with exit code 0.  One that hangs is ended
 * by SIGALRM after a minute.  No fork without exec: the thread sanitizer loses
 * its way there. */
void in_child(struct child *child, void (*fn)(const char *word), const char *word);
void assert_exited(const struct child *child, int code);

int64_t now(void);
/* libc's errno accessor is const, gettid() is not; both asked anew each time. */
int thread_id(void);
/* Sleep in the kernel, past every interposer. */
void sleep_raw(int64_t ns);

/* A gate that threads wait at in a blocking call, until it is opened. */
struct gate {
	_Atomic uint32_t open;
};
void gate_open(struct gate *gate);
void gate_wait(struct gate *gate);

/* No setting of the caller's environment reaches the tests. */
int clear_environment(void **state);

#define RUN_TESTS(tests) cmocka_run_group_tests(tests, clear_environment, NULL)

#endif
