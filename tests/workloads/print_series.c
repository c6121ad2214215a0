/* SPDX-License-Identifier: MIT
 *
 * Prints the figures of the durations that it reads, one a line.
 */
#include <stdio.h>

#include "workloads/common.h"
#include "workloads/facts.h"
#include "workloads/samples.h"

int main(void)
{
	static int64_t ns[1000];
	struct series series = {.name = "series", .ns = ns};
	size_t count = 0;

	while (count < 1000 && scanf("%ld", &ns[count]) == 1)
		count++;
	facts_open(true);
	fact_series(&series, 1, count);
	facts_end();
	return 0;
}
