/* SPDX-License-Identifier: MIT
 *
 * Options of workloads, from the table of each; and how workloads end when
 * they cannot go on.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "facts.h"

#define MAX_SETTINGS 16
#define OPTION_HELP 1000
#define OPTION_JSON 1001

static const struct workload *self;
static bool as_json;
static char all_settings[512]; /* name=value, with spaces between them */

static void wrong_option(const char *option, const char *why)
{
	fprintf(stderr, "%s: %s: %s, see --help\n", self->name, option, why);
	exit(2);
}

static void wrong_value(const struct setting *setting, const char *text)
{
	fprintf(stderr, "%s: --%s: '%s' is not ", self->name, setting->name, text);
	if (setting->kind == SETTING_WORD)
		fprintf(stderr, "one of %s\n", setting->words);
	else
		fprintf(stderr, "a %s from %.10g to %.10g\n",
			setting->kind == SETTING_COUNT ? "whole number" : "number", setting->min,
			setting->max);
	exit(2);
}

static bool is_word(const char *words, const char *text)
{
	size_t length = strlen(text);

	for (const char *at = words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (length && !strncmp(at, text, length) && (!at[length] || at[length] == '|'))
			return !strchr(text, '|');
	return false;
}

static bool within(const struct setting *setting, double value)
{
	return value >= setting->min && value <= setting->max;
}

static void set(const struct setting *setting, const char *text)
{
	char *end = NULL;

	switch (setting->kind) {
	case SETTING_FLAG:
		*setting->flag = true;
		return;
	case SETTING_COUNT:
		*setting->count = strtoll(text, &end, 10);
		if (end == text || *end || !within(setting, (double)*setting->count))
			wrong_value(setting, text);
		return;
	case SETTING_SECONDS:
		*setting->seconds = strtod(text, &end);
		if (end == text || *end || isnan(*setting->seconds) ||
		    !within(setting, *setting->seconds))
			wrong_value(setting, text);
		return;
	case SETTING_WORD:
		if (!is_word(setting->words, text))
			wrong_value(setting, text);
		*setting->word = text;
		return;
	}
}

static void setting_text(const struct setting *setting, char *text, size_t size)
{
	switch (setting->kind) {
	case SETTING_FLAG:
		snprintf(text, size, "%s", *setting->flag ? "yes" : "no");
		return;
	case SETTING_COUNT:
		snprintf(text, size, "%lld", (long long)*setting->count);
		return;
	case SETTING_SECONDS:
		snprintf(text, size, "%g", *setting->seconds);
		return;
	case SETTING_WORD:
		snprintf(text, size, "%s", *setting->word);
		return;
	}
}

static const char *placeholder(const struct setting *setting)
{
	switch (setting->kind) {
	case SETTING_COUNT:
		return "N";
	case SETTING_SECONDS:
		return "SECONDS";
	case SETTING_WORD:
		return setting->words;
	case SETTING_FLAG:
		break;
	}
	return "";
}

static void print_help(void)
{
	printf("usage: %s [OPTIONS]\n\n%s\n", self->name, self->about);
	for (const struct setting *s = self->settings; s->name; s++) {
		char value[64];
		char left[64];

		setting_text(s, value, sizeof(value));
		snprintf(left, sizeof(left), "--%s %s", s->name, placeholder(s));
		if (s->kind == SETTING_FLAG)
			printf("  %-24s %s\n", left, s->help);
		else
			printf("  %-24s %s (%s)\n", left, s->help, value);
	}
	printf("  %-24s print one JSON object\n", "--json");
	printf("  %-24s print this and exit\n", "--help");
	exit(0);
}

static int fill_options(struct option *options)
{
	int count = 0;

	for (const struct setting *s = self->settings; s->name; s++, count++) {
		if (count == MAX_SETTINGS)
			abort();
		options[count] = (struct option){
		    .name = s->name, .has_arg = s->kind != SETTING_FLAG, .val = count};
	}
	options[count++] = (struct option){.name = "help", .val = OPTION_HELP};
	options[count++] = (struct option){.name = "json", .val = OPTION_JSON};
	return count;
}

/* Returns whether --json was given. */
static bool read_options(int argc, char **argv)
{
	struct option options[MAX_SETTINGS + 3] = {0};
	bool help = false;
	bool json = false;
	int option;

	fill_options(options);
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == OPTION_HELP)
			help = true;
		else if (option == OPTION_JSON)
			json = true;
		else if (option == ':')
			wrong_option(argv[optind - 1], "a value is missing");
		else if (option == '?')
			wrong_option(argv[optind - 1], "no such option");
		else
			set(&self->settings[option], optarg);
	}
	if (optind < argc)
		wrong_option(argv[optind], "takes options only");
	if (help)
		print_help();
	return json;
}

static void join_settings(void)
{
	size_t length = 0;

	for (const struct setting *s = self->settings; s->name; s++) {
		char value[64];

		setting_text(s, value, sizeof(value));
		length += (size_t)snprintf(all_settings + length, sizeof(all_settings) - length,
					   "%s%s=%s", length ? " " : "", s->name, value);
	}
}

void workload_begin(const struct workload *workload, int argc, char **argv)
{
	self = workload;
	as_json = read_options(argc, argv);
	join_settings();
	grt_workload(self->name, all_settings);
}

void facts_begin(void)
{
	facts_open(as_json);
	fact_word("workload", self->name);
	fact_word("settings", all_settings);
}

void must(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "%s: %s: %s\n", self->name, what, strerror(error));
	exit(1);
}

void start_task(const char *name, grt_fn *fn, void *arg)
{
	struct grt_attr attr = {.name = name};

	must(grt_go_attr(&attr, fn, arg), "cannot start a task");
}

void run_tasks(const struct grt_opts *opts, grt_fn *fn)
{
	must(grt_run(opts, fn, NULL), "cannot run tasks");
}
