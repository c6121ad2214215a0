/* SPDX-License-Identifier: MIT
 *
 * The words that a recording is written in: the names and numbers of calls,
 * reasons, paths and causes.  This is the one place that gives them; the
 * table of interposed calls, the LTTng provider and the viewer all include it.
 *
 * Invariant: a number, once recorded by a released version, never changes its
 * meaning.  New words go to the end of their list.
 */
#ifndef GTRACE_VOCABULARY_H
#define GTRACE_VOCABULARY_H

/* The libc calls that are known by name.  X(name, number) */
#define GTRACE_CALLS(X)                                                                            \
	X(other, 0)                                                                                \
	X(read, 1)                                                                                 \
	X(pread, 2)                                                                                \
	X(readv, 3)                                                                                \
	X(preadv, 4)                                                                               \
	X(preadv2, 5)                                                                              \
	X(write, 6)                                                                                \
	X(pwrite, 7)                                                                               \
	X(writev, 8)                                                                               \
	X(pwritev, 9)                                                                              \
	X(pwritev2, 10)                                                                            \
	X(recv, 11)                                                                                \
	X(recvfrom, 12)                                                                            \
	X(recvmsg, 13)                                                                             \
	X(recvmmsg, 14)                                                                            \
	X(send, 15)                                                                                \
	X(sendto, 16)                                                                              \
	X(sendmsg, 17)                                                                             \
	X(sendmmsg, 18)                                                                            \
	X(sendfile, 19)                                                                            \
	X(splice, 20)                                                                              \
	X(accept, 21)                                                                              \
	X(accept4, 22)                                                                             \
	X(connect, 23)                                                                             \
	X(open, 24)                                                                                \
	X(openat, 25)                                                                              \
	X(close, 26)                                                                               \
	X(flock, 27)                                                                               \
	X(lockf, 28)                                                                               \
	X(fcntl, 29)                                                                               \
	X(ioctl, 30)                                                                               \
	X(fsync, 31)                                                                               \
	X(fdatasync, 32)                                                                           \
	X(sync, 33)                                                                                \
	X(syncfs, 34)                                                                              \
	X(msync, 35)                                                                               \
	X(statfs, 36)                                                                              \
	X(statvfs, 37)                                                                             \
	X(stat, 38)                                                                                \
	X(lstat, 39)                                                                               \
	X(fstat, 40)                                                                               \
	X(fallocate, 41)                                                                           \
	X(copy_file_range, 42)                                                                     \
	X(getrandom, 43)                                                                           \
	X(poll, 44)                                                                                \
	X(ppoll, 45)                                                                               \
	X(select, 46)                                                                              \
	X(pselect, 47)                                                                             \
	X(epoll_wait, 48)                                                                          \
	X(epoll_pwait, 49)                                                                         \
	X(epoll_pwait2, 50)                                                                        \
	X(sigwait, 51)                                                                             \
	X(sigwaitinfo, 52)                                                                         \
	X(sigtimedwait, 53)                                                                        \
	X(sigsuspend, 54)                                                                          \
	X(pause, 55)                                                                               \
	X(sleep, 56)                                                                               \
	X(usleep, 57)                                                                              \
	X(nanosleep, 58)                                                                           \
	X(clock_nanosleep, 59)                                                                     \
	X(thrd_sleep, 60)                                                                          \
	X(futex, 61)                                                                               \
	X(syscall, 62)                                                                             \
	X(pthread_mutex_lock, 63)                                                                  \
	X(pthread_mutex_timedlock, 64)                                                             \
	X(pthread_mutex_clocklock, 65)                                                             \
	X(pthread_cond_wait, 66)                                                                   \
	X(pthread_cond_timedwait, 67)                                                              \
	X(pthread_cond_clockwait, 68)                                                              \
	X(pthread_rwlock_rdlock, 69)                                                               \
	X(pthread_rwlock_wrlock, 70)                                                               \
	X(pthread_rwlock_timedrdlock, 71)                                                          \
	X(pthread_rwlock_timedwrlock, 72)                                                          \
	X(pthread_barrier_wait, 73)                                                                \
	X(pthread_join, 74)                                                                        \
	X(pthread_timedjoin_np, 75)                                                                \
	X(pthread_once, 76)                                                                        \
	X(sem_wait, 77)                                                                            \
	X(sem_timedwait, 78)                                                                       \
	X(sem_clockwait, 79)                                                                       \
	X(semop, 80)                                                                               \
	X(semtimedop, 81)                                                                          \
	X(msgrcv, 82)                                                                              \
	X(msgsnd, 83)                                                                              \
	X(mq_receive, 84)                                                                          \
	X(mq_timedreceive, 85)                                                                     \
	X(mq_send, 86)                                                                             \
	X(mq_timedsend, 87)                                                                        \
	X(wait, 88)                                                                                \
	X(wait3, 89)                                                                               \
	X(wait4, 90)                                                                               \
	X(waitpid, 91)                                                                             \
	X(waitid, 92)                                                                              \
	X(system, 93)                                                                              \
	X(popen, 94)                                                                               \
	X(pclose, 95)                                                                              \
	X(getaddrinfo, 96)                                                                         \
	X(getnameinfo, 97)                                                                         \
	X(gethostbyname, 98)                                                                       \
	X(gethostbyaddr, 99)                                                                       \
	X(fread, 100)                                                                              \
	X(fwrite, 101)                                                                             \
	X(fgets, 102)                                                                              \
	X(fputs, 103)                                                                              \
	X(getline, 104)                                                                            \
	X(fflush, 105)                                                                             \
	X(tcdrain, 106)                                                                            \
	X(grt_call, 107)                                                                           \
	X(fork, 108)                                                                               \
	X(posix_spawn, 109)

/* How a task that came back from a blocking call got a P again. */
#define GTRACE_PATHS(X)                                                                            \
	X("short", SHORT, 0)   /* it never lost its P */                                           \
	X("same P", SAME_P, 1) /* lost it, took the same one back */                               \
	X("other idle P", OTHER_P, 2)                                                              \
	X("queued", QUEUED, 3) /* waited, first in first out, to be given one */                   \
	X("parked", PARKED, 4) /* the task was parked instead; no thread was spent */              \
	X("no P", NO_P, 5)     /* a thread without tasks: there is no P to lose */

/* Why a task stopped running. */
#define GTRACE_STOP_REASONS(X)                                                                     \
	X("yield", YIELD, 0)                                                                       \
	X("preempted", PREEMPTED, 1)                                                               \
	X("sleep", SLEEP, 2)                                                                       \
	X("channel send", CHAN_SEND, 3)                                                            \
	X("channel receive", CHAN_RECV, 4)                                                         \
	X("wait group", WAIT_GROUP, 5)                                                             \
	X("mutex", MUTEX, 6)                                                                       \
	X("cond", COND, 7)                                                                         \
	X("fd", FD, 8)                                                                             \
	X("timer", TIMER, 9)                                                                       \
	X("thread affinity", AFFINITY, 10) /* it may only run on another worker */                 \
	X("select", SELECT, 11)

/* Why a P left a worker that is inside a blocking call. */
#define GTRACE_HANDOFF_REASONS(X)                                                                  \
	X("sysmon", SYSMON, 0)                                                                     \
	X("eager", EAGER, 1)                                                                       \
	X("adaptive", ADAPTIVE, 2)                                                                 \
	X("taken by a returning task", RETURNING, 3)

/* Why a worker let go of its P outside of a call. */
#define GTRACE_PROC_STOP_REASONS(X)                                                                \
	X("idle", IDLE, 0)                                                                         \
	X("given to a returning task", GIVEN_RETURNING, 1)                                         \
	X("given to a locked thread", GIVEN_LOCKED, 2)                                             \
	X("end", END, 3)

/* What made a worker thread. */
#define GTRACE_CREATE_CAUSES(X)                                                                    \
	X("start", START, 0) /* the thread that called grt_run */                                  \
	X("prespawn", PRESPAWN, 1)                                                                 \
	X("call", CALL, 2)         /* a P left a blocking call and no idle worker was there */     \
	X("runnable", RUNNABLE, 3) /* a task became runnable beside an idle P */                   \
	X("locked", LOCKED, 4)     /* a locked task stopped: its P needs another worker */         \
	X("sysmon", SYSMON_THREAD, 5)

/* GRT_HANDOFF and GTRACE_MODE of the recorded program. */
#define GTRACE_MODES(X)                                                                            \
	X("sysmon", SYSMON, 0)                                                                     \
	X("eager", EAGER, 1)                                                                       \
	X("adaptive", ADAPTIVE, 2)

#define GTRACE_PRELOAD_MODES(X)                                                                    \
	X("handoff", HANDOFF, 0)                                                                   \
	X("park", PARK, 1)

#define GTRACE_ENUM_CALL(name, number) GTRACE_CALL_##name = number,
enum gtrace_call { GTRACE_CALLS(GTRACE_ENUM_CALL) };
#undef GTRACE_ENUM_CALL

#define GTRACE_ENUM_PATH(label, name, number) GTRACE_PATH_##name = number,
enum gtrace_path { GTRACE_PATHS(GTRACE_ENUM_PATH) };
#undef GTRACE_ENUM_PATH

#define GTRACE_ENUM_STOP(label, name, number) GTRACE_STOP_##name = number,
enum gtrace_stop { GTRACE_STOP_REASONS(GTRACE_ENUM_STOP) };
#undef GTRACE_ENUM_STOP

#define GTRACE_ENUM_HANDOFF(label, name, number) GTRACE_HANDOFF_##name = number,
enum gtrace_handoff { GTRACE_HANDOFF_REASONS(GTRACE_ENUM_HANDOFF) };
#undef GTRACE_ENUM_HANDOFF

#define GTRACE_ENUM_PROC_STOP(label, name, number) GTRACE_PROC_STOP_##name = number,
enum gtrace_proc_stop { GTRACE_PROC_STOP_REASONS(GTRACE_ENUM_PROC_STOP) };
#undef GTRACE_ENUM_PROC_STOP

#define GTRACE_ENUM_CREATE(label, name, number) GTRACE_CREATE_##name = number,
enum gtrace_create { GTRACE_CREATE_CAUSES(GTRACE_ENUM_CREATE) };
#undef GTRACE_ENUM_CREATE

#define GTRACE_ENUM_MODE(label, name, number) GTRACE_MODE_##name = number,
enum gtrace_mode { GTRACE_MODES(GTRACE_ENUM_MODE) };
#undef GTRACE_ENUM_MODE

#define GTRACE_ENUM_PRELOAD_MODE(label, name, number) GTRACE_PRELOAD_MODE_##name = number,
enum gtrace_preload_mode { GTRACE_PRELOAD_MODES(GTRACE_ENUM_PRELOAD_MODE) };
#undef GTRACE_ENUM_PRELOAD_MODE

#endif
