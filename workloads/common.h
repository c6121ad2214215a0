/* SPDX-License-Identifier: MIT
 *
 * What all workloads share: their options, and the facts that they print.
 *
 * A workload is one program for one experiment.  It describes its options in
 * a table, calls workload_begin() first, and prints what it knows to be true
 * with the fact_ functions: lines of text, or one JSON object with --json.
 * Everything here is called from one thread at a time, in a task or not.
 */
#ifndef WORKLOADS_COMMON_H
#define WORKLOADS_COMMON_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "grt.h"

/* --- options --------------------------------------------------------------*/
enum setting_kind {
	SETTING_FLAG,
	SETTING_COUNT,
	SETTING_SECONDS,
	SETTING_WORD,
};

/* One long option.  The variable holds the default on entry. */
struct setting {
	const char *name;
	enum setting_kind kind;
	union {
		bool *flag;
		int64_t *count;
		double *seconds;
		const char **word;
	};
	double min, max;   /* of counts and seconds */
	const char *words; /* those allowed, with | between them */
	const char *help;
};

struct workload {
	const char *name;
	const char *about;              /* text of --help; ends with a newline */
	const struct setting *settings; /* ends with a row without name */
};

/*
 * Read the options (--help and --json are always there) and tell the recording
 * which workload this is.  A wrong option ends the program: status 2 and one
 * line.
 */
void workload_begin(const struct workload *workload, int argc, char **argv);

/* --- facts ----------------------------------------------------------------
 * key: words joined by _; shown with spaces in text.  unit: "" or e.g. "ns",
 * which JSON appends to the key.  The first ones tell workload and settings.
 */
void facts_begin(void);
void fact_count(const char *key, const char *unit, int64_t value);
void fact_real(const char *key, const char *unit, double value);
void fact_word(const char *key, const char *value);
void fact_flag(const char *key, bool value);
/* Not known: null in JSON; text says why. */
void fact_unknown(const char *key, const char *unit, const char *why);
/* A group of facts, until fact_close(); key is NULL in a list. */
void fact_group(const char *key);
void fact_list(const char *key);
void fact_close(void);
/* A line that only readers of text need. */
void fact_note(const char *text);
bool fact_as_json(void);
/* The last call: everything is printed. */
void facts_end(void);

/* --- small helpers --------------------------------------------------------*/

/* Print "NAME: what: text of error" and end with status 1, if error is not 0. */
void must(int error, const char *what);

/* Start a task or end the program. */
void start_task(const char *name, grt_fn *fn, void *arg);

/* grt_run() or end the program. */
void run_tasks(const struct grt_opts *opts, grt_fn *fn);

static inline int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
