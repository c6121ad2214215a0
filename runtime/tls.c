/* SPDX-License-Identifier: MIT
 *
 * What is kept by thread: its worker, and libc's errno.
 *
 * A task may change its thread at every switch.  A compiler that sees these
 * accesses may keep their address across a switch and so reach the memory of
 * another thread.  They are therefore functions of their own that nothing may
 * look into.
 */
#undef errno
#include <errno.h>

#include "runtime/scheduler.h"
#undef errno
#define errno (*__errno_location())

#if defined(__clang__)
#define OPAQUE __attribute__((noinline, optnone))
#else
#define OPAQUE __attribute__((noipa))
#endif

static __thread struct worker *self __attribute__((tls_model("initial-exec")));

OPAQUE struct worker *worker_self(void)
{
	return self;
}

OPAQUE void worker_set_self(struct worker *worker)
{
	self = worker;
}

OPAQUE int errno_get(void)
{
	return errno;
}

/*
 * Returns something lest the address of errno is left in the register for
 * results: compilers push that register where they want a stack aligned, and a
 * task with the address on its stack is tied to its thread.
 */
OPAQUE int errno_set(int error)
{
	errno = error;
	return error;
}

OPAQUE int *grt_errno_location(void)
{
	return __errno_location();
}
