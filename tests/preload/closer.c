/* SPDX-License-Identifier: MIT
 *
 * Closes every descriptor that it does not know, as daemons do, and goes on.
 * The argument says how: loop, range or from.
 */
#include <fcntl.h>
#include <sys/resource.h>

#include "subject.h"

static void close_all(const char *how)
{
	struct rlimit limit;

	if (!strcmp(how, "range")) {
		MUST(close_range(3, ~0U, 0) == 0);
	} else if (!strcmp(how, "from")) {
		closefrom(3);
	} else {
		MUST(getrlimit(RLIMIT_NOFILE, &limit) == 0);
		for (rlim_t fd = 3; fd < limit.rlim_cur && fd < 65536; fd++)
			close((int)fd);
	}
}

int main(int argc, char **argv)
{
	char byte;

	MUST(argc == 2);
	usleep(1000);
	close_all(argv[1]);
	for (int i = 0; i < 5; i++)
		printf("%d\n", open("/dev/zero", O_RDONLY));
	for (int i = 0; i < 10; i++)
		MUST(read(3, &byte, 1) == 1 && byte == 0);
	usleep(1000);
	return 0;
}
