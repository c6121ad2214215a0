/* SPDX-License-Identifier: MIT
 *
 * Owns file descriptor 2.  babeltrace2 and glib write there when a trace is
 * damaged, and there is no way to ask them all not to.
 */
#include "viewer/complain.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *name = "gtrace";
static int kept = -1; /* the true standard error, in silence */

void complain_as(const char *program)
{
	name = program;
}

void complain(const char *format, ...)
{
	int to = kept >= 0 ? kept : STDERR_FILENO;
	va_list arguments;

	dprintf(to, "%s: ", name);
	va_start(arguments, format);
	vdprintf(to, format, arguments);
	va_end(arguments);
	dprintf(to, "\n");
}

void silence_begin(void)
{
	int null;

	if (kept >= 0 || getenv("LIBBABELTRACE2_INIT_LOG_LEVEL"))
		return; /* someone wants to see it */
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (null >= 0 && kept >= 0)
		dup2(null, STDERR_FILENO);
	if (null >= 0)
		close(null);
}

void silence_end(void)
{
	if (kept < 0)
		return;
	dup2(kept, STDERR_FILENO);
	close(kept);
	kept = -1;
}
