/* SPDX-License-Identifier: MIT
 *
 * gtrace-bench: what the operations of libgrt and of a recording cost, beside
 * what others charge for the same on the same machine in the same run.
 *
 * Each round makes every measurement once, in a process of its own, so that a
 * disturbance of the machine hits all of them alike.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/programs.h"
#include "bench/table.h"

static const struct {
	const char *name;
	double (*measure)(void);
} measurements[] = {
    {"yield", measure_yield},
    {"spawn", measure_spawn},
    {"channel", measure_channel},
    {"call", measure_call},
    {"read", measure_read},
    {"few_reads", measure_few_reads},
    {"thread_read", measure_thread_read},
    {"single_read", measure_single_read},
    {"parked_bytes", measure_parked_bytes},
    {"threads_switch", measure_threads_switch},
    {"threads_spawn", measure_threads_spawn},
    {"threads_round_trip", measure_threads_round_trip},
    {"threads_round_trip_one_cpu", measure_threads_round_trip_one_cpu},
};

static struct {
	bool json;
	int rounds;
	const char *peers; /* NULL: all */
} asked = {.rounds = 5};

static _Noreturn void wrong(const char *what, const char *why)
{
	fprintf(stderr, "gtrace-bench: %s: %s, see --help\n", what, why);
	exit(2);
}

static _Noreturn void help(void)
{
	printf("usage: gtrace-bench [OPTIONS] [ROW...]\n\n"
	       "Measure libgrt and recordings against their peers.  Rows (default: all):\n ");
	for (int r = 0; r < row_count; r++)
		printf(" %s", rows[r].name);
	printf(
	    "\n\n"
	    "yield is one switch, spawn a task run to its end, channel a round trip, call an\n"
	    "empty blocking call; all on one proc.  The read rows read one byte of /dev/zero in\n"
	    "a task: as it is, with libgtrace.so while nobody records, under gtrace record.  The\n"
	    "added rows are the difference to read_bare.  parked_bytes counts resident bytes.\n\n"
	    "  --json          print JSON; \"ns\" of a row whose \"unit\" is bytes are bytes\n"
	    "  --rounds N      of how many rounds to take the medians, 1 to %d (5)\n"
	    "  --peers LIST    compare with these only: boost.fiber,Go,pthreads or none\n"
	    "  --measure NAME  make one measurement of libgrt and print the figure\n"
	    "  --help          print this and exit\n\n"
	    "Examples:\n"
	    "  gtrace-bench\n"
	    "  gtrace-bench --peers Go --rounds 9 yield call\n",
	    MAX_ROUNDS);
	exit(0);
}

static _Noreturn void measure_one(const char *name)
{
	for (size_t i = 0; i < sizeof(measurements) / sizeof(measurements[0]); i++)
		if (!strcmp(measurements[i].name, name)) {
			printf("figure %.4f\n", measurements[i].measure());
			exit(0);
		}
	wrong(name, "no such measurement");
}

/* --- what is asked for ----------------------------------------------------*/

static bool in_list(const char *list, const char *word, size_t length)
{
	while (*list) {
		size_t next = strcspn(list, ",");

		if (next == length && !strncmp(list, word, length))
			return true;
		list += next + (list[next] == ',');
	}
	return false;
}

/* A name such as "pthreads, one CPU" belongs to the peer pthreads. */
static bool peer_wanted(const struct peer *peer)
{
	enum source_kind kind = sources[peer->source].kind;

	if (!asked.peers || (kind == SOURCE_OWN && strstr(peer->name, "read_bare")) ||
	    kind == SOURCE_EVENT)
		return true;
	return in_list(asked.peers, peer->name, strcspn(peer->name, ","));
}

static const char *checked_peers(const char *text)
{
	const char *list = text;

	while (*list) {
		size_t length = strcspn(list, ",");

		if (!in_list("boost.fiber,Go,pthreads,none", list, length))
			wrong("--peers", "boost.fiber, Go, pthreads or none");
		list += length + (list[length] == ',');
	}
	return text;
}

static void want(struct row *row)
{
	row->wanted = true;
	sources[row->source].wanted = true;
	if (row->minus >= 0)
		sources[row->minus].wanted = true;
	for (int p = 0; p < MAX_PEERS && row->peers[p].name; p++)
		if (peer_wanted(&row->peers[p]))
			sources[row->peers[p].source].wanted = true;
}

static void want_named(const char *name)
{
	for (int r = 0; r < row_count; r++)
		if (!strcmp(rows[r].name, name)) {
			want(&rows[r]);
			return;
		}
	wrong(name, "no such row");
}

static int number(const char *text, int max)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < 1 || value > max)
		wrong("--rounds", "a whole number from 1 to 101");
	return (int)value;
}

static void read_options(int argc, char **argv)
{
	static const struct option options[] = {
	    {"json", no_argument, NULL, 'j'},        {"rounds", required_argument, NULL, 'r'},
	    {"peers", required_argument, NULL, 'p'}, {"measure", required_argument, NULL, 'm'},
	    {"help", no_argument, NULL, 'h'},        {0},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1)
		switch (option) {
		case 'j':
			asked.json = true;
			break;
		case 'r':
			asked.rounds = number(optarg, MAX_ROUNDS);
			break;
		case 'p':
			asked.peers = checked_peers(optarg);
			break;
		case 'm':
			measure_one(optarg);
		case 'h':
			help();
		case ':':
			wrong(argv[optind - 1], "a value is missing");
		default:
			wrong(argv[optind - 1], "no such option");
		}
	for (int i = optind; i < argc; i++)
		want_named(argv[i]);
	for (int r = 0; r < row_count && optind == argc; r++)
		want(&rows[r]);
}

int main(int argc, char **argv)
{
	read_options(argc, argv);
	command_catch_signals();
	programs_prepare();
	for (int round = 0; round < asked.rounds && !command_signal(); round++)
		for (int i = 0; i < source_count && !command_signal(); i++)
			if (sources[i].wanted)
				programs_measure(&sources[i]);
	if (command_signal())
		return 128 + command_signal();
	if (asked.json)
		table_print_json(asked.rounds);
	else
		table_print_text(asked.rounds);
	return 0;
}
