/* SPDX-License-Identifier: MIT
 *
 * See keeper.h.  What is below `the keeper's side` runs in the keeper only.
 */
#include "tracer/keeper.h"
#include "tracer/identity.h"
#include "tracer/say.h"
#include "tracer/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUN_FOLDER "/var/run/lttng"
#define APPS_SOCKET ".lttng/lttng-ust-sock-8" /* what liblttng-ust.so.1 looks for */
#define READY_SECONDS 30
#define END_SECONDS 10
#define STOP_MS 60000
#define DONE 'd'

/* What the keeper tells gtrace once, when all is up or nothing is. */
struct keeper_report {
	bool up;
	bool own_namespace; /* the two ways of a daemon of root: keeper.h */
	bool as_other;
	char why[1024];
};

/* --- the keeper's side ----------------------------------------------------*/

static int remove_entry(const char *path, const struct stat *file, int type, struct FTW *where)
{
	(void)file;
	(void)type;
	(void)where;
	remove(path);
	return 0;
}

static void remove_folder(const char *folder)
{
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* RUN_FOLDER becomes a folder of ours, for us and our children. */
static bool enter_own_namespace(const char *folder)
{
	char run[256];

	if (mkdir(RUN_FOLDER, 0755) && errno != EEXIST)
		return false;
	/* What is mounted outside later is seen; what we mount stays inside. */
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
		return false;
	snprintf(run, sizeof(run), "%s/run", folder);
	return mkdir(run, 0755) == 0 && mount(run, RUN_FOLDER, NULL, MS_BIND, NULL) == 0;
}

static _Noreturn void become_daemon(const char *folder, pid_t keeper, bool as_other)
{
	char apps[256], load[256], log[256];

	snprintf(apps, sizeof(apps), "--apps-sock=%s/" APPS_SOCKET, folder);
	snprintf(load, sizeof(load), "--load=%s/sessions", folder);
	snprintf(log, sizeof(log), "%s/daemon.log", folder);
	int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);

	sigset_t none;
	sigemptyset(&none);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setenv("LTTNG_HOME", folder, 1);
	unsetenv("LD_PRELOAD");

	if (!as_other || identity_become_other()) {
		/* After the change of user, which would clear it. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != keeper)
			_exit(1);
		execlp("lttng-sessiond", "lttng-sessiond", "--no-kernel", "--sig-parent", apps,
		       load, NULL);
	}
	dprintf(STDERR_FILENO, "lttng-sessiond: %s\n", strerror(errno));
	_exit(127);
}

/* The last line that the daemon wrote, without its "Error: ". */
static void last_words(const char *folder, char *words, size_t size)
{
	char path[256], line[1024];

	snprintf(path, sizeof(path), "%s/daemon.log", folder);
	snprintf(words, size, "it ended without a word");
	FILE *log = fopen(path, "re");
	while (log && fgets(line, sizeof(line), log)) {
		line[strcspn(line, "\n")] = '\0';
		const char *start = strncmp(line, "Error: ", 7) == 0 ? line + 7 : line;
		if (*start)
			snprintf(words, size, "%s", start);
	}
	if (log)
		fclose(log);
}

static bool give(const char *path, uid_t owner)
{
	return lchown(path, owner, owner) == 0;
}

static bool make_folders(const char *folder, bool as_other)
{
	static const char *const names[] = {"sessions", ".lttng"};
	char path[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		if (mkdir(path, 0700) || (as_other && !give(path, IDENTITY_OTHER)))
			return false;
	}
	return !as_other || give(folder, IDENTITY_OTHER);
}

/* Start the daemon and wait for its word that it can be talked to: SIGUSR1. */
static pid_t launch(const char *folder, bool as_other, bool *ready)
{
	const struct timespec limit = {.tv_sec = READY_SECONDS};
	sigset_t news;
	pid_t self = getpid();

	sigemptyset(&news);
	sigaddset(&news, SIGUSR1);
	sigaddset(&news, SIGCHLD);
	sigprocmask(SIG_BLOCK, &news, NULL);
	/* Another user may signal us only while that is our saved user. */
	if (as_other && setresuid(-1U, -1U, IDENTITY_OTHER))
		return -1;
	pid_t daemon = fork();
	if (daemon == 0)
		become_daemon(folder, self, as_other);
	*ready = daemon > 0 && sigtimedwait(&news, NULL, &limit) == SIGUSR1;
	if (as_other && setresuid(-1U, -1U, geteuid()))
		*ready = false;
	return daemon;
}

static pid_t start_daemon(const char *folder, struct keeper_report *report)
{
	if (geteuid() == 0) {
		report->own_namespace = enter_own_namespace(folder);
		report->as_other = !report->own_namespace;
	}
	if (!make_folders(folder, report->as_other)) {
		snprintf(report->why, sizeof(report->why), "%s: %s", folder, strerror(errno));
		return -1;
	}
	pid_t daemon = launch(folder, report->as_other, &report->up);
	if (!report->up)
		last_words(folder, report->why, sizeof(report->why));
	return daemon;
}

/* All descendants become our children when their parent ends: wait until none
 * is left.  Returns false when the time is over. */
static bool all_gone(int seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (time_t limit = now.tv_sec + seconds; now.tv_sec < limit;
	     clock_gettime(CLOCK_MONOTONIC, &now)) {
		const struct timespec pause = {.tv_sec = 1};
		sigset_t child;
		pid_t gone;

		while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (gone < 0)
			return true;
		sigemptyset(&child);
		sigaddset(&child, SIGCHLD);
		sigtimedwait(&child, NULL, &pause);
	}
	return false;
}

static void kill_children(void)
{
	char path[64];
	long pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	FILE *children = fopen(path, "re");
	while (children && fscanf(children, "%ld", &pid) == 1)
		kill((pid_t)pid, SIGKILL);
	if (children)
		fclose(children);
}

static void stop_recording(const char *session, const struct command_place *place)
{
	const char *const stop[] = {"lttng", "--no-sessiond", "stop", session, NULL};

	command_run(stop, place, STOP_MS, NULL, 0);
}

static void end_daemon(pid_t daemon)
{
	kill(daemon, SIGTERM);
	if (all_gone(END_SECONDS))
		return;
	/* The daemon first: its children end by themselves or become ours. */
	kill(daemon, SIGKILL);
	for (int turn = 0; turn < END_SECONDS && !all_gone(1); turn++)
		kill_children();
}

static void detach(int line)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* A `killall gtrace` is meant for gtrace; we follow when it ends. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	for (int fd = 0; fd <= 2; fd++)
		dup2(nothing, fd);
	/* Files that gtrace was started with are the program's alone. */
	if (line > 3)
		close_range(3, (unsigned)line - 1, 0);
	close_range((unsigned)line + 1, ~0u, 0);
	if (chdir("/"))
		return;
}

static int give_to_us(const char *path, const struct stat *file, int type, struct FTW *where)
{
	(void)type;
	(void)where;
	if (file->st_uid == IDENTITY_OTHER)
		give(path, geteuid());
	return 0;
}

static _Noreturn void keep(int line, const struct keeper *keeper, const char *session,
			   const char *output)
{
	struct keeper_report report = {.up = !keeper->private_daemon};
	pid_t daemon = -1;
	char word = 0;

	detach(line);
	if (keeper->private_daemon)
		daemon = start_daemon(keeper->folder, &report);
	if (send(line, &report, sizeof(report), MSG_NOSIGNAL) < 0 || !report.up)
		word = DONE;
	else
		while (recv(line, &word, 1, 0) < 0 && errno == EINTR)
			;
	if (word != DONE) {
		/* In the namespace of the daemon we are already. */
		const struct command_place place = {
		    .home = keeper->private_daemon ? keeper->folder : NULL,
		    .mount_ns = -1,
		    .as_other = report.as_other,
		};
		stop_recording(session, &place);
	}
	if (daemon > 0)
		end_daemon(daemon);
	if (report.as_other)
		nftw(output, give_to_us, 8, FTW_PHYS);
	remove_folder(keeper->folder);
	_exit(0);
}

/* --- gtrace's side --------------------------------------------------------*/

static bool make_folder(char *folder, size_t size)
{
	const char *base = getenv("TMPDIR");

	/* Unix socket names are short, and LD_PRELOAD knows no quoting. */
	if (!base || base[0] != '/' || strlen(base) > 50 || strpbrk(base, " :"))
		base = "/tmp";
	snprintf(folder, size, "%s/gtrace-XXXXXX", base);
	if (mkdtemp(folder))
		return true;
	say("%s: %s: gtrace needs a temporary folder: set TMPDIR to one that can be written", base,
	    strerror(errno));
	return false;
}

static int enter_by(pid_t keeper)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", keeper);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int keeper_start(struct keeper *keeper, const char *session, const char *output,
		 bool private_daemon)
{
	struct keeper_report report;
	int ends[2];

	*keeper = (struct keeper){.private_daemon = private_daemon, .place.mount_ns = -1};
	if (!make_folder(keeper->folder, sizeof(keeper->folder)))
		return 1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ||
	    (keeper->pid = fork()) < 0) {
		say("cannot start a process: %s", strerror(errno));
		rmdir(keeper->folder);
		return 1;
	}
	if (keeper->pid == 0)
		keep(ends[1], keeper, session, output);
	close(ends[1]);
	keeper->line = ends[0];

	ssize_t got;
	while ((got = recv(keeper->line, &report, sizeof(report), 0)) < 0 && errno == EINTR)
		;
	if (got != sizeof(report) || !report.up) {
		say("lttng-sessiond: cannot start a private session daemon: %s",
		    got == sizeof(report) ? report.why : "its keeper ended");
		keeper_end(keeper, true);
		return 1;
	}
	if (private_daemon)
		keeper->place.home = keeper->folder;
	keeper->place.as_other = report.as_other;
	if (report.own_namespace)
		keeper->place.mount_ns = enter_by(keeper->pid);
	return 0;
}

void keeper_end(struct keeper *keeper, bool stopped)
{
	const char done = DONE;
	int status = 0;

	if (stopped)
		send(keeper->line, &done, 1, MSG_NOSIGNAL);
	close(keeper->line);
	while (waitpid(keeper->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		say("%s: its keeper was killed by signal %d: remove it yourself", keeper->folder,
		    WTERMSIG(status));
	if (keeper->place.mount_ns >= 0)
		close(keeper->place.mount_ns);
}
