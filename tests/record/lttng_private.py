# SPDX-License-Identifier: MIT
"""A private LTTng session daemon for tests, and the events of a recording.

Nothing here touches the daemon of the user who runs the tests: root's daemon
gets a mount namespace in which /var/run/lttng is a folder of the test, or runs
as nobody where that is forbidden; other users get an LTTNG_HOME of their own.
Everything ends with the `with` block.

    with PrivateDaemon() as daemon:
        events = daemon.record(["build/workloads/sleepers"], preload="…/libgtrace.so")
"""

import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time

SKIP = 77  # exit code that meson counts as "skipped"
RUN_FOLDER = "/var/run/lttng"
AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
             "--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
DEADLINE = 60  # seconds after which something is broken, never a measure


class Event(dict):
    """The fields of one event; .name without its provider, .ns since boot."""

    def __init__(self, name, ns, fields):
        super().__init__(fields)
        self.name = name
        self.ns = ns


def can_unshare():
    """Whether this process may have mount namespaces (root only)."""
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0


def wait_for(condition, what):
    """Poll until condition() is true; its value is returned."""
    limit = time.monotonic() + DEADLINE
    while time.monotonic() < limit:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"never happened: {what}")


def marked(marker):
    """Pids of all processes whose environment at their start has `marker`."""
    pids = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if marker.encode() in file.read().split(b"\0"):
                    pids.append(int(entry))
        except OSError:
            pass  # ended meanwhile, or not ours
    return pids


class PrivateDaemon:
    """lttng-sessiond in a temporary folder."""

    def __init__(self):
        self.home = None
        self.process = None
        self.own_mounts = can_unshare()
        self.as_nobody = os.geteuid() == 0 and not self.own_mounts

    def __enter__(self):
        self.home = tempfile.mkdtemp(prefix="gtrace-test-", dir="/tmp")
        for folder in ("load", "run", ".lttng"):
            os.mkdir(os.path.join(self.home, folder))
            if self.as_nobody:
                os.chown(os.path.join(self.home, folder), 65534, 65534)
        if self.as_nobody:
            os.chown(self.home, 65534, 65534)
        daemon = ["lttng-sessiond", "--no-kernel", f"--load={self.home}/load",
                  f"--apps-sock={self.home}/.lttng/lttng-ust-sock-8", "--sig-parent"]
        # The shell stays the parent and says when the daemon has said so.
        ready = 'trap "echo ready" USR1; "$@" >&2 & while ! wait $!; do [ -d /proc/$! ] || exit 1; done'
        command = ["sh", "-c", ready, "sh"] + daemon
        if self.as_nobody:
            command = AS_NOBODY + command
        if self.own_mounts:
            os.makedirs(RUN_FOLDER, exist_ok=True)
            bind = 'mount --make-rprivate / && mount --bind "$1" "$2" && shift 2 && exec "$@"'
            command = ["unshare", "-m", "sh", "-c", bind, "sh", f"{self.home}/run",
                       RUN_FOLDER] + command
        log = open(os.path.join(self.home, "log"), "wb")
        self.process = subprocess.Popen(command, env=self.environment(), stdout=subprocess.PIPE,
                                        stderr=log, start_new_session=True)
        log.close()
        if not select.select([self.process.stdout], [], [], DEADLINE)[0] or \
                self.process.stdout.readline() != b"ready\n":
            with open(os.path.join(self.home, "log"), encoding="utf-8") as file:
                reason = file.read()
            self.__exit__(None, None, None)
            raise RuntimeError("no private session daemon: " + reason)
        return self

    def __exit__(self, *_):
        # The daemon and its children are one process group; its shell leads it.
        for number in (signal.SIGTERM, signal.SIGKILL):
            limit = time.monotonic() + 10
            while self._signal(number) and time.monotonic() < limit:
                number = 0
                time.sleep(0.01)
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def _signal(self, number):
        """Send to the group; False: nobody is left in it."""
        self.process.poll()
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            return False
        return True

    def environment(self, **more):
        """What a program needs so that its liblttng-ust finds this daemon."""
        environment = dict(os.environ, LTTNG_HOME=self.home, LTTNG_UST_REGISTER_TIMEOUT="30000")
        environment.pop("LD_PRELOAD", None)
        environment.update(more)
        return environment

    def inside(self, cwd=None):
        """Words before a command that talks to this daemon: where it runs."""
        if self.as_nobody:
            return AS_NOBODY + ["env", "-C", cwd or os.getcwd()]
        if not self.own_mounts:
            return []
        return ["nsenter", "--mount", "-t", str(self.process.pid), "env", "-C", cwd or os.getcwd()]

    def run(self, command, cwd=None, **options):
        """Run a command that talks to this daemon; its CompletedProcess."""
        options.setdefault("env", self.environment())
        options.setdefault("timeout", DEADLINE)
        return subprocess.run(self.inside(cwd) + list(command), cwd=cwd, check=False, **options)

    def lttng(self, *words):
        """Run lttng; returns what it printed."""
        done = self.run(["lttng", "--no-sessiond", *words], stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise RuntimeError(f"lttng {' '.join(words)}: {done.stdout}")
        return done.stdout

    def begin(self, folder, session="test", sub_buffer="4M"):
        """Start to record all events of gtrace into folder."""
        self.lttng("create", session, f"--output={os.path.abspath(folder)}")
        self.lttng("enable-channel", "-u", "-s", session, f"--subbuf-size={sub_buffer}",
                   "--num-subbuf=4", "ch")
        self.lttng("enable-event", "-u", "-s", session, "-c", "ch", "gtrace:*")
        self.lttng("start", session)

    def end(self, session="test"):
        """Stop it again; all data is in the folder then."""
        self.lttng("stop", session)
        self.lttng("destroy", session)

    def record(self, command, folder=None, preload=None, env=None, **options):
        """Run a command while recording; returns (CompletedProcess, events)."""
        folder = folder or os.path.join(self.home, "trace")
        more = dict(env or {})
        if preload:
            more["LD_PRELOAD"] = preload
        self.begin(folder)
        options.setdefault("timeout", DEADLINE)
        try:
            done = subprocess.run(command, env=self.environment(**more), check=False, **options)
        finally:
            self.end()
        return done, read_events(folder)


# --- events of a recording ---------------------------------------------------

# [seconds since boot] host provider:name: { packet }, { fields }
LINE = re.compile(r"^\[(\d+)\.(\d{9})\] \S+ (?:\S+:)??(?P<name>[a-z_0-9]+:[a-z_0-9]+): "
                  r"\{.*?\}(?:, \{ .*? \})??, (?P<fields>\{.*\})$")
TOKEN = re.compile(r'\s*("(?:\\.|[^"\\])*"|0x[0-9a-fA-F]+|-?[0-9]+|[A-Za-z_][A-Za-z_0-9]*|'
                   r"[{}()\[\]=:,])")


class _Fields:
    """Values as babeltrace2 prints them; an enum becomes its label."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0

    def take(self, expected=None):
        token = self.tokens[self.at]
        if expected and token != expected:
            raise ValueError(f"{expected} expected, {token} found")
        self.at += 1
        return token

    def value(self):
        token = self.take()
        if token == "{":
            return self.structure()
        if token == "[":
            return self.array()
        if token == "(":
            label = self.take()
            while self.take() != ")":
                pass
            return label.strip('"')
        if token[0] == '"':
            return re.sub(r"\\(.)", r"\1", token[1:-1])
        return int(token, 0)

    def structure(self):
        fields = {}
        while self.tokens[self.at] != "}":
            name = self.take()
            self.take("=")
            fields[name] = self.value()
            if self.tokens[self.at] == ",":
                self.take()
        self.take("}")
        return fields

    def array(self):
        values = []
        while self.tokens[self.at] != "]":
            self.take("[")
            self.take()
            self.take("]")
            self.take("=")
            values.append(self.value())
            if self.tokens[self.at] == ",":
                self.take()
        self.take("]")
        return values


def read_events(folder, provider="gtrace"):
    """All events of a recording in the order of time."""
    done = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", folder],
                          capture_output=True, text=True, check=False, timeout=DEADLINE,
                          env=dict(os.environ, LC_ALL="C.UTF-8"))
    if done.returncode:
        raise RuntimeError(f"babeltrace2 {folder}: {done.stderr}")
    events = []
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if not match:
            raise ValueError(f"cannot read: {line}")
        owner, name = match["name"].split(":")
        if owner == provider:
            ns = int(match[1]) * 1_000_000_000 + int(match[2])
            events.append(Event(name, ns, _Fields(match["fields"]).value()))
    return events
