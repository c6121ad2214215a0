/* SPDX-License-Identifier: MIT
 *
 * The wrappers that calls.def lists, and those that need a word of their own:
 * variadic ones, and locks that are only calls when somebody else holds them.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <unistd.h>

#include "preload/passage.h"
#include "preload/resolve.h"

/* The headers say that some pointers are never NULL and that some functions
 * never throw; a wrapper passes on whatever it gets. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/*
 * The unwatched way must cost next to nothing and add no frame: a return more
 * after a system call is mispredicted on many kernels, which costs ten times
 * as much as all else here.  So it is a jump to libc, and what is done for a
 * watched call is a function of its own.
 */
#define INSIDE(...) __VA_ARGS__
#define VERSIONED(version, type, name, parameters, arguments, call, arg, failure)                  \
	static next_fn next_##name;                                                                \
	static __attribute__((noinline)) type watched_##name(const void *site, INSIDE parameters)  \
	{                                                                                          \
		type(*real) parameters = next_resolve(&next_##name, #name, version);               \
                                                                                                   \
		THROUGH(type, GTRACE_CALL_##call, arg, site, real arguments, failure);             \
	}                                                                                          \
	EXPORTED type name parameters                                                              \
	{                                                                                          \
		type(*real) parameters = next_known(&next_##name);                                 \
                                                                                                   \
		if (likely(real) && likely(!passage_watched()))                                    \
			return real arguments;                                                     \
		return watched_##name(SITE, INSIDE arguments);                                     \
	}
#define CALL(type, name, parameters, arguments, call, arg, failure)                                \
	VERSIONED(NULL, type, name, parameters, arguments, call, arg, failure)
#include "preload/calls.def"

static next_fn next_pause;

static __attribute__((noinline)) int watched_pause(const void *site)
{
	int (*real)(void) = next_resolve(&next_pause, "pause", NULL);

	THROUGH(int, GTRACE_CALL_pause, 0, site, real(), BY_ERRNO);
}

EXPORTED int pause(void)
{
	int (*real)(void) = next_known(&next_pause);

	if (likely(real) && likely(!passage_watched()))
		return real();
	return watched_pause(SITE);
}

/* --- locks ------------------------------------------------------------------
 * Taking a free lock is no blocking call: it is tried first.  A lock that the
 * caller may not wait for (its own, of the error-checking kind) is busy to the
 * try and answered by the real call.
 */
#define LOCK(name, try_name, parameters, arguments, object, call, tryable, busy, failure)          \
	static next_fn next_##name;                                                                \
	static __attribute__((noinline)) int watched_##name(const void *site, INSIDE parameters)   \
	{                                                                                          \
		int(*real) parameters = next_resolve(&next_##name, #name, NULL);                   \
		int (*try_lock)(typeof(object)) = RESOLVED(#try_name, NULL);                       \
		int error = errno;                                                                 \
		int result;                                                                        \
                                                                                                   \
		if (!passage_watched() || tracer_thread.inside)                                    \
			return real arguments;                                                     \
		if (tryable) {                                                                     \
			result = try_lock(object);                                                 \
			if (!(busy))                                                               \
				return result;                                                     \
			errno = error;                                                             \
		}                                                                                  \
		THROUGH(int, GTRACE_CALL_##call, (uintptr_t)object, site, real arguments,          \
			failure);                                                                  \
	}                                                                                          \
	EXPORTED int name parameters                                                               \
	{                                                                                          \
		int(*real) parameters = next_known(&next_##name);                                  \
                                                                                                   \
		if (likely(real) && likely(!passage_watched()))                                    \
			return real arguments;                                                     \
		return watched_##name(SITE, INSIDE arguments);                                     \
	}
#define PTHREAD_LOCK(name, try_name, parameters, arguments, object, tryable)                       \
	LOCK(name, try_name, parameters, arguments, object, name, tryable, result == EBUSY, BY_CODE)
/* A wait for a semaphore is a cancellation point also where it is free. */
#define SEMAPHORE(name, parameters, arguments, tryable)                                            \
	LOCK(name, sem_trywait, parameters, arguments, sem, name, (pthread_testcancel(), tryable), \
	     result == -1 && errno == EAGAIN, BY_ERRNO)

/* A deadline that is no time is an error of some locks even while they are
 * free: the real call knows of which. */
static bool is_time(const struct timespec *until)
{
	return until && until->tv_nsec >= 0 && until->tv_nsec < 1000000000;
}

static bool is_time_on(clockid_t clock, const struct timespec *until)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && is_time(until);
}

PTHREAD_LOCK(pthread_mutex_lock, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex), mutex,
	     true)
PTHREAD_LOCK(pthread_mutex_timedlock, pthread_mutex_trylock,
	     (pthread_mutex_t * mutex, const struct timespec *until), (mutex, until), mutex,
	     is_time(until))
PTHREAD_LOCK(pthread_mutex_clocklock, pthread_mutex_trylock,
	     (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until),
	     (mutex, clock, until), mutex, is_time_on(clock, until))
PTHREAD_LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock),
	     lock, true)
PTHREAD_LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock),
	     lock, true)
PTHREAD_LOCK(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock,
	     (pthread_rwlock_t * lock, const struct timespec *until), (lock, until), lock,
	     is_time(until))
PTHREAD_LOCK(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock,
	     (pthread_rwlock_t * lock, const struct timespec *until), (lock, until), lock,
	     is_time(until))
LOCK(mtx_lock, mtx_trylock, (mtx_t * mutex), (mutex), mutex, pthread_mutex_lock, true,
     result == thrd_busy, NEVER)
LOCK(mtx_timedlock, mtx_trylock, (mtx_t * mutex, const struct timespec *until), (mutex, until),
     mutex, pthread_mutex_timedlock, is_time(until), result == thrd_busy, NEVER)
SEMAPHORE(sem_wait, (sem_t * sem), (sem), true)
SEMAPHORE(sem_timedwait, (sem_t * sem, const struct timespec *until), (sem, until), is_time(until))
SEMAPHORE(sem_clockwait, (sem_t * sem, clockid_t clock, const struct timespec *until),
	  (sem, clock, until), is_time_on(clock, until))

/* --- variadic calls ---------------------------------------------------------*/

/* Only these flags make open() look at its third argument. */
#define TAKES_MODE(flags) ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE)

static mode_t mode_of(int flags, va_list more)
{
	return TAKES_MODE(flags) ? va_arg(more, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
	static __attribute__((noinline)) int watched_##name(const void *site, const char *path,    \
							    int flags, mode_t mode)                \
	{                                                                                          \
		int (*real)(const char *, int, ...) = RESOLVED(#name, NULL);                       \
                                                                                                   \
		THROUGH(int, GTRACE_CALL_open, (uintptr_t)path, site, real(path, flags, mode),     \
			BY_ERRNO);                                                                 \
	}                                                                                          \
	EXPORTED int name(const char *path, int flags, ...)                                        \
	{                                                                                          \
		int (*real)(const char *, int, ...) = RESOLVED(#name, NULL);                       \
		va_list more;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(more, flags);                                                             \
		mode = mode_of(flags, more);                                                       \
		va_end(more);                                                                      \
		if (likely(!passage_watched()))                                                    \
			return real(path, flags, mode);                                            \
		return watched_##name(SITE, path, flags, mode);                                    \
	}
#define OPENAT(name)                                                                               \
	static __attribute__((noinline)) int watched_##name(                                       \
	    const void *site, int folder, const char *path, int flags, mode_t mode)                \
	{                                                                                          \
		int (*real)(int, const char *, int, ...) = RESOLVED(#name, NULL);                  \
                                                                                                   \
		THROUGH(int, GTRACE_CALL_openat, (uintptr_t)path, site,                            \
			real(folder, path, flags, mode), BY_ERRNO);                                \
	}                                                                                          \
	EXPORTED int name(int folder, const char *path, int flags, ...)                            \
	{                                                                                          \
		int (*real)(int, const char *, int, ...) = RESOLVED(#name, NULL);                  \
		va_list more;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(more, flags);                                                             \
		mode = mode_of(flags, more);                                                       \
		va_end(more);                                                                      \
		if (likely(!passage_watched()))                                                    \
			return real(folder, path, flags, mode);                                    \
		return watched_##name(SITE, folder, path, flags, mode);                            \
	}
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* What _FORTIFY_SOURCE makes of an open without a mode. */
CALL(int, __open_2, (const char *path, int flags), (path, flags), open, (uintptr_t)path, BY_ERRNO)
CALL(int, __open64_2, (const char *path, int flags), (path, flags), open, (uintptr_t)path, BY_ERRNO)
CALL(int, __openat_2, (int folder, const char *path, int flags), (folder, path, flags), openat,
     (uintptr_t)path, BY_ERRNO)
CALL(int, __openat64_2, (int folder, const char *path, int flags), (folder, path, flags), openat,
     (uintptr_t)path, BY_ERRNO)

/* Of the commands only those that wait for a lock block. */
static bool waits_for_lock(int command)
{
	return command == F_SETLKW || command == F_OFD_SETLKW;
}

#define FCNTL(name)                                                                                \
	static __attribute__((noinline)) int watched_##name(const void *site, int fd, int command, \
							    void *arg)                             \
	{                                                                                          \
		int (*real)(int, int, ...) = RESOLVED(#name, NULL);                                \
                                                                                                   \
		THROUGH(int, GTRACE_CALL_fcntl, (uint64_t)fd, site, real(fd, command, arg),        \
			BY_ERRNO);                                                                 \
	}                                                                                          \
	EXPORTED int name(int fd, int command, ...)                                                \
	{                                                                                          \
		int (*real)(int, int, ...) = RESOLVED(#name, NULL);                                \
		va_list more;                                                                      \
		void *arg;                                                                         \
                                                                                                   \
		va_start(more, command);                                                           \
		arg = va_arg(more, void *);                                                        \
		va_end(more);                                                                      \
		if (likely(!passage_watched()) || !waits_for_lock(command))                        \
			return real(fd, command, arg);                                             \
		return watched_##name(SITE, fd, command, arg);                                     \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

/* --- syscall() --------------------------------------------------------------*/

static bool futex_waits(long operation)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	default:
		return false;
	}
}

static __attribute__((noinline)) long watched_futex(const void *site, const long a[6])
{
	long (*real)(long, ...) = RESOLVED("syscall", NULL);

	THROUGH(long, GTRACE_CALL_futex, a[0], site,
		real(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]), BY_ERRNO);
}

EXPORTED long syscall(long number, ...)
{
	long (*real)(long, ...) = RESOLVED("syscall", NULL);
	va_list more;
	long a[6];

	va_start(more, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(more, long);
	va_end(more);
	if (number == SYS_futex && passage_watched() && futex_waits(a[1]))
		return watched_futex(SITE, a);
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
