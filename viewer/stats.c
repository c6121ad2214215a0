/* SPDX-License-Identifier: MIT
 *
 * Owns the moments (Welford's recurrence, Chan's for merging) and the
 * histogram: values under 64 have a bucket each; above, every power of two is
 * cut into 64 equal buckets.
 */
#include "viewer/stats.h"

#include <math.h>
#include <stdlib.h>

#include "viewer/map.h"

#define SUB_BITS 6
#define SUB_COUNT (1u << SUB_BITS)
#define BUCKET_COUNT ((64 - SUB_BITS) * SUB_COUNT)

static unsigned bucket_of(int64_t value)
{
	unsigned power;

	if (value < SUB_COUNT)
		return (unsigned)value;
	power = 63 - (unsigned)__builtin_clzll((uint64_t)value);
	return (power - SUB_BITS + 1) * SUB_COUNT +
	       (unsigned)((uint64_t)value >> (power - SUB_BITS)) - SUB_COUNT;
}

static int64_t bucket_low(unsigned bucket)
{
	unsigned octave = bucket / SUB_COUNT;

	if (octave == 0)
		return bucket;
	return (int64_t)(SUB_COUNT + bucket % SUB_COUNT) << (octave - 1);
}

static int64_t bucket_width(unsigned bucket)
{
	unsigned octave = bucket / SUB_COUNT;

	return octave == 0 ? 1 : INT64_C(1) << (octave - 1);
}

void stats_add(struct stats *stats, int64_t value)
{
	double delta;

	if (value < 0)
		value = 0;
	if (!stats->buckets)
		stats->buckets = must_alloc(BUCKET_COUNT, sizeof *stats->buckets);
	if (stats->count == 0 || value < stats->min)
		stats->min = value;
	if (stats->count == 0 || value > stats->max)
		stats->max = value;
	stats->count++;
	delta = (double)value - stats->mean;
	stats->mean += delta / (double)stats->count;
	stats->squares += delta * ((double)value - stats->mean);
	stats->buckets[bucket_of(value)]++;
}

void stats_merge(struct stats *stats, const struct stats *other)
{
	double a = (double)stats->count, b = (double)other->count;
	double delta = other->mean - stats->mean;

	if (other->count == 0)
		return;
	if (!stats->buckets)
		stats->buckets = must_alloc(BUCKET_COUNT, sizeof *stats->buckets);
	if (stats->count == 0 || other->min < stats->min)
		stats->min = other->min;
	if (stats->count == 0 || other->max > stats->max)
		stats->max = other->max;
	stats->count += other->count;
	stats->mean += delta * b / (a + b);
	stats->squares += other->squares + delta * delta * a * b / (a + b);
	for (unsigned i = 0; i < BUCKET_COUNT; i++)
		stats->buckets[i] += other->buckets[i];
}

static int64_t within(const struct stats *stats, int64_t value)
{
	return value < stats->min ? stats->min : value > stats->max ? stats->max : value;
}

/* The value of the given rank, from 1. */
static int64_t ranked(const struct stats *stats, uint64_t rank)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < BUCKET_COUNT; i++) {
		seen += stats->buckets[i];
		if (seen >= rank)
			return within(stats, bucket_low(i) + bucket_width(i) / 2);
	}
	return stats->max;
}

static uint64_t rank_of(const struct stats *stats, double share)
{
	uint64_t rank = (uint64_t)ceil(share * (double)stats->count);

	return rank == 0 ? 1 : rank;
}

/* Values of the bucket that the bound lies in are taken to lie evenly. */
static double share_beyond(const struct stats *stats, double bound)
{
	double beyond = 0;

	if ((double)stats->max <= bound)
		return 0;
	for (unsigned i = 0; i < BUCKET_COUNT; i++) {
		double low = (double)bucket_low(i);
		double width = (double)bucket_width(i);
		double part = (low + width - bound) / width;

		if (stats->buckets[i] && part > 0)
			beyond += (double)stats->buckets[i] * fmin(part, 1);
	}
	return beyond / (double)stats->count;
}

struct stats_summary stats_summarize(const struct stats *stats)
{
	struct stats_summary summary = {.count = stats->count};

	if (stats->count == 0)
		return summary;
	summary.mean = stats->mean;
	if (stats->count > 1)
		summary.std = sqrt(stats->squares / (double)(stats->count - 1));
	summary.median = ranked(stats, rank_of(stats, 0.5));
	summary.p99 = ranked(stats, rank_of(stats, 0.99));
	summary.min = stats->min;
	summary.max = stats->max;
	summary.outlier_share = share_beyond(stats, summary.mean + 3 * summary.std);
	return summary;
}

void stats_free(struct stats *stats)
{
	free(stats->buckets);
	*stats = (struct stats){0};
}
