/* SPDX-License-Identifier: MIT
 *
 * The table of gtrace-bench: what is measured, how, and against which peer.
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/command.h"

#define MAX_ROUNDS 101

/* How a figure comes about. */
enum source_kind {
	SOURCE_OWN,       /* this program */
	SOURCE_PRELOADED, /* this program with libgtrace.so, nobody records */
	SOURCE_RECORDED,  /* this program under gtrace record */
	SOURCE_EVENT,     /* lttng-event under a session daemon */
	SOURCE_BOOST,
	SOURCE_GO,
};

struct source {
	enum source_kind kind;
	const char *what; /* word that the program takes */
	bool wanted;
	double values[MAX_ROUNDS];
	int count;
	char why[COMMAND_WHY]; /* there is no figure */
};

#define MAX_PEERS 4

struct peer {
	const char *name;
	int source;
};

struct row {
	const char *name;
	const char *unit;
	int source;
	int minus; /* a source that is subtracted; -1: none */
	struct peer peers[MAX_PEERS];
	bool wanted;
};

extern struct source sources[];
extern const int source_count;
extern struct row rows[];
extern const int row_count;

/* Median of all rounds; false: there is none, and why. */
bool source_figure(int source, double *figure, const char **why);
bool row_figure(const struct row *row, double *figure, const char **why);

#endif
