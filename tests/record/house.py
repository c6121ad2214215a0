# SPDX-License-Identifier: MIT
"""What every case of the tests of `gtrace record` needs: a house of its own.

A case runs in a mount namespace with its own /dev/shm and /var/run/lttng where
that is permitted, with its own TMPDIR, and with a mark in the environment by
which every process that it starts is found again.  When it is over nothing may
be left: no process, no temporary file, no shared memory.
"""

import contextlib
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import uuid

from lttng_private import DEADLINE, RUN_FOLDER, SKIP, can_unshare, marked, read_events, wait_for

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
ISOLATED = "GTRACE_TEST_ISOLATED"


def skip(why):
    """End this case as skipped."""
    print("skipped:", why)
    sys.exit(SKIP)


def isolate():
    """Start this script again in a mount namespace of its own, if permitted."""
    if os.environ.get(ISOLATED) or not can_unshare():
        return
    os.makedirs(RUN_FOLDER, exist_ok=True)
    script = ("mount --make-rprivate / && mount -t tmpfs -o size=512m,mode=1777 none /dev/shm && "
              f"mount -t tmpfs none {RUN_FOLDER} && exec \"$@\"")
    os.environ[ISOLATED] = "1"
    os.execvp("unshare", ["unshare", "-m", "sh", "-c", script, "sh", sys.executable] + sys.argv)


def need_isolation():
    """Skip where this case cannot have its own mounts."""
    if not os.environ.get(ISOLATED):
        skip("needs root and mount namespaces")


class House:
    """Folders, environment and cleanup of one case."""

    def __init__(self, gtrace, programs):
        self.gtrace = os.path.abspath(gtrace)
        self.programs = os.path.abspath(programs)
        self.library = os.path.join(os.path.dirname(self.gtrace), "../preload/libgtrace.so")
        self.folder = tempfile.mkdtemp(prefix="gtrace-house-", dir="/tmp")
        self.mark = f"GTRACE_TEST_MARK={uuid.uuid4()}"
        self.temporary = self.path("t")
        self.as_user = []  # words before a command: as which user
        os.chmod(self.folder, 0o755)
        for name in ("t", "work", "home"):
            os.mkdir(self.path(name))
            os.chmod(self.path(name), 0o777)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def become_nobody(self):
        """From here on commands run as a plain user."""
        if os.geteuid() != 0:
            return
        test = subprocess.run(NOBODY + ["test", "-x", self.gtrace], check=False)
        if test.returncode:
            skip("a plain user cannot reach the build")
        self.as_user = NOBODY

    def environment(self, **more):
        environment = dict(os.environ, TMPDIR=self.temporary, HOME=self.path("home"), LC_ALL="C")
        for name in ("LD_PRELOAD", "GTRACE_MODE", "LTTNG_HOME"):
            environment.pop(name, None)
        name, value = self.mark.split("=")
        environment[name] = value
        environment.update(more)
        return environment

    def words(self, args, gtrace=None):
        return self.as_user + [gtrace or self.gtrace, *args]

    def run(self, *args, gtrace=None, env=None, before=(), **options):
        """Run gtrace with args in the folder work; its CompletedProcess."""
        options = {"capture_output": True, "text": True, "timeout": DEADLINE,
                   "cwd": self.path("work")} | options
        return subprocess.run(list(before) + self.words(args, gtrace), check=False,
                              env=self.environment(**(env or {})), **options)

    def start(self, *args, env=None, before=(), **options):
        """The same without waiting; its Popen."""
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                   "text": True, "cwd": self.path("work")} | options
        return subprocess.Popen(list(before) + self.words(args),
                                env=self.environment(**(env or {})), **options)

    def start_in_terminal(self, *args):
        """gtrace in the foreground of a new terminal: (pid, the terminal)."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.path("work"))
            os.execvpe(self.words(args)[0], self.words(args), self.environment())
        return pid, terminal

    def events(self, folder, name=None):
        """Events in a recording below the folder work."""
        return [e for e in read_events(self.path("work", folder)) if name in (None, e.name)]

    def tree(self, name, library=None, report=None):
        """A copy of gtrace with another library or viewer beside it."""
        for part in ("tracer", "preload", "viewer"):
            os.makedirs(self.path(name, part))
        shutil.copy(self.gtrace, self.path(name, "tracer", "gtrace"))
        if library:
            shutil.copy(library, self.path(name, "preload", "libgtrace.so"))
        if report:
            self.script(os.path.join(name, "viewer", "gtrace-report"), report)
        return self.path(name, "tracer", "gtrace")

    def script(self, name, text):
        """Write an executable file."""
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def nothing_left(self):
        wait_for(lambda: not marked(self.mark), "all processes have ended")
        left = os.listdir(self.temporary)
        assert not left, f"temporary files left: {left}"
        if os.environ.get(ISOLATED):
            # liblttng-ust makes these once for every user and keeps them.
            left = [f for f in os.listdir("/dev/shm") if not f.startswith("lttng-ust-wait-")]
            assert not left, f"shared memory left: {left}"

    def destroy(self):
        for pid in marked(self.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)
        shutil.rmtree(self.folder, ignore_errors=True)
