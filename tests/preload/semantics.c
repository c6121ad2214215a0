/* SPDX-License-Identifier: MIT
 *
 * Calls of every interposed family, their results and errno printed.  The test
 * wants the same text bare, preloaded and recorded; and from a task (built
 * with IN_TASK), whose calls are handed off.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>

#include "subject.h"

/* --- signals ----------------------------------------------------------------*/

static void on_signal(int number)
{
	(void)number;
}

struct interruption {
	pthread_t target, thread;
	pid_t tid;
	_Atomic bool over;
};

/* It may be asleep elsewhere, on its way to the call: again until it is over. */
static void *interrupt(void *arg)
{
	struct interruption *i = arg;

	while (!i->over) {
		if (is_asleep(i->tid))
			MUST(pthread_kill(i->target, SIGUSR1) == 0);
		sched_yield();
	}
	return NULL;
}

/* A call that only a signal ends. */
#define SAY_INTERRUPTED(call)                                                                      \
	do {                                                                                       \
		struct interruption i_ = {.target = pthread_self(), .tid = gettid()};              \
		MUST(pthread_create(&i_.thread, NULL, interrupt, &i_) == 0);                       \
		errno = 77;                                                                        \
		long result_ = (long)(call);                                                       \
		int error_ = errno;                                                                \
		i_.over = true;                                                                    \
		MUST(pthread_join(i_.thread, NULL) == 0);                                          \
		printf("%s = %ld errno %d\n", #call, result_, error_);                             \
	} while (0)

/* --- families ---------------------------------------------------------------*/

static void reading(void)
{
	char buf[16] = "", more[16];
	struct iovec iov[2] = {{buf, 2}, {more, 2}};
	int p[2], file = open("data", O_RDWR | O_CREAT | O_TRUNC, 0640);

	puts("# reading and writing");
	MUST(pipe(p) == 0 && file >= 0);
	SAY(write(p[1], "abcdefgh", 8));
	SAY(read(p[0], buf, 3));
	SAY(readv(p[0], iov, 2));
	SAY(writev(p[1], iov, 2));
	SAY(read(-1, buf, 1));
	SAY(write(p[0], buf, 1));
	MUST(fcntl(p[0], F_SETFL, O_NONBLOCK) == 0);
	SAY(read(p[0], buf, 16));
	SAY(read(p[0], buf, 16));
	SAY(pread(p[0], buf, 1, 0));
	SAY(pwrite(file, "0123456789", 10, 0));
	SAY(pread(file, buf, 4, 3));
	printf("  %.4s\n", buf);
	SAY(preadv(file, iov, 2, 5));
	SAY(pwritev(file, iov, 2, 0));
	SAY(preadv2(file, iov, 2, 1, 0));
	SAY(preadv2(file, iov, 2, 1, 0x40000000));
	SAY(pwritev2(file, iov, 2, 0, 0));
	SAY(pread64(file, buf, 16, 100));
	SAY(sendfile(p[1], file, &(off_t){2}, 5));
	SAY(splice(p[0], NULL, file, &(off64_t){20}, 3, 0));
	SAY(copy_file_range(file, &(off64_t){0}, file, &(off64_t){40}, 4, 0));
	SAY(fsync(file));
	SAY(fsync(p[0]));
	SAY(fdatasync(file));
	SAY(syncfs(file));
	SAY(fallocate(file, 0, 0, 100));
	close(p[1]);
	MUST(fcntl(p[0], F_SETFL, 0) == 0);
	SAY(read(p[0], buf, 16));
	SAY(read(p[0], buf, 16));
	MUST(pipe(p) == 0);
	SAY_INTERRUPTED(read(p[0], buf, 1));
	close(p[0]);
	SAY(write(p[1], buf, 1)); /* SIGPIPE is ignored */
	close(file);
}

static int mode_of(int fd)
{
	struct stat status;

	MUST(fstat(fd, &status) == 0);
	close(fd);
	return status.st_mode & 0777;
}

static void opening(void)
{
	volatile int exclusive = O_CREAT | O_EXCL;

	puts("# opening");
	umask(022);
	SAY(mode_of(open("new", O_RDWR | O_CREAT, 0604)));
	SAY(mode_of(open64("new64", O_RDWR | O_CREAT, 0640)));
	SAY(mode_of(openat(AT_FDCWD, "newat", O_RDWR | O_CREAT, 0600)));
	SAY(mode_of(openat64(AT_FDCWD, "newat64", O_RDWR | O_CREAT, 0606)));
	SAY(mode_of(open(".", O_TMPFILE | O_RDWR, 0611)));
	SAY(mode_of(open("new", O_RDONLY)));
	SAY(open("new", exclusive, 0600));
	SAY(open("none/at/all", O_RDONLY));
	SAY(openat(-5, "new", O_RDONLY));
	SAY(open(".", O_RDWR));
	MUST(mkfifo("fifo", 0600) == 0);
	SAY(open("fifo", O_WRONLY | O_NONBLOCK));
	SAY_INTERRUPTED(open("fifo", O_RDONLY));
}

static void locking_files(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	struct statfs of_fs;
	struct statvfs of_vfs;
	int a = open("lock", O_RDWR | O_CREAT, 0600), b = open("lock", O_RDWR);

	puts("# files");
	SAY(flock(a, LOCK_EX));
	SAY(flock(b, LOCK_EX | LOCK_NB));
	SAY_INTERRUPTED(flock(b, LOCK_EX));
	SAY(flock(a, LOCK_UN));
	SAY(flock(b, 1234));
	SAY(lockf(a, F_LOCK, 10));
	SAY(lockf(-1, F_LOCK, 10));
	SAY(fcntl(a, F_SETLKW, &lock));
	SAY(lockf(a, F_ULOCK, 0));
	SAY(fcntl(a, F_OFD_SETLKW, &lock));
	SAY(fcntl(b, F_GETFD));
	SAY(fcntl(b, F_SETFD, FD_CLOEXEC));
	SAY(fcntl(b, F_GETFD));
	SAY(fcntl(-1, F_SETLKW, &lock));
	SAY(fcntl(b, F_DUPFD, 900));
	close(900);
	SAY(statfs(".", &of_fs));
	SAY(statfs("none", &of_fs));
	SAY(statvfs(".", &of_vfs));
	SAY(statvfs("none", &of_vfs));
	SAY(msync(NULL, 1, 12345));
	close(a);
	close(b);
}

static void talking(void)
{
	char buf[8];
	struct iovec iov = {buf, 4};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	struct mmsghdr many[2] = {{.msg_hdr = message}, {.msg_hdr = message}};
	struct timeval short_time = {.tv_usec = 20000};
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
	struct sockaddr_in nobody = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(1)};
	socklen_t length = sizeof(name);
	int s[2], server, client;

	puts("# sockets");
	MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, s) == 0);
	SAY(send(s[0], "one", 3, 0));
	SAY(recv(s[1], buf, 8, MSG_PEEK));
	SAY(recvfrom(s[1], buf, 8, 0, NULL, NULL));
	SAY(sendto(s[0], "four", 4, 0, NULL, 0));
	SAY(recvmsg(s[1], &message, 0));
	SAY(sendmsg(s[0], &message, 0));
	SAY(sendmmsg(s[0], many, 2, 0));
	SAY(recvmmsg(s[1], many, 2, 0, NULL));
	SAY(recv(s[1], buf, 8, MSG_DONTWAIT));
	MUST(setsockopt(s[1], SOL_SOCKET, SO_RCVTIMEO, &short_time, sizeof(short_time)) == 0);
	SAY(recv(s[1], buf, 8, 0));
	SAY(recv(s[1], buf, 8, 0));
	SAY_LASTS(20, recv(s[1], buf, 8, 0));
	SAY(send(-1, buf, 1, 0));
	SAY(recvfrom(0x7ffffff, buf, 1, 0, NULL, NULL));

	server = socket(AF_UNIX, SOCK_STREAM, 0);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	SAY(connect(client, (struct sockaddr *)&name, sizeof(name)));
	MUST(bind(server, (struct sockaddr *)&name, sizeof(name)) == 0 && listen(server, 5) == 0);
	SAY(connect(client, (struct sockaddr *)&name, sizeof(name)));
	SAY(accept(server, NULL, NULL) >= 0);
	SAY(connect(client, (struct sockaddr *)&name, sizeof(name)));
	MUST(fcntl(server, F_SETFL, O_NONBLOCK) == 0);
	SAY(accept(server, (struct sockaddr *)&name, &length));
	SAY(accept4(server, NULL, NULL, SOCK_CLOEXEC));
	SAY(accept4(server, NULL, NULL, 0x1234567));
	MUST(fcntl(server, F_SETFL, 0) == 0);
	SAY_INTERRUPTED(accept(server, NULL, NULL));
	client = socket(AF_INET, SOCK_STREAM, 0);
	SAY(connect(client, (struct sockaddr *)&nobody, sizeof(nobody)));
}

static void waiting(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct timespec none = {0}, short_time = {0, 20000000};
	struct timeval moment = {.tv_usec = 20000};
	struct pollfd fd, *volatile nowhere = (struct pollfd *)8;
	sigset_t set;
	siginfo_t info;
	int p[2], number, e = epoll_create1(0);
	fd_set in;

	puts("# readiness and signals");
	MUST(pipe(p) == 0 && epoll_ctl(e, EPOLL_CTL_ADD, p[0], &event) == 0);
	fd = (struct pollfd){.fd = p[0], .events = POLLIN};
	FD_ZERO(&in);
	FD_SET(p[0], &in);
	SAY(poll(&fd, 1, 0));
	SAY_LASTS(20, poll(&fd, 1, 20));
	SAY_INTERRUPTED(poll(&fd, 1, 60000));
	SAY(poll(nowhere, 1, 0));
	SAY(ppoll(&fd, 1, &none, NULL));
	SAY_LASTS(20, ppoll(&fd, 1, &short_time, NULL));
	SAY_LASTS(20, select(p[0] + 1, &in, NULL, NULL, &moment));
	SAY(select(-1, NULL, NULL, NULL, NULL));
	SAY(pselect(0, NULL, NULL, NULL, &none, NULL));
	SAY_INTERRUPTED(select(0, NULL, NULL, NULL, NULL));
	SAY(epoll_wait(e, &event, 1, 0));
	SAY_LASTS(20, epoll_wait(e, &event, 1, 20));
	SAY_INTERRUPTED(epoll_wait(e, &event, 1, -1));
	SAY(epoll_wait(e, &event, 0, 0));
	SAY(epoll_pwait(e, &event, 1, 0, NULL));
	SAY(epoll_pwait2(e, &event, 1, &none, NULL));
	SAY(write(p[1], "x", 1));
	SAY(poll(&fd, 1, -1));
	SAY(epoll_wait(e, &event, 1, -1));

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	MUST(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	SAY(sigtimedwait(&set, &info, &none));
	MUST(pthread_kill(pthread_self(), SIGUSR2) == 0);
	SAY(sigwaitinfo(&set, &info));
	MUST(pthread_kill(pthread_self(), SIGUSR2) == 0);
	SAY(sigwait(&set, &number));
	printf("  %d\n", number);
	SAY_INTERRUPTED(pause());
	sigemptyset(&set);
	SAY_INTERRUPTED(sigsuspend(&set));
}

/* The rest of an interrupted sleep lies between these. */
static bool is_rest(const struct timespec *left)
{
	return left->tv_sec >= 0 && left->tv_sec <= 100; /* 100: timer slack */
}

static void sleeping(bool interruptible)
{
	struct timespec time, left = {-1, -1}, bad = {0, 1000000000}, negative = {-1, 0};
	const struct timespec long_time = {100, 0};

	puts("# sleeping");
	SAY_LASTS(10, usleep(10000));
	SAY(usleep(0));
	time = (struct timespec){0, 10000000};
	SAY_LASTS(10, nanosleep(&time, NULL));
	SAY_LASTS(10, nanosleep(&time, &left));
	printf("  left %ld %ld\n", (long)left.tv_sec, left.tv_nsec);
	SAY(nanosleep(&bad, NULL));
	SAY(nanosleep(&negative, NULL));
	SAY(nanosleep(&(struct timespec){0}, NULL));
	SAY_LASTS(10, clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL));
	SAY_LASTS(10, clock_nanosleep(CLOCK_REALTIME, 0, &time, &left));
	SAY_LASTS(10, clock_nanosleep(CLOCK_BOOTTIME, 0, &time, NULL));
	SAY(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL));
	SAY(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &time, NULL));
	SAY(clock_nanosleep(12345, 0, &time, NULL));
	time = after_ms(CLOCK_MONOTONIC, 20);
	SAY_LASTS(19, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL));
	SAY(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL));
	time = after_ms(CLOCK_REALTIME, 20);
	SAY_LASTS(15, clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL));
	SAY(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &bad, NULL));
	SAY(thrd_sleep(&(struct timespec){0, 1000000}, NULL));
	SAY(thrd_sleep(&bad, NULL));
	SAY(sleep(0));
	if (!interruptible)
		return;
	SAY_INTERRUPTED(nanosleep(&long_time, &left));
	printf("  rest %d\n", is_rest(&left));
	SAY_INTERRUPTED(clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, &left));
	printf("  rest %d\n", is_rest(&left));
	SAY_INTERRUPTED(usleep(100000000));
	SAY_INTERRUPTED(sleep(100) > 90);
	SAY_INTERRUPTED(thrd_sleep(&long_time, &left));
}

/* --- threads and locks ------------------------------------------------------*/

static void *hold_and_die(void *mutex)
{
	MUST(pthread_mutex_lock(mutex) == 0);
	return NULL;
}

struct contest {
	pthread_mutex_t *mutex;
	pthread_barrier_t held;
	pid_t waiter;
};

static void *hold_a_while(void *arg)
{
	struct contest *c = arg;

	MUST(pthread_mutex_lock(c->mutex) == 0);
	pthread_barrier_wait(&c->held);
	until_asleep(c->waiter);
	MUST(pthread_mutex_unlock(c->mutex) == 0);
	return NULL;
}

static pthread_mutex_t mutex_of(int type, bool robust)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t mutex;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	if (robust)
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	MUST(pthread_mutex_init(&mutex, &attr) == 0);
	return mutex;
}

static void mutexes(void)
{
	pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_t checked = mutex_of(PTHREAD_MUTEX_ERRORCHECK, false);
	pthread_mutex_t recursive = mutex_of(PTHREAD_MUTEX_RECURSIVE, false);
	pthread_mutex_t robust = mutex_of(PTHREAD_MUTEX_NORMAL, true);
	struct timespec soon;
	struct contest contest = {.mutex = &plain, .waiter = gettid()};
	pthread_t thread;

	puts("# mutexes");
	SAY(pthread_mutex_lock(&plain));
	SAY(pthread_mutex_trylock(&plain));
	soon = after_ms(CLOCK_REALTIME, 20);
	SAY_LASTS(15, pthread_mutex_timedlock(&plain, &soon));
	soon = after_ms(CLOCK_MONOTONIC, 20);
	SAY_LASTS(19, pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &soon));
	SAY(pthread_mutex_timedlock(&plain, &(struct timespec){0, -1}));
	SAY(pthread_mutex_unlock(&plain));
	SAY(pthread_mutex_timedlock(&plain, &(struct timespec){0, -1}));
	SAY(pthread_mutex_unlock(&plain));
	SAY(pthread_mutex_lock(&checked));
	SAY(pthread_mutex_lock(&checked));
	SAY(pthread_mutex_timedlock(&checked, &soon));
	SAY(pthread_mutex_unlock(&checked));
	SAY(pthread_mutex_unlock(&checked));
	SAY(pthread_mutex_lock(&recursive));
	SAY(pthread_mutex_lock(&recursive));
	SAY(pthread_mutex_unlock(&recursive));
	SAY(pthread_mutex_unlock(&recursive));
	SAY(pthread_mutex_unlock(&recursive));
	MUST(pthread_create(&thread, NULL, hold_and_die, &robust) == 0);
	SAY(pthread_join(thread, NULL));
	SAY(pthread_mutex_lock(&robust));
	SAY(pthread_mutex_unlock(&robust));
	SAY(pthread_mutex_lock(&robust));

	MUST(pthread_barrier_init(&contest.held, NULL, 2) == 0);
	MUST(pthread_create(&thread, NULL, hold_a_while, &contest) == 0);
	pthread_barrier_wait(&contest.held);
	SAY(pthread_mutex_lock(&plain));
	SAY(pthread_mutex_unlock(&plain));
	SAY(pthread_join(thread, NULL));
}

struct signalling {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool set;
};

static void *set_and_signal(void *arg)
{
	struct signalling *s = arg;

	MUST(pthread_mutex_lock(&s->mutex) == 0);
	s->set = true;
	MUST(pthread_cond_signal(&s->cond) == 0);
	MUST(pthread_mutex_unlock(&s->mutex) == 0);
	return (void *)7;
}

static int wait_until_set(struct signalling *s)
{
	int result = 0;

	while (!s->set && !result)
		result = pthread_cond_wait(&s->cond, &s->mutex);
	return result;
}

static void conditions(void)
{
	struct signalling s = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
	pthread_mutex_t checked = mutex_of(PTHREAD_MUTEX_ERRORCHECK, false);
	pthread_condattr_t attr;
	pthread_cond_t monotonic;
	struct timespec soon;
	pthread_t thread;
	void *value;

	puts("# conditions");
	MUST(pthread_mutex_lock(&s.mutex) == 0);
	MUST(pthread_create(&thread, NULL, set_and_signal, &s) == 0);
	SAY(wait_until_set(&s));
	SAY(pthread_join(thread, &value));
	printf("  %ld\n", (long)value);
	soon = after_ms(CLOCK_REALTIME, 20);
	SAY_LASTS(15, pthread_cond_timedwait(&s.cond, &s.mutex, &soon));
	SAY(pthread_cond_timedwait(&s.cond, &s.mutex, &soon));
	SAY(pthread_cond_timedwait(&s.cond, &s.mutex, &(struct timespec){0, -1}));
	soon = after_ms(CLOCK_MONOTONIC, 20);
	SAY_LASTS(19, pthread_cond_clockwait(&s.cond, &s.mutex, CLOCK_MONOTONIC, &soon));
	SAY(pthread_cond_clockwait(&s.cond, &s.mutex, 12345, &soon));
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	MUST(pthread_cond_init(&monotonic, &attr) == 0);
	soon = after_ms(CLOCK_MONOTONIC, 20);
	SAY_LASTS(19, pthread_cond_timedwait(&monotonic, &s.mutex, &soon));
	SAY(pthread_mutex_unlock(&s.mutex));
	SAY(pthread_cond_timedwait(&s.cond, &checked, &soon));
}

static void *read_lock(void *lock)
{
	MUST(pthread_rwlock_rdlock(lock) == 0);
	MUST(pthread_rwlock_unlock(lock) == 0);
	return NULL;
}

static void *await(void *barrier)
{
	int result = pthread_barrier_wait(barrier);

	return (void *)(intptr_t)result;
}

static int answer(void *nothing)
{
	(void)nothing;
	return 42;
}

static void other_locks(void)
{
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
	pthread_barrier_t barrier;
	struct timespec soon;
	pthread_t thread;
	void *result;
	sem_t sem;
	mtx_t mtx;
	cnd_t cnd;
	thrd_t other;
	int status;
	long mine;

	puts("# other locks");
	SAY(pthread_rwlock_wrlock(&lock));
	SAY(pthread_rwlock_wrlock(&lock));
	SAY(pthread_rwlock_rdlock(&lock));
	soon = after_ms(CLOCK_REALTIME, 20);
	SAY(pthread_rwlock_timedrdlock(&lock, &soon));
	SAY(pthread_rwlock_timedwrlock(&lock, &soon));
	SAY(pthread_rwlock_timedwrlock(&lock, &(struct timespec){0, -1}));
	SAY(pthread_rwlock_unlock(&lock));
	SAY(pthread_rwlock_timedwrlock(&lock, &(struct timespec){0, -1}));
	SAY(pthread_rwlock_timedrdlock(&lock, &(struct timespec){0, -1}));
	SAY(pthread_rwlock_wrlock(&lock));
	MUST(pthread_create(&thread, NULL, read_lock, &lock) == 0);
	SAY(pthread_rwlock_unlock(&lock));
	SAY(pthread_join(thread, NULL));
	SAY(pthread_join(pthread_self(), NULL));

	MUST(pthread_barrier_init(&barrier, NULL, 2) == 0);
	MUST(pthread_create(&thread, NULL, await, &barrier) == 0);
	mine = pthread_barrier_wait(&barrier);
	MUST(pthread_join(thread, &result) == 0);
	printf("barrier: %ld\n", mine + (intptr_t)result);

	MUST(sem_init(&sem, 0, 1) == 0);
	SAY(sem_wait(&sem));
	SAY(sem_trywait(&sem));
	soon = after_ms(CLOCK_REALTIME, 20);
	SAY_LASTS(15, sem_timedwait(&sem, &soon));
	SAY(sem_timedwait(&sem, &(struct timespec){0, -1}));
	soon = after_ms(CLOCK_MONOTONIC, 20);
	SAY_LASTS(19, sem_clockwait(&sem, CLOCK_MONOTONIC, &soon));
	SAY(sem_clockwait(&sem, 12345, &soon));
	SAY_INTERRUPTED(sem_wait(&sem));
	SAY(sem_post(&sem));
	SAY(sem_timedwait(&sem, &(struct timespec){0, -1}));

	MUST(mtx_init(&mtx, mtx_timed) == thrd_success);
	SAY(mtx_lock(&mtx));
	soon = after_ms(CLOCK_REALTIME, 20);
	SAY(mtx_timedlock(&mtx, &soon));
	SAY(mtx_unlock(&mtx));
	SAY(mtx_lock(&mtx));
	MUST(cnd_init(&cnd) == thrd_success);
	soon = after_ms(CLOCK_REALTIME, 20);
	SAY(cnd_timedwait(&cnd, &mtx, &soon));
	MUST(thrd_create(&other, answer, NULL) == thrd_success);
	SAY(thrd_join(other, &status));
	printf("  %d\n", status);
	MUST(pthread_create(&thread, NULL, await, &barrier) == 0);
	soon = after_ms(CLOCK_REALTIME, 20);
	SAY(pthread_timedjoin_np(thread, &result, &soon));
	pthread_barrier_wait(&barrier);
	SAY(pthread_join(thread, NULL));
}

static void raw_calls(void)
{
	uint32_t word = 5;
	struct timespec short_time = {0, 20000000};
	void *page;

	puts("# syscall()");
	SAY(syscall(SYS_getpid) == getpid());
	SAY(syscall(SYS_gettid) == gettid());
	SAY(syscall(SYS_futex, &word, FUTEX_WAIT, 4, NULL));
	SAY_LASTS(20, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 5, &short_time));
	SAY_INTERRUPTED(syscall(SYS_futex, &word, FUTEX_WAIT, 5, NULL));
	SAY(syscall(SYS_futex, &word, FUTEX_WAKE, 1));
	SAY(syscall(SYS_read, -1, NULL, 0));
	SAY(syscall(99999));
	page = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	SAY(page == MAP_FAILED);
	SAY(syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 4096)); /* the sixth counts */
	SAY(syscall(SYS_munmap, page, 4096));
}

static void queues(void)
{
	int sems = semget(IPC_PRIVATE, 1, 0600), messages = msgget(IPC_PRIVATE, 0600);
	struct sembuf down = {.sem_op = -1}, up = {.sem_op = 1};
	struct timespec short_time = {0, 10000000};
	struct {
		long type;
		char text[4];
	} message = {1, "abc"};

	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[32], text[8];
	struct timespec soon;
	mqd_t queue;

	snprintf(name, sizeof(name), "/gtrace-test-%d", (int)getpid());
	queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
	MUST(queue >= 0 && mq_unlink(name) == 0);
	puts("# message queues");
	SAY(mq_send(queue, "abc", 3, 1));
	soon = after_ms(CLOCK_REALTIME, 10);
	SAY(mq_timedsend(queue, "abc", 3, 1, &soon));
	SAY(mq_receive(queue, text, 8, NULL));
	SAY(mq_receive(queue, text, 2, NULL));
	SAY(mq_timedreceive(queue, text, 8, NULL, &soon));
	mq_close(queue);
	puts("# System V");
	MUST(sems >= 0 && messages >= 0);
	SAY(semop(sems, &up, 1));
	SAY(semop(sems, &down, 1));
	SAY(semtimedop(sems, &down, 1, &short_time));
	SAY(msgsnd(messages, &message, 4, 0));
	SAY(msgrcv(messages, &message, 4, 0, 0));
	SAY(msgrcv(messages, &message, 4, 0, IPC_NOWAIT));
	semctl(sems, 0, IPC_RMID);
	msgctl(messages, IPC_RMID, NULL);
	SAY(semop(-1, &up, 1));
}

static pid_t child_that_exits(int code)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(code);
	MUST(pid > 0);
	return pid;
}

static void children(void)
{
	struct rusage usage;
	siginfo_t info;
	int status;
	FILE *pipe_to;
	pid_t pid;

	puts("# children");
	pid = child_that_exits(3);
	SAY(waitpid(pid, &status, 0) == pid);
	printf("  %d\n", WEXITSTATUS(status));
	pid = child_that_exits(4);
	SAY(wait(&status) == pid);
	pid = child_that_exits(5);
	SAY(wait3(&status, 0, &usage) == pid);
	pid = child_that_exits(6);
	SAY(wait4(-1, &status, 0, &usage) == pid);
	printf("  %d\n", WEXITSTATUS(status));
	pid = child_that_exits(7);
	SAY(waitid(P_PID, (id_t)pid, &info, WEXITED));
	printf("  %d\n", info.si_status);
	SAY(wait(NULL));
	SAY(waitpid(-1, &status, WNOHANG));
	SAY(waitid(P_PID, 1, &info, WEXITED));
	SAY(WEXITSTATUS(system("exit 3")));
	SAY(system(NULL) != 0);
	pipe_to = popen("cat", "w");
	MUST(pipe_to);
	fputs("through a pipe\n", pipe_to);
	fflush(stdout);
	SAY(pclose(pipe_to));
}

static void names(void)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *list = NULL;
	struct sockaddr_in local = {.sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char host[64];

	puts("# names");
	SAY(getaddrinfo("127.0.0.1", "80", &hints, &list));
	MUST(list);
	freeaddrinfo(list);
	SAY(getaddrinfo("not a number", NULL, &hints, &list));
	SAY(getaddrinfo(NULL, NULL, NULL, &list));
	SAY(gethostbyname("127.0.0.1")->h_length);
	SAY(getnameinfo((struct sockaddr *)&local, sizeof(local), host, sizeof(host), NULL, 0,
			NI_NUMERICHOST));
	printf("  %s\n", host);
	SAY(getnameinfo((struct sockaddr *)&local, 3, host, sizeof(host), NULL, 0, 0));
}

static void all(void *interruptible)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &action, NULL);
	setlinebuf(stdout);
	signal(SIGPIPE, SIG_IGN);
	reading();
	opening();
	locking_files();
	talking();
	waiting();
	sleeping(interruptible);
	mutexes();
	conditions();
	other_locks();
	raw_calls();
	queues();
	children();
	names();
	puts("# end");
	fflush(stdout);
}

#ifdef IN_TASK
#include "runtime/grt.h"
#undef errno
#define errno (*__errno_location())
#endif

/* Works in the current folder, which is the test's.  An argument: parked
 * sleeps, which no signal interrupts. */
int main(int argc, char **argv)
{
	(void)argv;
#ifdef IN_TASK
	MUST(grt_run(NULL, all, argc > 1 ? NULL : (void *)1) == 0);
#else
	all(argc > 1 ? NULL : (void *)1);
#endif
	return 0;
}
