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
from lttng_private import DEADLINE, SKIP, PrivateDaemon, read_events  # noqa: E402

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



# --- what a recording says ----------------------------------------------------------

def truth(outcome):
    """The numbers that a program prints of itself."""
    assert outcome.code == 0, (outcome.code, outcome.err)
    words = (line.split() for line in outcome.out.decode().splitlines())
    return {word[0]: int(word[1]) for word in words if len(word) == 2}


def only(events, name, **fields):
    return [event for event in events if event.name == name and
            all(event[field] == value for field, value in fields.items())]


def within(address, function, size=1024):
    return function <= address < function + size


def case_counted_calls():
    outcome, events = record([program("counted")])
    known = truth(outcome)
    events = [event for event in events if event["pid"] == known["pid"]]

    reads = [e for e in only(events, "call_end", call="read") if within(e["site"], known["read_zeroes"])]
    good = [e for e in reads if e["arg"] == known["zero"]]
    bad = [e for e in reads if e["arg"] == 12345]
    expect_equal("reads", len(good), known["reads"])
    expect_equal("failures", len(bad), known["failures"])
    expect_equal("sites", len({e["site"] for e in good} | {e["site"] for e in bad}), 2)
    for event in good:
        expect_equal("result", (event["result"], event["error"]), (1, 0))
    for event in bad:
        expect_equal("result", (event["result"], event["error"]), (-1, 9))

    sleeps = only(events, "call_end", call="usleep")
    expect_equal("sleeps", len(sleeps), known["sleeps"])
    for event in sleeps:
        assert event["duration"] >= 1_000_000, event
        expect_equal("path", (event["path"], event["worker"], event["proc"], event["p_wait"]),
                     ("no P", -1, -1, 0))
        stack = event["stack"]
        expect_equal("innermost frame", stack[0], event["site"])
        deep = [pc for pc in stack if within(pc, known["sleep_deep"], 128)]
        expect_equal("frames of sleep_deep", deep, stack[:known["deep"]])
        assert within(stack[known["deep"]], known["main"]), [hex(pc) for pc in stack]

    expect_equal("futex waits", [(e["arg"], e["error"]) for e in only(events, "call_end", call="futex")],
                 [(known["futex_word"], 110)])
    expect_equal("contended locks", [e["arg"] for e in only(events, "call_end", call="pthread_mutex_lock")],
                 [known["mutex"]])
    expect_equal("other calls by number", only(events, "call_end", call="syscall"), [])


def case_counted_threads():
    outcome, events = record([program("counted")])
    known = truth(outcome)
    events = [event for event in events if event["pid"] == known["pid"]]
    created = [e for e in only(events, "thread_create", result=0) if within(e["site"], known["make_threads"])]
    expect_equal("threads", len(created), known["threads"])
    for event in created:
        expect_equal("creation", (event["tid"], event["result"], event["start_routine"], event["stack"][0]),
                     (known["pid"], 0, known["end_somehow"], event["site"]))
        assert event["latency"] > 0, event
    failed = [e for e in only(events, "thread_create") if e["result"] != 0]
    expect_equal("failed creations", [e["result"] for e in failed], [known["impossible"]])

    # One more thread holds the mutex.
    began = only(events, "thread_start")
    expect_equal("threads begun", len(began), known["threads"] + 1)
    expect_equal("creators", {e["creator"] for e in began}, {known["pid"]})
    expect_equal("threads ended", sorted(e["tid"] for e in only(events, "thread_exit")),
                 sorted(e["tid"] for e in began))
    tids = {e["tid"] for e in began} | {known["pid"]}
    strangers = {e["tid"] for e in events if e.name in ("call_begin", "call_end")} - tids
    expect_equal("threads that are not the program's", strangers, set())


def case_every_call_begins_and_ends():
    outcome, events = record([program("counted")])
    known = truth(outcome)
    begins = [(e["tid"], e["call_seq"], e["call"], e["site"]) for e in only(events, "call_begin", pid=known["pid"])]
    ends = [(e["tid"], e["call_seq"], e["call"], e["site"]) for e in only(events, "call_end", pid=known["pid"])]
    assert begins, "no call_begin"
    expect_equal("begins", sorted(begins), sorted(ends))
    expect_equal("numbers used twice", len(set(ends)), len(ends))


def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    return bytes.fromhex(notes.split("Build ID:")[1].split()[0])


def case_process_and_modules():
    outcome, events = record([program("counted")])
    known = truth(outcome)
    processes = only(events, "process", pid=known["pid"])
    expect_equal("process events", len(processes), 1)
    expect_equal("process", (processes[0]["name"], processes[0]["command"], processes[0]["mode"]),
                 ("counted", program("counted"), "handoff"))
    expect_equal("first event", events[0].name, "process")
    modules = {os.path.basename(e["path"]): e for e in only(events, "module", pid=known["pid"])}
    for name in ("counted", "libc.so.6", "libgtrace.so", "linux-vdso.so.1"):
        assert name in modules, (name, sorted(modules))
    own = modules["counted"]
    expect_equal("path", own["path"], program("counted"))
    expect_equal("build id", bytes(own["build_id"]), build_id(program("counted")))
    assert own["low"] <= known["main"] < own["high"], own


def case_late_modules():
    library = program("libplugin.so")
    outcome, events = record([program("plugs"), library])
    known = truth(outcome)
    modules = [(e["low"], e["high"]) for e in only(events, "module", path=library)]
    sleeps = only(events, "call_end", call="usleep")
    expect_equal("sleeps in the library", len(sleeps), 2 + 200)
    for event in sleeps:
        assert any(low <= event["site"] < high for low, high in modules), (hex(event["site"]), modules)
    assert not any(within(e["site"], known["deep"], 64) and e.ns > max(
        t.ns for t in only(events, "thread_exit")) for e in sleeps), "RTLD_DEEPBIND is seen after all"


def case_swapped_modules():
    """What lies in the place of an unloaded library is not taken for it."""
    if os.uname().machine != "x86_64":
        skip("needs libraries written for x86-64")
    libraries = [program("libone.so"), program("libother.so")]
    outcome, events = record([program("swaps"), *libraries, *libraries])
    known = truth(outcome)
    sleeps = only(events, "call_end", call="usleep")
    expect_equal("sleeps", len(sleeps), 4)
    if known[libraries[0]] != known[libraries[1]]:
        skip("the libraries came to lie in different places")
    expect_equal("call sites", len({event["site"] for event in sleeps}), 1)
    for event, library in zip(sleeps, libraries * 2):
        assert within(event["stack"][1], known["plug"]), [hex(pc) for pc in event["stack"]]
        told = [m for m in only(events, "module") if m["low"] <= event["site"] < m["high"] and m.ns <= event.ns]
        expect_equal("module", told[-1]["path"], library)


def case_storm():
    command = [program("storm"), program("libplugin.so")]
    bare = run(command)
    expect_equal("bare", (bare.code, bare.out), (0, b"over\n"))
    expect_same(bare, run(command, LIBRARY))
    outcome, events = record(command)
    expect_same(bare, outcome)
    expect_equal("loaded", len([e for e in only(events, "call_end", call="usleep")
                                if e["stack"] and e["worker"] < 0]) >= 6 * 300, True)


# --- threads that end in a call ---------------------------------------------------------

def case_cancel_preloaded():
    expect_same(run([program("cancel"), "200"]), run([program("cancel"), "200"], LIBRARY))


def case_cancel_recorded():
    rounds = 40
    outcome, events = record([program("cancel"), str(rounds)])
    expect_same(run([program("cancel"), str(rounds)]), outcome)
    cancelled = [e["call"] for e in only(events, "call_end", error=125)]
    for call in ("read", "sem_wait", "nanosleep", "pthread_cond_wait", "accept", "poll"):
        expect_equal(f"cancelled in {call}", cancelled.count(call), rounds)
    expect_equal("begun and never ended", len(only(events, "call_begin")), len(only(events, "call_end")))


# --- children ---------------------------------------------------------------------------

WAYS = {"parent": 1, "fork": 5, "child": 1, "grandchild": 1, "daemon": 1, "forkpty": 1}


def lines_of_children(outcome):
    assert outcome.code == 0, (outcome.code, outcome.out, outcome.err)
    expect_equal("errors", outcome.err, b"")
    lines = [line.split() for line in outcome.out.decode().splitlines()]
    found = {}
    for line in lines:
        found[line[0]] = found.get(line[0], 0) + 1
    expect_equal("processes", found, WAYS)
    return [(name, int(pid), int(parent), int(calls)) for name, pid, parent, calls in lines]


def case_children_preloaded():
    lines_of_children(run([program("children")], LIBRARY))


def case_children_recorded():
    outcome, events = record([program("children")])
    pids = {event["pid"] for event in only(events, "process")}
    for name, pid, parent, calls in lines_of_children(outcome):
        sleeps = only(events, "call_end", call="usleep", pid=pid)
        expect_equal(f"calls of {name}", len(sleeps), calls)
        processes = only(events, "process", pid=pid)
        expect_equal(f"introductions of {name}", len(processes), 1)
        assert processes[0].ns < sleeps[0].ns, f"{name} is introduced after its first call"
        if name not in ("parent", "daemon"):  # a daemon's parent has ended
            expect_equal(f"parent of {name}", processes[0]["parent"], parent)
        else:
            expect_equal(f"parent of {name} is known", processes[0]["parent"] in pids, name == "daemon")
        modules = only(events, "module", pid=pid, path=program("children"))
        assert modules, f"{name}: its program is not among its modules"


def case_forks_among_calls():
    bare = run([program("forks")])
    expect_equal("bare", (bare.code, bare.out), (0, b"over\n"))
    expect_same(bare, run([program("forks")], LIBRARY))
    outcome, events = record([program("forks")])
    expect_same(bare, outcome)
    expect_equal("processes", len(only(events, "process")), 1 + 100)


def case_fork_costs_no_threads():
    """Without a daemon a child is as single as it was without us."""
    script = ("import os\n"
              "pid = os.fork()\n"
              "if pid == 0:\n"
              "    os._exit(len(os.listdir('/proc/self/task')))\n"
              "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n")
    expect_same(run([sys.executable, "-c", script]), run([sys.executable, "-c", script], LIBRARY))


# --- the beginning ----------------------------------------------------------------------

def case_own_allocator():
    expect_same(run([program("early")]), run([program("early")], LIBRARY))
    expect_same(run([program("early")]), record([program("early")])[0])


def case_other_constructors():
    first = program("libfirst.so")
    for order in ([first, LIBRARY], [LIBRARY, first]):
        preload = ":".join(order)
        expect_same(run([program("early")], first), run([program("early")], preload))
        expect_same(run(["/bin/true"], first), run(["/bin/true"], preload))


def case_empty_environment():
    bare = run(["/bin/ls", "/"], env={})
    expect_same(bare, run(["/bin/ls", "/"], env={"LD_PRELOAD": LIBRARY}))
    expect_same(bare, run(["/bin/ls", "/"], env={"LD_PRELOAD": LIBRARY, "HOME": "/proc/none"}))


def case_wrong_mode():
    outcome = run(["/bin/echo", "hello"], LIBRARY, GTRACE_MODE="sideways")
    expect_equal("output", (outcome.code, outcome.out), (0, b"hello\n"))
    expect_equal("lines", outcome.err.count(b"\n"), 1)
    assert outcome.err.startswith(b"gtrace: GTRACE_MODE=sideways"), outcome.err


def case_symbols():
    """Nothing but wrappers and gtrace_attach may stand before other libraries' symbols."""
    table = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True)
    ours = {line.split()[-1].split("@")[0] for line in table.stdout.splitlines() if line.split()[-2] in "TWDBRV"}
    libc = subprocess.run(["sh", "-c", "nm -D --defined-only $(ldd /bin/true | awk '/libc.so/ {print $3}')"],
                          capture_output=True, text=True, check=True)
    theirs = {line.split()[-1].split("@")[0] for line in libc.stdout.splitlines()}
    expect_equal("strangers", ours - theirs,
                 {"gtrace_attach", "lttng_ust_add_fd_to_tracker", "lttng_ust_delete_fd_from_tracker"})
    for name in ("vfork", "dlopen", "execve", "execv", "execvp"):
        assert name not in ours, name


def case_old_condition_variables():
    """Programs of before 2003 bind to libc's old functions, those of today to ours."""
    def binding(name):
        done = run([program(name)], LIBRARY, LD_DEBUG="bindings", LD_BIND_NOW="1")
        lines = [line for line in done.err.decode().splitlines()
                 if f"binding file {program(name)} " in line and "`pthread_cond_wait'" in line]
        expect_equal(f"bindings of {name}", len(lines), 1)
        return os.path.basename(lines[0].split(" to ")[1].split()[0])

    expect_equal("today", binding("semantics"), "libgtrace.so")
    if os.uname().machine == "x86_64":
        expect_equal("old", binding("old"), "libc.so.6")


def case_no_other_unwinder():
    """libunwind and libgcc both define _Unwind_*: with libunwind's in front C++ code that is
    loaded later would unwind with a mixture of both when a thread is cancelled."""
    expect_equal("bare", run([program("unwinders")]).out, b"none\n")
    assert run([program("unwinders")], LIBRARY).out in (b"none\n", b"libgcc_s.so.1\n")


# --- tasks ------------------------------------------------------------------------------

def task_calls(events):
    count = {}
    for event in events:
        if event.name == "call_end" and event["worker"] >= 0 and event["task"] > 1:
            key = (event["call"], "parked" if event["path"] == "parked" else "kept its thread")
            count[key] = count.get(key, 0) + 1
    return count


def case_tasks_handed_off():
    outcome, events = record([program("tasks")])
    known = truth(outcome)
    each = known["tasks"] * known["calls"]
    expect_equal("calls", task_calls(events), {
        ("usleep", "kept its thread"): each, ("nanosleep", "kept its thread"): each,
        ("clock_nanosleep", "kept its thread"): 2 * each, ("sleep", "kept its thread"): each,
        ("read", "kept its thread"): known["tasks"]})
    for event in only(events, "call_end", call="usleep"):
        if event["worker"] < 0:
            continue
        expect_equal("innermost frame", event["stack"][0], event["site"])
        assert within(event["site"], known["task_fn"]), event
    expect_equal("sleeps of the other thread",
                 len([e for e in only(events, "call_end", call="usleep") if e["worker"] < 0]), 1)
    # Workers are the runtime's: the only other thread is the one of main().
    expect_equal("other threads", len(only(events, "thread_start")), 1)
    expect_equal("workers", len(only(events, "worker_create", result=0)), known["workers"])  # sysmon, for M0


def case_tasks_parked():
    outcome, events = record([program("tasks")], GTRACE_MODE="park", GRT_PROCS="2")
    known = truth(outcome)
    each = known["tasks"] * known["calls"]
    expect_equal("calls", task_calls(events), {
        ("usleep", "parked"): each, ("nanosleep", "parked"): each, ("clock_nanosleep", "parked"): each,
        # The time of day may be set: such a sleep keeps its thread.
        ("clock_nanosleep", "kept its thread"): each, ("sleep", "parked"): each,
        ("read", "kept its thread"): known["tasks"]})
    expect_equal("mode", {e["mode"] for e in only(events, "process")}, {"park"})


def case_tasks_with_little_stack():
    for more in ({}, {"GRT_HANDOFF": "eager"}, {"GTRACE_MODE": "park"}):
        bare = run([program("tight")], **more)
        expect_equal("bare", (bare.code, bare.out), (0, b"60\n"))
        expect_same(bare, run([program("tight")], LIBRARY, **more))
        outcome, events = record([program("tight")], **more)
        expect_same(bare, outcome)
        expect_equal("tasks", len(only(events, "task_create")), 1 + 20 + 60)
        expect_equal("calls", len([e for e in only(events, "call_end", call="usleep") if e["task"] > 1]), 60)


# --- sessions -----------------------------------------------------------------------------

def case_session_after_the_program():
    """A program that runs already tells who it is when the recording begins."""
    script = ("import os, sys, time\n"
              "print('up', flush=True)\n"
              "sys.stdin.readline()\n"
              "time.sleep(0.01)\n"
              "print(os.getpid())\n")
    with PrivateDaemon() as daemon, folder() as work:
        for number in (1, 2):  # the second time its tracepoints have been on before
            child = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True,
                                     env=daemon.environment(LD_PRELOAD=LIBRARY))
            expect_equal("line", child.stdout.readline(), "up\n")
            if number == 2:
                daemon.begin(f"{work}/before", "before")
                daemon.end("before")
            daemon.begin(f"{work}/{number}", f"s{number}")
            out, _ = child.communicate("\n", timeout=DEADLINE)
            daemon.end(f"s{number}")
            pid = int(out)
            events = [e for e in read_events(f"{work}/{number}") if e["pid"] == pid]
            expect_equal(f"introductions in session {number}", len(only(events, "process")), 1)
            sites = {e["site"] for e in only(events, "call_end")}
            modules = [(e["low"], e["high"]) for e in only(events, "module")]
            assert sites, "no calls"
            for site in sites:
                assert any(low <= site < high for low, high in modules), (hex(site), modules)


# --- descriptors ----------------------------------------------------------------------------

def closer(how):
    bare = run([program("closer"), how])
    expect_same(bare, run([program("closer"), how], LIBRARY))
    outcome, events = record([program("closer"), how])
    expect_same(bare, outcome)
    expect_equal("sleeps before and after", len(only(events, "call_end", call="usleep")), 2)
    expect_equal("reads after", len(only(events, "call_end", call="read", arg=3, result=1)), 10)


def case_descriptor_numbers():
    bare = run([program("numbers")])
    expect_same(bare, run([program("numbers")], LIBRARY))
    expect_same(bare, record([program("numbers")])[0])


def case_descriptors_closed_by_loop():
    closer("loop")


def case_descriptors_closed_by_range():
    closer("range")


def case_descriptors_closed_from():
    closer("from")


# --- programs of others -----------------------------------------------------------------------

SMOKE = {
    "ls": ["ls", "-la", "/usr/lib"],
    "bash": ["bash", "-c", "set -e; for i in $(seq 20); do echo $i | cat | sort | tr 1 2; done; "
             "exec 3< <(echo sub); cat <&3; (exit 7) || echo $?; wait; kill -0 $$ && exit 3"],
    "python threads": [sys.executable, "-c",
                       "import subprocess, threading, queue, socket, select\n"
                       "q = queue.Queue()\n"
                       "def work(n):\n"
                       "    a, b = socket.socketpair()\n"
                       "    a.send(str(n).encode()); select.select([b], [], [])\n"
                       "    q.put(int(b.recv(99)))\n"
                       "ts = [threading.Thread(target=work, args=(n,)) for n in range(50)]\n"
                       "[t.start() for t in ts]; [t.join() for t in ts]\n"
                       "print(sorted(q.get() for _ in ts))\n"
                       "print([subprocess.run(['sh', '-c', f'echo {n}; exit {n}'], capture_output=True).returncode\n"
                       "       for n in range(9)])\n"
                       "raise SystemExit(5)"],
    "python multiprocessing": [sys.executable, "-c",
                               "import multiprocessing as m\n"
                               "if __name__ == '__main__':\n"
                               "    with m.get_context('fork').Pool(4) as p: print(p.map(abs, range(-9, 9)))"],
    "git": ["sh", "-ec", "export GIT_AUTHOR_DATE=@0+0000 GIT_COMMITTER_DATE=@0+0000 GIT_CONFIG_GLOBAL=/dev/null; "
            "git init -q -b main a; cd a; git config user.email a@b; git config user.name a; "
            "echo x > f; git add f; git commit -qm one; cd ..; git clone -q a b; cd b; git log --stat; git gc -q"],
    "node": ["node", "-e", "const {execFile} = require('child_process'); const dns = require('dns');"
             "require('fs').readFile('/etc/passwd', (e, d) => { console.log(d.length > 0);"
             "execFile('sh', ['-c', 'echo child; exit 4'], (e, out) => { console.log(out, e.code);"
             "dns.lookup('127.0.0.1', (e, a) => { console.log(a); process.exitCode = 6; }); }); });"],
    "perl": ["perl", "-e", "$| = 1; $ENV{X} = 'y'; print `echo \\$X`; if (my $p = fork) { waitpid $p, 0; print $? >> 8, \"\\n\" }"
             " else { exit 9 } select undef, undef, undef, 0.01; exec 'sh', '-c', 'echo $X; exit 2'"],
    "make and gcc": ["sh", "-ec", "printf 'int main(void) { return 0; }\\n' > a.c; cp a.c b.c;"
                     "printf 'all: a b\\n%%: %%.c\\n\\tgcc -O2 -o $@ $<\\n' > Makefile; make -s -j2; ./a; ./b; ls"],
    "java": ["java", "-version"],
    "C++ exceptions": ["sh", "-ec", """g++ -shared -fPIC -o libthrow.so -x c++ - << 'END'
#include <stdexcept>
#include <string>
#include <cstdio>
struct guard { ~guard() { std::puts("unwound"); } };
static int deep(int n) { guard g; if (n == 0) throw std::runtime_error("deep"); return deep(n - 1) + 1; }
extern "C" void throw_and_catch() {
    for (int i = 0; i < 3; i++)
        try { deep(i); } catch (const std::exception &e) { std::puts(e.what()); }
}
END
gcc -o throws -x c - << 'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *cancelled(void *fd) { char c; read(*(int *)fd, &c, 1); return 0; }
int main(void) {
    int p[2]; pthread_t t; void *r;
    void *library = dlopen("./libthrow.so", RTLD_NOW);
    void (*run)(void) = (void (*)(void))dlsym(library, "throw_and_catch");
    run(); pipe(p); pthread_create(&t, 0, cancelled, p); pthread_cancel(t); pthread_join(t, &r);
    run(); printf("%d\\n", r == PTHREAD_CANCELED);
}
END
./throws"""],
}


def smoke(name):
    command = SMOKE[name]
    if not any(os.access(os.path.join(path, command[0]), os.X_OK)
               for path in os.environ["PATH"].split(":")) and not os.access(command[0], os.X_OK):
        skip(f"{command[0]} is not installed")
    bare = run(command)
    expect_same(bare, run(command, LIBRARY))
    expect_same(bare, record(command)[0])


def case_smoke_ls():
    smoke("ls")


def case_smoke_bash():
    smoke("bash")


def case_smoke_python_threads():
    smoke("python threads")


def case_smoke_python_multiprocessing():
    smoke("python multiprocessing")


def case_smoke_git():
    smoke("git")


def case_smoke_node():
    smoke("node")


def case_smoke_perl():
    smoke("perl")


def case_smoke_make():
    smoke("make and gcc")


def case_smoke_java():
    smoke("java")


def case_smoke_cxx_exceptions():
    smoke("C++ exceptions")


def case_smoke_jemalloc():
    found = subprocess.run(["sh", "-c", "ldconfig -p | sed -n 's/.*=> //p' | grep -m1 libjemalloc"],
                           capture_output=True, text=True, check=False).stdout.strip()
    if not found:
        skip("libjemalloc is not installed")
    command = SMOKE["python threads"]
    for order in ([found, LIBRARY], [LIBRARY, found]):
        expect_same(run(command), run(command, ":".join(order)))


def main():
    globals()["case_" + sys.argv[2]]()


if __name__ == "__main__":
    main()
