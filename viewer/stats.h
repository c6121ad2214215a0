/* SPDX-License-Identifier: MIT
 *
 * Figures over many durations, in bounded memory.
 *
 * Count, mean, standard deviation (of the sample), min and max are exact but
 * for rounding.  Median, p99 and the share of outliers come from a histogram
 * whose buckets are at most 1/64 of their value wide: a quantile is off by at
 * most 1/128 of itself (0.8 %), values under 64 ns are exact.  The share of
 * outliers is off by at most the share of the one bucket that the bound
 * mean + 3 std lies in.
 */
#ifndef GTRACE_VIEWER_STATS_H
#define GTRACE_VIEWER_STATS_H

#include <stdint.h>

/* Zero-initialise; stats_free() when done. */
struct stats {
	uint64_t count;
	double mean, squares; /* squares: sum of (value - mean)^2 */
	int64_t min, max;
	uint64_t *buckets; /* made with the first value */
};

/* What a table shows; all 0 where count is 0. */
struct stats_summary {
	uint64_t count;
	double outlier_share; /* of values beyond mean + 3 std; 0 .. 1 */
	double mean, std;
	int64_t median, p99, max, min;
};

/* A negative value counts as 0. */
void stats_add(struct stats *stats, int64_t value);
/* As if all values of other had been added. */
void stats_merge(struct stats *stats, const struct stats *other);
struct stats_summary stats_summarize(const struct stats *stats);
void stats_free(struct stats *stats);

#endif
