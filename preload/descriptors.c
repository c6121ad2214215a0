/* SPDX-License-Identifier: MIT
 *
 * The descriptors of lttng-ust and libunwind, kept out of the program's way.
 *
 * lttng-ust registers each descriptor that it gets (a socket to the session
 * daemon, shared memory, pipes) by lttng_ust_add_fd_to_tracker(), which may
 * answer with another number to use instead.  Ours moves it to a high one, so
 * that the program finds the numbers free that it would find without us: it
 * may write `exec 3<` in a shell, or dup2() onto what it believes is unused.
 * libunwind opens a pipe, to which it writes what it wants to know readable:
 * that must never become a file of the program.
 *
 * Programs also close what they do not know.  For them these descriptors are
 * not there: closing one is EBADF, closing a range leaves them out.
 *
 * Invariant: a bit is set while one of them holds that descriptor.  Nothing here
 * locks or allocates: close() is called in signal handlers and after vfork().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/lttng.h"
#include "preload/passage.h"
#include "preload/resolve.h"

/* Numbers from HIGHEST_LOW on, or from half of what the process may open. */
enum { HIGHEST_LOW = 512, FDS = 4096, BITS = 64 };

static _Atomic uint64_t held[FDS / BITS];

static bool is_held(int fd)
{
	return fd >= 0 && fd < FDS &&
	       atomic_load_explicit(&held[fd / BITS], memory_order_relaxed) >> fd % BITS & 1;
}

static void hold(int fd)
{
	if (fd >= 0 && fd < FDS)
		atomic_fetch_or(&held[fd / BITS], UINT64_C(1) << fd % BITS);
}

static void let_go(int fd)
{
	if (fd >= 0 && fd < FDS)
		atomic_fetch_and(&held[fd / BITS], ~(UINT64_C(1) << fd % BITS));
}

/* The first held descriptor from fd on; FDS: none. */
static unsigned next_held(unsigned fd)
{
	while (fd < FDS && !is_held((int)fd))
		fd = atomic_load_explicit(&held[fd / BITS], memory_order_relaxed) >> fd % BITS
			 ? fd + 1
			 : (fd / BITS + 1) * BITS;
	return fd;
}

/* --- what lttng-ust does -----------------------------------------------------*/

/* lttng-ust sizes its tables by the limit that it finds at the start: the
 * program may raise it later, and this must not follow. */
static int lowest(void)
{
	static _Atomic int low;
	struct rlimit limit;

	if (!low)
		low = getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= 2 * HIGHEST_LOW
			  ? HIGHEST_LOW
			  : (int)(limit.rlim_cur / 2);
	return low;
}

__attribute__((constructor)) static void begin(void)
{
	lowest();
}

/* Where there is no room up there it stays where it is. */
static int moved(int fd)
{
	int error = errno;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, lowest());

	if (high >= 0)
		close(fd);
	errno = error;
	return high >= 0 ? high : fd;
}

/* These two are lttng-ust's, and declared in none of its headers. */
EXPORTED int lttng_ust_add_fd_to_tracker(int fd);
EXPORTED void lttng_ust_delete_fd_from_tracker(int fd);

int lttng_ust_add_fd_to_tracker(int fd)
{
	int (*real)(int) = RESOLVED("lttng_ust_add_fd_to_tracker", NULL);
	int kept = real(moved(fd));

	hold(kept);
	return kept;
}

void lttng_ust_delete_fd_from_tracker(int fd)
{
	void (*real)(int) = RESOLVED("lttng_ust_delete_fd_from_tracker", NULL);

	let_go(fd);
	real(fd);
}

/* --- what libunwind does -----------------------------------------------------*/

EXPORTED int pipe2(int fds[2], int flags)
{
	int (*real)(int[2], int) = RESOLVED("pipe2", NULL);
	int result = real(fds, flags);

	if (result || !lttng_owns(SITE))
		return result;
	for (int i = 0; i < 2; i++) {
		fds[i] = moved(fds[i]);
		hold(fds[i]);
	}
	return result;
}

/* --- what the program does ---------------------------------------------------*/

EXPORTED int close(int fd)
{
	int (*real)(int) = RESOLVED("close", NULL);

	if (unlikely(is_held(fd)) && !lttng_owns(SITE)) {
		errno = EBADF;
		return -1;
	}
	if (unlikely(is_held(fd)))
		let_go(fd);
	return real(fd);
}

EXPORTED int close_range(unsigned int first, unsigned int last, int flags)
{
	int (*real)(unsigned int, unsigned int, int) = RESOLVED("close_range", NULL);
	unsigned int fd;

	/* Those of lttng-ust are closed on exec already. */
	if (first > last || flags & CLOSE_RANGE_CLOEXEC)
		return real(first, last, flags);
	while ((fd = next_held(first)) < FDS && fd <= last) {
		if (fd > first && real(first, fd - 1, flags))
			return -1;
		if (fd == last)
			return 0;
		first = fd + 1;
	}
	return real(first, last, flags);
}

EXPORTED void closefrom(int low)
{
	void (*real)(int) = RESOLVED("closefrom", NULL);
	int error = errno;

	/* libc's own finds a way where the kernel has no close_range(). */
	if (next_held(low < 0 ? 0 : (unsigned)low) == FDS ||
	    close_range(low < 0 ? 0 : (unsigned)low, ~0U, 0))
		real(low);
	errno = error;
}
