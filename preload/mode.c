/* SPDX-License-Identifier: MIT
 *
 * GTRACE_MODE and GTRACE_DEBUG.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/mode.h"

static enum gtrace_preload_mode mode = GTRACE_PRELOAD_MODE_HANDOFF;

enum gtrace_preload_mode mode_get(void)
{
	return mode;
}

void mode_read(void)
{
	const char *value = getenv("GTRACE_MODE");

	if (getenv("GTRACE_DEBUG"))
		fputs("gtrace: libgtrace.so is loaded; record with: lttng create; "
		      "lttng enable-event -u 'gtrace:*'; lttng start\n",
		      stderr);
	if (!value || strcmp(value, "handoff") == 0)
		return;
	if (strcmp(value, "park") == 0)
		mode = GTRACE_PRELOAD_MODE_PARK;
	else
		fprintf(
		    stderr,
		    "gtrace: GTRACE_MODE=%s: no such mode: handoff is used; set handoff or park\n",
		    value);
}
