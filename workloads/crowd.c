/* SPDX-License-Identifier: MIT
 *
 * Starvation in a crowd: very many tasks that loop for ever.  Each counts once
 * when its first 10,000 increments start and once when they end; a watcher
 * looks each millisecond until all have ended, or the time is over.
 *
 * The watcher is a plain thread: it needs no proc and cannot starve.
 */
#include <pthread.h>
#include <string.h>

#include "common.h"
#include "http.h"

#define INCREMENTS 10000
#define NEST_DEPTH 16
#define NEST_INCREMENTS 100

static int64_t tasks = 100000;
static const char *mode_name = "loop";
static int64_t procs;
static double seconds = 10;
static int64_t connections = 100;

static const struct setting settings[] = {
    {.name = "tasks",
     .kind = SETTING_COUNT,
     .count = &tasks,
     .min = 1,
     .max = 10000000,
     .help = "tasks in the crowd"},
    {.name = "mode",
     .kind = SETTING_WORD,
     .word = &mode_name,
     .words = "loop|calls|sleep|yield|http",
     .help = "what they do"},
    {.name = "procs",
     .kind = SETTING_COUNT,
     .count = &procs,
     .min = 0,
     .max = 1024,
     .help = "procs; 0: as many as CPUs; GRT_PROCS overrides it"},
    {.name = "seconds",
     .kind = SETTING_SECONDS,
     .seconds = &seconds,
     .min = 0.001,
     .max = 1e6,
     .help = "when to give up"},
    {.name = "connections",
     .kind = SETTING_COUNT,
     .count = &connections,
     .min = 1,
     .max = 4096,
     .help = "http: open at a time, as far as ulimit -n allows"},
    {0},
};

static const struct workload workload = {
    .name = "crowd",
    .about = "When has each of very many tasks had its first turn?\n"
	     "  loop   increments, for ever, without calling anything\n"
	     "  calls  the same, with deep calls that end in an empty grt_call()\n"
	     "  sleep  the same, with 1 ms of grt_sleep() after each 10,000\n"
	     "  yield  the same, with grt_yield() after each 10,000\n"
	     "  http   10,000 increments and one HTTP request to a server in this process\n"
	     "Run http with LD_PRELOAD=libgtrace.so (or gtrace record): without it each blocking\n"
	     "call keeps its proc, and a request may take as long as the timeout of its socket.\n",
    .settings = settings,
};

static struct grt_wait_group running;
static _Atomic bool stop;
static _Atomic int64_t started;
static _Atomic int64_t ended;
static _Atomic int64_t failed;

/* --- what a task does -----------------------------------------------------*/

static void increment(int times)
{
	for (int i = 0; i < times; i++)
		__asm__ volatile("" : "+r"(i));
}

static void loop(void)
{
	increment(INCREMENTS);
}

static void nothing(void *arg)
{
	(void)arg;
}

static __attribute__((noinline)) void nest(int depth)
{
	if (depth == 0) {
		increment(NEST_INCREMENTS);
		grt_call(nothing, NULL);
		return;
	}
	nest(depth - 1);
	__asm__ volatile(""); /* no tail call: the stack shall be deep */
}

static void calls(void)
{
	for (int i = 0; i < INCREMENTS / NEST_INCREMENTS; i++)
		nest(NEST_DEPTH);
}

static void request(void)
{
	increment(INCREMENTS);
	if (!http_request())
		failed++;
}

static void no_pause(void)
{
}

static void sleep_1_ms(void)
{
	grt_sleep(1000000);
}

static const struct mode {
	const char *name;
	void (*round)(void);
	void (*pause)(void); /* between rounds; NULL: there is but one round */
} modes[] = {
    {"loop", loop, no_pause},   {"calls", calls, no_pause}, {"sleep", loop, sleep_1_ms},
    {"yield", loop, grt_yield}, {"http", request, NULL},
};

static const struct mode *mode;

static void member(void *arg)
{
	(void)arg;
	if (!stop) {
		started++;
		mode->round();
		ended++;
		while (mode->pause && !stop) {
			mode->pause();
			mode->round();
		}
	}
	grt_wait_group_done(&running);
}

/* --- the watcher ----------------------------------------------------------*/

/* When so many percent of the tasks had got so far; 0: not yet. */
static struct milestone {
	int percent;
	int64_t started_ns;
	int64_t ended_ns;
} milestones[] = {
    {.percent = 1}, {.percent = 50}, {.percent = 90}, {.percent = 99}, {.percent = 100}};

#define MILESTONES (sizeof(milestones) / sizeof(milestones[0]))

static struct {
	int64_t started, ended;
	int64_t elapsed_ns;
} seen;

static void note(int64_t *reached_ns, int64_t count, int percent, int64_t elapsed)
{
	if (!*reached_ns && count * 100 >= tasks * percent)
		*reached_ns = elapsed;
}

static void look(int64_t begin)
{
	seen.elapsed_ns = now_ns() - begin;
	seen.ended = ended;
	seen.started = started; /* after ended: never fewer */
	for (size_t i = 0; i < MILESTONES; i++) {
		struct milestone *m = &milestones[i];

		note(&m->started_ns, seen.started, m->percent, seen.elapsed_ns);
		note(&m->ended_ns, seen.ended, m->percent, seen.elapsed_ns);
	}
}

static void *watch(void *arg)
{
	const struct timespec millisecond = {.tv_nsec = 1000000};
	int64_t begin = now_ns();

	do {
		nanosleep(&millisecond, NULL);
		look(begin);
	} while (seen.ended < tasks && (double)seen.elapsed_ns < seconds * 1e9);
	stop = true;
	http_stop();
	return arg;
}

/* --- all together ---------------------------------------------------------*/

static void start_crowd(void *arg)
{
	(void)arg;
	if (mode->round == request) {
		connections = http_connections_possible(connections);
		http_start(connections);
	}
	for (int64_t i = 0; i < tasks && !stop; i++) {
		grt_wait_group_add(&running, 1);
		start_task("member", member, NULL);
	}
	grt_wait_group_wait(&running);
	if (mode->round == request)
		http_end();
}

static void fact_when(const char *key, int64_t ns)
{
	if (ns)
		fact_real(key, "ms", (double)ns / 1e6);
	else
		fact_unknown(key, "ms", "not yet");
}

static void tell(void)
{
	struct grt_stats stats;

	grt_stats(&stats);
	facts_begin();
	fact_count("procs", "", stats.procs);
	fact_count("tasks", "", tasks);
	fact_count("started", "", seen.started);
	fact_count("ended", "", seen.ended);
	fact_count("never_ran", "", tasks - seen.started);
	fact_flag("complete", seen.ended == tasks);
	fact_real("elapsed", "ms", (double)seen.elapsed_ns / 1e6);
	fact_list("progress");
	for (size_t i = 0; i < MILESTONES; i++) {
		fact_group(NULL);
		fact_count("tasks", "percent", milestones[i].percent);
		fact_when("started", milestones[i].started_ns);
		fact_when("ended", milestones[i].ended_ns);
		fact_close();
	}
	fact_close();
	if (mode->round == request) {
		fact_count("connections", "", connections);
		fact_count("requests_served", "", http_served());
		fact_count("requests_failed", "", failed);
	}
}

int main(int argc, char **argv)
{
	struct grt_opts opts = {0};
	pthread_t watcher;

	workload_begin(&workload, argc, argv);
	opts.procs = (int)procs;
	for (mode = modes; strcmp(mode->name, mode_name); mode++)
		;
	must(pthread_create(&watcher, NULL, watch, NULL), "cannot start the watcher");
	run_tasks(&opts, start_crowd);
	pthread_join(watcher, NULL);
	tell();
	facts_end();
	return 0;
}
