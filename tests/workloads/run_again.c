/* SPDX-License-Identifier: MIT
 *
 * Runs that are over as soon as they have begun, one after the other: each must
 * end, whatever its workers and sysmon were about to do.
 */
#include "grt.h"

#define RUNS 3000

static void nothing(void *arg)
{
	(void)arg;
}

static void some(void *arg)
{
	grt_go(nothing, arg);
	grt_go(nothing, arg);
	grt_yield();
}

int main(void)
{
	for (int i = 0; i < RUNS; i++)
		if (grt_run(NULL, i % 2 ? some : nothing, NULL))
			return 1;
	return 0;
}
