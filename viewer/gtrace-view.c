/* SPDX-License-Identifier: MIT
 *
 * gtrace-view: a recording as a timeline in the terminal.
 */
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "viewer/program.h"
#include "viewer/render/render.h"

#define WIDTH_DEFAULT 80
#define WIDTH_MIN 40
#define WIDTH_MAX 1000

static const char help[] =
    "Usage: gtrace-view [--from T] [--to T] [--width N] [--color WHEN] DIR...\n"
    "Show recordings as timelines: the worst waits first, then what each P did.\n"
    "\n"
    "  --from T, --to T  show this part; T counts from the begin of each process:\n"
    "                    1.2s, 300ms, 50us, 1000ns; a bare number is seconds\n"
    "  --width N         columns, 40 to 1000 (default: the terminal's, or 80)\n"
    "  --color WHEN      auto (default), always or never\n"
    "  --help            this text\n"
    "  --version         the version\n"
    "\n"
    "Examples:\n"
    "  gtrace-view trace                          the whole run\n"
    "  gtrace-view --from 1.2s --to 1.25s trace   50 ms of it, closer\n"
    "  lttng view --viewer=gtrace-view            the session of lttng\n"
    "  gtrace-view --color always trace | less -R\n"
    "\n"
    "Exit status: 0; 1 if a trace is missing or damaged (what could be read is\n"
    "shown); 2 if the command line makes no sense.\n";

enum { OPTION_FROM = 256, OPTION_TO, OPTION_WIDTH, OPTION_COLOR, OPTION_HELP, OPTION_VERSION };

static const struct option options[] = {
    {"from", required_argument, NULL, OPTION_FROM},
    {"to", required_argument, NULL, OPTION_TO},
    {"width", required_argument, NULL, OPTION_WIDTH},
    {"color", required_argument, NULL, OPTION_COLOR},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {0},
};

struct request {
	int64_t from, to; /* ns; to 0: to the end */
	struct timeline_look look;
};

static void usage_error(const char *what, const char *value, const char *allowed)
{
	complain("%s %s: %s", what, value, allowed);
	exit(PROGRAM_USAGE);
}

static int64_t parse_time(const char *option, const char *text)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
	char *end;
	double value = strtod(text, &end);

	for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++) {
		double ns = value * units[i].ns;

		if (strcmp(end, units[i].unit) == 0 && ns >= 0 && ns < 1e18)
			return (int64_t)ns;
	}
	usage_error(option, text, "no time; write 1.2s, 300ms, 50us or 1000ns");
	return 0;
}

static int parse_width(const char *text)
{
	char *end;
	long width = strtol(text, &end, 10);

	if (end == text || *end || width < WIDTH_MIN || width > WIDTH_MAX)
		usage_error("--width", text, "no width; write a number from 40 to 1000");
	return (int)width;
}

static bool parse_color(const char *text)
{
	const char *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");

	if (strcmp(text, "always") == 0)
		return true;
	if (strcmp(text, "never") == 0)
		return false;
	if (strcmp(text, "auto") != 0)
		usage_error("--color", text, "no such choice; write auto, always or never");
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

static int terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return WIDTH_DEFAULT;
	return size.ws_col;
}

static struct request defaults(void)
{
	return (struct request){
	    .look.width = terminal_width(),
	    .look.color = parse_color("auto"),
	    .look.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	};
}

static void take_option(struct request *request, int option)
{
	switch (option) {
	case OPTION_FROM:
		request->from = parse_time("--from", optarg);
		break;
	case OPTION_TO:
		request->to = parse_time("--to", optarg);
		if (request->to == 0)
			usage_error("--to", optarg, "nothing is before it; write a later time");
		break;
	case OPTION_WIDTH:
		request->look.width = parse_width(optarg);
		break;
	case OPTION_COLOR:
		request->look.color = parse_color(optarg);
		break;
	case OPTION_HELP:
		fputs(help, stdout);
		exit(program_end(SOURCE_OK));
	case OPTION_VERSION:
		puts("gtrace-view " GTRACE_VERSION);
		exit(program_end(SOURCE_OK));
	default:
		break;
	}
}

static void view(struct model *model, const struct request *request)
{
	struct render render = {.out = stdout, .symbols = symbols_open(), .model = model};

	render_text_timeline(&render, &request->look);
	symbols_close(render.symbols);
}

int main(int argc, char **argv)
{
	struct analysis_options analysis = {.timeline = true};
	struct request request;
	enum source_status status;
	struct model *model;
	int option;

	program_begin("gtrace-view");
	request = defaults();
	while ((option = program_option(argc, argv, ":", options)) != -1)
		take_option(&request, option);
	if (request.to && request.to <= request.from)
		usage_error("--to", "before --from", "nothing is between them; swap them");
	if (optind == argc)
		usage_error("DIR", "missing", "name the folder of a recording, see --help");
	analysis.window_from = request.from;
	analysis.window_length = request.to ? request.to - request.from : 0;
	model = program_read((const char *const *)argv + optind, (size_t)(argc - optind), &analysis,
			     &status);
	if (status != SOURCE_NOTHING)
		view(model, &request);
	program_close(model);
	return program_end(status);
}
