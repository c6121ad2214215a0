/* SPDX-License-Identifier: MIT
 *
 * Owns what the viewer's programs share.
 */
#include "viewer/program.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/guard.h"

static const char *program_name = "gtrace";

void program_begin(const char *name)
{
	program_name = name;
	complain_as(name);
	setlocale(LC_CTYPE, "");
}

int program_option(int argc, char **argv, const char *short_options, const struct option *options)
{
	int option;

	opterr = 0;
	option = getopt_long(argc, argv, short_options, options, NULL);
	if (option == '?' || option == ':') {
		bool needs_value = option == ':' || (optopt && strchr(short_options + 1, optopt));

		for (const struct option *known = options; known->name && !needs_value; known++)
			needs_value = optopt && known->val == optopt && known->has_arg;
		complain("%s: %s, see %s --help", argv[optind - 1],
			 needs_value ? "it needs a value" : "unknown option", program_name);
		exit(PROGRAM_USAGE);
	}
	return option;
}

static void take_event(void *model, const struct event *event)
{
	model_event(model, event);
}

static void take_loss(void *model, const struct event_loss *loss)
{
	model_loss(model, loss);
}

static void take_reach(void *model, uint32_t trace, int64_t end)
{
	model_reach(model, trace, end);
}

static void take_complaint(void *model, const char *line)
{
	(void)model;
	complain("%s", line);
}

struct model *program_read(const char *const *folders, size_t count,
			   const struct analysis_options *options, enum source_status *status)
{
	struct model_consumer consumer = analyses_consumer(options);
	struct model *model = model_open(&consumer);
	struct source_sink sink = {model, take_event, take_loss, take_reach, take_complaint, NULL};

	sink.watch = guard_begin(folders[0]);
	*status = source_read_ctf(folders, count, &sink);
	guard_end(sink.watch);
	model_finish(model);
	if (*status != SOURCE_NOTHING && !model_process(model, 0)) {
		complain("%s: no event of gtrace in it; enable gtrace:* and run the "
			 "program with LD_PRELOAD=libgtrace.so, or use gtrace record",
			 folders[0]);
		*status = SOURCE_NOTHING;
	}
	return model;
}

void program_close(struct model *model)
{
	const struct process *process;

	for (uint32_t i = 0; (process = model_process(model, i)); i++)
		analyses_free(process);
	model_close(model);
}

int program_end(enum source_status status)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		complain("standard output: %s, so the output is not whole", strerror(errno));
		return EXIT_FAILURE;
	}
	return status == SOURCE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
