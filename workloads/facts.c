/* SPDX-License-Identifier: MIT
 *
 * Printing facts, as text or as JSON.
 *
 * Text has one fact a line, groups are indented, and a group within a list
 * takes one line.  Nothing is printed before it is known, so a program that
 * ends early leaves a JSON object open rather than a wrong one closed.
 */
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "facts.h"

#define MAX_DEPTH 8

enum level { LEVEL_TOP, LEVEL_GROUP, LEVEL_LIST, LEVEL_ROW };

static struct {
	bool json;
	int depth;
	struct {
		enum level level;
		int facts; /* printed in it so far */
	} levels[MAX_DEPTH];
} out;

static bool in_row(void)
{
	return out.levels[out.depth].level == LEVEL_ROW;
}

static void print_string(const char *text)
{
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

static void begin_json(const char *key, const char *unit)
{
	if (out.levels[out.depth].facts++)
		printf(", ");
	if (!key)
		return;
	printf("\"%s%s%s\": ", key, *unit ? "_" : "", unit);
}

static void begin_text(const char *key, const char *end)
{
	if (in_row()) {
		if (out.levels[out.depth].facts++)
			printf(", ");
		end = " ";
	} else {
		printf("%*s", 2 * out.depth, "");
	}
	for (; *key; key++)
		putchar(*key == '_' ? ' ' : *key);
	printf("%s", end);
}

static void end_text(const char *unit)
{
	if (*unit)
		printf(" %s", unit);
	if (!in_row())
		putchar('\n');
}

static void begin(const char *key, const char *unit)
{
	if (out.json)
		begin_json(key, unit);
	else
		begin_text(key, ": ");
}

static void end(const char *unit)
{
	if (!out.json)
		end_text(unit);
}

void fact_count(const char *key, const char *unit, int64_t value)
{
	begin(key, unit);
	printf("%lld", (long long)value);
	end(unit);
}

void fact_real(const char *key, const char *unit, double value)
{
	begin(key, unit);
	printf("%.6g", value);
	end(unit);
}

void fact_word(const char *key, const char *value)
{
	begin(key, "");
	if (out.json)
		print_string(value);
	else
		printf("%s", value);
	end("");
}

void fact_flag(const char *key, bool value)
{
	begin(key, "");
	if (out.json)
		printf(value ? "true" : "false");
	else
		printf(value ? "yes" : "no");
	end("");
}

void fact_unknown(const char *key, const char *unit, const char *why)
{
	begin(key, unit);
	printf("%s", out.json ? "null" : why);
	end("");
}

static void push(enum level level)
{
	out.depth++;
	out.levels[out.depth].level = level;
	out.levels[out.depth].facts = 0;
}

void fact_group(const char *key)
{
	bool row = out.levels[out.depth].level == LEVEL_LIST;

	if (out.json) {
		begin_json(key, "");
		putchar('{');
	} else if (row) {
		printf("%*s", 2 * out.depth, "");
	} else {
		begin_text(key, ":");
		putchar('\n');
	}
	push(row ? LEVEL_ROW : LEVEL_GROUP);
}

void fact_list(const char *key)
{
	if (out.json) {
		begin_json(key, "");
		putchar('[');
	} else {
		begin_text(key, ":");
		putchar('\n');
	}
	push(LEVEL_LIST);
}

void fact_close(void)
{
	enum level level = out.levels[out.depth].level;

	out.depth--;
	if (out.json)
		putchar(level == LEVEL_LIST ? ']' : '}');
	else if (level == LEVEL_ROW)
		putchar('\n');
}

void fact_note(const char *text)
{
	if (!out.json)
		printf("%*s%s\n", 2 * out.depth, "", text);
}

bool fact_as_json(void)
{
	return out.json;
}

void facts_open(bool json)
{
	out.json = json;
	if (json)
		putchar('{');
}

void facts_end(void)
{
	if (out.json)
		printf("}\n");
	fflush(stdout);
}
