#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of `gtrace record`: record_test.py GTRACE PROGRAMS CASE

GTRACE is the program in its build folder, PROGRAMS the folder of the programs
built here.  A case is a function below whose name is case_CASE.
"""

import os
import re
import shutil
import signal
import struct
import subprocess
import sys

from house import House, isolate, need_isolation, skip
from lttng_private import PrivateDaemon, marked, wait_for

LTTNG = shutil.which("lttng")


def equal(got, wanted, what):
    assert got == wanted, f"{what}: {got!r} instead of {wanted!r}"


def fails(done, code, *words):
    """One line on stderr that has these words, this exit code, no output."""
    equal(done.returncode, code, "exit code")
    equal(done.stdout, "", "stdout")
    lines = done.stderr.splitlines()
    equal(len(lines), 1, f"lines on stderr {lines}")
    assert lines[0].startswith("gtrace: "), lines[0]
    for word in words:
        assert word in lines[0], f"{word!r} not in {lines[0]!r}"


def refused(house, program, code, *words):
    """Told before anything is started, and no folder is made."""
    fails(house.run("record", program), code, *words)
    equal(os.listdir(house.path("work")), [], "files")


def records(house, *args, **options):
    """A recording of one program that ends well; its `process` event."""
    done = house.run("record", "--no-report", "-o", "out", *args, **options)
    equal(done.returncode, 0, f"exit code ({done.stderr})")
    events = house.events("out", "process")
    equal(len({event["pid"] for event in events}), 1, "processes recorded")
    return done, events[-1]


# --- the program is as it would be -------------------------------------------

def case_passes_everything(house):
    app = 'cat; echo from-app >&2; exit 7'
    text = "in\0\n" + "x" * 100_000
    done = house.run("record", "--no-report", "-o", "out", "--", "sh", "-c", app, input=text)
    equal(done.returncode, 7, "exit code")
    equal(done.stdout, text, "stdout")
    lines = done.stderr.splitlines()
    equal(lines[0], "from-app", "first line of stderr")
    assert all(line.startswith(("gtrace: ", "  ")) for line in lines[1:]), lines


def case_environment(house):
    done, _ = records(house, "-m", "park", "--", "sh", "-c", "echo $LD_PRELOAD $GTRACE_MODE",
                      env={"LD_PRELOAD": "libm.so.6"})
    library = os.path.realpath(house.library)
    equal(done.stdout, f"{library}:libm.so.6 park\n", "LD_PRELOAD and GTRACE_MODE")


def case_mode_of_environment(house):
    done, _ = records(house, "sh", "-c", "echo $GTRACE_MODE", env={"GTRACE_MODE": "park"})
    equal(done.stdout, "park\n", "GTRACE_MODE that was set")


def case_mode_default(house):
    done, event = records(house, "sh", "-c", "echo $GTRACE_MODE")
    equal(done.stdout, "handoff\n", "GTRACE_MODE that was not set")
    equal(event["mode"], "handoff", "mode recorded")


def case_killed_by_signal(house):
    for name in ("KILL", "SEGV", "ABRT"):
        done = house.run("record", "--no-report", "-o", name, "sh", "-c", f"kill -{name} $$")
        number = getattr(signal, "SIG" + name)
        equal(done.returncode, 128 + number, "exit code")
        assert f"sh: killed by signal {number} " in done.stderr, done.stderr
        equal(len(house.events(name, "process")), 1, "processes recorded")


def case_default_folder(house):
    for _ in range(2):
        done = house.run("record", "--no-report", "sh", "-c", "exit 0")
        equal(done.returncode, 0, "exit code")
    folders = sorted(os.listdir(house.path("work")))
    equal(len(folders), 2, "folders")
    for folder in folders:
        assert re.fullmatch(r"gtrace-sh-\d{8}-\d{6}(-2)?", folder), folder
        equal(len(house.events(folder, "process")), 1, "processes recorded")
    assert f"recorded into {folders[1]}" in done.stderr, done.stderr
    assert f"lttng view --trace-path={folders[1]}" in done.stderr, done.stderr


def case_script(house):
    script = house.script("hello", "#!/bin/sh\necho hello $1\n")
    done, _ = records(house, script, "you")
    equal(done.stdout, "hello you\n", "stdout")


def case_script_through_path(house):
    house.script("bin/hello", "#! /usr/bin/env sh\necho hello\n")
    done, _ = records(house, "hello",
                      env={"PATH": house.path("bin") + ":" + os.environ["PATH"]})
    equal(done.stdout, "hello\n", "stdout")


def case_view_of_lttng(house):
    records(house, "true")
    done = subprocess.run(["lttng", "view", "--trace-path=" + house.path("work", "out")],
                          capture_output=True, text=True, check=False, env=house.environment())
    equal(done.returncode, 0, "exit code of lttng view")
    assert "gtrace:process" in done.stdout, done.stdout


# --- signals -----------------------------------------------------------------

# Takes one signal, makes a round trip to the test, and ends with 10 + how many
# more had come by then; says who sent the first.
COUNTER = """
import os, signal, sys
numbers = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
print("ready", flush=True)
first = signal.sigwaitinfo(numbers)
print("came", first.si_signo, "from", first.si_pid, flush=True)
sys.stdin.readline()
more = 0
while signal.sigtimedwait(numbers, 0):
    more += 1
sys.exit(10 + more)
"""


def case_signals_passed_on(house):
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name)
        process = house.start("record", "--no-report", "-o", name, sys.executable, "-c", COUNTER)
        equal(process.stdout.readline(), "ready\n", "app")
        process.send_signal(number)
        equal(process.stdout.readline(), f"came {int(number)} from {process.pid}\n",
              "app after the signal")
        process.communicate("end\n")
        equal(process.returncode, 10, "exit code: no other signal came")
        equal(len(house.events(name, "process")), 1, "processes recorded")


def case_ctrl_c(house):
    pid, terminal = house.start_in_terminal("record", "--no-report", "-o", "out", sys.executable,
                                            "-c", COUNTER)
    lines = os.fdopen(os.dup(terminal), encoding="utf-8")
    assert any("ready" in line for line in lines), "no app"
    os.write(terminal, b"\x03")
    assert any("came 2 from 0" in line for line in lines), "no SIGINT from the terminal"
    os.write(terminal, b"end\n")
    said = ""
    try:
        for line in lines:
            said += line
    except OSError:
        pass  # how a terminal says that nobody is left
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    equal(status, 10, "exit code: no other SIGINT came")
    assert "recorded into out" in said and "lttng" not in said.split("next:")[0], said
    equal(len(house.events("out", "process")), 1, "processes recorded")


def killed_itself(house, before):
    process = house.start("record", "--no-report", "-o", "out", "sh", "-c",
                          "echo ready; read line", before=before)
    equal(process.stdout.readline(), "ready\n", "app")
    process.kill()
    process.wait()
    # Only the app goes on.
    wait_for(lambda: len(marked(house.mark)) == 1, "daemon and keeper have ended")
    equal(os.listdir(house.temporary), [], "temporary files")
    equal(len(house.events("out", "process")), 1, "processes recorded")
    process.communicate("end\n")


def case_killed_itself(house):
    killed_itself(house, [])


def find_processes(house, name):
    """Processes of this case that run a program of this name."""
    found = []
    for pid in marked(house.mark):
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                if file.read().strip() == name:
                    found.append(pid)
        except OSError:
            pass  # ended meanwhile
    return found


def case_daemon_killed(house):
    process = house.start("record", "--no-report", "-o", "out", "sh", "-c",
                          "echo ready; read line")
    equal(process.stdout.readline(), "ready\n", "app")
    daemons = find_processes(house, "lttng-sessiond") or skip("the daemon's processes are hidden")
    for pid in daemons:
        os.kill(pid, signal.SIGKILL)
    _, said = process.communicate("end\n")
    equal(process.returncode, 1, "exit code")
    assert "gtrace: lttng stop: " in said, said


def case_keeper_killed(house):
    process = house.start("record", "--no-report", "-o", "out", "sh", "-c",
                          "echo ready; read line")
    equal(process.stdout.readline(), "ready\n", "app")
    keeper = [pid for pid in marked(house.mark) if os.readlink(f"/proc/{pid}/exe") == house.gtrace
              and pid != process.pid]
    equal(len(keeper), 1, "keepers")
    os.kill(keeper[0], signal.SIGKILL)
    wait_for(lambda: not find_processes(house, "lttng-sessiond"), "the daemon has ended")
    _, said = process.communicate("end\n")
    equal(process.returncode, 1, "exit code")
    assert "its keeper was killed by signal 9" in said, said
    shutil.rmtree(house.temporary)
    os.mkdir(house.temporary)


# --- what cannot be recorded -------------------------------------------------

def case_not_found(house):
    refused(house, "no-such-program", 127, "no-such-program: not found in PATH")
    refused(house, "./no-such-program", 127, "./no-such-program: No such file")


def case_not_executable(house):
    plain = house.path("plain")
    with open(plain, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n")
    refused(house, plain, 126, "plain: not an executable file")
    refused(house, house.path("t"), 126, "/t: not an executable file")


def case_not_a_program(house):
    refused(house, house.script("text", "hello\n"), 126, "text: not a program")
    refused(house, house.script("empty", ""), 126, "empty: not a program")
    refused(house, house.script("elf", "\x7fELF"), 126, "elf: damaged ELF file")


def case_script_without_interpreter(house):
    refused(house, house.script("lost", "#!/no/such/shell\n"), 127,
            "lost: its interpreter /no/such/shell: No such file")
    refused(house, house.script("none", "#!  \n"), 126, "none: its #! line names no interpreter")


def case_static(house):
    static = os.path.join(house.programs, "plain-static")
    refused(house, static, 1, "statically linked: LD_PRELOAD cannot see it", "-static")
    script = house.script("script", f"#!{static}\n")
    refused(house, script, 1, "plain-static: statically linked")


def case_go_static(house):
    refused(house, os.path.join(house.programs, "plain-go-static"), 1,
            "statically linked: LD_PRELOAD cannot see it", "execution trace", "/debug/pprof/trace")


def case_go_dynamic(house):
    done, _ = records(house, os.path.join(house.programs, "plain-go"))
    assert "Go program: only C calls and thread creation are visible" in done.stderr, done.stderr


def case_other_libc(house):
    refused(house, os.path.join(house.programs, "plain-musl"), 1,
            "its loader is /lib/ld-musl-x86_64.so.1, and libgtrace.so needs glibc's")


def case_other_machine(house):
    other = house.path("other")
    shutil.copy(os.path.join(house.programs, "plain-static"), other)
    with open(other, "r+b") as file:
        file.seek(18)  # e_machine
        file.write(struct.pack("<H", 243))  # RISC-V
    refused(house, other, 1, "program for another machine")


def case_32_bit(house):
    header = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9) + struct.pack(
        "<HHIIIIIHHHHHH", 2, 3, 1, 0, 52, 0, 0, 52, 32, 0, 40, 0, 0)
    small = house.script("small", "")
    with open(small, "wb") as file:
        file.write(header)
    refused(house, small, 1, "32-bit program")


def may_set_id(house):
    if os.geteuid() != 0:
        skip("needs root")
    if os.statvfs(house.folder).f_flag & os.ST_NOSUID:
        skip("/tmp is mounted nosuid")


def case_set_user_id(house):
    may_set_id(house)
    program = house.path("program")
    shutil.copy(os.path.join(house.programs, "plain"), program)
    os.chown(program, 65534, 0)
    os.chmod(program, 0o4755)
    refused(house, program, 1, "set-user-id program", "LD_PRELOAD")
    # It becomes who we are anyway: that gains nothing, and works.
    os.chown(program, 0, 0)
    os.chmod(program, 0o4755)
    records(house, program)


def case_set_group_id(house):
    may_set_id(house)
    program = house.path("program")
    shutil.copy(os.path.join(house.programs, "plain"), program)
    os.chown(program, 0, 65534)
    os.chmod(program, 0o2755)
    refused(house, program, 1, "set-group-id program", "LD_PRELOAD")


def case_capabilities(house):
    may_set_id(house)
    program = house.path("program")
    shutil.copy(os.path.join(house.programs, "plain"), program)
    # struct vfs_cap_data, revision 2, effective: CAP_NET_RAW
    os.setxattr(program, "security.capability",
                struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0))
    house.become_nobody()
    refused(house, program, 1, "program with file capabilities", "LD_PRELOAD")


# --- where it cannot be recorded ---------------------------------------------

def case_folder_not_writable(house):
    house.become_nobody()
    os.chmod(house.path("work"), 0o555)
    fails(house.run("record", "true"), 1, "cannot record into it: Permission denied", "-o DIR")
    fails(house.run("record", "-o", house.path("work"), "true"), 1,
          "cannot record into it: Permission denied")


def case_folder_impossible(house):
    fails(house.run("record", "-o", "no/where", "true"), 1,
          "no/where: cannot record into it: No such file")
    with open(house.path("work", "file"), "w", encoding="utf-8"):
        pass
    fails(house.run("record", "-o", "file", "true"), 1, "file: cannot record into it: Not a dir")
    equal(os.listdir(house.path("work")), ["file"], "files")


def case_folder_not_empty(house):
    os.mkdir(house.path("work", "old"))
    with open(house.path("work", "old", "data"), "w", encoding="utf-8") as file:
        file.write("kept")
    fails(house.run("record", "-o", "old", "true"), 1, "old: not empty", "-o DIR")
    equal(os.listdir(house.path("work", "old")), ["data"], "files")


def case_folder_empty(house):
    os.mkdir(house.path("work", "out"))
    records(house, "true")


def case_no_daemon_binary(house):
    os.mkdir(house.path("bin"))
    os.symlink(LTTNG, house.path("bin", "lttng"))
    for path in (house.path("bin"), "/no/such/folder"):
        fails(house.run("record", "/bin/true", env={"PATH": path}), 1,
              "lttng-sessiond: not found in PATH: install the package lttng-tools")
    equal(os.listdir(house.path("work")), [], "files")


def case_daemon_does_not_start(house):
    house.script("bin/lttng-sessiond", "#!/bin/sh\necho 'Error: no good day' >&2\nexit 1\n")
    fails(house.run("record", "true", env={"PATH": house.path("bin") + ":" + os.environ["PATH"]}),
          1, "lttng-sessiond: cannot start a private session daemon: no good day")
    equal(os.listdir(house.path("work")), [], "files")


def with_lttng(house, before):
    """Environment in which lttng is a script that first does this."""
    house.script("bin/lttng", f"#!/bin/sh\n{before}\nexec {LTTNG} \"$@\"\n")
    return {"PATH": house.path("bin") + ":" + os.environ["PATH"]}


def case_fails_in_the_middle(house):
    for step in ("create", "enable-channel", "enable-event", "start"):
        env = with_lttng(house, f'[ "$2" != {step} ] || {{ echo "Error: no good day"; exit 1; }}')
        fails(house.run("record", "echo", "ran", env=env), 1, f"lttng {step}: no good day")
        equal(os.listdir(house.path("work")), [], "files")


def case_ended_before_start(house):
    os.mkfifo(house.path("there"))
    os.mkfifo(house.path("go"))
    env = with_lttng(house, f'[ "$2" != start ] || {{ echo > {house.path("there")}; '
                            f'read line < {house.path("go")}; }}')
    process = house.start("record", "echo", "ran", env=env)
    with open(house.path("there"), encoding="utf-8") as file:
        file.read()
    process.terminate()
    with open(house.path("go"), "w", encoding="utf-8") as file:
        file.write("\n")
    out, _ = process.communicate()
    equal((process.returncode, out), (128 + signal.SIGTERM, ""), "exit code and output")
    equal(os.listdir(house.path("work")), [], "files")


def remount_shm(size):
    need_isolation()
    subprocess.run(["mount", "-o", f"remount,size={size}", "/dev/shm"], check=True)


def possible_cpus():
    with open("/sys/devices/system/cpu/possible", encoding="utf-8") as file:
        return int(re.findall(r"\d+", file.read())[-1]) + 1


def case_shm_full(house):
    remount_shm("64k")
    with open("/dev/shm/lttng-ust-wait-full", "wb") as file:
        try:
            file.write(bytes(1 << 20))
        except OSError:
            pass
    fails(house.run("record", "true"), 1, "/dev/shm: 0 KiB free", "enlarge it")
    equal(os.listdir(house.path("work")), [], "files")


def case_shm_small(house):
    remount_shm(f"{possible_cpus() * 4 * 600}k")
    done, _ = records(house, "true")
    assert "sub-buffers of 256 KiB instead of 4096 KiB" in done.stderr, done.stderr
    shutil.rmtree(house.path("work", "out"))
    fails(house.run("record", "-b", "1M", "true"), 1, "/dev/shm: ")


def case_not_loaded(house):
    gtrace = house.tree("broken", library="/dev/null")
    # The second one is known to LTTng all the same.
    for code, wanted, preload in ((0, 1, ""), (5, 5, "liblttng-ust-libc-wrapper.so.1")):
        done = house.run("record", "sh", "-c", f"exit {code}", gtrace=gtrace,
                         env={"LD_PRELOAD": preload})
        equal(done.returncode, wanted, "exit code")
        assert "gtrace: sh: it ran, but libgtrace.so was not loaded" in done.stderr, done.stderr


def case_no_library(house):
    fails(house.run("record", "true", gtrace=house.tree("none")), 1,
          "libgtrace.so: not found beside gtrace")


def case_odd_path(house):
    gtrace = house.tree("a b:c", library=house.library)
    records(house, "true", gtrace=gtrace)


# --- sessions ----------------------------------------------------------------

def two_at_once(house, before):
    processes = [house.start("record", "--no-report", "-o", name, "sh", "-c",
                             "echo ready; read line; exit $line", before=before)
                 for name in ("a", "b")]
    for process in processes:
        equal(process.stdout.readline(), "ready\n", "app")
    # The first ends while the second runs on.
    for process, code in zip(processes, (3, 4)):
        process.communicate(f"{code}\n")
        equal(process.returncode, code, "exit code")
    pids = set()
    for name in ("a", "b"):
        events = house.events(name, "process")
        equal(len(events), 1, f"processes in {name}")
        pids.add(events[0]["pid"])
    equal(len(pids), 2, "different processes")


def case_two_at_once(house):
    two_at_once(house, [])


def case_plain_user(house):
    house.become_nobody()
    records(house, "true")


def need_daemon_of_user():
    # In the place of root's own there can be one of a test only by a mount.
    if os.geteuid() == 0:
        need_isolation()


def own_daemon(house, daemon):
    """Record with the daemon of the user, then use the session as usual."""
    env = {"LTTNG_HOME": daemon.home}
    done = house.run("record", "--no-report", "-o", "out", "true", env=env,
                     before=daemon.inside(house.path("work")))
    equal(done.returncode, 0, f"exit code ({done.stderr})")
    session = re.search(r"lttng view (gtrace-true-\S+)", done.stderr).group(1)
    assert f"lttng destroy {session}" in done.stderr, done.stderr
    assert session in daemon.lttng("list"), "the session is gone"
    assert "[inactive]" in daemon.lttng("list"), "the session was not stopped"
    assert "gtrace:process" in daemon.lttng("view", session)
    equal(len(house.events("out", "process")), 1, "processes recorded")
    daemon.lttng("destroy", session)


def case_own_daemon(house):
    need_daemon_of_user()
    with PrivateDaemon() as daemon:
        own_daemon(house, daemon)


def case_own_daemon_gtrace_killed(house):
    need_daemon_of_user()
    with PrivateDaemon() as daemon:
        process = house.start("record", "--no-report", "-o", "out", "sh", "-c",
                              "echo ready; read line", before=daemon.inside(house.path("work")),
                              env={"LTTNG_HOME": daemon.home})
        equal(process.stdout.readline(), "ready\n", "app")
        process.kill()
        process.wait()
        wait_for(lambda: "[inactive]" in daemon.lttng("list"), "the session was stopped")
        process.communicate("end\n")
        equal(len(house.events("out", "process")), 1, "processes recorded")


# What root may do in a container
CONTAINED = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]


def case_root_without_namespaces(house):
    if os.geteuid() != 0:
        skip("needs root")
    # Nobody else may come here.
    os.chmod(house.path("work"), 0o700)
    records(house, "true", before=CONTAINED)
    for folder, _, files in os.walk(house.path("work", "out")):
        for name in files:
            equal(os.stat(os.path.join(folder, name)).st_uid, 0, f"owner of {name}")


def case_two_at_once_without_namespaces(house):
    if os.geteuid() != 0:
        skip("needs root")
    two_at_once(house, CONTAINED)


def case_killed_itself_without_namespaces(house):
    if os.geteuid() != 0:
        skip("needs root")
    killed_itself(house, CONTAINED)


def case_lost_events(house):
    process = house.start("record", "--no-report", "-b", "64k", "-o", "out", "sh", "-c",
                          "echo ready; read line; exec dd if=/dev/zero of=/dev/null bs=1 "
                          "count=200000 status=none")
    equal(process.stdout.readline(), "ready\n", "app")
    # With the reader of the buffers stopped they must overflow.
    readers = find_processes(house, "lttng-consumerd") or skip("the daemon's processes are hidden")
    for pid in readers:
        os.kill(pid, signal.SIGSTOP)
    process.stdin.write("go\n")
    process.stdin.flush()
    wait_for(lambda: not find_processes(house, "dd") and not find_processes(house, "sh"),
             "dd has ended")
    for pid in readers:
        os.kill(pid, signal.SIGCONT)
    _, said = process.communicate()
    equal(process.returncode, 0, "exit code")
    match = re.search(r"gtrace: (\d+) events lost: .* --buffer-size 256k", said)
    assert match and int(match.group(1)) > 0, said


# --- the house around it -----------------------------------------------------

def case_report(house):
    gtrace = house.tree("viewer-tree", library=house.library,
                        report="#!/bin/sh\necho \"report of $*\"\n")
    done = house.run("record", "-o", "out", "echo", "from app", gtrace=gtrace)
    equal(done.stdout, "from app\n", "stdout")
    assert "report of out\n" in done.stderr, done.stderr
    done = house.run("record", "--no-report", "-o", "out2", "true", gtrace=gtrace)
    assert "report of" not in done.stderr, done.stderr
    done = house.run("report", "--json", "out", gtrace=gtrace)
    equal((done.returncode, done.stdout), (0, "report of --json out\n"), "gtrace report")


def case_usage(house):
    for args in (("record",), ("record", "-m", "fast", "true"), ("record", "-b", "3M", "true"),
                 ("record", "--none", "true"), ("dance",), ()):
        done = house.run(*args)
        equal((done.returncode, done.stdout), (2, ""), f"exit code and stdout of {args}")
    equal(os.listdir(house.path("work")), [], "files")


def case_help(house):
    done = house.run("--help")
    equal((done.returncode, done.stderr), (0, ""), "gtrace --help")
    for word in ("record", "report", "view"):
        assert f"gtrace {word}" in done.stdout, done.stdout
    done = house.run("record", "--help")
    equal((done.returncode, done.stderr), (0, ""), "gtrace record --help")
    assert "Examples:" in done.stdout, done.stdout
    assert re.fullmatch(r"gtrace \d+\.\d+\.\d+\n", house.run("--version").stdout)


def main():
    gtrace, programs, name = sys.argv[1:]
    isolate()
    # Out of time: leave by way of the cleanup.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    house = House(gtrace, programs)
    try:
        globals()["case_" + name](house)
        house.nothing_left()
    finally:
        house.destroy()


main()
