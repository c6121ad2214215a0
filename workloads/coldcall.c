/* SPDX-License-Identifier: MIT
 *
 * What one empty blocking call costs while other procs are busy: with a new
 * thread for the proc that it gives away (cold, one process per sample), and
 * with a thread that is there already (--warm).
 *
 * There is one proc more than spinners.  The call gives its proc away at
 * entry, to run the task `next`, which is queued behind the caller; then the
 * caller waits until it has a proc again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "samples.h"

static int64_t spinners;
static int64_t samples = 1000;
static bool warm;
static bool histogram;
static bool one;

static const struct setting settings[] = {
    {.name = "spinners",
     .kind = SETTING_COUNT,
     .count = &spinners,
     .min = 0,
     .max = 1000,
     .help = "tasks that keep procs busy; default: CPUs - 1, at most 5"},
    {.name = "samples",
     .kind = SETTING_COUNT,
     .count = &samples,
     .min = 1,
     .max = 10000000,
     .help = "calls to measure"},
    {.name = "warm",
     .kind = SETTING_FLAG,
     .flag = &warm,
     .help = "all in one process, with the thread already there"},
    {.name = "histogram",
     .kind = SETTING_FLAG,
     .flag = &histogram,
     .help = "print how the durations are distributed, too"},
    {.name = "one",
     .kind = SETTING_FLAG,
     .flag = &one,
     .help = "take one cold sample: print ns in all, ns of the handoff, new threads"},
    {0},
};

static const struct workload workload = {
    .name = "coldcall",
    .about =
	"How long does an empty blocking call take that gives its proc away?\n"
	"  call       all of it\n"
	"  handoff    from its entry until the proc belongs to another thread\n"
	"  reacquire  from there until the task has a proc again\n"
	"GRT_PROCS, GRT_HANDOFF and GRT_PREEMPT do not count here.  With as many spinners as CPUs\n"
	"or more the figures hold the time slices of the operating system as well.\n",
    .settings = settings,
};

static _Atomic bool stop;
static _Atomic int64_t spinning;
static _Atomic int64_t next_ran;

struct sample {
	int64_t call_ns;
	int64_t handoff_ns;
	int64_t threads; /* made for it */
};

static struct series series[] = {{.name = "call"}, {.name = "handoff"}, {.name = "reacquire"}};
static int64_t threads_created;
static int64_t retaken;

/* --- one sample, in a task ------------------------------------------------*/

static void next(void *arg)
{
	(void)arg;
	next_ran++;
}

static void spinner(void *arg)
{
	(void)arg;
	spinning++;
	while (!stop)
		;
}

/* Without a call into the runtime: this task's proc must stay its own. */
static void start_spinners(void)
{
	int64_t limit = now_ns() + (int64_t)60 * 1000000000;

	for (int64_t i = 0; i < spinners; i++)
		start_task("spinner", spinner, NULL);
	while (spinning < spinners)
		if (now_ns() > limit)
			must(EAGAIN, "no threads for the spinners");
}

static uint64_t workers_created(void)
{
	struct grt_stats stats;

	grt_stats(&stats);
	return stats.workers_created;
}

static void read_clock(void *ns)
{
	*(int64_t *)ns = now_ns();
}

static struct sample take_sample(void)
{
	uint64_t workers = workers_created();
	int64_t before_next = next_ran;
	int64_t begin, inside, end;
	struct sample sample;

	start_task("next", next, NULL);
	begin = now_ns();
	grt_call(read_clock, &inside);
	end = now_ns();
	sample.call_ns = end - begin;
	sample.handoff_ns = inside - begin;
	sample.threads = (int64_t)(workers_created() - workers);
	/* The next sample shall find the queue empty. */
	while (next_ran == before_next)
		grt_yield();
	return sample;
}

static void keep(int64_t i, const struct sample *sample)
{
	series[0].ns[i] = sample->call_ns;
	series[1].ns[i] = sample->handoff_ns;
	series[2].ns[i] = sample->call_ns - sample->handoff_ns;
	threads_created += sample->threads;
}

static void cold_sample(void *arg)
{
	start_spinners();
	*(struct sample *)arg = take_sample();
	stop = true;
}

/* A sample for which a thread was made was not warm, and is taken again. */
static void warm_samples(void *arg)
{
	(void)arg;
	start_spinners();
	take_sample();
	for (int64_t i = 0; i < samples;) {
		struct sample sample = take_sample();

		if (sample.threads)
			retaken++;
		else
			keep(i++, &sample);
	}
	stop = true;
}

/* --- one process per sample -----------------------------------------------*/

static void run_child(const char *program, int out)
{
	char count[32];

	snprintf(count, sizeof(count), "%lld", (long long)spinners);
	dup2(out, STDOUT_FILENO);
	execl("/proc/self/exe", program, "--one", "--spinners", count, (char *)NULL);
	_exit(127);
}

static void cold_process(const char *program, int64_t i)
{
	long long call, handoff, threads;
	struct sample sample;
	int status;
	int ends[2];
	FILE *in;
	pid_t pid;

	must(pipe2(ends, O_CLOEXEC) ? errno : 0, "cannot make a pipe");
	pid = fork();
	must(pid < 0 ? errno : 0, "cannot start a process");
	if (pid == 0)
		run_child(program, ends[1]);
	close(ends[1]);
	in = fdopen(ends[0], "r");
	must(in ? 0 : ENOMEM, "cannot read from a process");
	if (fscanf(in, "%lld %lld %lld", &call, &handoff, &threads) != 3)
		threads = -1;
	fclose(in);
	waitpid(pid, &status, 0);
	must(threads < 0 || status ? EIO : 0, "a process for one sample failed");
	sample = (struct sample){call, handoff, threads};
	keep(i, &sample);
}

/* --- all together ---------------------------------------------------------*/

static void allocate(void)
{
	for (int s = 0; s < 3; s++) {
		series[s].ns = calloc((size_t)samples, sizeof(*series[s].ns));
		must(series[s].ns ? 0 : ENOMEM, "samples");
	}
}

static void tell(int64_t cpus)
{
	facts_begin();
	fact_count("spinners", "", spinners);
	fact_count("procs", "", spinners + 1);
	fact_count("cpus", "", cpus);
	fact_flag("warm", warm);
	fact_count("samples", "", samples);
	fact_count("threads_created", "", threads_created);
	if (warm)
		fact_count("samples_retaken", "", retaken);
	fact_series(series, 3, (size_t)samples);
	if (histogram)
		fact_histogram(&series[0], (size_t)samples);
}

static void print_one(const struct grt_opts *opts)
{
	struct sample sample;

	must(grt_run(opts, cold_sample, &sample), "cannot run tasks");
	printf("%lld %lld %lld\n", (long long)sample.call_ns, (long long)sample.handoff_ns,
	       (long long)sample.threads);
}

int main(int argc, char **argv)
{
	/* Preempted, the caller would let `next` run before the call. */
	struct grt_opts opts = {.handoff = GRT_HANDOFF_EAGER, .preempt = GRT_PREEMPT_OFF};
	int64_t cpus = sysconf(_SC_NPROCESSORS_ONLN);

	spinners = cpus - 1 > 5 ? 5 : cpus - 1;
	workload_begin(&workload, argc, argv);
	unsetenv("GRT_PROCS");
	unsetenv("GRT_HANDOFF");
	unsetenv("GRT_PREEMPT");
	opts.procs = (int)spinners + 1;
	if (one) {
		print_one(&opts);
		return 0;
	}
	allocate();
	if (warm)
		run_tasks(&opts, warm_samples);
	else
		for (int64_t i = 0; i < samples; i++)
			cold_process(argv[0], i);
	tell(cpus);
	facts_end();
	return 0;
}
