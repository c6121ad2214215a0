# SPDX-License-Identifier: MIT
"""gtrace-report and gtrace-view on real recordings of scripted events.

    viewer_test.py SOURCE BUILD CASE

emit plays the events of SCRIPT through the real provider while a private
session daemon records; each case then asks the programs one thing.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata

SOURCE, BUILD, CASE = sys.argv[1:4]
sys.path.insert(0, os.path.join(SOURCE, "tests/record"))
sys.dont_write_bytecode = True
from lttng_private import PrivateDaemon  # noqa: E402

REPORT = os.path.join(BUILD, "viewer/gtrace-report")
VIEW = os.path.join(BUILD, "viewer/gtrace-view")
EMIT = os.path.join(BUILD, "tests/viewer/emit")
EMIT_SOURCE = os.path.join(SOURCE, "tests/viewer/emit.c")
MS = 1_000_000

# Two Ps.  G1 starts a usleep and loses P0 to a new thread M1, which runs G2;
# G2 holds P0 for 30 ms while G3 starves; G1 waits 5 ms in line for a P.  At the
# end G3 is in a read and G2 waits for ever.
SCRIPT = """
process 0
workload
module
procs 2 0 10000
worker_start 0 0
worker_create -1 0 5 0 50000 0 -1 0 0
worker_start -1 999999
worker_create 9 0 3 11 50000 0 -1 0 0
worker_create 9 0 3 11 50000 0 -1 0 0
proc_start 0 1 0
task_create 1 0
task_start 0 2 0 1
task_create 2 1
task_create 3 1
call_end 0 0 3 1 1 1 0 9000 700 0
pass 20000000
worker_create 1 -1 2 0 40000 1 0 2 57
call_begin 0 1 2 57 100000
proc_handoff 0 4 0 1 0 1 1 2
worker_start 1 999998
proc_start 0 5 1
task_start 0 6 1 2
pass 30000000
task_stop 0 7 1 2 0
task_start 0 8 1 3
pass 5000000
proc_start 1 1 0
call_end 0 1 2 1 2 57 3 35300000 30000000 5000000
pass 5000000
task_end 1 3 0 1
call_begin 1 3 1 1 4000000
pass 20000000
"""


def run(*command, locale="C.UTF-8", **options):
    environment = dict(os.environ, LC_ALL=locale, TERM="xterm")
    environment.pop("NO_COLOR", None)
    return subprocess.run(command, capture_output=True, check=False, timeout=120,
                          env=environment, **options)


class Trace:
    """A recording of a script, in a folder that goes with the `with` block."""

    def __init__(self, script=SCRIPT, sub_buffer="1M"):
        self.script, self.sub_buffer = script, sub_buffer

    def __enter__(self):
        self.parent = tempfile.mkdtemp(prefix="gtrace-viewer-")
        self.folder = os.path.join(self.parent, "trace")
        with PrivateDaemon() as daemon:
            daemon.begin(self.folder, sub_buffer=self.sub_buffer)
            try:
                done = subprocess.run([EMIT], input=self.script, text=True, check=False,
                                      timeout=120, env=daemon.environment())
                assert done.returncode == 0
                self.before_the_end(daemon)
            finally:
                daemon.end()
        return self

    def before_the_end(self, daemon):
        pass

    def __exit__(self, *_):
        shutil.rmtree(self.parent)

    def streams(self):
        """The stream files, the largest content first."""
        found = []
        for folder, _, files in os.walk(self.folder):
            if "metadata" in files:
                found += [os.path.join(folder, name) for name in files if name != "metadata"]
        return sorted(found, key=content_size, reverse=True)


def content_size(stream):
    with open(stream, "rb") as file:
        header = file.read(64)
    return int.from_bytes(header[48:56], "little") // 8 if len(header) == 64 else 0


def report(folder, status=0):
    done = run(REPORT, "--json", folder)
    assert done.returncode == status, done
    return json.loads(done.stdout), done.stderr.decode()


def only_workload(folder, status=0):
    data, _ = report(folder, status)
    assert len(data["workloads"]) == 1, data
    return data["workloads"][0]


def line_in_function(name):
    """Lines of a function of emit.c."""
    with open(EMIT_SOURCE, encoding="utf-8") as file:
        lines = file.read().split("\n")
    first = next(i for i, line in enumerate(lines) if re.search(rf"\bvoid {name}\(", line))
    last = next(i for i in range(first, len(lines)) if lines[i] == "}")
    return range(first + 1, last + 2)


def assert_at(row, function):
    assert row["function"] == function, row
    assert row["file"].endswith("tests/viewer/emit.c"), row
    assert row["line"] in line_in_function(function), row


def case_json_report():
    with Trace() as trace:
        w = only_workload(trace.folder)
    assert (w["name"], w["process"], w["mode"], w["procs"]) == ("played", "emit", "handoff", 2)
    assert w["duration_ns"] >= 80 * MS, w["duration_ns"]
    threads = w["threads"]
    assert (threads["start"], threads["peak"], threads["end"]) == (2, 3, 3), threads
    calls = [row for row in threads["growth"] if row["cause"] == "call"]
    assert len(calls) == 1 and calls[0]["call"] == "usleep" and calls[0]["threads"] == 1
    assert_at(calls[0], "site_usleep")
    assert [frame["function"] for frame in calls[0]["stack"]] == ["site_usleep", "site_read"]
    failed = [row for row in threads["growth"] if row["cause"] == "runnable"]
    assert len(failed) == 1 and (failed[0]["threads"], failed[0]["failed"]) == (0, 2), failed


def case_json_waits():
    with Trace() as trace:
        w = only_workload(trace.folder)
    assert w["p_wait"]["count"] == 1 and w["p_wait"]["max_ns"] == 5 * MS, w["p_wait"]
    assert w["p_wait"]["by_path"]["queued"]["count"] == 1
    assert w["p_wait"]["by_path"]["same P"]["count"] == 0
    assert set(w["p_wait"]["by_path"]) == {"same P", "other idle P", "queued"}
    for key in ("outlier_share", "mean_ns", "std_ns", "median_ns", "p99_ns", "min_ns"):
        assert key in w["p_wait"], key
    handoff = w["handoff"]
    assert handoff["count"] == 1 and handoff["start_new"]["count"] == 1, handoff
    assert handoff["start_reused"]["count"] == 0
    assert handoff["detect"]["min_ns"] >= 100_000, handoff


def case_json_starvation():
    with Trace() as trace:
        w = only_workload(trace.folder)
    by_task = {}
    for incident in w["starvation"]:
        by_task.setdefault(incident["task"], []).append(incident)
    third = by_task[3][0]
    assert third["waited_ns"] >= 50 * MS and not third["still_waiting"]
    ran = {culprit["task"]: culprit["ran_ns"] for culprit in third["culprits"]}
    assert ran[2] >= 30 * MS and ran[1] >= 20 * MS, ran
    assert sum(ran.values()) <= third["waited_ns"], (ran, third)
    assert third["culprits"][0]["function"] == "site_read"
    assert [i["still_waiting"] for i in by_task[2]] == [True, False], by_task[2]
    assert w["starvation_total"]["count"] == 3
    assert w["starvation_total"]["still_waiting"] == 1


def case_json_calls():
    with Trace() as trace:
        w = only_workload(trace.folder)
    assert (w["calls"]["count"], w["calls"]["short"]) == (3, 1), w["calls"]
    (call,) = w["calls"]["in_flight"]
    assert (call["call"], call["task"]) == ("read", 3) and call["for_ns"] >= 24 * MS, call
    assert_at(call, "site_read")
    sites = {(row["call"], row["count"]): row for row in w["calls"]["by_site"]}
    assert sites["usleep", 1]["total_ns"] == 30 * MS
    assert_at(sites["read", 2], "site_read")
    assert w["lost_events"] == 0 and w["sequence_gaps"] == 0


def case_json_is_valid_for_any_command():
    with Trace() as trace:
        raw = run(REPORT, "--json", trace.folder).stdout
    assert json.loads(raw.decode("utf-8", "strict"))["workloads"][0]["command"] == \
        'emit "a\\b" \xe9 \x01 \ufffd'


def case_text_report():
    with Trace() as trace:
        done = run(REPORT, trace.folder)
    text = done.stdout.decode()
    assert done.returncode == 0 and done.stderr == b"", done
    assert re.match(r"played  pid \d+, mode handoff, 2 Ps, handoff by sysmon", text), text
    assert "Threads: 2 at the start, 3 at the peak, 3 at the end" in text
    assert re.search(r"Blocking calls made 1 of 1 new threads; usleep in site_usleep "
                     r"\(emit\.c:\d+\) alone made 1\.", text), text
    assert "EAGAIN, 2 tries" in text
    assert re.search(r"queued +1 +0\.00 % +5\.00 ms", text), text
    ran = [dict(re.findall(r"(G\d) \(site_read\) ([\d.]+) ms", line))
           for line in text.splitlines() if "ran meanwhile" in line]
    # Never less than the script says; how much more is the machine's affair.
    assert any(float(row.get("G2", 0)) >= 30 and float(row.get("G1", 0)) >= 20 for row in ran), text
    assert re.search(r"In flight when the record ends: 1 call\n.*read in site_read", text), text
    assert 'emit "a\\b" \xe9 ? ?\n' in text and "\x1b" not in text


def width_of(line):
    return sum(0 if unicodedata.combining(c) else 1 for c in line)


def lanes(text):
    return {line.split()[0]: line for line in text.splitlines() if re.match(r"P\d+ ", line)}


def case_view():
    with Trace() as trace:
        for width in (40, 80, 133):
            done = run(VIEW, "--width", str(width), trace.folder)
            text = done.stdout.decode()
            assert done.returncode == 0 and done.stderr == b"", done
            assert set(lanes(text)) == {"P0", "P1"}, text
            for name, line in lanes(text).items():
                assert width_of(line) <= width, (width, line)
            assert all(width_of(line) <= width for line in text.splitlines()
                       if line.startswith(("threads", "P waits", "starving"))), text
    first = text.index("Worst incidents")
    assert first < text.index("\nP0 "), text
    assert re.search(r"starved +\S+ ms +G2 \(site_read\) \(until the end\); ran meanwhile: G3", text)
    assert re.search(r"P wait +5\.00 ms +G1 \(site_read\); ran meanwhile: G3", text), text
    p0 = lanes(text)["P0"]
    assert p0.count("█") > 10 and p0.count("▒") > 10, p0
    assert lanes(text)["P1"].count("·") > 50, text


def case_view_is_plain_where_it_must():
    with Trace() as trace:
        ascii_text = run(VIEW, trace.folder, locale="C").stdout
        colored = run(VIEW, "--color", "always", trace.folder).stdout
        never = run(VIEW, "--color=never", trace.folder).stdout
    assert max(ascii_text) < 0x80 and b"#####" in ascii_text, ascii_text
    assert b"\x1b" not in ascii_text and b"\x1b" not in never
    assert b"\x1b[32m" in colored and b"\x1b[0m" in colored
    assert re.sub(rb"\x1b\[\d+m", b"", colored) == never


def case_view_of_a_window():
    with Trace() as trace:
        text = run(VIEW, "--from", "25ms", "--to", "0.045s", trace.folder).stdout.decode()
        later = run(VIEW, "--from", "1h", trace.folder)
        after = run(VIEW, "--from", "100", trace.folder)
    assert re.search(r"^ +25\.0 ms +35\.0 ms +45\.0 ms$", text, re.M), text
    # In this window P0 runs G2 all the time, and nobody waits for a P.
    assert re.search(r"^P0 +█+ 100 % run$", text, re.M), text
    assert "P wait " not in text, text
    assert later.returncode == 2 and later.stderr.count(b"\n") == 1, later
    assert after.returncode == 0 and b"Nothing in this part of time" in after.stdout, after


def case_lttng_view():
    class Viewed(Trace):
        def before_the_end(self, daemon):
            daemon.lttng("stop", "test")
            viewer = f"--viewer={VIEW} --width 100"
            self.done = daemon.run(["lttng", "--no-sessiond", "view", viewer, "test"],
                                   capture_output=True)
            daemon.lttng("start", "test")  # the end stops it again

    with Viewed() as trace:
        assert trace.done.returncode == 0, trace.done
        assert b"Worst incidents" in trace.done.stdout, trace.done


def case_lost_events():
    script = "process 0\nprocs 1 0 10\nproc_start 0 1 0\nburst 200000\n"
    with Trace(script, sub_buffer="4k") as trace:
        w = only_workload(trace.folder)
        text = run(REPORT, trace.folder).stdout.decode()
        lane = lanes(run(VIEW, trace.folder).stdout.decode())["P0"]
    assert w["lost_events"] > 1000, w["lost_events"]
    assert w["lost_events"] + 3 * w["calls"]["count"] <= 3 * 200000 + 3, w
    assert w["sequence_gaps"] > 0 and "?" in lane, (w, lane)
    assert f"Lost events: {w['lost_events']} in " in text, text


def case_cut_off():
    """Cut a stream anywhere: what is whole before the cut is in the report."""
    script = "process 0\nprocs 1 0 10\nproc_start 0 1 0\nburst 2000\n"
    with Trace(script) as trace:
        stream = trace.streams()[0]
        with open(stream, "rb") as file:
            whole = file.read()
        size = content_size(stream)
        seen = []
        for cut in (size // 3, size // 2, size // 2 + 7, size - 1):
            with open(stream, "wb") as file:
                file.write(whole[:cut])
            data, error = report(trace.folder, status=1)
            (w,) = data["workloads"]
            seen.append(w["calls"]["count"])
            assert error.count("\n") == 1 and error.startswith("gtrace-report: "), error
            assert stream in error and "cut off" in error, error
            text = run(VIEW, trace.folder)
            assert text.returncode == 1 and b"P0 " in text.stdout, text
    # Calls are spread evenly over the stream (one CPU has nearly all of them).
    assert seen[0] > 300 and seen[1] > 1.3 * seen[0] and seen[2] >= seen[1], seen
    assert seen[3] > 1.8 * seen[1] and seen[3] <= 2000, seen
    assert not [name for name in os.listdir(tempfile.gettempdir())
                if re.fullmatch(r"gtrace-\w{6}", name)
                and os.path.exists(os.path.join(tempfile.gettempdir(), name, "metadata"))]


def case_damaged_inside():
    """Garbage in a stream: what is before it is in the report."""
    script = "process 0\nprocs 1 0 10\nproc_start 0 1 0\nburst 2000\n"
    with Trace(script) as trace:
        stream = trace.streams()[0]
        with open(stream, "r+b") as file:
            file.seek(content_size(stream) // 2)
            file.write(b"\xff" * 64)
        data, error = report(trace.folder, status=1)
        assert "[" not in error and error.count("\n") == 1, error
        assert "damaged" in error, error
        assert data["workloads"][0]["calls"]["count"] > 100


def case_damaged_metadata():
    with Trace() as trace:
        folder = os.path.dirname(trace.streams()[0])
        with open(os.path.join(folder, "metadata"), "wb") as file:
            file.write(b"/* CTF 1.8 */\ntrace { nonsense")
        done = run(REPORT, trace.folder)
    assert done.returncode == 1 and done.stdout == b"", done
    assert all(line.startswith("gtrace-report: ") for line in done.stderr.decode().splitlines())
    assert folder.encode() in done.stderr, done


def case_cut_metadata():
    with Trace() as trace:
        metadata = os.path.join(os.path.dirname(trace.streams()[0]), "metadata")
        os.truncate(metadata, os.path.getsize(metadata) // 2 + 1)
        complains([trace.folder], "metadata: cut off")


def case_any_damage():
    """Whatever stands in the files: an answer or a complaint, nothing else."""
    chance = random.Random(7)
    with Trace() as trace:
        folder = os.path.dirname(trace.streams()[0])
        names = ["metadata"] + [os.path.basename(name) for name in trace.streams()]
        good = {}
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                good[name] = file.read()
        for _ in range(40):
            name = chance.choice(names)
            data = bytearray(good[name])
            used = len(data) if name == "metadata" else content_size(os.path.join(folder, name))
            for _ in range(chance.choice((1, 3, 20))):
                data[chance.randrange(used)] = chance.randrange(256)
            if chance.random() < 0.3:
                data = data[:chance.randrange(used)]
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
            for program, *option in ((REPORT, "--json"), (VIEW,)):
                done = run(program, *option, trace.folder)
                assert done.returncode in (0, 1), done
                for line in done.stderr.decode().splitlines():
                    assert line.startswith(os.path.basename(program) + ": "), done
                if done.stdout and option:
                    json.loads(done.stdout)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(good[name])


def complains(command, words, status=1, program=REPORT):
    done = run(program, *command)
    error = done.stderr.decode()
    name = os.path.basename(program)
    assert done.returncode == status and done.stdout == b"", done
    assert error.count("\n") == 1 and error.startswith(f"{name}: "), error
    assert words in error, (words, error)


def case_no_trace():
    with tempfile.TemporaryDirectory(prefix="gtrace-viewer-") as folder:
        for program in (REPORT, VIEW):
            complains([folder], "no trace in it", program=program)
            complains([os.path.join(folder, "no")], "No such file or directory", program=program)
            complains([EMIT_SOURCE], "no folder", program=program)


def case_empty_trace():
    with Trace("") as trace:
        complains([trace.folder], "no ")
        complains([trace.folder], "no ", program=VIEW)


def case_usage():
    for program in (REPORT, VIEW):
        complains([], "DIR", 2, program)
        complains(["--nonsense"], "--nonsense: unknown option", 2, program)
        complains(["-x"], "unknown option", 2, program)
        for option in ("--help", "--version"):
            done = run(program, option)
            assert done.returncode == 0 and done.stderr == b"", done
        assert b"Examples:" in run(program, "--help").stdout
    complains(["--width", "12", "x"], "--width 12", 2, VIEW)
    complains(["--width"], "needs a value", 2, VIEW)
    complains(["--color", "pink", "x"], "auto, always or never", 2, VIEW)
    complains(["--from", "2s", "--to", "1s", "x"], "--to", 2, VIEW)
    complains(["--from", "-1s", "x"], "--from -1s", 2, VIEW)


def case_full_output():
    if not os.path.exists("/dev/full"):
        sys.exit(77)
    with Trace() as trace, open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([REPORT, trace.folder], stdout=full, stderr=subprocess.PIPE,
                              check=False, timeout=120)
    assert done.returncode == 1 and b"No space left" in done.stderr, done


def case_manual_pages():
    if not shutil.which("mandoc"):
        sys.exit(77)
    for page in ("gtrace-report.1", "gtrace-view.1"):
        path = os.path.join(SOURCE, "viewer", page)
        done = run("mandoc", "-Tlint", "-Wwarning", path)
        assert done.returncode == 0 and done.stdout == b"", done
        program = os.path.join(BUILD, "viewer", page[:-2])
        text = re.sub(r"[\\\s]+", " ", open(path, encoding="utf-8").read())
        for option in re.findall(r"^ +(?:-\w, )?--(\w+)", run(program, "--help").stdout.decode(),
                                 re.M):
            assert f"Fl -{option}" in text, (page, option)


if __name__ == "__main__":
    globals()["case_" + CASE]()
