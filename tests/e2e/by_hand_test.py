# SPDX-License-Identifier: MIT
"""A session of the user's own, step by step, as the README tells it.

Usage: by_hand_test.py BUILD SOURCE.  The daemon is private to the test; what
is shown is that the plain lttng commands and the preloaded library are enough.
"""

import json
import os
import re
import subprocess
import sys

from recording import Build, between, environment, equal

sys.path.insert(0, os.path.join(sys.argv[2], "tests/record"))
from lttng_private import PrivateDaemon  # pylint: disable=wrong-import-position


def main():
    build = Build(sys.argv[1], sys.argv[2])
    with PrivateDaemon() as daemon:
        folder = os.path.join(daemon.home, "lttng-traces")
        daemon.lttng("create", "mine", f"--output={folder}")
        daemon.lttng("enable-event", "-u", "gtrace:*")
        daemon.lttng("start")
        bare = subprocess.run([build.workload("sleepers"), "--json"], env=environment(GRT_PROCS=2),
                              capture_output=True, text=True, check=True)
        done = subprocess.run(
            [build.workload("sleepers"), "--json"], capture_output=True, text=True, check=True,
            env=daemon.environment(LD_PRELOAD=build.library, GRT_PROCS="2"))
        daemon.lttng("stop")

        # The program said the same, but for what it measured.
        told, bare_told = json.loads(done.stdout), json.loads(bare.stdout)
        equal("facts", list(told), list(bare_told))
        equal("errors", done.stderr, bare.stderr)
        equal("slept", told["slept"], bare_told["slept"])

        events = daemon.lttng("view")
        ends = re.findall(r"gtrace:call_end: .* call = \( \"usleep\" : container = \d+ \)", events)
        equal("call_end of usleep in lttng view", len(ends), 100)
        assert re.search(r"gtrace:proc_handoff: .* reason = \( \"sysmon\" : ", events), "no label"

        timeline = daemon.lttng("view", f"--viewer={build.view}")
        assert re.search(r"^sleepers  pid \d+, mode handoff, 2 Ps", timeline, re.M), timeline
        for lane in ("P0", "P1", "threads"):
            assert re.search(rf"^{lane} ", timeline, re.M), f"no lane {lane}:\n{timeline}"

        report = subprocess.run([build.report, "--json", folder], capture_output=True, text=True,
                                check=True)
        workload, = json.loads(report.stdout)["workloads"]
        growth = sum(row["threads"] for row in workload["threads"]["growth"]
                     if row["call"] == "usleep")
        between("threads that usleep made", growth, 96, 100)
        daemon.lttng("destroy", "mine")


main()
