# SPDX-License-Identifier: MIT
"""That gtrace-bench computes what it says, and makes no figure up.

    bench_test.py BUILD CASE
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

ALL = ["yield", "spawn", "channel", "call", "parked_bytes", "read_bare", "read_preloaded",
       "read_recorded", "lttng_event", "added_preloaded", "added_recorded",
       "thread_read_bare", "thread_read_preloaded", "thread_added_preloaded",
       "single_added_preloaded"]
DEADLINE = 300  # after which something is broken, never a measure


class Bench:
    def __init__(self, build, folder):
        self.build = build
        self.folder = folder
        self.program = os.path.join(build, "bench", "gtrace-bench")
        self.environment = dict(os.environ, TMPDIR=os.path.join(folder, "tmp"), LC_ALL="C",
                                LD_LIBRARY_PATH=os.path.join(build, "runtime"))
        os.mkdir(self.environment["TMPDIR"])

    def run(self, *options):
        done = subprocess.run([self.program, *map(str, options)], env=self.environment,
                              capture_output=True, text=True, check=False, timeout=DEADLINE)
        equal(os.listdir(self.environment["TMPDIR"]), [], "files left")
        return done

    def rows(self, *options):
        """Rows by name and peer."""
        done = self.run("--json", *options)
        equal((done.returncode, done.stderr), (0, ""), "exit code and errors")
        rows = json.loads(done.stdout)["rows"]
        for row in rows:
            check(row)
        return {(row["name"], row["peer"]): row for row in rows}

    def script(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def alone(self):
        """Only the program itself, and no Go."""
        os.mkdir(os.path.join(self.folder, "bench"))
        self.program = shutil.copy(self.program, os.path.join(self.folder, "bench"))
        self.environment["PATH"] = os.path.join(self.folder, "bin")
        os.mkdir(self.environment["PATH"])


def equal(value, wanted, what):
    assert value == wanted, f"{what}: {value!r} instead of {wanted!r}"


def close(value, wanted, what):
    assert abs(value - wanted) <= 1e-6 * abs(wanted), f"{what}: {value} instead of {wanted}"


def check(row):
    """What holds for every row."""
    assert {"name", "unit", "ns", "peer", "peer_ns", "ratio"} <= set(row), row
    if row["ns"] is not None and row["peer_ns"] is not None:
        close(row["ratio"], row["ns"] / row["peer_ns"], f"ratio of {row}")
        assert "skipped" not in row, row
    else:
        equal(row["ratio"], None, f"ratio of {row}")
        assert row.get("skipped") or (row["ns"] is not None and row["peer"] is None), row


def case_own_figures(bench):
    rows = bench.rows("--rounds", 1, "--peers", "pthreads", "yield", "spawn", "channel", "call",
                      "read_bare", "parked_bytes")
    equal(sorted(rows, key=str), sorted([
        ("yield", "pthreads, one CPU"), ("spawn", "pthreads"), ("channel", "pthreads, one CPU"),
        ("channel", "pthreads"), ("call", None), ("read_bare", None), ("parked_bytes", None)],
        key=str), "rows")
    for row in rows.values():
        assert row["ns"] > 0 and (row["peer"] is None or row["peer_ns"] > 0), row
    equal({row["unit"] for key, row in rows.items() if key[0] != "parked_bytes"}, {"ns"}, "units")
    parked = rows["parked_bytes", None]
    equal(parked["unit"], "bytes", "unit")
    # Less than one page would mean that a task has no stack.
    assert parked["ns"] >= 4096, parked


def case_boost_fiber(bench):
    row = bench.rows("--rounds", 1, "--peers", "boost.fiber", "yield")["yield", "boost.fiber"]
    if os.path.exists(os.path.join(bench.build, "bench", "boost-fiber")):
        assert row["peer_ns"] > 0, row
    else:
        equal(row["skipped"], "built without boost.fiber", "reason")


def case_what_is_missing(bench):
    bench.alone()
    rows = bench.rows("--rounds", 1)
    equal({name for name, _ in rows}, set(ALL), "rows")
    equal(rows["call", "Go, cgo"]["skipped"], "no Go toolchain", "reason")
    equal(rows["yield", "boost.fiber"]["skipped"], "built without boost.fiber", "reason")
    equal(rows["lttng_event", None]["skipped"], "built without liblttng-ust", "reason")
    for name in ("read_preloaded", "read_recorded"):
        row = rows[name, "read_bare"]
        equal((row["ns"], row["skipped"]), (None, "libgtrace.so is not built"), name)
        assert row["peer_ns"] > 0, row
    equal(rows["added_preloaded", None]["ns"], None, "difference to nothing")
    equal(rows["added_recorded", "lttng_event"]["ns"], None, "difference to nothing")
    assert rows["call", "Go, cgo"]["ns"] > 0


def case_programs_that_fail(bench):
    bench.alone()
    bench.script("bin/go", '[ "$1" = version ] || { echo "# command-line"; echo no luck; exit 1; }')
    os.symlink(shutil.which("env"), os.path.join(bench.folder, "bin", "env"))
    os.symlink("/bin/sh", os.path.join(bench.folder, "bin", "sh"))
    bench.script("bench/boost-fiber", "echo it broke >&2; exit 3")
    bench.script("preload/libgtrace.so", "")
    bench.script("tracer/gtrace", "echo figure 7; echo gtrace: 5 events lost >&2")
    rows = bench.rows("--rounds", 2, "yield", "read_recorded")
    equal(rows["yield", "Go"]["skipped"], "go build: command-line", "reason")
    equal(rows["yield", "boost.fiber"]["skipped"], "it broke", "reason")
    equal(rows["read_recorded", "read_bare"]["skipped"], "events were lost while recording",
          "reason")
    assert rows["yield", "Go"]["ns"] > 0


def case_arithmetic(bench):
    """Programs whose figures are known."""
    bench.alone()
    bench.script("preload/libgtrace.so", "")
    count = bench.script("count", "")
    bench.script("bench/boost-fiber", f'echo >>{count}; set -- 10 1000 30; '
                 f'n=0; while read line; do n=$((n+1)); done <{count}; eval "echo figure \\$$((n-1))"')
    bench.script("tracer/gtrace", "echo some words; echo figure 5000; echo other words")
    bench.script("bench/lttng-event", "")
    bench.script("bench/lttng-event.sh", "echo figure 100")
    rows = bench.rows("--rounds", 3, "--peers", "boost.fiber", "yield", "read_bare",
                      "read_recorded", "added_recorded", "lttng_event")
    close(rows["yield", "boost.fiber"]["peer_ns"], 30, "median")
    bare = rows["read_bare", None]["ns"]
    row = rows["read_recorded", "read_bare"]
    close(row["ns"], 5000, "recorded")
    close(row["peer_ns"], bare, "bare")
    row = rows["added_recorded", "lttng_event"]
    close(row["ns"], 5000 - bare, "difference")
    close(row["ratio"], (5000 - bare) / 100, "ratio of the difference")


def case_text(bench):
    bench.alone()
    done = bench.run("--rounds", 1, "call", "lttng_event")
    lines = done.stdout.splitlines()
    equal(len(lines), 4, "lines")
    equal(lines[0].split(), ["row", "gtrace", "peer", "peer's", "ratio"], "head")
    equal(lines[1].split()[0], "call", "row")
    assert lines[1].endswith("skipped: no Go toolchain"), lines[1]
    assert float(lines[1].split()[1]) > 0, lines[1]
    assert lines[2].endswith("skipped: built without liblttng-ust"), lines[2]


def case_options(bench):
    for options in (("--none",), ("nothing",), ("--rounds",), ("--rounds", "0"), ("--rounds", "x"),
                    ("--peers", "pthreads,neco"), ("--measure", "nothing")):
        done = bench.run(*options)
        equal((done.returncode, done.stdout), (2, ""), f"{options}")
        equal(done.stderr.count("\n"), 1, f"lines on stderr of {options}")
        assert done.stderr.startswith("gtrace-bench: "), done.stderr
    done = bench.run("--help")
    equal((done.returncode, done.stderr), (0, ""), "--help")
    for row in ALL:
        assert row in done.stdout, row


def case_interrupted(bench):
    """What it started ends with it, and its files go."""
    bench.alone()
    os.mkfifo(os.path.join(bench.folder, "ready"))
    bench.script("bench/boost-fiber", f"echo $$ >{bench.folder}/ready; exec {shutil.which('sleep')} 1000")
    process = subprocess.Popen([bench.program, "--peers", "boost.fiber", "yield"],
                               env=bench.environment, stdout=subprocess.PIPE, text=True)
    with open(os.path.join(bench.folder, "ready"), encoding="utf-8") as file:
        pid = int(file.read())
    process.terminate()
    out, _ = process.communicate(timeout=DEADLINE)
    equal((process.returncode, out), (128 + 15, ""), "exit code and output")
    assert not os.path.exists(f"/proc/{pid}"), "the measurement goes on"
    equal(os.listdir(bench.environment["TMPDIR"]), [], "files left")


def main():
    build, name = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="gtrace-bench-test-") as folder:
        globals()["case_" + name](Bench(build, folder))


main()
