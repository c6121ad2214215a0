# SPDX-License-Identifier: MIT
"""What the workloads say of themselves, at small sizes.

    workloads_test.py BUILD CASE PROCS

BUILD is the build folder.  No case depends on speed: where a workload stops at a
time limit and had no time to get going, it is asked again with a longer one.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

PROGRAMS = ("sleepers", "spinners", "coldcall", "crowd", "reads")
LIMITS = (0.3, 3, 30)  # seconds
DEADLINE = 100  # after which something is broken, never a measure


class Workloads:
    def __init__(self, build, procs):
        self.folder = os.path.join(build, "workloads")
        self.helper = os.path.join(build, "tests", "workloads", "print-series")
        self.procs = procs
        self.environment = dict(os.environ, GRT_PROCS=str(procs), GRT_PREEMPT="coop",
                                GRT_HANDOFF="sysmon", LC_ALL="C")
        self.environment.pop("LD_PRELOAD", None)

    def run(self, name, *options, **more):
        return subprocess.run([os.path.join(self.folder, name), *map(str, options)], check=False,
                              capture_output=True, text=True, timeout=DEADLINE,
                              env=self.environment, **more)

    def facts(self, name, *options):
        """What it prints as JSON."""
        done = self.run(name, "--json", *options)
        assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr)
        facts = json.loads(done.stdout)
        equal(facts["workload"], name, "workload")
        return facts

    def until(self, condition, name, *options):
        """The facts of the first run that had enough time."""
        for limit in LIMITS:
            facts = self.facts(name, "--seconds", limit, *options)
            if condition(facts):
                return facts
        raise AssertionError(f"never happened within {LIMITS[-1]} s: {facts}")


def equal(value, wanted, what):
    assert value == wanted, f"{what}: {value!r} instead of {wanted!r}"


# --- sleepers ----------------------------------------------------------------

def case_sleepers_in_the_runtime(workloads):
    facts = workloads.facts("sleepers", "--tasks", 50, "--ms", 20, "--runtime-sleep")
    equal(facts["procs"], workloads.procs, "procs")
    equal((facts["sleep"], facts["slept"], facts["slept_too_short"]), ("grt_sleep", 50, 0), "slept")
    assert facts["elapsed_ms"] >= 20, facts
    # Sleeping through the runtime costs no thread.
    assert facts["workers_peak"] <= workloads.procs, facts


def case_sleepers_in_usleep(workloads):
    # Not preloaded, so that a sleeper keeps its proc.
    facts = workloads.facts("sleepers", "--tasks", 8, "--ms", 5)
    equal((facts["sleep"], facts["slept"], facts["slept_too_short"]), ("usleep", 8, 0), "slept")
    assert facts["elapsed_ms"] >= 8 / workloads.procs * 5, facts
    assert facts["workers_peak"] <= workloads.procs, facts


# --- spinners ----------------------------------------------------------------

def case_spinners_starve_work(workloads):
    facts = workloads.until(lambda f: f["spinners_that_ran"] == workloads.procs,
                            "spinners", "--spinners", 2 * workloads.procs + 1)
    equal(facts["work_ran"], False, "work ran")
    assert facts["work_waited_ms"] is not None and facts["work_waited_ms"] >= 0, facts


def case_spinners_leave_a_proc(workloads):
    if workloads.procs == 1:
        equal(workloads.facts("spinners", "--spinners", 1, "--seconds", 0.1)["work_ran"], False,
              "work ran beside a spinner on the only proc")
        return
    facts = workloads.until(lambda f: f["work_ran"], "spinners", "--spinners", workloads.procs - 1)
    equal(facts["spinners_that_ran"], workloads.procs - 1, "spinners")


# --- coldcall ----------------------------------------------------------------

def check_series(series, count):
    equal(series["count"], count, "count")
    assert 0 <= series["min_ns"] <= series["median_ns"] <= series["p99_ns"] <= series["max_ns"]
    assert series["min_ns"] <= series["mean_ns"] <= series["max_ns"], series
    assert 0 <= series["outlier_share"] < 1, series


def case_coldcall(workloads):
    facts = workloads.facts("coldcall", "--samples", 5, "--spinners", workloads.procs,
                            "--histogram")
    equal(facts["procs"], workloads.procs + 1, "procs, whatever GRT_PROCS says")
    equal(facts["threads_created"], 5, "threads: one for each cold call")
    for name in ("call", "handoff", "reacquire"):
        check_series(facts[name], 5)
    equal(sum(b["samples"] for b in facts["histogram"]), 5, "samples in the histogram")


def case_coldcall_warm(workloads):
    facts = workloads.facts("coldcall", "--warm", "--samples", 20, "--spinners",
                            workloads.procs - 1, "--histogram")
    equal(facts["threads_created"], 0, "threads")
    for name in ("call", "handoff", "reacquire"):
        check_series(facts[name], 20)
    for bucket in facts["histogram"]:
        assert bucket["from_ns"] <= facts["call"]["max_ns"], bucket
        assert bucket["to_ns"] > facts["call"]["min_ns"], bucket
    equal(sum(b["samples"] for b in facts["histogram"]), 20, "samples in the histogram")


# --- crowd -------------------------------------------------------------------

def check_progress(facts):
    for before, after in zip(facts["progress"], facts["progress"][1:]):
        for what in ("started_ms", "ended_ms"):
            assert after[what] is None or before[what] <= after[what], facts["progress"]
    for row in facts["progress"]:
        assert row["ended_ms"] is None or row["started_ms"] <= row["ended_ms"], row
    equal(facts["progress"][-1]["tasks_percent"], 100, "last milestone")


def complete(workloads, tasks, mode, *options):
    facts = workloads.facts("crowd", "--tasks", tasks, "--mode", mode, "--seconds", 90, *options)
    equal((facts["started"], facts["ended"], facts["never_ran"], facts["complete"]),
          (tasks, tasks, 0, True), f"crowd that does {mode}")
    check_progress(facts)
    assert facts["progress"][-1]["ended_ms"] <= facts["elapsed_ms"]
    return facts


def case_crowd_loop(workloads):
    tasks = 10 * workloads.procs
    facts = workloads.until(lambda f: f["ended"] == workloads.procs, "crowd", "--tasks", tasks)
    equal((facts["started"], facts["never_ran"], facts["complete"]),
          (workloads.procs, tasks - workloads.procs, False), "loops keep their procs")
    check_progress(facts)


def case_crowd_calls(workloads):
    # Each has a slice of 10 ms; without preemption the last would wait for ever.
    complete(workloads, 40 * workloads.procs, "calls")


def case_crowd_sleep(workloads):
    complete(workloads, 1000, "sleep")


def case_crowd_yield(workloads):
    # More than a proc's own queue holds.
    complete(workloads, 2000, "yield")


def case_crowd_http(workloads):
    facts = complete(workloads, 6, "http", "--connections", 2)
    equal((facts["connections"], facts["requests_served"], facts["requests_failed"]), (2, 6, 0),
          "requests")


def case_crowd_http_few_files(workloads):
    done = subprocess.run(
        ["sh", "-c", 'ulimit -n 70 && exec "$@"', "sh", os.path.join(workloads.folder, "crowd"),
         "--json", "--mode", "http", "--tasks", "4", "--seconds", "90"],
        env=workloads.environment, capture_output=True, text=True, check=False, timeout=DEADLINE)
    equal((done.returncode, done.stderr), (0, ""), "exit code and errors")
    facts = json.loads(done.stdout)
    equal((facts["connections"], facts["requests_served"]), (3, 4), "connections and requests")


# --- reads -------------------------------------------------------------------

def case_reads(workloads):
    facts = workloads.facts("reads", "--short", 100, "--long", 3, "--ms", 5)
    sites = {site["name"]: site for site in facts["sites"]}
    equal(len(sites), 7, "sites")
    equal(len({site["function"] for site in facts["sites"]}), 7, "functions")
    for kind in ("pipe", "fifo", "socket"):
        equal(sites[kind + " short"]["calls"], 100, f"short reads of a {kind}")
        equal(sites[kind + " long"]["calls"], 3, f"long reads of a {kind}")
        equal(sites[kind + " long"]["at_least_ns"], 3 * 5_000_000, "shortest duration")
    equal((sites["fifo open"]["calls"], sites["fifo open"]["at_least_ns"]), (1, 5_000_000), "open")
    for site in facts["sites"]:
        assert site["measured_ns"] >= site["at_least_ns"], site


def case_reads_leave_nothing(workloads):
    with tempfile.TemporaryDirectory() as folder:
        workloads.environment["TMPDIR"] = folder
        done = workloads.run("reads", "--short", 1, "--long", 1, "--ms", 1)
        equal((done.returncode, os.listdir(folder)), (0, []), "exit code and files left")
    done = workloads.run("reads")
    equal((done.returncode, done.stdout), (1, ""), "without a folder for FIFOs")
    assert done.stderr.startswith("reads: cannot make a folder"), done.stderr


# --- all ---------------------------------------------------------------------

def case_options(workloads):
    wrong = [("--none",), ("--tasks",), ("x",), ("--json=1",)]
    numbers = {"sleepers": "--tasks", "spinners": "--spinners", "coldcall": "--samples",
               "crowd": "--tasks", "reads": "--long"}
    for name in PROGRAMS:
        values = [(numbers[name], v) for v in ("", "x", "-1", "0", "1x", "1e3", "99999999999999999")]
        for options in wrong + values:
            done = workloads.run(name, *options)
            equal((done.returncode, done.stdout), (2, ""), f"{name} {options}")
            equal(done.stderr.count("\n"), 1, f"lines on stderr of {name} {options}")
            assert done.stderr.startswith(name + ": "), done.stderr
    for options in (("--mode", "lo"), ("--mode", ""), ("--mode", "loop|calls"), ("--seconds", "nan"),
                    ("--seconds", "0"), ("--connections", "4097")):
        equal(workloads.run("crowd", *options).returncode, 2, f"crowd {options}")


def case_help(workloads):
    for name in PROGRAMS:
        done = workloads.run(name, "--help")
        equal((done.returncode, done.stderr), (0, ""), f"{name} --help")
        assert done.stdout.startswith(f"usage: {name} "), done.stdout
        assert "--json" in done.stdout


def case_text(workloads):
    done = workloads.run("sleepers", "--tasks", 3, "--ms", 1, "--runtime-sleep")
    lines = done.stdout.splitlines()
    equal(lines[:5], ["workload: sleepers", "settings: tasks=3 ms=1 runtime-sleep=yes",
                      f"procs: {workloads.procs}", "slept: 3", "slept too short: 0"], "text")
    done = workloads.run("coldcall", "--warm", "--spinners", 0, "--samples", 3, "--histogram")
    rows = [line.split("  ")[0] for line in done.stdout.splitlines()]
    for row in ("outliers > mean + 3 std, %", "mean, ns", "std, ns", "median, ns", "p99, ns",
                "max, ns", "min, ns", "histogram:"):
        assert row in rows, done.stdout


def case_figures(workloads):
    """The figures of a series that is known."""
    samples = [100 + i % 7 for i in range(200)] + [5000]
    done = subprocess.run([workloads.helper], input="\n".join(map(str, samples)), check=True,
                          capture_output=True, text=True, timeout=DEADLINE)
    facts = json.loads(done.stdout)["series"]
    mean = statistics.fmean(samples)
    std = statistics.pstdev(samples)
    wanted = {"count": 201, "outlier_share": 1 / 201, "mean_ns": mean, "std_ns": std,
              "median_ns": statistics.median(samples), "p99_ns": 106, "max_ns": 5000, "min_ns": 100}
    equal(set(facts), set(wanted), "figures")
    for key, value in wanted.items():
        assert abs(facts[key] - value) <= 1e-5 * abs(value), (key, facts[key], value)


def main():
    build, name, procs = sys.argv[1:]
    globals()["case_" + name](Workloads(build, int(procs)))


main()
