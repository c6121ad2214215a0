/* SPDX-License-Identifier: MIT
 *
 * See record.h.
 *
 * The order matters: everything that can be found wrong without touching the
 * system is checked first, then what is cheap to undo is made (the folder),
 * then the keeper and the session; the program is started last, when nothing
 * but the program itself can go wrong.
 */
#include "tracer/record.h"
#include "tracer/buffers.h"
#include "tracer/command.h"
#include "tracer/elf_check.h"
#include "tracer/keeper.h"
#include "tracer/lttng_session.h"
#include "tracer/output.h"
#include "tracer/program.h"
#include "tracer/say.h"
#include "tracer/signals.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXIT_FAILED 1
#define EXIT_USAGE 2

struct options {
	const char *folder; /* -o */
	const char *mode;   /* -m */
	uint64_t buffer_bytes;
	bool report;
	char *const *argv; /* the program and its arguments */
};

struct recording {
	const char *gtrace; /* how the user calls us */
	struct options options;
	char name[64];          /* of the program, fit for file and session names */
	char program[PATH_MAX]; /* what is executed */
	char library[PATH_MAX]; /* libgtrace.so */
	bool own_daemon;        /* the user's */
	struct buffers buffers;
	struct output output;
	struct keeper keeper;
	struct lttng_session session;
};

static const char help[] =
    "Usage: gtrace record [-o DIR] [-m handoff|park] [-b SIZE] [--no-report] [--] APP [ARGS...]\n"
    "\n"
    "Run APP, record which of its calls block, which threads they cost and where its\n"
    "tasks wait, and print the report.  APP's input, output and exit code are its own;\n"
    "what gtrace says goes to stderr.\n"
    "\n"
    "  -o, --output DIR        record into DIR, which must be new or empty\n"
    "                          (default: gtrace-APP-YYYYMMDD-HHMMSS)\n"
    "  -m, --mode MODE         handoff: a task in a blocking call keeps its thread and gives\n"
    "                          its P away (default); park: the task waits without a thread\n"
    "                          where the call allows it\n"
    "  -b, --buffer-size SIZE  bytes of one sub-buffer, 4 per CPU: 64k to 1g, a power of two\n"
    "                          (default: 8M or what /dev/shm has room for)\n"
    "      --no-report         do not print the report at the end\n"
    "  -h, --help              this text\n"
    "\n"
    "Examples:\n"
    "  gtrace record ./server --port 8080        record until it ends or Ctrl-C\n"
    "  gtrace record -m park -o parked -- ./app -v\n"
    "  gtrace record -b 32M ./app                after events were lost\n"
    "  GRT_PROCS=4 gtrace record ./app           APP gets the environment unchanged\n"
    "\n"
    "A session daemon of LTTng is used where you have one running, else a private one is\n"
    "started for the time of the recording.  Exit code: that of APP, 128 + N where signal N\n"
    "killed it, 126 or 127 where it cannot be run, 2 for wrong usage, 1 where it could not\n"
    "be recorded.\n";

static int usage_error(void)
{
	fputs("Try 'gtrace record --help'.\n", stderr);
	return EXIT_USAGE;
}

/* 0: go on; else leave with this exit code (help: EXIT_SUCCESS via *done). */
static int parse(struct options *options, int argc, char **argv, bool *done)
{
	enum { NO_REPORT = 256 };
	static const struct option table[] = {
	    {"output", required_argument, NULL, 'o'},
	    {"mode", required_argument, NULL, 'm'},
	    {"buffer-size", required_argument, NULL, 'b'},
	    {"no-report", no_argument, NULL, NO_REPORT},
	    {"help", no_argument, NULL, 'h'},
	    {0},
	};
	int option;

	*options = (struct options){.report = true};
	argv[0] = (char *)"gtrace record"; /* what getopt names in its messages */
	while ((option = getopt_long(argc, argv, "+o:m:b:h", table, NULL)) != -1) {
		switch (option) {
		case 'o':
			options->folder = optarg;
			break;
		case 'm':
			options->mode = optarg;
			break;
		case 'b':
			options->buffer_bytes = buffers_parse_size(optarg);
			if (!options->buffer_bytes) {
				say("--buffer-size=%s: not a power of two from 64k to 1g", optarg);
				return usage_error();
			}
			break;
		case NO_REPORT:
			options->report = false;
			break;
		case 'h':
			fputs(help, stdout);
			*done = true;
			return EXIT_SUCCESS;
		default:
			return usage_error();
		}
	}
	if (options->mode && strcmp(options->mode, "handoff") && strcmp(options->mode, "park")) {
		say("--mode=%s: no such mode: handoff or park", options->mode);
		return usage_error();
	}
	if (optind == argc) {
		say("record: no program given");
		return usage_error();
	}
	options->argv = argv + optind;
	return 0;
}

/* Keep what is safe in file names and in LTTng's session names. */
static void name_of(const char *program, char *name, size_t size)
{
	const char *base = strrchr(program, '/');
	size_t used = 0;

	for (base = base ? base + 1 : program; *base && used + 1 < size; base++)
		name[used++] = isalnum((unsigned char)*base) || strchr("._-", *base) ? *base : '_';
	name[used] = '\0';
}

static int check_program(struct recording *r)
{
	const char *name = r->options.argv[0];
	int error = command_find(name, r->program, sizeof(r->program));

	if (error == 0) {
		name_of(name, r->name, sizeof(r->name));
		return elf_check(r->program);
	}
	if (error == ENOENT && !strchr(name, '/'))
		say("%s: not found in PATH", name);
	else
		say("%s: %s", name, error == EACCES ? "not an executable file" : strerror(error));
	return error == ENOENT ? 127 : 126;
}

static int need_tool(const char *tool)
{
	char path[PATH_MAX];

	if (command_find(tool, path, sizeof(path)) == 0)
		return 0;
	say("%s: not found in PATH: install the package lttng-tools", tool);
	return EXIT_FAILED;
}

static int check_tools(struct recording *r)
{
	if (!command_beside("../preload/libgtrace.so", GTRACE_LIBDIR "/libgtrace.so", r->library,
			    sizeof(r->library))) {
		say("libgtrace.so: not found beside gtrace nor in %s: build or install gtrace as a "
		    "whole",
		    GTRACE_LIBDIR);
		return EXIT_FAILED;
	}
	r->own_daemon = lttng_own_daemon();
	int missing = r->own_daemon ? 0 : need_tool("lttng-sessiond");
	return missing ? missing : need_tool("lttng");
}

static void name_session(struct recording *r)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm local;

	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	snprintf(r->session.name, sizeof(r->session.name), "gtrace-%s-%s-%d", r->name, stamp,
		 getpid());
}

/* LD_PRELOAD is split at spaces and colons: give it a name without them. */
static bool shorten_library(struct recording *r)
{
	char link[PATH_MAX];

	if (!strpbrk(r->library, " :"))
		return true;
	snprintf(link, sizeof(link), "%s/libgtrace.so", r->keeper.folder);
	if (symlink(r->library, link)) {
		say("%s: %s", link, strerror(errno));
		return false;
	}
	snprintf(r->library, sizeof(r->library), "%s", link);
	return true;
}

static int begin(struct recording *r)
{
	if (!output_open(&r->output, r->options.folder, r->name))
		return EXIT_FAILED;
	signals_hold();
	name_session(r);
	int failed = keeper_start(&r->keeper, r->session.name, r->output.absolute, !r->own_daemon);
	if (failed) {
		output_abandon(&r->output);
		return failed;
	}
	r->session.place = r->keeper.place;
	if (!shorten_library(r) ||
	    !lttng_session_start(&r->session, r->output.absolute, &r->buffers)) {
		keeper_end(&r->keeper, true);
		output_abandon(&r->output);
		return EXIT_FAILED;
	}
	return 0;
}

static void abandon(struct recording *r)
{
	lttng_session_destroy(&r->session);
	keeper_end(&r->keeper, true);
	output_abandon(&r->output);
}

/* A child's wait for our own viewer; Ctrl-C ends the viewer alone. */
static void print_report(struct recording *r)
{
	char *argv[] = {(char *)"gtrace-report", r->output.shown, NULL};
	pid_t pid = fork();

	if (pid == 0) {
		signals_release();
		/* stdout is the program's: who sends it to a file wants only that. */
		dup2(STDERR_FILENO, STDOUT_FILENO);
		_exit(record_exec_viewer(argv[0], argv));
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void tell_lost(const struct recording *r, uint64_t lost)
{
	uint64_t larger = 4 * r->buffers.sub_buffer_bytes;
	uint64_t room = larger * r->buffers.sub_buffers * r->buffers.cpus;

	if (lost == UINT64_MAX)
		say("it is not known how many events were lost: the session daemon does not "
		    "answer");
	else if (lost > 0 && larger > BUFFERS_LARGEST)
		say("%" PRIu64 " events lost: the buffers were full, and larger ones there are "
		    "not: record a shorter run",
		    lost);
	else if (lost > 0)
		say("%" PRIu64 " events lost: the buffers were full: record again with "
		    "--buffer-size %" PRIu64 "k (it needs %" PRIu64 " MiB in /dev/shm)",
		    lost, larger >> 10, room >> 20);
}

static void tell_next(const struct recording *r)
{
	const char *folder = r->output.shown;

	say("recorded into %s; next:", folder);
	fprintf(stderr, "  %s report %s\n", r->gtrace, folder);
	fprintf(stderr, "  %s view %s\n", r->gtrace, folder);
	if (r->own_daemon)
		fprintf(stderr, "  lttng view %s\n  lttng destroy %s\n", r->session.name,
			r->session.name);
	else
		fprintf(stderr, "  lttng view --trace-path=%s\n", folder);
}

static int not_loaded(struct recording *r, int code)
{
	say("%s: it ran, but libgtrace.so was not loaded into it and nothing was recorded: "
	    "something dropped LD_PRELOAD (env -i, sudo, a static or set-id program that it "
	    "starts); record that program itself",
	    r->options.argv[0]);
	abandon(r);
	return code ? code : EXIT_FAILED;
}

/* The program has ended: bring the data home and tell what there is. */
static int finish(struct recording *r, int code, int signal_number)
{
	bool stopped = lttng_session_stop(&r->session);
	uint64_t lost = stopped ? lttng_session_lost(&r->session) : UINT64_MAX;

	if (signal_number)
		say("%s: killed by signal %d (%s)", r->options.argv[0], signal_number,
		    strsignal(signal_number));
	if (!lttng_recorded_gtrace(r->output.absolute))
		return not_loaded(r, code);
	keeper_end(&r->keeper, stopped);
	if (r->options.report)
		print_report(r);
	tell_lost(r, lost);
	tell_next(r);
	return stopped || code ? code : EXIT_FAILED;
}

static int run(struct recording *r)
{
	const struct program_setup setup = {
	    .path = r->program,
	    .argv = r->options.argv,
	    .preload = r->library,
	    .mode = r->options.mode         ? r->options.mode
		    : getenv("GTRACE_MODE") ? NULL
					    : "handoff",
	    .lttng_home = r->keeper.place.home,
	};
	int started, signal_number;
	int ending = signals_asked_to_end();

	if (ending) {
		abandon(r);
		return 128 + ending;
	}
	int code = program_run(&setup, &started, &signal_number);
	if (!started) {
		abandon(r);
		return code;
	}
	return finish(r, code, signal_number);
}

int record_main(const char *gtrace, int argc, char **argv)
{
	struct recording r = {.gtrace = gtrace};
	bool done = false;
	int failed = parse(&r.options, argc, argv, &done);

	if (done || failed)
		return failed;
	if ((failed = check_program(&r)) || (failed = check_tools(&r)))
		return failed;
	if (!buffers_plan(r.options.buffer_bytes, &r.buffers))
		return EXIT_FAILED;
	failed = begin(&r);
	return failed ? failed : run(&r);
}

int record_exec_viewer(const char *tool, char **argv)
{
	char built[64], path[PATH_MAX];

	snprintf(built, sizeof(built), "../viewer/%s", tool);
	if (command_beside(built, tool, path, sizeof(path)) ||
	    command_find(tool, path, sizeof(path)) == 0)
		execv(path, argv);
	say("%s: not found beside gtrace nor in PATH: build or install gtrace as a whole", tool);
	return EXIT_FAILED;
}
