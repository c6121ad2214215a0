/* SPDX-License-Identifier: MIT
 *
 * A preloaded library whose constructor makes calls, from threads too.  It
 * runs before that of libgtrace.so where it stands behind it in LD_PRELOAD,
 * and after it where it stands in front.
 */
#include <fcntl.h>

#include "subject.h"

static void *read_zero(void *fd)
{
	char byte = 1;

	usleep(100);
	MUST(read((int)(intptr_t)fd, &byte, 1) == 1 && byte == 0);
	return NULL;
}

__attribute__((constructor)) static void before_main(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		MUST(pthread_create(&thread[i], NULL, read_zero, (void *)(intptr_t)fd) == 0);
	for (int i = 0; i < 4; i++)
		MUST(pthread_join(thread[i], NULL) == 0);
	MUST(close(fd) == 0);
	if (write(STDOUT_FILENO, "first\n", 6) != 6)
		_exit(97);
}
