/* SPDX-License-Identifier: MIT
 *
 * Figures of series of durations.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "samples.h"

#define MAX_SERIES 4
#define BUCKETS 63

/* What the table has in its rows; a share is printed in percent. */
enum figure { OUTLIER_SHARE, MEAN, STD, MEDIAN, P99, MAX, MIN, FIGURES };

static const struct {
	const char *key; /* in JSON */
	const char *label;
} figures[FIGURES] = {
    [OUTLIER_SHARE] = {"outlier_share", "outliers > mean + 3 std, %"},
    [MEAN] = {"mean_ns", "mean, ns"},
    [STD] = {"std_ns", "std, ns"},
    [MEDIAN] = {"median_ns", "median, ns"},
    [P99] = {"p99_ns", "p99, ns"},
    [MAX] = {"max_ns", "max, ns"},
    [MIN] = {"min_ns", "min, ns"},
};

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* ns is sorted; q from 0 to 1; the smallest value that q of all do not exceed. */
static double quantile(const int64_t *ns, size_t count, double q)
{
	size_t rank = (size_t)ceil(q * (double)count);

	return (double)ns[rank ? rank - 1 : 0];
}

static double median(const int64_t *ns, size_t count)
{
	return ((double)ns[(count - 1) / 2] + (double)ns[count / 2]) / 2;
}

static void compute(const struct series *series, size_t count, double values[FIGURES])
{
	const int64_t *ns = series->ns;
	double sum = 0;
	double squares = 0;
	size_t outliers = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)ns[i];
	values[MEAN] = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += pow((double)ns[i] - values[MEAN], 2);
	values[STD] = sqrt(squares / (double)count);
	for (size_t i = 0; i < count; i++)
		outliers += (double)ns[i] > values[MEAN] + 3 * values[STD];
	values[OUTLIER_SHARE] = (double)outliers / (double)count;
	values[MEDIAN] = median(ns, count);
	values[P99] = quantile(ns, count, 0.99);
	values[MAX] = (double)ns[count - 1];
	values[MIN] = (double)ns[0];
}

static void print_table(const struct series *series, size_t series_count, double values[][FIGURES])
{
	char line[128];
	int at = snprintf(line, sizeof(line), "%-28s", "");

	for (size_t s = 0; s < series_count; s++)
		at += snprintf(line + at, sizeof(line) - (size_t)at, "%12s", series[s].name);
	fact_note(line);
	for (int f = 0; f < FIGURES; f++) {
		at = snprintf(line, sizeof(line), "%-28s", figures[f].label);
		for (size_t s = 0; s < series_count; s++)
			at += snprintf(line + at, sizeof(line) - (size_t)at, "%12.*f",
				       f == OUTLIER_SHARE ? 2 : 0,
				       f == OUTLIER_SHARE ? 100 * values[s][f] : values[s][f]);
		fact_note(line);
	}
}

static void print_groups(const struct series *series, size_t series_count, size_t count,
			 double values[][FIGURES])
{
	for (size_t s = 0; s < series_count; s++) {
		fact_group(series[s].name);
		fact_count("count", "", (int64_t)count);
		for (int f = 0; f < FIGURES; f++)
			fact_real(figures[f].key, "", values[s][f]);
		fact_close();
	}
}

void fact_series(struct series *series, size_t series_count, size_t count)
{
	double values[MAX_SERIES][FIGURES];

	for (size_t s = 0; s < series_count; s++) {
		qsort(series[s].ns, count, sizeof(*series[s].ns), compare);
		compute(&series[s], count, values[s]);
	}
	if (fact_as_json())
		print_groups(series, series_count, count, values);
	else
		print_table(series, series_count, values);
}

/* --- histogram ------------------------------------------------------------*/

static int bucket_of(int64_t ns)
{
	return ns < 2 ? 0 : 63 - __builtin_clzll((unsigned long long)ns);
}

static void print_bar(int64_t from, int64_t samples)
{
	static const char bar[] = "########################################";
	char line[128];
	int length = 1 + (int)(6 * log10((double)samples));

	snprintf(line, sizeof(line), "%12lld ns .. %-8lld |%-40.*s", (long long)from,
		 (long long)samples, length > 40 ? 40 : length, bar);
	while (line[strlen(line) - 1] == ' ')
		line[strlen(line) - 1] = '\0';
	fact_note(line);
}

void fact_histogram(const struct series *series, size_t count)
{
	int64_t buckets[BUCKETS] = {0};

	for (size_t i = 0; i < count; i++)
		buckets[bucket_of(series->ns[i])]++;
	fact_list("histogram");
	for (int b = 0; b < BUCKETS; b++) {
		int64_t from = b ? (int64_t)1 << b : 0;

		if (!buckets[b])
			continue;
		if (fact_as_json()) {
			fact_group(NULL);
			fact_count("from", "ns", from);
			fact_count("to", "ns", (int64_t)1 << (b + 1));
			fact_count("samples", "", buckets[b]);
			fact_close();
		} else {
			print_bar(from, buckets[b]);
		}
	}
	fact_close();
}
