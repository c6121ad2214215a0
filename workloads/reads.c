/* SPDX-License-Identifier: MIT
 *
 * Reads whose number and duration are known: from a pipe, a FIFO and a socket,
 * short ones that find their byte and long ones that wait for it.
 *
 * Each kind of call stands in a function of its own, so that a report names
 * it.  For a long one a plain thread, which needs no proc, waits until the
 * task is about to call, then sleeps, then does what the task waits for.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

static int64_t short_calls = 1000;
static int64_t long_calls = 10;
static int64_t ms = 20;

static const struct setting settings[] = {
    {.name = "short",
     .kind = SETTING_COUNT,
     .count = &short_calls,
     .min = 1,
     .max = 4096,
     .help = "short reads of each kind"},
    {.name = "long",
     .kind = SETTING_COUNT,
     .count = &long_calls,
     .min = 1,
     .max = 100000,
     .help = "long reads of each kind"},
    {.name = "ms",
     .kind = SETTING_COUNT,
     .count = &ms,
     .min = 1,
     .max = 60000,
     .help = "milliseconds that a long one waits at least"},
    {0},
};

static const struct workload workload = {
    .name = "reads",
    .about = "Tasks that read one byte at a time from a pipe, a FIFO and a socket; and one open()\n"
	     "of a FIFO that waits for its other end.  What a report says of these calls can be\n"
	     "held against what is printed here.  Without LD_PRELOAD=libgtrace.so a call that\n"
	     "waits keeps its proc.\n",
    .settings = settings,
};

/* One kind of call, at one place. */
struct site {
	const char *name;
	const char *call;
	const char *function;
	void (*step)(struct site *site);
	bool waits;
	int in, out; /* descriptors of the reader and the writer */
	sem_t about_to_call;
	int64_t calls;
	int64_t measured_ns;
};

static char fifo_path[32]; /* of the one that is opened by both sides */
static struct grt_wait_group reading;

/* --- the calls ------------------------------------------------------------*/

/* After the call there is always something left to do, or the compiler would
 * jump to it and the place of the call would be elsewhere. */
static void called(struct site *site, ssize_t result)
{
	must(result < 0 ? errno : 0, site->name);
	site->calls++;
}

#define READ_SITE(function)                                                                        \
	static __attribute__((noinline)) void function(struct site *site)                          \
	{                                                                                          \
		char byte;                                                                         \
                                                                                                   \
		called(site, read(site->in, &byte, 1));                                            \
	}

READ_SITE(read_pipe_short)
READ_SITE(read_pipe_long)
READ_SITE(read_fifo_short)
READ_SITE(read_fifo_long)
READ_SITE(read_socket_short)
READ_SITE(read_socket_long)

static __attribute__((noinline)) void open_fifo(struct site *site)
{
	site->in = open(fifo_path, O_RDONLY | O_CLOEXEC);
	called(site, site->in);
}

enum { FIFO_OPEN, PIPE_SHORT, PIPE_LONG, FIFO_SHORT, FIFO_LONG, SOCKET_SHORT, SOCKET_LONG, SITES };

#define SITE(name_, call_, function_, waits_)                                                      \
	{                                                                                          \
		.name = name_, .call = call_, .function = #function_, .step = function_,           \
		.waits = waits_                                                                    \
	}

static struct site sites[SITES] = {
    [FIFO_OPEN] = SITE("fifo open", "open", open_fifo, true),
    [PIPE_SHORT] = SITE("pipe short", "read", read_pipe_short, false),
    [PIPE_LONG] = SITE("pipe long", "read", read_pipe_long, true),
    [FIFO_SHORT] = SITE("fifo short", "read", read_fifo_short, false),
    [FIFO_LONG] = SITE("fifo long", "read", read_fifo_long, true),
    [SOCKET_SHORT] = SITE("socket short", "read", read_socket_short, false),
    [SOCKET_LONG] = SITE("socket long", "read", read_socket_long, true),
};

static int64_t calls_wanted(const struct site *site)
{
	if (site == &sites[FIFO_OPEN])
		return 1;
	return site->waits ? long_calls : short_calls;
}

static void read_all(void *arg)
{
	struct site *site = arg;

	for (int64_t i = calls_wanted(site); i > 0; i--) {
		int64_t begin = now_ns();

		if (site->waits)
			sem_post(&site->about_to_call);
		site->step(site);
		site->measured_ns += now_ns() - begin;
	}
	grt_wait_group_done(&reading);
}

/* --- the other ends -------------------------------------------------------*/

static void *let_wait(void *arg)
{
	struct site *site = arg;

	for (int64_t i = calls_wanted(site); i > 0; i--) {
		const struct timespec time = {ms / 1000, ms % 1000 * 1000000};

		while (sem_wait(&site->about_to_call))
			;
		nanosleep(&time, NULL);
		if (site == &sites[FIFO_OPEN])
			site->out = open(fifo_path, O_WRONLY | O_CLOEXEC);
		else if (write(site->out, "x", 1) != 1)
			must(errno, site->name);
	}
	return NULL;
}

static void write_all(const struct site *site)
{
	static const char bytes[4096];

	if (write(site->out, bytes, (size_t)short_calls) != short_calls)
		must(errno, site->name);
}

static void open_pipe(struct site *site)
{
	int ends[2];

	must(pipe2(ends, O_CLOEXEC) ? errno : 0, site->name);
	site->in = ends[0];
	site->out = ends[1];
}

static void open_sockets(struct site *site)
{
	int ends[2];

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ? errno : 0, site->name);
	site->in = ends[0];
	site->out = ends[1];
}

/*
 * A new FIFO, as a descriptor with these flags.  Its name is gone at once, so
 * that nothing is left behind by a program that is killed; a FIFO stays what it
 * is for those who have it.
 */
static int new_fifo(int flags)
{
	const char *parent = getenv("TMPDIR");
	char folder[256];
	char path[sizeof(folder) + 8];
	int error;
	int fd;

	snprintf(folder, sizeof(folder), "%s/gtrace-reads-XXXXXX",
		 parent && *parent ? parent : "/tmp");
	must(mkdtemp(folder) ? 0 : errno, "cannot make a folder for a FIFO, see TMPDIR");
	snprintf(path, sizeof(path), "%s/fifo", folder);
	fd = mkfifo(path, 0600) ? -1 : open(path, flags | O_CLOEXEC);
	error = errno;
	unlink(path);
	rmdir(folder);
	must(fd < 0 ? error : 0, "cannot make a FIFO");
	return fd;
}

/* Opened for both directions, so that open() does not wait. */
static void open_fifo_alone(struct site *site)
{
	site->in = new_fifo(O_RDWR);
	site->out = site->in;
}

static void open_all(void)
{
	for (int i = 0; i < SITES; i++)
		sem_init(&sites[i].about_to_call, 0, 0);
	open_pipe(&sites[PIPE_SHORT]);
	open_pipe(&sites[PIPE_LONG]);
	open_sockets(&sites[SOCKET_SHORT]);
	open_sockets(&sites[SOCKET_LONG]);
	open_fifo_alone(&sites[FIFO_SHORT]);
	open_fifo_alone(&sites[FIFO_LONG]);
	snprintf(fifo_path, sizeof(fifo_path), "/proc/self/fd/%d", new_fifo(O_PATH));
	for (int i = 0; i < SITES; i++)
		if (!sites[i].waits)
			write_all(&sites[i]);
}

/* --- all together ---------------------------------------------------------*/

static void start_readers(void *arg)
{
	(void)arg;
	grt_wait_group_add(&reading, SITES);
	for (int i = 0; i < SITES; i++)
		start_task(sites[i].name, read_all, &sites[i]);
	grt_wait_group_wait(&reading);
}

static void tell(void)
{
	struct grt_stats stats;

	grt_stats(&stats);
	facts_begin();
	fact_count("procs", "", stats.procs);
	fact_list("sites");
	for (int i = 0; i < SITES; i++) {
		const struct site *site = &sites[i];

		fact_group(NULL);
		fact_word("name", site->name);
		fact_word("call", site->call);
		fact_word("function", site->function);
		fact_count("calls", "", site->calls);
		fact_count("at_least", "ns", site->waits ? site->calls * ms * 1000000 : 0);
		fact_count("measured", "ns", site->measured_ns);
		fact_close();
	}
	fact_close();
}

int main(int argc, char **argv)
{
	pthread_t writers[SITES];

	workload_begin(&workload, argc, argv);
	open_all();
	for (int i = 0; i < SITES; i++)
		if (sites[i].waits)
			must(pthread_create(&writers[i], NULL, let_wait, &sites[i]),
			     "cannot start a writer");
	run_tasks(NULL, start_readers);
	for (int i = 0; i < SITES; i++)
		if (sites[i].waits)
			pthread_join(writers[i], NULL);
	tell();
	facts_end();
	return 0;
}
