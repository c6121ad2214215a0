/* SPDX-License-Identifier: MIT
 *
 * Owns how durations, shares, sites and tasks read.
 */
#include "viewer/render/render.h"

#include <inttypes.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "viewer/names.h"

const char *format_ns(char *buffer, int64_t ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
	double value = (double)ns;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		double scaled = value / units[i].ns;

		if (scaled < 0.9995)
			continue;
		snprintf(buffer, FORMAT_SIZE, "%.*f %s",
			 scaled < 9.995   ? 2
			 : scaled < 99.95 ? 1
					  : 0,
			 scaled, units[i].unit);
		return buffer;
	}
	snprintf(buffer, FORMAT_SIZE, "%" PRId64 " ns", ns);
	return buffer;
}

const char *format_share(char *buffer, double share)
{
	snprintf(buffer, FORMAT_SIZE, "%.2f %%", 100 * share);
	return buffer;
}

/* Control characters and broken texts could do anything to a terminal; what
 * the locale can print is kept. */
static void copy_safe(char *to, size_t size, const char *from)
{
	mbstate_t state = {0};
	size_t length = 0;

	while (*from) {
		wchar_t character;
		size_t bytes = mbrtowc(&character, from, strlen(from), &state);
		bool good =
		    bytes != (size_t)-1 && bytes != (size_t)-2 && iswprint((wint_t)character);

		if (bytes == (size_t)-1 || bytes == (size_t)-2) {
			state = (mbstate_t){0};
			bytes = 1;
		}
		if (length + (good ? bytes : 1) >= size)
			break;
		if (good)
			memcpy(to + length, from, bytes);
		else
			to[length] = '?';
		length += good ? bytes : 1;
		from += bytes;
	}
	to[length] = '\0';
}

void print_safe(FILE *out, const char *text)
{
	char safe[512];

	copy_safe(safe, sizeof safe, text);
	fputs(safe, out);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *format_site(char *buffer, const struct render *render, const struct process *process,
			uint64_t site)
{
	const struct symbol *symbol;
	char function[160], file[64];

	if (site == 0) {
		snprintf(buffer, FORMAT_SIZE, "?");
		return buffer;
	}
	symbol = symbols_call(render->symbols, process, site);
	copy_safe(function, sizeof function, symbol->function);
	copy_safe(file, sizeof file, base_name(symbol->file));
	if (symbol->line > 0)
		snprintf(buffer, FORMAT_SIZE, "%s (%s:%d)", function, file, symbol->line);
	else
		snprintf(buffer, FORMAT_SIZE, "%s", function);
	return buffer;
}

const char *format_task(char *buffer, const struct render *render, const struct process *process,
			const struct task_name *task)
{
	const char *name = task->name;
	char safe[160];

	if (!*name && task->fn)
		name = symbols_entry(render->symbols, process, task->fn)->function;
	copy_safe(safe, sizeof safe, name);
	if (*safe)
		snprintf(buffer, FORMAT_SIZE, "G%" PRIu64 " (%s)", task->task, safe);
	else
		snprintf(buffer, FORMAT_SIZE, "G%" PRIu64, task->task);
	return buffer;
}

void print_header(const struct render *render, const struct process *process)
{
	FILE *out = render->out;
	char duration[FORMAT_SIZE];

	print_safe(out, *process->workload ? process->workload : process->name);
	fprintf(out, "  pid %" PRId64, process->pid);
	if (process->parent > 0)
		fprintf(out, " (forked from %" PRId64 ")", process->parent);
	fprintf(out, ", mode %s", name_of_mode(process->mode));
	if (process->procs > 0)
		fprintf(out, ", %" PRId64 " P%s, handoff by %s", process->procs,
			process->procs == 1 ? "" : "s", name_of_handoff_mode(process->handoff));
	fprintf(out, ", %s\n", format_ns(duration, process->end - process->begin));
	if (*process->command) {
		fputs("  ", out);
		print_safe(out, process->command);
		fputc('\n', out);
	}
	if (*process->settings) {
		fputs("  ", out);
		print_safe(out, process->settings);
		fputc('\n', out);
	}
}
