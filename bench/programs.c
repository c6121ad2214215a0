/* SPDX-License-Identifier: MIT
 *
 * Finding, building and running the programs that make the measurements.
 */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/programs.h"

#define GO_BUILD_SECONDS 300

static char folder[PATH_MAX];                    /* of this program */
static char temporary[PATH_MAX];                 /* ours */
static char paths[SOURCE_GO + 1][PATH_MAX + 32]; /* of the program of a kind */
static char reasons[SOURCE_GO + 1][COMMAND_WHY]; /* why it cannot run */
static char library[PATH_MAX + 32];

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "gtrace-bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void find_self(void)
{
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

	if (length < 0)
		die("/proc/self/exe");
	folder[length] = '\0';
	*strrchr(folder, '/') = '\0';
}

/* The path is relative to the folder of this program. */
static void find(enum source_kind kind, const char *path, const char *why_not)
{
	snprintf(paths[kind], sizeof(paths[kind]), "%s/%s", folder, path);
	if (access(paths[kind], X_OK))
		snprintf(reasons[kind], COMMAND_WHY, "%s", why_not);
}

static bool kind_wanted(enum source_kind kind)
{
	for (int i = 0; i < source_count; i++)
		if (sources[i].wanted && sources[i].kind == kind)
			return true;
	return false;
}

static bool in_path(const char *program)
{
	struct command command = {.argv = {program, "version"}};
	char why[COMMAND_WHY];

	return command_run(&command, 10, why);
}

/* Without modules and network. */
static void build_go(void)
{
	char source[PATH_MAX + 32];
	struct command command = {.argv = {"env", "GO111MODULE=off",
					   "GOFLAGS=", "GOTOOLCHAIN=local", "CGO_ENABLED=1", "go",
					   "build", "-o", paths[SOURCE_GO], source}};
	char why[COMMAND_WHY];

	if (!kind_wanted(SOURCE_GO))
		return;
	snprintf(source, sizeof(source), "%s/peer.go", folder);
	snprintf(paths[SOURCE_GO], sizeof(paths[0]), "%s/peer-go", temporary);
	if (!in_path("go"))
		snprintf(reasons[SOURCE_GO], COMMAND_WHY, "no Go toolchain");
	else if (!command_run(&command, GO_BUILD_SECONDS, why))
		snprintf(reasons[SOURCE_GO], COMMAND_WHY, "go build: %.*s", COMMAND_WHY - 16, why);
}

void programs_prepare(void)
{
	const char *parent = getenv("TMPDIR");

	find_self();
	snprintf(temporary, sizeof(temporary), "%s/gtrace-bench-XXXXXX",
		 parent && *parent ? parent : "/tmp");
	if (!mkdtemp(temporary))
		die(temporary);
	atexit(programs_end);
	snprintf(library, sizeof(library), "%s/../preload/libgtrace.so", folder);
	find(SOURCE_OWN, "gtrace-bench", "not where it was");
	find(SOURCE_RECORDED, "../tracer/gtrace", "gtrace is not built");
	find(SOURCE_EVENT, "lttng-event", "built without liblttng-ust");
	find(SOURCE_BOOST, "boost-fiber", "built without boost.fiber");
	if (access(library, R_OK)) {
		snprintf(reasons[SOURCE_PRELOADED], COMMAND_WHY, "libgtrace.so is not built");
		snprintf(reasons[SOURCE_RECORDED], COMMAND_WHY, "libgtrace.so is not built");
	}
	build_go();
}

static int remove_entry(const char *path, const struct stat *file, int type, struct FTW *where)
{
	(void)file;
	(void)type;
	(void)where;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void programs_end(void)
{
	remove_tree(temporary);
}

/* --- running them ---------------------------------------------------------*/

static bool measure_recorded(const struct source *source, double *figure, char *why)
{
	char out[PATH_MAX + 32];
	struct command command = {.argv = {paths[SOURCE_RECORDED], "record", "--no-report", "-o",
					   out, "--", paths[SOURCE_OWN], "--measure",
					   source->what}};
	bool done;

	snprintf(out, sizeof(out), "%s/recording", temporary);
	done = command_measure(&command, figure, why);
	remove_tree(out);
	return done;
}

static bool measure(const struct source *source, double *figure, char *why)
{
	char script[PATH_MAX + 32];
	struct command command = {.argv = {paths[source->kind], source->what}};

	switch (source->kind) {
	case SOURCE_RECORDED:
		return measure_recorded(source, figure, why);
	case SOURCE_PRELOADED:
		command.preload = library;
		command.home = temporary;
		/* fall through */
	case SOURCE_OWN:
		command.argv[0] = paths[SOURCE_OWN];
		command.argv[1] = "--measure";
		command.argv[2] = source->what;
		break;
	case SOURCE_EVENT:
		snprintf(script, sizeof(script), "%s/lttng-event.sh", folder);
		command.argv[0] = script;
		command.argv[1] = paths[SOURCE_EVENT];
		break;
	case SOURCE_BOOST:
	case SOURCE_GO:
		break;
	}
	return command_measure(&command, figure, why);
}

void programs_measure(struct source *source)
{
	if (*reasons[source->kind])
		snprintf(source->why, sizeof(source->why), "%s", reasons[source->kind]);
	if (!*source->why && measure(source, &source->values[source->count], source->why))
		source->count++;
}
