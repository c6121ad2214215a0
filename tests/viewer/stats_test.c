/* SPDX-License-Identifier: MIT
 *
 * Figures against those computed from all values.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "viewer/stats.h"

#define COUNT 20000

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static void assert_near(double value, double expected, double share)
{
	if (fabs(value - expected) > share * fabs(expected))
		fail_msg("%g is not within %g of %g", value, share, expected);
}

/* Values over nine powers of ten. */
static void make_values(int64_t *values)
{
	uint64_t state = 42;

	for (int i = 0; i < COUNT; i++)
		values[i] = (int64_t)exp2((double)(next_random(&state) % 30000) / 1000);
}

static void agrees_with_all_values(void **context)
{
	static int64_t values[COUNT];
	struct stats stats = {0};
	struct stats_summary summary;
	double sum = 0, squares = 0;
	int beyond = 0;

	(void)context;
	make_values(values);
	for (int i = 0; i < COUNT; i++) {
		stats_add(&stats, values[i]);
		sum += (double)values[i];
	}
	for (int i = 0; i < COUNT; i++)
		squares += pow((double)values[i] - sum / COUNT, 2);
	qsort(values, COUNT, sizeof *values, by_value);
	summary = stats_summarize(&stats);
	for (int i = 0; i < COUNT; i++)
		beyond += (double)values[i] > summary.mean + 3 * summary.std;
	assert_int_equal(summary.count, COUNT);
	assert_near(summary.mean, sum / COUNT, 1e-9);
	assert_near(summary.std, sqrt(squares / (COUNT - 1)), 1e-9);
	assert_near((double)summary.median, (double)values[COUNT / 2 - 1], 0.01);
	assert_near((double)summary.p99, (double)values[COUNT * 99 / 100 - 1], 0.01);
	assert_int_equal(summary.min, values[0]);
	assert_int_equal(summary.max, values[COUNT - 1]);
	assert_true(beyond > 0);
	assert_near(summary.outlier_share, (double)beyond / COUNT, 0.05);
	stats_free(&stats);
}

static void small_values_are_exact(void **context)
{
	struct stats stats = {0};
	struct stats_summary summary;

	(void)context;
	for (int64_t value = 1; value <= 63; value++)
		stats_add(&stats, value);
	summary = stats_summarize(&stats);
	assert_int_equal(summary.median, 32);
	assert_int_equal(summary.p99, 63);
	stats_free(&stats);
}

static void nothing_is_all_zero(void **context)
{
	struct stats stats = {0};
	struct stats_summary summary = stats_summarize(&stats);

	(void)context;
	assert_int_equal(summary.count, 0);
	assert_int_equal(summary.median, 0);
	assert_true(summary.mean == 0 && summary.std == 0 && summary.outlier_share == 0);
}

static void extremes_are_taken(void **context)
{
	struct stats stats = {0};
	struct stats_summary summary;

	(void)context;
	stats_add(&stats, INT64_MAX);
	stats_add(&stats, -5);
	summary = stats_summarize(&stats);
	assert_int_equal(summary.max, INT64_MAX);
	assert_int_equal(summary.min, 0);
	stats_free(&stats);
}

static void merging_is_adding(void **context)
{
	static int64_t values[COUNT];
	struct stats whole = {0}, first = {0}, second = {0};
	struct stats_summary a, b;

	(void)context;
	make_values(values);
	for (int i = 0; i < COUNT; i++) {
		stats_add(&whole, values[i]);
		stats_add(i % 3 ? &first : &second, values[i]);
	}
	stats_merge(&first, &second);
	a = stats_summarize(&whole);
	b = stats_summarize(&first);
	assert_int_equal(a.count, b.count);
	assert_near(b.mean, a.mean, 1e-9);
	assert_near(b.std, a.std, 1e-9);
	assert_int_equal(a.median, b.median);
	assert_int_equal(a.p99, b.p99);
	assert_int_equal(a.min, b.min);
	assert_int_equal(a.max, b.max);
	stats_free(&whole);
	stats_free(&first);
	stats_free(&second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(agrees_with_all_values), cmocka_unit_test(small_values_are_exact),
	    cmocka_unit_test(nothing_is_all_zero),    cmocka_unit_test(extremes_are_taken),
	    cmocka_unit_test(merging_is_adding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
