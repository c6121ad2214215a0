/* SPDX-License-Identifier: MIT
 *
 * The program gtrace: its subcommands.
 */
#include "tracer/record.h"
#include "tracer/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

static int record(const char *gtrace, int argc, char **argv)
{
	return record_main(gtrace, argc, argv);
}

static int report(const char *gtrace, int argc, char **argv)
{
	(void)gtrace;
	(void)argc;
	return record_exec_viewer("gtrace-report", argv);
}

static int view(const char *gtrace, int argc, char **argv)
{
	(void)gtrace;
	(void)argc;
	return record_exec_viewer("gtrace-view", argv);
}

static const struct {
	const char *name;
	int (*run)(const char *gtrace, int argc, char **argv);
	const char *arguments;
	const char *what;
} commands[] = {
    {"record", record, "[-o DIR] [-m MODE] [--] APP [ARGS...]", "run APP and record it"},
    {"report", report, "DIR...", "print what a recording shows (gtrace-report)"},
    {"view", view, "DIR", "show the timeline of a recording (gtrace-view)"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *out)
{
	fputs("Usage: gtrace COMMAND ...\n\n"
	      "gtrace shows which blocking calls make a program's threads grow and where its\n"
	      "green threads wait.\n\n",
	      out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  gtrace %-6s %-38s %s\n", commands[i].name, commands[i].arguments,
			commands[i].what);
	fputs("\n"
	      "  gtrace COMMAND --help   options and examples of one command\n"
	      "  gtrace --version        version\n\n"
	      "Start with:\n"
	      "  gtrace record ./app\n",
	      out);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
		print_help(stdout);
		return EXIT_SUCCESS;
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		puts("gtrace " GTRACE_VERSION);
		return EXIT_SUCCESS;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(word, commands[i].name) == 0)
			return commands[i].run(argv[0], argc - 1, argv + 1);
	say("%s: no such command: record, report or view (see gtrace --help)", word);
	return EXIT_USAGE;
}
