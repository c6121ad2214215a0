/* SPDX-License-Identifier: MIT
 *
 * System calls that the runtime makes for itself.
 *
 * They go to the kernel directly: the libc functions of the same names may be
 * interposed by a preloaded library that would take the runtime's own waits
 * for calls of the program.  Results are as the kernel gives them: -errno.
 */
#ifndef GRT_SYS_H
#define GRT_SYS_H

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__x86_64__)
static inline long sys_call4(long number, long a, long b, long c, long d)
{
	long result;
	register long r10 __asm__("r10") = d;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static inline long sys_call4(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}
#else
#error "libgrt runs on x86-64 and aarch64"
#endif

/* Wait while *word == expected, timeout_ns < 0: for ever. */
static inline void sys_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
	struct timespec ts = {timeout_ns / 1000000000, timeout_ns % 1000000000};

	sys_call4(SYS_futex, (long)word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, (long)expected,
		  timeout_ns < 0 ? 0 : (long)&ts);
}

static inline void sys_futex_wake(_Atomic uint32_t *word, int waiters)
{
	sys_call4(SYS_futex, (long)word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, waiters, 0);
}

/* CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t sys_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline int sys_tid(void)
{
	return (int)sys_call4(SYS_gettid, 0, 0, 0, 0);
}

#endif
