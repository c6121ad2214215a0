/* SPDX-License-Identifier: MIT
 *
 * A library that plugs.c loads: it sleeps for its program.
 */
#include <unistd.h>

__attribute__((visibility("default"))) int plug_sleep(void);
int plug_sleep(void)
{
	int result = usleep(1000);

	__asm__ volatile("" ::: "memory"); /* no tail call */
	return result;
}
