/* SPDX-License-Identifier: MIT
 *
 * What one LTTng event costs while it is recorded; run by lttng-event.sh.
 */
#include <stdio.h>
#include <stdlib.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/event.h"
#include "bench/measure.h"

/* As many as measure_read() makes. */
#define BATCHES 5
#define EVENTS 20000

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	double batches[BATCHES];

	if (!lttng_ust_tracepoint_enabled(gtrace_bench, event)) {
		fprintf(stderr, "lttng-event: nobody records it\n");
		return 1;
	}
	for (int b = 0; b < BATCHES; b++) {
		double begin = measure_now();

		for (uint32_t i = 0; i < EVENTS; i++)
			lttng_ust_tracepoint(gtrace_bench, event, i, i);
		batches[b] = (measure_now() - begin) / EVENTS;
	}
	qsort(batches, BATCHES, sizeof(batches[0]), compare);
	printf("figure %.4f\n", batches[BATCHES / 2]);
	return 0;
}
