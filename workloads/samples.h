/* SPDX-License-Identifier: MIT
 *
 * Figures of a series of durations: the table and the histogram that a reader
 * of latencies wants.
 */
#ifndef WORKLOADS_SAMPLES_H
#define WORKLOADS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

struct series {
	const char *name;
	int64_t *ns; /* durations; sorted by fact_series() */
};

/* Print the figures of several series of count durations each, side by side. */
void fact_series(struct series *series, size_t series_count, size_t count);

/* Print how many durations there are by powers of two; the bars have a
 * logarithmic scale so that single outliers stay visible. */
void fact_histogram(const struct series *series, size_t count);

#endif
