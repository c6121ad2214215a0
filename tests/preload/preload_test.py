# SPDX-License-Identifier: MIT
"""libgtrace.so in other people's programs: they must not notice it, and the
recording must tell the truth about them.

    preload_test.py BUILD CASE
"""

import contextlib
import difflib
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../record"))
from lttng_private import DEADLINE, SKIP, PrivateDaemon  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
LIBRARY = os.path.join(BUILD, "preload/libgtrace.so")


def program(name):
    return os.path.join(BUILD, "tests/preload", name)


def skip(why):
    """End this case as skipped."""
    print("skipped:", why)
    sys.exit(SKIP)


# --- running -------------------------------------------------------------------

class Outcome:
    """What a program did that others can see."""

    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def __eq__(self, other):
        return vars(self) == vars(other)

    def difference(self, other):
        lines = []
        for name in ("out", "err"):
            lines += difflib.unified_diff(
                getattr(self, name).decode(errors="replace").splitlines(),
                getattr(other, name).decode(errors="replace").splitlines(),
                name, name, lineterm="", n=1)
        return "\n".join([f"exit codes {self.code} and {other.code}"] + lines)


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="gtrace-preload-", dir="/tmp") as path:
        yield path


def environment(preload=None, **more):
    """No daemon can be found with it: LTTNG_HOME does not exist."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("GTRACE_", "LTTNG_", "GRT_", "LD_PRELOAD"))}
    env.update(LTTNG_HOME="/nonexistent", LC_ALL="C.UTF-8", **more)
    if preload:
        env["LD_PRELOAD"] = preload
    return env


def run(command, preload=None, env=None, **more):
    """In a fresh folder, as both sides of a comparison must be."""
    with folder() as work:
        done = subprocess.run(command, cwd=work, env=env or environment(preload, **more),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=DEADLINE, check=False)
    return Outcome(done)


def record(command, **more):
    """The outcome of a recorded run, and its events."""
    with PrivateDaemon() as daemon, folder() as work:
        done, events = daemon.record(command, preload=LIBRARY, env=more, cwd=work,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
    return Outcome(done), events


def expect_same(left, right):
    assert left == right, left.difference(right)


def expect_equal(what, found, wanted):
    assert found == wanted, f"{what}: {found!r}, not {wanted!r}"


# --- results, errno and interruption as without us --------------------------------

def case_semantics_preloaded():
    expect_same(run([program("semantics")]), run([program("semantics")], LIBRARY))


def case_semantics_recorded():
    bare = run([program("semantics")])
    recorded, events = record([program("semantics")])
    expect_same(bare, recorded)
    assert bare.out.endswith(b"# end\n"), bare.out
    names = {event["call"] for event in events if event.name == "call_end"}
    for call in ("read readv pread preadv write pwrite writev pwritev recv recvfrom recvmsg recvmmsg "
                 "send sendto sendmsg sendmmsg sendfile splice accept accept4 connect open openat "
                 "poll ppoll select pselect epoll_wait epoll_pwait usleep nanosleep clock_nanosleep "
                 "sleep futex pthread_mutex_lock pthread_cond_wait pthread_cond_timedwait "
                 "pthread_cond_clockwait sem_wait sem_timedwait sem_clockwait pthread_join wait "
                 "wait3 wait4 waitpid waitid flock lockf fcntl fsync fdatasync getaddrinfo "
                 "getnameinfo statfs statvfs system pclose pthread_barrier_wait sigwait semop "
                 "msgrcv mq_receive mq_send gethostbyname").split():
        assert call in names, f"{call} is not in the recording"


def case_semantics_in_tasks():
    expect_same(run([program("semantics")]), run([program("semantics-in-task")], LIBRARY))


def case_semantics_in_tasks_handed_off_at_once():
    expect_same(run([program("semantics")]),
                run([program("semantics-in-task")], LIBRARY, GRT_HANDOFF="eager", GRT_PROCS="2"))


def case_semantics_in_parked_tasks():
    """What parks cannot be interrupted: those lines are left out."""
    expect_same(run([program("semantics"), "parked"]),
                run([program("semantics-in-task"), "parked"], LIBRARY, GTRACE_MODE="park"))


def main():
    globals()["case_" + sys.argv[2]]()


if __name__ == "__main__":
    main()
