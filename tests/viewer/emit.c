/* SPDX-License-Identifier: MIT
 *
 * Plays a script of events through the real provider, so that the viewer can
 * be tested on a real recording of a run that never was: one command per line
 * on stdin, its numbers after it.  Durations and `ago` are nanoseconds; `ago`
 * counts back from now.  Tables below say which numbers a command takes.
 *
 * The sites of calls are addresses inside site_read() and site_usleep() of
 * this file, so that their function, file and line are known to the test.
 */
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracer/events.h"

#define MAX_NUMBERS 12

static int32_t pid;

/* Two places that calls are "made" at: an address a few bytes into each. */
__attribute__((noinline)) static void site_read(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
}

__attribute__((noinline)) static void site_usleep(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
}

static const void *site_of(uint32_t call)
{
	char *function = call == GTRACE_CALL_usleep ? (char *)site_usleep : (char *)site_read;

	return function + 8;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static struct gtrace_stack stack_of(uint32_t call)
{
	struct gtrace_stack stack = {.depth = 2};

	stack.pc[0] = (uintptr_t)site_of(call);
	stack.pc[1] = (uintptr_t)site_of(GTRACE_CALL_read);
	return stack;
}

/* name */
static void do_process(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, process, pid, pid, -1, "emit",
			     "emit \"a\\b\" \xc3\xa9 \x01 \xff", n[0]);
}

static void do_workload(const int64_t *n)
{
	(void)n;
	lttng_ust_tracepoint(gtrace, workload, pid, "played", "--script demo");
}

static int tell_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	struct gtrace_module_record module = {.path = path, .base = info->dlpi_addr};

	(void)size;
	(void)arg;
	if (length < 0)
		return 1;
	path[length] = '\0';
	module.low = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD)
			continue;
		if (start < module.low)
			module.low = start;
		if (start + header->p_memsz > module.high)
			module.high = start + header->p_memsz;
	}
	lttng_ust_tracepoint(gtrace, module, pid, &module);
	return 1; /* the program itself comes first; no more are needed */
}

static void do_module(const int64_t *n)
{
	(void)n;
	dl_iterate_phdr(tell_module, NULL);
}

/* procs handoff_mode max_threads */
static void do_procs(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, procs, pid, n[0], n[1], n[2]);
}

/* worker creator cause result latency task call_worker call_seq call */
static void do_worker_create(const int64_t *n)
{
	struct grt_worker_record record = {
	    .worker = n[0],
	    .creator = n[1],
	    .cause = n[2],
	    .result = n[3],
	    .latency_ns = n[4],
	    .task = n[5],
	    .call_worker = n[6],
	    .call_seq = n[7],
	    .call = n[8],
	    .site = n[8] ? site_of(n[8]) : NULL,
	};
	struct gtrace_stack none = {.depth = 0};

	lttng_ust_tracepoint(gtrace, worker_create, pid, &record, &none);
}

/* worker tid */
static void do_worker_start(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, worker_start, pid, n[0], n[1] ? n[1] : pid);
}

static void do_worker_exit(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, worker_exit, pid, n[0]);
}

/* proc seq worker */
static void do_proc_start(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, proc_start, pid, n[0], n[1], n[2]);
}

/* proc seq worker reason */
static void do_proc_stop(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, proc_stop, pid, n[0], n[1], n[2], n[3]);
}

/* proc seq from to reason new_thread task call_seq */
static void do_proc_handoff(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, proc_handoff, pid, n[0], n[1], n[2], n[3], n[4], n[5], n[6],
			     n[7]);
}

/* task parent */
static void do_task_create(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, task_create, pid, n[0], n[1], (const void *)site_read, "");
}

/* proc seq worker task */
static void do_task_start(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, task_start, pid, n[0], n[1], n[2], n[3]);
}

static void do_task_end(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, task_end, pid, n[0], n[1], n[2], n[3]);
}

/* proc seq worker task reason */
static void do_task_stop(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, task_stop, pid, n[0], n[1], n[2], n[3], n[4]);
}

/* task by */
static void do_task_ready(const int64_t *n)
{
	lttng_ust_tracepoint(gtrace, task_ready, pid, n[0], n[1]);
}

/* worker task call_seq call ago */
static void do_call_begin(const int64_t *n)
{
	struct grt_call_record record = {
	    .worker = n[0],
	    .task = n[1],
	    .seq = n[2],
	    .call = n[3],
	    .site = site_of(n[3]),
	    .start_ns = now_ns() - n[4],
	};

	lttng_ust_tracepoint(gtrace, call_begin, pid, -1, &record);
}

/* worker proc proc_seq task call_seq call path ago duration p_wait */
static void do_call_end(const int64_t *n)
{
	struct grt_call_record record = {
	    .worker = n[0],
	    .proc = n[1],
	    .proc_seq = n[2],
	    .task = n[3],
	    .seq = n[4],
	    .call = n[5],
	    .path = n[6],
	    .site = site_of(n[5]),
	    .start_ns = now_ns() - n[7],
	    .duration_ns = n[8],
	    .p_wait_ns = n[9],
	};
	struct gtrace_stack stack = stack_of(n[5]);

	if (n[8] < 20000)
		stack.depth = 0;
	lttng_ust_tracepoint(gtrace, call_end, pid, -1, &record, &stack);
}

/* duration: let time pass, so that what follows is later by at least as much */
static void do_pass(const int64_t *n)
{
	struct timespec length = {n[0] / 1000000000, n[0] % 1000000000};

	nanosleep(&length, NULL);
}

/* rounds: start, short call and stop of task 1 on P0, worker 0, from seq 2 */
static void do_burst(const int64_t *n)
{
	for (int64_t round = 0; round < n[0]; round++) {
		uint32_t seq = (uint32_t)(3 * round + 2);
		int64_t end[MAX_NUMBERS] = {0, 0,   seq + 1, 1, round + 1, GTRACE_CALL_read,
					    0, 300, 200,     0};

		lttng_ust_tracepoint(gtrace, task_start, pid, 0, seq, 0, 1);
		do_call_end(end);
		lttng_ust_tracepoint(gtrace, task_stop, pid, 0, seq + 2, 0, 1, 0);
	}
}

static const struct command {
	const char *name;
	int numbers;
	void (*play)(const int64_t *numbers);
} commands[] = {
    {"process", 1, do_process},
    {"workload", 0, do_workload},
    {"module", 0, do_module},
    {"procs", 3, do_procs},
    {"worker_create", 9, do_worker_create},
    {"worker_start", 2, do_worker_start},
    {"worker_exit", 1, do_worker_exit},
    {"proc_start", 3, do_proc_start},
    {"proc_stop", 4, do_proc_stop},
    {"proc_handoff", 8, do_proc_handoff},
    {"task_create", 2, do_task_create},
    {"task_start", 4, do_task_start},
    {"task_end", 4, do_task_end},
    {"task_stop", 5, do_task_stop},
    {"task_ready", 2, do_task_ready},
    {"call_begin", 5, do_call_begin},
    {"call_end", 10, do_call_end},
    {"pass", 1, do_pass},
    {"burst", 1, do_burst},
};

static int play(char *line)
{
	int64_t numbers[MAX_NUMBERS] = {0};
	int count = 0;
	char *rest;
	char *name = strtok_r(line, " \n", &rest);

	if (!name || *name == '#')
		return 0;
	for (char *word; count < MAX_NUMBERS && (word = strtok_r(NULL, " \n", &rest)); count++)
		numbers[count] = strtoll(word, NULL, 0);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		if (strcmp(commands[i].name, name) == 0 && commands[i].numbers == count) {
			commands[i].play(numbers);
			return 0;
		}
	}
	fprintf(stderr, "emit: %s: no such command with %d numbers\n", name, count);
	return 1;
}

int main(void)
{
	char line[512];

	pid = getpid();
	while (fgets(line, sizeof line, stdin)) {
		if (play(line))
			return 1;
	}
	return 0;
}
