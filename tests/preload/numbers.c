/* SPDX-License-Identifier: MIT
 *
 * Which descriptors a program gets, and that its files hold what it wrote:
 * also after calls that are long enough to have their stacks taken, and after
 * it has put files on all low numbers.
 */
#include <fcntl.h>

#include "subject.h"

__attribute__((noinline)) static void sleep_from(int depth)
{
	char pages[8192];

	memset(pages, depth, sizeof(pages));
	if (depth > 0)
		sleep_from(depth - 1);
	else
		usleep(1000);
	__asm__ volatile("" : : "r"(pages) : "memory");
}

static long bytes_in(const char *name)
{
	char buf[64];
	int fd = open(name, O_RDONLY);
	long count = read(fd, buf, sizeof(buf));

	close(fd);
	return count;
}

int main(void)
{
	sleep_from(20);
	for (int fd = 3; fd < 64; fd++) {
		char name[16];
		int got;

		snprintf(name, sizeof(name), "f%d", fd);
		got = open(name, O_RDWR | O_CREAT, 0600);
		printf("%d\n", got);
		if (got != fd)
			MUST(dup2(got, fd) == fd);
	}
	sleep_from(40);
	for (int fd = 3; fd < 64; fd++)
		MUST(write(fd, "mine", 4) == 4);
	sleep_from(60);
	for (int fd = 3; fd < 64; fd++) {
		char name[16];

		MUST(close(fd) == 0);
		snprintf(name, sizeof(name), "f%d", fd);
		printf("%s %ld\n", name, bytes_in(name));
	}
	return 0;
}
