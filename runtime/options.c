/* SPDX-License-Identifier: MIT
 *
 * Reading and checking the settings of a run.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/options.h"
#undef errno

#define PROCS_MAX 1024
#define THREADS_MAX 1000000
#define THREADS_DEFAULT 10000

/* --- the machine ----------------------------------------------------------*/

static int affinity_cpus(void)
{
	cpu_set_t set;
	int size = (int)sys_call4(SYS_sched_getaffinity, 0, sizeof(set), (long)&set, 0);

	if (size <= 0)
		return 1;
	return CPU_COUNT_S((size_t)size, &set);
}

/* The start of a small file, as a string; false: it cannot be read. */
static bool read_file(const char *path, char *text, size_t size)
{
	long fd = sys_call4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
	long length;

	if (fd < 0)
		return false;
	length = sys_call4(SYS_read, fd, (long)text, (long)size - 1, 0);
	sys_call4(SYS_close, fd, 0, 0, 0);
	if (length < 0)
		return false;
	text[length] = '\0';
	return true;
}

/* Whole CPUs of a quota per period, rounded up; 0: no quota. */
static int quota_cpus(long long quota, long long period)
{
	if (quota <= 0 || period <= 0)
		return 0;
	return (int)((quota + period - 1) / period);
}

/* Where the cgroup of this process lies in the hierarchy that `key` opens a
 * line of /proc/self/cgroup for. */
static bool cgroup_path(const char *key, char *path, size_t size)
{
	char text[4096];
	char *line;

	if (!read_file("/proc/self/cgroup", text, sizeof(text)))
		return false;
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *found = strstr(line, key);

		if (!found || !(found = strchr(found + 1, ':') ? strrchr(line, ':') : NULL))
			continue;
		snprintf(path, size, "%s", found + 1);
		return true;
	}
	return false;
}

/* cgroup v2: the tightest quota of the cgroup and those above it. */
static int quota_v2(void)
{
	char path[1024];
	char file[1200];
	char text[128];
	int least = 0;

	if (!cgroup_path("0::", path, sizeof(path)))
		return 0;
	for (;;) {
		long long quota;
		long long period;
		char *slash;

		snprintf(file, sizeof(file), "/sys/fs/cgroup%s/cpu.max", path);
		if (read_file(file, text, sizeof(text)) &&
		    sscanf(text, "%lld %lld", &quota, &period) == 2) {
			int cpus = quota_cpus(quota, period);

			if (cpus && (!least || cpus < least))
				least = cpus;
		}
		slash = strrchr(path, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}

static long long read_number(const char *dir, const char *name)
{
	char file[1200];
	char text[64];

	snprintf(file, sizeof(file), "/sys/fs/cgroup/cpu%s/%s", dir, name);
	return read_file(file, text, sizeof(text)) ? atoll(text) : 0;
}

static int quota_v1(void)
{
	char path[1024];

	if (!cgroup_path(":cpu", path, sizeof(path)))
		return 0;
	if (strcmp(path, "/") == 0)
		path[0] = '\0';
	return quota_cpus(read_number(path, "cpu.cfs_quota_us"),
			  read_number(path, "cpu.cfs_period_us"));
}

static int default_procs(void)
{
	int cpus = affinity_cpus();
	int quota = quota_v2();

	if (!quota)
		quota = quota_v1();
	if (quota && quota < cpus)
		cpus = quota;
	return cpus < PROCS_MAX ? cpus : PROCS_MAX;
}

/* --- the environment ------------------------------------------------------*/

static void reject(const char *name, const char *value, const char *allowed)
{
	fprintf(stderr, "grt: %s=%s: must be %s; correct it or unset it\n", name, value, allowed);
	exit(2);
}

static int number_from(const char *name, int otherwise, int least, int most)
{
	const char *value = getenv(name);
	char allowed[64];
	char *end;
	long number;

	if (!value)
		return otherwise;
	number = strtol(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || number < least || number > most) {
		snprintf(allowed, sizeof(allowed), "a whole number from %d to %d", least, most);
		reject(name, value, allowed);
	}
	return (int)number;
}

struct word {
	const char *name;
	int value;
};

static int word_from(const char *name, int otherwise, const struct word *words, const char *allowed)
{
	const char *value = getenv(name);

	if (!value)
		return otherwise;
	for (; words->name; words++)
		if (strcmp(value, words->name) == 0)
			return words->value;
	reject(name, value, allowed);
	return otherwise;
}

static const struct word handoffs[] = {
    {"sysmon", GRT_HANDOFF_SYSMON}, {"eager", GRT_HANDOFF_EAGER}, {NULL, 0}};
static const struct word preempts[] = {
    {"coop", GRT_PREEMPT_COOP}, {"off", GRT_PREEMPT_OFF}, {NULL, 0}};

static bool valid(const struct grt_opts *opts)
{
	return opts->procs >= 0 && opts->procs <= PROCS_MAX && opts->handoff <= GRT_HANDOFF_EAGER &&
	       opts->preempt <= GRT_PREEMPT_OFF && opts->max_threads >= 0 &&
	       opts->max_threads <= THREADS_MAX && opts->prespawn >= GRT_PRESPAWN_NONE &&
	       opts->prespawn <= THREADS_MAX;
}

/* A worker for each proc, as far as the limit allows. */
static int default_prespawn(const struct grt_opts *opts, const struct options *options)
{
	if (opts->prespawn)
		return opts->prespawn == GRT_PRESPAWN_NONE ? 0 : opts->prespawn;
	return options->procs < options->max_threads ? options->procs - 1
						     : options->max_threads - 1;
}

int options_read(const struct grt_opts *opts, struct options *options)
{
	static const struct grt_opts none;
	int handoff;
	int preempt;

	if (!opts)
		opts = &none;
	if (!valid(opts))
		return EINVAL;
	options->procs = number_from("GRT_PROCS", opts->procs, 1, PROCS_MAX);
	if (!options->procs)
		options->procs = default_procs();
	options->max_threads = number_from("GRT_MAXTHREADS", opts->max_threads, 1, THREADS_MAX);
	if (!options->max_threads)
		options->max_threads = THREADS_DEFAULT;
	if (opts->prespawn >= options->max_threads)
		return EINVAL;
	options->prespawn = number_from("GRT_PRESPAWN", default_prespawn(opts, options), 0,
					options->max_threads - 1);
	handoff = word_from("GRT_HANDOFF", opts->handoff, handoffs, "sysmon or eager");
	options->handoff = handoff == GRT_HANDOFF_EAGER ? HANDOFF_EAGER : HANDOFF_SYSMON;
	preempt = word_from("GRT_PREEMPT", opts->preempt, preempts, "coop or off");
	options->preempt = preempt != GRT_PREEMPT_OFF;
	return 0;
}
