# SPDX-License-Identifier: MIT
"""The report against programs that know what they did.

Usage: truth_test.py BUILD SOURCE CASE.  Each case records a workload with
`gtrace record` and holds the figures of `gtrace-report --json` against what
the workload itself says, or against what it was told to do.
"""

import json
import os
import signal
import subprocess
import sys
import time

from recording import Build, Recording, between, environment, equal, grown_by, sites

MS = 1000000


def from_call(rows, build, file, function, text, what):
    """Every row names the function and the line of the call."""
    line = build.line_of(file, text)
    for row in rows:
        equal(f"{what}: function", row["function"], function)
        equal(f"{what}: file", os.path.basename(row["file"]), os.path.basename(file))
        equal(f"{what}: line", row["line"], line)


def sleepers_in_handoff_mode(build, procs):
    """100 tasks in usleep() at once need 100 threads; only procs were there."""
    with Recording(build) as recording:
        workload = recording.record_one([build.workload("sleepers"), "--json"], "handoff",
                                        GRT_PROCS=procs)
        facts = json.loads(recording.done.stdout)
    equal("name", workload["name"], "sleepers")
    equal("procs", workload["procs"], procs)
    equal("mode", workload["mode"], "handoff")
    rows = grown_by(workload, "usleep")
    from_call(rows, build, "workloads/sleepers.c", "sleeper", "usleep((", "growth by usleep")
    # A worker for each P was there at the start.
    grown = sum(row["threads"] for row in rows)
    between("threads that usleep made", grown, 100 - procs, 101)
    threads = workload["threads"]
    equal("threads at the start", threads["start"], procs + 1)
    equal("all growth is usleep's", sum(row["threads"] for row in threads["growth"]), grown)
    equal("all growth is told", threads["peak"] - threads["start"], grown)
    # One of the threads is sysmon; the rest are the workers that grt_stats() counted.
    equal("peak", threads["peak"], facts["workers_peak"] + 1)
    between("peak", threads["peak"], 101, 102 + procs)

    rows = sites(workload, "usleep")
    equal("sites of usleep", len(rows), 1)
    from_call(rows, build, "workloads/sleepers.c", "sleeper", "usleep((", "usleep")
    equal("calls of usleep", rows[0]["count"], 100)
    between("mean of usleep", rows[0]["mean_ns"], 300 * MS, 600 * MS)
    equal("in flight", workload["calls"]["in_flight"], [])
    # Each call lost its P, and its task got one back.
    equal("waits for a P", workload["p_wait"]["count"], 100)
    equal("waits by path", sum(path["count"] for path in workload["p_wait"]["by_path"].values()),
          100)
    equal("handoffs", workload["handoff"]["count"], 100)
    started = workload["handoff"]["start_new"]["count"] + workload["handoff"]["start_reused"]["count"]
    # The others were idle for a while, since nobody needed them just then.
    between("Ps that started elsewhere", started, 50, 100)


def case_sleepers_handoff_1(build):
    sleepers_in_handoff_mode(build, 1)


def case_sleepers_handoff_2(build):
    sleepers_in_handoff_mode(build, 2)


def case_sleepers_handoff_4(build):
    sleepers_in_handoff_mode(build, 4)


def sleepers_without_threads(build, procs, mode, more):
    with Recording(build) as recording:
        workload = recording.record_one([build.workload("sleepers"), "--json"] + more, mode,
                                        GRT_PROCS=procs)
        facts = json.loads(recording.done.stdout)
    equal("slept too short", facts["slept_too_short"], 0)
    equal("growth", workload["threads"]["growth"], [])
    # As many as Ps, and sysmon.
    equal("peak", workload["threads"]["peak"], procs + 1)
    equal("peak", workload["threads"]["peak"], facts["workers_peak"] + 1)
    return workload


def case_sleepers_park(build):
    for procs in (1, 2, 4):
        workload = sleepers_without_threads(build, procs, "park", [])
        equal("mode", workload["mode"], "park")
        equal("calls of usleep", [row["count"] for row in sites(workload, "usleep")], [100])
        equal("waits for a P", workload["p_wait"]["count"], 0)
        equal("handoffs", workload["handoff"]["count"], 0)


def case_sleepers_in_the_runtime(build):
    for procs in (1, 2, 4):
        workload = sleepers_without_threads(build, procs, "handoff", ["--runtime-sleep"])
        equal("calls of usleep", sites(workload, "usleep"), [])


def reads(build, procs, handoff):
    """So many calls, of so long, at so many sites."""
    with Recording(build) as recording:
        workload = recording.record_one([build.workload("reads"), "--json"], "handoff",
                                        GRT_PROCS=procs, GRT_HANDOFF=handoff)
        facts = json.loads(recording.done.stdout)["sites"]
    told = {row["function"]: row for row in sites(workload, "read") + sites(workload, "open")
            if row["file"].endswith("reads.c")}
    equal("sites", set(fact["function"] for fact in facts) - set(told), set())
    for fact in facts:
        row = told[fact["function"]]
        equal(f"{fact['name']}: call", row["call"], fact["call"])
        equal(f"{fact['name']}: calls", row["count"], fact["calls"])
        # The program measured around each call, P waits included.
        between(f"{fact['name']}: time", row["total_ns"], fact["at_least_ns"] * 0.99,
                fact["measured_ns"])
    if handoff == "eager":
        equal("short calls", workload["calls"]["short"], 0)
        # Those of the threads that feed the readers have no P to lose.
        between("calls that gave their P away", workload["p_wait"]["count"],
                sum(fact["calls"] for fact in facts), workload["calls"]["count"])


def case_reads_sysmon(build):
    for procs in (1, 2, 4):
        reads(build, procs, "sysmon")


def case_reads_eager(build):
    for procs in (1, 2, 4):
        reads(build, procs, "eager")


def case_spinners(build):
    """`work` never gets a P; those that had them all the time are named."""
    for procs in (1, 2, 4):
        with Recording(build) as recording:
            workload = recording.record_one(
                [build.workload("spinners"), "--spinners", "10", "--seconds", "1", "--json"],
                GRT_PROCS=procs)
            facts = json.loads(recording.done.stdout)
        equal("work ran", facts["work_ran"], False)
        starved = [row for row in workload["starvation"] if row.get("name") == "work"]
        equal("starvation of work", len(starved), 1)
        between("it waited", starved[0]["waited_ns"], 0.95 * facts["work_waited_ms"] * MS,
                facts["work_waited_ms"] * MS + 500 * MS)
        culprits = starved[0]["culprits"]
        equal("culprits are spinners", {row["function"] for row in culprits}, {"spinner"})
        # The rest got their turn when all was over.
        for row in culprits[:procs]:
            between("a culprit ran", row["ran_ns"], 0.5 * starved[0]["waited_ns"],
                    starved[0]["waited_ns"])


def case_killed(build):
    """SIGKILL in the middle: the report goes up to then, and says what hung."""
    with Recording(build) as recording:
        process = subprocess.Popen(
            recording.command([build.workload("sleepers"), "--ms", "3600000", "--json"]),
            env=environment(GRT_PROCS=2), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        pid = child_with_threads(process.pid, "sleepers", 102)
        os.kill(pid, signal.SIGKILL)
        _, errors = process.communicate(timeout=120)
        equal("exit code", process.returncode, 128 + signal.SIGKILL)
        assert "killed by signal 9" in errors, errors
        workload, = recording.reports()
    hung = [row for row in workload["calls"]["in_flight"] if row["call"] == "usleep"]
    # The last may have been so fresh that nobody had told of them yet.
    between("calls in flight", len(hung), 97, 100)
    from_call(hung, build, "workloads/sleepers.c", "sleeper", "usleep((", "in flight")
    for row in hung:
        between("in flight for", row["for_ns"], 0, workload["duration_ns"])
    rows = grown_by(workload, "usleep")
    from_call(rows, build, "workloads/sleepers.c", "sleeper", "usleep((", "growth")
    between("threads that usleep made", sum(row["threads"] for row in rows), 95, 100)


def child_with_threads(parent, name, threads):
    """Wait until a descendant of that name has so many threads; its pid."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        for pid in descendants(parent):
            try:
                with open(f"/proc/{pid}/comm", encoding="utf-8") as comm:
                    if comm.read().strip() == name and \
                            len(os.listdir(f"/proc/{pid}/task")) >= threads:
                        return pid
            except OSError:
                pass
        time.sleep(0.05)
    raise AssertionError(f"{name} never had {threads} threads")


def descendants(pid):
    done = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True,
                          check=True)
    parents = {int(p): int(q) for p, q in (line.split() for line in done.stdout.splitlines())}
    found = [pid]
    for candidate in found:
        found += [p for p, q in parents.items() if q == candidate]
    return found[1:]


def case_same_behaviour(build):
    """What is recorded prints and exits the same as what is not."""
    command = [build.workload("spinners"), "--spinners", "zero"]
    bare = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    with Recording(build) as recording:
        recording.done = subprocess.run(recording.command(command), env=environment(),
                                        capture_output=True, text=True, check=False)
        equal("stdout", recording.done.stdout, bare.stdout)
        equal("exit code", recording.done.returncode, bare.returncode)
        assert bare.stderr in recording.done.stderr, recording.done.stderr
    equal("exit code", bare.returncode, 2)


def main():
    build = Build(sys.argv[1], sys.argv[2])
    globals()["case_" + sys.argv[3]](build)


if __name__ == "__main__":
    main()
