# SPDX-License-Identifier: MIT
"""The programs in README.md and grt.3 compile, run, and do what is said of them.

Usage: examples_test.py BUILD SOURCE
"""

import os
import re
import subprocess
import sys

from recording import Build, Recording, between, environment, equal, grown_by


def read(build, name):
    with open(os.path.join(build.source, name), encoding="utf-8") as file:
        return file.read()


def compile_program(build, source, app):
    with open(app + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    library = os.path.join(build.build, "runtime")
    subprocess.run(["cc", "-g", "-Wall", "-Wextra", "-Werror", app + ".c", "-o", app,
                    f"-I{build.source}/runtime", f"-L{library}", "-lgrt",
                    f"-Wl,-rpath,{library}"], check=True)


def readme_example(build):
    program, = re.findall(r"^```c\n(.*?)^```", read(build, "README.md"), re.M | re.S)
    with Recording(build) as recording:
        app = os.path.join(recording.root, "app")
        compile_program(build, program, app)
        workload = recording.record_one([app], GRT_PROCS=1)
        equal("output", recording.done.stdout, "done\n")
        rows = grown_by(workload, "usleep")
        equal("who made the threads", [row["function"] for row in rows], ["work"])
        between("threads", rows[0]["threads"], 50, 99)


def manual_example(build):
    program, = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", read(build, "runtime/grt.3"),
                          re.M | re.S)
    with Recording(build) as recording:
        app = os.path.join(recording.root, "app")
        compile_program(build, program.replace("\\e", "\\"), app)
        for procs in (1, 2, 4):
            done = subprocess.run([app], env=environment(GRT_PROCS=procs), capture_output=True,
                                  text=True, check=True)
            equal("output", done.stdout, "10\n")


def main():
    build = Build(sys.argv[1], sys.argv[2])
    readme_example(build)
    manual_example(build)


main()
