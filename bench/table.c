/* SPDX-License-Identifier: MIT
 *
 * The rows as a table for readers and as JSON.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/rows.h"
#include "bench/table.h"

/* A row beside one peer, with all that is known of them. */
struct line {
	const struct row *row;
	const char *peer; /* NULL: nobody to compare with */
	bool has_own, has_peer;
	double own, peers;
	const char *why; /* something is missing */
};

typedef void print_fn(const struct line *line);

static void print_line(const struct row *row, const struct peer *peer, print_fn *print)
{
	struct line line = {.row = row, .peer = peer ? peer->name : NULL};
	const char *why;

	line.has_own = row_figure(row, &line.own, &line.why);
	if (line.has_own)
		line.why = NULL;
	if (peer) {
		line.has_peer = source_figure(peer->source, &line.peers, &why);
		if (!line.has_peer && !line.why)
			line.why = why;
	}
	print(&line);
}

static void each_line(print_fn *print)
{
	for (int r = 0; r < row_count; r++) {
		const struct row *row = &rows[r];
		bool alone = true;

		if (!row->wanted)
			continue;
		for (int p = 0; p < MAX_PEERS && row->peers[p].name; p++) {
			if (!sources[row->peers[p].source].wanted)
				continue;
			print_line(row, &row->peers[p], print);
			alone = false;
		}
		if (alone)
			print_line(row, NULL, print);
	}
}

/* --- text -----------------------------------------------------------------*/

static void print_figure(bool known, double figure, const char *unit)
{
	if (known)
		printf(" %9.*f %-5s", figure < 1000 ? 1 : 0, figure, unit);
	else
		printf(" %9s %-5s", "-", "");
}

static void print_text(const struct line *line)
{
	printf("%-22s", line->row->name);
	print_figure(line->has_own, line->own, line->row->unit);
	printf("  %-18s", line->peer ? line->peer : "-");
	print_figure(line->has_peer, line->peers, line->row->unit);
	if (line->has_own && line->has_peer)
		printf("  %7.3f", line->own / line->peers);
	else
		printf("  %7s", "-");
	if (line->why)
		printf("  skipped: %s", line->why);
	putchar('\n');
}

void table_print_text(int rounds)
{
	printf("%-22s %-15s  %-18s %-15s  %7s\n", "row", "   gtrace", "peer", "   peer's", "ratio");
	each_line(print_text);
	printf("medians of %d rounds; ratio: gtrace / peer, smaller is better\n", rounds);
}

/* --- JSON -----------------------------------------------------------------*/

static bool first;

static void print_string(const char *key, const char *text)
{
	printf("\"%s\": ", key);
	if (!text) {
		printf("null");
		return;
	}
	putchar('"');
	for (; *text; text++) {
		if ((unsigned char)*text < ' ')
			printf("\\u%04x", *text);
		else if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void print_number(const char *key, bool known, double value)
{
	if (known)
		printf(", \"%s\": %.9g", key, value);
	else
		printf(", \"%s\": null", key);
}

static void print_json(const struct line *line)
{
	printf(first ? "\n  {" : ",\n  {");
	first = false;
	print_string("name", line->row->name);
	printf(", ");
	print_string("unit", line->row->unit);
	print_number("ns", line->has_own, line->own);
	printf(", ");
	print_string("peer", line->peer);
	print_number("peer_ns", line->has_peer, line->peers);
	print_number("ratio", line->has_own && line->has_peer, line->own / line->peers);
	if (line->why) {
		printf(", ");
		print_string("skipped", line->why);
	}
	putchar('}');
}

void table_print_json(int rounds)
{
	first = true;
	printf("{\"rounds\": %d, \"cpus\": %ld, \"rows\": [", rounds,
	       sysconf(_SC_NPROCESSORS_ONLN));
	each_line(print_json);
	printf("\n]}\n");
}
