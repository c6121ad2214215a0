/* SPDX-License-Identifier: MIT
 *
 * The one path of every interposed call: in, and out again.
 *
 * While nothing records and no runtime is there, the way in is two loads and
 * two branches.  Inside the tracer, in a thread of the runtime outside of its
 * tasks, or in a call already, the call goes straight to libc.
 */
#ifndef GTRACE_PASSAGE_H
#define GTRACE_PASSAGE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer/tracer.h"
#include "tracer/vocabulary.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

struct passage {
	bool task; /* the runtime was told; else `record` is a plain thread's */
	struct grt_call_record record;
};

/* The slow half of passage_enter. */
bool passage_enter_watched(struct passage *passage, uint32_t call, uint64_t arg, const void *site);
/* error: errno value of a failed call, else 0.  Keeps errno. */
void passage_leave(struct passage *passage, int64_t result, int error);

/* Somebody wants to know of calls. */
static inline bool passage_watched(void)
{
	return unlikely(tracer_runtime || *(const volatile int *)tracer_calls_on);
}

/* True: tell of the end with passage_leave(). */
static inline bool passage_enter(struct passage *passage, uint32_t call, uint64_t arg,
				 const void *site)
{
	return passage_watched() && passage_enter_watched(passage, call, arg, site);
}

/* What failed, by the convention of the call. */
#define BY_ERRNO(result) ((int64_t)(result) == -1 ? errno : 0)
#define BY_CODE(result) ((int)(result))
#define BY_NULL(result) ((result) ? 0 : errno)
#define NEVER(result) 0

/* The body of a watched wrapper: the invocation of the real call, told of. */
#define THROUGH(type, call, arg, site, invocation, failure)                                        \
	struct passage passage;                                                                    \
	type outcome;                                                                              \
                                                                                                   \
	if (!passage_enter(&passage, call, (uint64_t)(arg), site))                                 \
		return invocation;                                                                 \
	outcome = invocation;                                                                      \
	passage_leave(&passage, (int64_t)outcome, failure(outcome));                               \
	return outcome

#define SITE __builtin_return_address(0)
#define EXPORTED __attribute__((visibility("default")))

#endif
