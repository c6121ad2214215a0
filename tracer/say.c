/* SPDX-License-Identifier: MIT
 *
 * See say.h.
 */
#include "tracer/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "gtrace: "

void say(const char *format, ...)
{
	char line[8192] = PREFIX;
	size_t used = strlen(PREFIX);
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(line + used, sizeof(line) - used - 1, format, arguments);
	va_end(arguments);

	if (length > 0)
		used += (size_t)length < sizeof(line) - used - 1 ? (size_t)length
								 : sizeof(line) - used - 2;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return; /* nobody listens: nothing can be told */
}
