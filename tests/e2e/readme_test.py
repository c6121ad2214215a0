# SPDX-License-Identifier: MIT
"""The program in the README compiles, runs, and does what is said of it.

Usage: readme_test.py BUILD SOURCE
"""

import os
import re
import subprocess
import sys

from recording import Build, Recording, between, equal, grown_by


def main():
    build = Build(sys.argv[1], sys.argv[2])
    with open(os.path.join(build.source, "README.md"), encoding="utf-8") as readme:
        program, = re.findall(r"^```c\n(.*?)^```", readme.read(), re.M | re.S)
    with Recording(build) as recording:
        app = os.path.join(recording.root, "app")
        with open(app + ".c", "w", encoding="utf-8") as source:
            source.write(program)
        library = os.path.join(build.build, "runtime")
        subprocess.run(["cc", "-g", "-Wall", "-Wextra", "-Werror", app + ".c", "-o", app,
                        f"-I{build.source}/runtime", f"-L{library}", "-lgrt",
                        f"-Wl,-rpath,{library}"], check=True)
        workload = recording.record_one([app], GRT_PROCS=1)
        equal("output", recording.done.stdout, "done\n")
        rows = grown_by(workload, "usleep")
        equal("who made the threads", [row["function"] for row in rows], ["work"])
        between("threads", rows[0]["threads"], 50, 99)


main()
