/* SPDX-License-Identifier: MIT
 *
 * gtrace-report: what a recording says, as text or JSON.
 */
#include <stdio.h>

#include "viewer/program.h"
#include "viewer/render/render.h"

static const char help[] =
    "Usage: gtrace-report [--json] DIR...\n"
    "Report on recordings of blocking calls: which of them made threads grow, and\n"
    "where tasks waited for a P.  DIR holds one or more traces, at any depth.\n"
    "\n"
    "  --json     one JSON object for scripts instead of text\n"
    "  --help     this text\n"
    "  --version  the version\n"
    "\n"
    "Examples:\n"
    "  gtrace record -o trace -- ./app     record, then\n"
    "  gtrace-report trace                 read the report\n"
    "  gtrace-report --json trace | jq '.workloads[].threads.peak'\n"
    "\n"
    "Exit status: 0; 1 if a trace is missing or damaged (what could be read is\n"
    "reported); 2 if the command line makes no sense.\n";

enum { OPTION_JSON = 256, OPTION_HELP, OPTION_VERSION };

static const struct option options[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {0},
};

static void report(struct model *model, bool json)
{
	struct render render = {.out = stdout, .symbols = symbols_open(), .model = model};

	if (json)
		render_json_report(&render);
	else
		render_text_report(&render);
	symbols_close(render.symbols);
}

int main(int argc, char **argv)
{
	struct analysis_options analysis = {0};
	enum source_status status;
	struct model *model;
	bool json = false;
	int option;

	program_begin("gtrace-report");
	while ((option = program_option(argc, argv, ":", options)) != -1) {
		if (option == OPTION_JSON) {
			json = true;
		} else if (option == OPTION_HELP) {
			fputs(help, stdout);
			return program_end(SOURCE_OK);
		} else {
			puts("gtrace-report " GTRACE_VERSION);
			return program_end(SOURCE_OK);
		}
	}
	if (optind == argc) {
		complain("DIR: missing; name the folder of a recording, see "
			 "gtrace-report --help");
		return PROGRAM_USAGE;
	}
	model = program_read((const char *const *)argv + optind, (size_t)(argc - optind), &analysis,
			     &status);
	if (status != SOURCE_NOTHING)
		report(model, json);
	program_close(model);
	return program_end(status);
}
