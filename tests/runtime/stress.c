/* SPDX-License-Identifier: MIT
 *
 * Stress: rounds of tasks that mix all that a task can do, with a check of
 * what must hold after each round.
 *
 *   stress [tasks=N] [rounds=N] [steps=N] [procs=N] [threads=N] [wave=N]
 *          [handoff=sysmon|eager|both] [hooks=0|1] [tiny=N] [seed=N] [minutes=N]
 *
 * tiny: so many runs of next to nothing first, for their starts and ends.
 * minutes: go on in rounds until then, instead of `rounds`; GRT_SOAK_MINUTES in
 * the environment means the same.
 * wave: most tasks alive at once; the thread sanitizer bears 8,000 stacks.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/grt.h"
#include "runtime/sys.h"
#include "tests/runtime/recorder.h"

/* --- settings -------------------------------------------------------------*/

enum { TASKS, ROUNDS, STEPS, PROCS, THREADS, WAVE, HANDOFF, HOOKS, TINY, SEED, MINUTES, SETTINGS };
enum { SYSMON, EAGER, BOTH };

static struct {
	const char *name;
	long value;
} settings[SETTINGS] = {
    [TASKS] = {"tasks", 10000},    [ROUNDS] = {"rounds", 100},  [STEPS] = {"steps", 4},
    [PROCS] = {"procs", 4},        [THREADS] = {"threads", 64}, [WAVE] = {"wave", 2500},
    [HANDOFF] = {"handoff", BOTH}, [HOOKS] = {"hooks", 0},      [TINY] = {"tiny", 0},
    [SEED] = {"seed", 1},          [MINUTES] = {"minutes", 0},
};

static long setting(int which)
{
	return settings[which].value;
}

static void usage(const char *what)
{
	fprintf(stderr, "stress: %s: not NAME=NUMBER of", what);
	for (int i = 0; i < SETTINGS; i++)
		fprintf(stderr, " %s", settings[i].name);
	fputc('\n', stderr);
	exit(2);
}

static long value_of(const char *text)
{
	static const char *const words[] = {"sysmon", "eager", "both"};
	char *end;
	long value = strtol(text, &end, 10);

	for (int i = 0; i < 3; i++)
		if (strcmp(text, words[i]) == 0)
			return i;
	return *text && !*end ? value : -1;
}

static void read_setting(const char *word)
{
	const char *equals = strchr(word, '=');

	for (int i = 0; equals && i < SETTINGS; i++)
		if (strlen(settings[i].name) == (size_t)(equals - word) &&
		    strncmp(settings[i].name, word, (size_t)(equals - word)) == 0) {
			settings[i].value = value_of(equals + 1);
			if (settings[i].value < 0)
				usage(word);
			return;
		}
	usage(word);
}

/* --- a round --------------------------------------------------------------*/

static struct {
	struct grt_chan *chan;
	struct grt_wait_group wave;
	_Atomic uint64_t ended; /* tasks, children counted */
	_Atomic uint64_t children;
	_Atomic uint64_t calls;
	_Atomic uint64_t sent;
	_Atomic uint64_t received;
	_Atomic uint64_t sum_sent;
	_Atomic uint64_t sum_received;
	_Atomic uint64_t twice; /* a task that ran on two threads at once */
	_Atomic uint64_t moved; /* locked or in a call, on another thread */
	_Atomic uint64_t lost_errno;
	_Atomic uint64_t early;   /* woken before the time */
	_Atomic uint64_t refused; /* grt_go said no */
} sum;

struct member {
	uint32_t random;
	int number; /* what its errno holds */
	_Atomic int inside;
};

static struct member *members;
static uint32_t round_seed;
/* A call of a task that has run for 10 ms lets others run as it ends, and after
 * that the task may be elsewhere. */
static bool preempts;

static uint32_t next_random(struct member *member)
{
	member->random ^= member->random << 13;
	member->random ^= member->random >> 17;
	member->random ^= member->random << 5;
	return member->random;
}

static void sleep_raw(int64_t ns)
{
	_Atomic uint32_t nothing = 0;

	sys_futex_wait(&nothing, 0, ns);
}

static void do_yield(struct member *member)
{
	(void)member;
	grt_yield();
}

static void do_short_call(struct member *member)
{
	(void)member;
	if (grt_enter_call(0, 0, NULL)) {
		grt_leave_call(0, 0);
		atomic_fetch_add(&sum.calls, 1);
	}
}

static void do_long_call(struct member *member)
{
	int tid = sys_tid();

	if (!grt_enter_call(0, 0, NULL))
		return;
	sleep_raw(1000 + next_random(member) % 50000);
	grt_leave_call(0, 0);
	atomic_fetch_add(&sum.calls, 1);
	if (!preempts && sys_tid() != tid)
		atomic_fetch_add(&sum.moved, 1);
}

static void note_tid(void *arg)
{
	*(int *)arg = sys_tid();
}

static void do_grt_call(struct member *member)
{
	int tid = sys_tid();
	int inside = 0;

	(void)member;
	grt_call(note_tid, &inside);
	atomic_fetch_add(&sum.calls, 1);
	if (inside != tid || (!preempts && sys_tid() != tid))
		atomic_fetch_add(&sum.moved, 1);
}

/* Send first, receive then: as many as there are tasks may wait in between. */
static void do_channel(struct member *member)
{
	uint64_t value = next_random(member);

	if (grt_chan_send(sum.chan, &value) == 0) {
		atomic_fetch_add(&sum.sent, 1);
		atomic_fetch_add(&sum.sum_sent, value);
	}
	if (grt_chan_recv(sum.chan, &value) == 0) {
		atomic_fetch_add(&sum.received, 1);
		atomic_fetch_add(&sum.sum_received, value);
	}
}

static void do_sleep(struct member *member)
{
	int64_t ns = next_random(member) % 100000;
	int64_t begin = sys_now();

	grt_sleep(ns);
	if (sys_now() - begin < ns)
		atomic_fetch_add(&sum.early, 1);
}

static void do_locked(struct member *member)
{
	int tid = sys_tid();

	grt_lock_thread();
	grt_yield();
	do_short_call(member);
	if (next_random(member) % 4 == 0)
		do_sleep(member);
	if (sys_tid() != tid)
		atomic_fetch_add(&sum.moved, 1);
	grt_unlock_thread();
}

/* A tree of tasks: each of depth n has two of depth n - 1. */
static void child(void *arg)
{
	intptr_t depth = (intptr_t)arg;

	for (int i = 0; depth > 0 && i < 2; i++) {
		grt_wait_group_add(&sum.wave, 1);
		if (grt_go(child, (void *)(depth - 1))) {
			atomic_fetch_add(&sum.refused, 1);
			grt_wait_group_done(&sum.wave);
		}
	}
	atomic_fetch_add(&sum.children, 1);
	atomic_fetch_add(&sum.ended, 1);
	grt_wait_group_done(&sum.wave);
}

static void do_tree(struct member *member)
{
	(void)member;
	grt_wait_group_add(&sum.wave, 1);
	if (grt_go(child, (void *)(intptr_t)2)) {
		atomic_fetch_add(&sum.refused, 1);
		grt_wait_group_done(&sum.wave);
	}
}

/* What a step does, and how often in 256. */
static const struct {
	void (*step)(struct member *);
	unsigned weight;
} mix[] = {
    {do_yield, 90}, {do_short_call, 70}, {do_channel, 50}, {do_grt_call, 20},
    {do_sleep, 10}, {do_tree, 6},        {do_locked, 5},   {do_long_call, 5},
};

static void step(struct member *member)
{
	unsigned draw = next_random(member) >> 8 & 255;

	for (size_t i = 0; i < sizeof(mix) / sizeof(mix[0]); i++) {
		if (draw < mix[i].weight) {
			mix[i].step(member);
			return;
		}
		draw -= mix[i].weight;
	}
}

/* The wave counts it only when it has left `member`. */
static void live(void *arg)
{
	struct member *member = arg;

	if (atomic_exchange(&member->inside, 1))
		atomic_fetch_add(&sum.twice, 1);
	errno = member->number;
	for (long i = 0; i < setting(STEPS); i++) {
		step(member);
		if (errno != member->number)
			atomic_fetch_add(&sum.lost_errno, 1);
	}
	if (!atomic_exchange(&member->inside, 0))
		atomic_fetch_add(&sum.twice, 1);
	atomic_fetch_add(&sum.ended, 1);
	grt_wait_group_done(&sum.wave);
}

static void start_wave(long from, long to)
{
	for (long i = from; i < to; i++) {
		members[i] = (struct member){.random = (round_seed + (uint32_t)i) * 2654435761u | 1,
					     .number = 1 + (int)(i % 100)};
		grt_wait_group_add(&sum.wave, 1);
		if (grt_go(live, &members[i])) {
			atomic_fetch_add(&sum.refused, 1);
			grt_wait_group_done(&sum.wave);
		}
	}
	grt_wait_group_wait(&sum.wave);
}

static void all_waves(void *arg)
{
	(void)arg;
	for (long i = 0; i < setting(TASKS); i += setting(WAVE)) {
		long end = i + setting(WAVE);

		start_wave(i, end < setting(TASKS) ? end : setting(TASKS));
	}
}

/* --- what must hold -------------------------------------------------------*/

static int problems;

static void hold(bool right, const char *what, uint64_t is, uint64_t should)
{
	if (right)
		return;
	problems++;
	fprintf(stderr, "stress: seed %u: %s: %llu, expected %llu\n", round_seed, what,
		(unsigned long long)is, (unsigned long long)should);
}

static void equal(const char *what, uint64_t is, uint64_t should)
{
	hold(is == should, what, is, should);
}

static void check_round(const struct grt_opts *opts)
{
	struct grt_stats stats;
	uint64_t tasks = (uint64_t)setting(TASKS) + sum.children;

	grt_stats(&stats);
	equal("tasks that ended", sum.ended, tasks);
	equal("tasks created", stats.tasks_created, tasks + 1);
	equal("tasks ended", stats.tasks_ended, tasks + 1);
	equal("children, in sevens", sum.children % 7, 0);
	equal("calls", stats.calls, sum.calls);
	equal("handoffs", stats.handoffs,
	      stats.reacquired_same + stats.reacquired_other + stats.reacquired_queued);
	equal("received", sum.received, sum.sent);
	equal("sum received", sum.sum_received, sum.sum_sent);
	equal("tasks that ran twice at once", sum.twice, 0);
	equal("tasks that moved", sum.moved, 0);
	equal("errno lost", sum.lost_errno, 0);
	equal("woken early", sum.early, 0);
	equal("tasks refused", sum.refused, 0);
	equal("workers left", (uint64_t)stats.workers, 0);
	hold(stats.workers_peak <= opts->max_threads, "workers at a time",
	     (uint64_t)stats.workers_peak, (uint64_t)opts->max_threads);
	if (setting(HOOKS)) {
		const char *bad = recorder_check(&stats);

		hold(!bad, bad ? bad : "", 1, 0);
		recorder_clear();
	}
}

static void run_round(long number)
{
	bool eager = setting(HANDOFF) == BOTH ? number % 2 : setting(HANDOFF) == EAGER;
	struct grt_opts opts = {.procs = (int)setting(PROCS),
				.max_threads = (int)setting(THREADS),
				.handoff = eager ? GRT_HANDOFF_EAGER : GRT_HANDOFF_SYSMON,
				.preempt = number % 4 < 2 ? GRT_PREEMPT_OFF : GRT_PREEMPT_COOP};
	int error;

	memset(&sum, 0, sizeof(sum));
	preempts = opts.preempt == GRT_PREEMPT_COOP;
	round_seed = (uint32_t)(setting(SEED) * 1000003 + number);
	sum.chan = grt_chan_new(sizeof(uint64_t), 16);
	error = grt_run(&opts, all_waves, NULL);
	equal("grt_run", (uint64_t)error, 0);
	grt_chan_free(sum.chan);
	check_round(&opts);
}

/* --- tiny runs ------------------------------------------------------------*/

static _Atomic int tiny_ended;

static void tiny_leaf(void *arg)
{
	if (arg)
		grt_yield();
	atomic_fetch_add(&tiny_ended, 1);
}

static void tiny_main(void *arg)
{
	intptr_t number = (intptr_t)arg;

	for (intptr_t i = 0; i < number % 4; i++)
		grt_go(tiny_leaf, (void *)(number & 1));
	if (number % 5 == 0) {
		grt_enter_call(0, 0, NULL);
		grt_leave_call(0, 0);
	}
	if (number % 7 == 0)
		grt_sleep(1);
}

static void run_tiny(long number)
{
	struct grt_opts opts = {.procs = 1 + (int)(number % setting(PROCS)),
				.handoff = number % 3 ? GRT_HANDOFF_SYSMON : GRT_HANDOFF_EAGER,
				.prespawn = number % 2 ? 0 : GRT_PRESPAWN_NONE};

	atomic_store(&tiny_ended, 0);
	equal("grt_run", (uint64_t)grt_run(&opts, tiny_main, (void *)number), 0);
	equal("tiny tasks", (uint64_t)tiny_ended, (uint64_t)(number % 4));
	if (setting(HOOKS)) {
		struct grt_stats stats;
		const char *bad;

		grt_stats(&stats);
		bad = recorder_check(&stats);
		hold(!bad, bad ? bad : "", 1, 0);
		recorder_clear();
	}
}

int main(int argc, char **argv)
{
	const char *soak = getenv("GRT_SOAK_MINUTES");
	int64_t begin = sys_now();
	int64_t minutes = INT64_C(60000000000);
	long rounds = 0;

	for (int i = 1; i < argc; i++)
		read_setting(argv[i]);
	if (soak)
		settings[MINUTES].value = value_of(soak);
	if (setting(MINUTES) < 0 || setting(PROCS) < 1 || setting(WAVE) < 1 || setting(THREADS) < 1)
		usage("out of range");
	if (setting(HOOKS))
		recorder_enable();
	members = calloc((size_t)setting(TASKS) + 1, sizeof(*members));
	if (!members)
		return 1;
	for (long i = 0; i < setting(TINY) && problems < 10; i++)
		run_tiny(i);
	while (problems < 10 && (setting(MINUTES) ? sys_now() - begin < setting(MINUTES) * minutes
						  : rounds < setting(ROUNDS)))
		run_round(rounds++);
	free(members);
	printf("%ld rounds of %ld tasks, %ld tiny runs, %.1f s, %d problems\n", rounds,
	       setting(TASKS), setting(TINY), (double)(sys_now() - begin) / 1e9, problems);
	return problems ? 1 : 0;
}
