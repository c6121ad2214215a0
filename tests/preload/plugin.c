/* SPDX-License-Identifier: MIT
 *
 * A library that plugs.c loads: it waits when it is loaded and sleeps for its
 * program.
 */
#include <poll.h>
#include <unistd.h>

__attribute__((constructor)) static void wait_a_moment(void)
{
	poll(NULL, 0, 1);
}

__attribute__((visibility("default"))) int plug_sleep(void);
int plug_sleep(void)
{
	int result = usleep(1000);

	__asm__ volatile("" ::: "memory"); /* no tail call */
	return result;
}
