"""A place where a reader would type what a page says: a clone in a temporary folder, with a home of its own."""

import contextlib
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support" / "Python"))
from processes import PATIENCE, catches, queueing, take_signals_back, tree
from terminal import Terminal

take_signals_back()

# What every part of the bus of a Raspberry Pi answers where an example asks it: an upright ADXL345, an MPU-6050 face up.
PARTS = "adxl345@0x53=0.02,0.97,0.2 noise=no; mpu6050@0x68=0.02,0.1,0.98 noise=no"

# What is a copy in the sandbox, because a reader may change it; all else in the clone is a link.
COPIED = ("boards", "docs")

SCRIPT = """set -a
cd "$(cat "$SESSION/place")" && . "$SESSION/variables"
{ %s
}
__code=$?
export -p | grep -v ' \\(SESSION\\|LD_PRELOAD\\)=' >"$SESSION/variables"
pwd >"$SESSION/place"
exit $__code
"""


class Sandbox:
    """One reader's session: the folder, the variables and the files stay from command to command."""

    def __init__(self, project):
        root = project.root
        self.folder = tempfile.mkdtemp(prefix="plumb-documents-")
        self.clone = os.path.join(self.folder, "plumb")
        home, session = os.path.join(self.folder, "home"), os.path.join(self.folder, "session")
        # What is /tmp on a page: that of the machine may have something left by another run, or by another user.
        self.temporary = os.path.join(self.folder, "tmp")
        for made in (self.clone, home, session, self.temporary):
            os.mkdir(made)
        for name in os.listdir(root):
            there = os.path.join(root, name)
            if name in COPIED:
                shutil.copytree(there, os.path.join(self.clone, name), ignore=shutil.ignore_patterns(".build*"))
            elif name not in ("build", ".git") and not name.startswith(".build"):
                os.symlink(there, os.path.join(self.clone, name))
        build = os.path.join(self.clone, "build")
        os.mkdir(build)
        made = {name: os.path.join(root, "build", name) for name in os.listdir(os.path.join(root, "build"))}
        # What is tested, in place of what may be there from before.
        made |= {os.path.basename(path): path for path in (project.plumb, project.bridge)}
        for name, path in made.items():
            os.symlink(path, os.path.join(build, name))
        self.environment = {
            "PATH": f"{build}:{os.environ['PATH']}:/usr/sbin:/sbin", "HOME": home, "LANG": "C.UTF-8", "USER": "reader",
            "SESSION": session, "TMPDIR": self.folder, "PLUMB_STREAM": "none", "PLUMB_BOARD": "none", "PLUMB_BRIDGE": PARTS,
        }
        self.groups = []  # of processes, in which something may go on in the background
        self.ports, self.has_ports = project.ports, False
        # Below the temporary folder: LD_PRELOAD is split at blanks, and the path of a clone may have some.
        self.hardware = ":".join(os.path.join(build, name) for name in ("documents/liblines.so", "libPlumbBridge.so"))
        for name, text in (("place", self.clone), ("variables", "")):
            with open(os.path.join(session, name), "w", encoding="utf-8") as file:
                file.write(text)

    def reserve_ports(self):
        """From now on no other sandbox serves anything."""
        if not self.has_ports:
            self.ports.acquire()
            self.has_ports = True

    def end(self):
        for group in self.groups:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        if self.has_ports:
            self.ports.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    def variable(self, name):
        """What a page has set, or None."""
        with open(os.path.join(self.folder, "session", "variables"), encoding="utf-8") as file:
            match = re.search(rf'^declare -x {name}="(.*)"$', file.read(), re.MULTILINE)
        return match and match[1]

    def write(self, name, text):
        """A file in the clone; returns its path."""
        path = os.path.join(self.clone, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, command, keys=None, interrupt=False, needs_bus=False):
        """Runs a command; returns its exit code and all that it printed.

        `keys` are typed on a terminal of 80 by 24 that it then has; `interrupt` sends Ctrl-C when it is under way;
        with `needs_bus` an emulated bus and lines answer for those of a Raspberry Pi.
        """
        environment = dict(self.environment)
        if needs_bus:
            environment["LD_PRELOAD"] = self.hardware
        if keys:
            environment["TERM"] = "xterm-256color"
            terminal = Terminal()
            ours, theirs = terminal.ours, terminal.theirs
        else:
            ours, theirs = os.pipe()
        command = re.sub(r"(?<![\w/])/tmp(?=/)", self.temporary, command)
        process = subprocess.Popen(
            ["bash", "-c", SCRIPT % command], env=environment, stdin=theirs if keys else subprocess.DEVNULL,
            stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.groups.append(process.pid)
        try:
            code, printed = Watch(process, ours, keys, interrupt).finish()
            return code, printed.replace(self.temporary, "/tmp")
        finally:
            os.close(ours)


class Watch:
    """A process under way: what it prints is collected, keys or Ctrl-C are sent once, and it never outlives us."""

    def __init__(self, process, stream, keys, interrupt):
        self.process, self.stream, self.keys, self.interrupt = process, stream, keys, interrupt
        self.start = time.monotonic()
        self.first = None  # when it first printed
        self.printed = b""

    def finish(self):
        is_open = True
        while is_open and time.monotonic() - self.start < PATIENCE:
            if select.select([self.stream], [], [], 0.1)[0]:
                is_open = self.take()
            self.poke()
            if self.process.poll() is not None and not select.select([self.stream], [], [], 0)[0]:
                break
        late = self.process.poll() is None and not self.ends_soon()
        if late:
            os.killpg(self.process.pid, signal.SIGKILL)
        code = self.process.wait()
        text = self.printed.decode(errors="replace").replace("\r\n", "\n")
        return (None if late else code), text

    def take(self):
        try:
            data = os.read(self.stream, 65536)
        except OSError:  # the terminal has no one at its other end any more
            return False
        if data and self.first is None:
            self.first = time.monotonic()
        self.printed += data
        return bool(data)

    def poke(self):
        """Sends what is to be sent when the tool has had a second for itself since its first output, or three in silence."""
        if not (self.keys or self.interrupt):
            return
        now = time.monotonic()
        if not (self.first and now - self.first > 1 or now - self.start > 3) or not self.is_ready(now):
            return
        if self.keys:
            os.write(self.stream, self.keys.encode())
        else:
            os.killpg(self.process.pid, signal.SIGINT)
        self.keys = self.interrupt = None

    def is_ready(self, now):
        """Whether the tool takes what would be sent, and a busy machine has not kept it from printing what it has to print."""
        try:
            for member in tree(self.process.pid):
                with open(f"/proc/{member}/comm", encoding="utf-8") as file:
                    if file.read().strip() != "plumb":
                        continue
                ran = now - (self.first or self.start) - queueing(member)
                return bool(self.first or self.interrupt) and catches(member, signal.SIGINT) and ran > 1
        except OSError:
            pass  # one that has ended meanwhile
        return False

    def ends_soon(self):
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            return False
        return True
