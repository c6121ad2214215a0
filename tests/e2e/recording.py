# SPDX-License-Identifier: MIT
"""Record a program as a user would, and read the report as a script would."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

DEADLINE = 120  # seconds after which something is broken, never a measure


class Build:
    """The programs of a build folder and the sources they came from."""

    def __init__(self, build, source):
        self.build = os.path.abspath(build)
        self.source = os.path.abspath(source)
        self.gtrace = os.path.join(self.build, "tracer/gtrace")
        self.report = os.path.join(self.build, "viewer/gtrace-report")
        self.view = os.path.join(self.build, "viewer/gtrace-view")
        self.library = os.path.join(self.build, "preload/libgtrace.so")

    def workload(self, name):
        return os.path.join(self.build, "workloads", name)

    def line_of(self, file, text):
        """The only line of a source file that contains `text`."""
        with open(os.path.join(self.source, file), encoding="utf-8") as lines:
            found = [number for number, line in enumerate(lines, 1) if text in line]
        assert len(found) == 1, f"{file}: {text!r} stands in lines {found}"
        return found[0]


class Recording:
    """A folder with a trace, gone at the end of the `with` block."""

    def __init__(self, build):
        self.build = build
        self.root = tempfile.mkdtemp(prefix="gtrace-e2e-")
        self.folder = os.path.join(self.root, "trace")
        self.done = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root, ignore_errors=True)

    def command(self, program, mode=None):
        words = [self.build.gtrace, "record", "--no-report", "-o", self.folder]
        return words + (["-m", mode] if mode else []) + ["--"] + list(program)

    def record(self, program, mode=None, **env):
        """Record a program to its end; returns what report() does."""
        self.done = subprocess.run(self.command(program, mode), env=environment(**env),
                                   capture_output=True, text=True, timeout=DEADLINE, check=False)
        return self.reports()

    def reports(self):
        """All workloads of the trace, as gtrace-report --json tells them."""
        done = subprocess.run([self.build.report, "--json", self.folder], capture_output=True,
                              text=True, timeout=DEADLINE, check=False)
        assert done.returncode == 0, f"gtrace-report: {done.returncode}: {done.stderr}" \
            f"\nrecorded by: {self.done.stderr if self.done else ''}"
        return json.loads(done.stdout)["workloads"]

    def record_one(self, program, mode=None, **env):
        workloads = self.record(program, mode, **env)
        assert len(workloads) == 1, [w["name"] for w in workloads]
        assert self.done.returncode == 0, self.done.stderr
        assert workloads[0]["lost_events"] == 0 or workloads[0]["lost_events"] == {"count": 0}, \
            workloads[0]["lost_events"]
        return workloads[0]


def environment(**more):
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("GRT_", "GTRACE_", "LTTNG_")) and name != "LD_PRELOAD"}
    env.update({name: str(value) for name, value in more.items()})
    return env


def grown_by(workload, call):
    """Rows of thread growth whose cause is `call`."""
    return [row for row in workload["threads"]["growth"] if row["call"] == call]


def sites(workload, call):
    """Rows of the calls by site of one libc call."""
    return [row for row in workload["calls"]["by_site"] if row["call"] == call]


def equal(what, got, expected):
    assert got == expected, f"{what}: {got!r}, expected {expected!r}"


def between(what, got, low, high):
    assert low <= got <= high, f"{what}: {got!r}, expected {low!r} to {high!r}"
