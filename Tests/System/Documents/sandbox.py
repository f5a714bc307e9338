"""Where a reader would type the commands of a page: a clone in a temporary folder, with its own home folder."""

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

# Parts that respond on every Raspberry Pi bus that an example uses: an upright ADXL345, an MPU-6050 face up.
PARTS = "adxl345@0x53=0.02,0.97,0.2 noise=no; mpu6050@0x68=0.02,0.1,0.98 noise=no"

# Copied into the sandbox, because a reader may change them; everything else in the clone is a link. So is `docs`, with
# its hundreds of files, until a command names it.
COPIED = ("boards",)

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
    """One reader's session: the folder, the variables and the files persist from command to command."""

    def __init__(self, project):
        root = project.root
        self.folder = tempfile.mkdtemp(prefix="plumb-documents-")
        self.clone = os.path.join(self.folder, "plumb")
        home, session = os.path.join(self.folder, "home"), os.path.join(self.folder, "session")
        # Stands for /tmp on a page: the machine's may contain files of another run or another user.
        self.temporary = os.path.join(self.folder, "tmp")
        for made in (self.clone, home, session, self.temporary):
            os.mkdir(made)
        for name in os.listdir(root):
            there = os.path.join(root, name)
            if name in COPIED:
                self.copy(there, name)
            elif name not in ("build", ".git") and not name.startswith(".build"):
                os.symlink(there, os.path.join(self.clone, name))
        build = os.path.join(self.clone, "build")
        os.mkdir(build)
        made = {name: os.path.join(root, "build", name) for name in os.listdir(os.path.join(root, "build"))}
        # The programs under test, in place of any that exist already.
        made |= {os.path.basename(path): path for path in (project.plumb, project.bridge)}
        for name, path in made.items():
            os.symlink(path, os.path.join(build, name))
        self.environment = {
            "PATH": f"{build}:{os.environ['PATH']}:/usr/sbin:/sbin", "HOME": home, "LANG": "C.UTF-8", "USER": "reader",
            "SESSION": session, "TMPDIR": self.folder, "PLUMB_STREAM": "none", "PLUMB_BOARD": "none", "PLUMB_BRIDGE": PARTS,
        }
        self.groups = []  # of processes that may still run in the background
        self.ports, self.has_ports = project.ports, False
        # In the temporary folder: LD_PRELOAD is split at blanks, and the path of a clone may contain some.
        self.hardware = ":".join(os.path.join(build, name) for name in ("documents/liblines.so", "libPlumbBridge.so"))
        for name, text in (("place", self.clone), ("variables", "")):
            with open(os.path.join(session, name), "w", encoding="utf-8") as file:
                file.write(text)

    def copy(self, there, name):
        shutil.copytree(there, os.path.join(self.clone, name), ignore=shutil.ignore_patterns(".build*"))

    def copy_docs(self):
        link = os.path.join(self.clone, "docs")
        if os.path.islink(link):
            there = os.readlink(link)
            os.unlink(link)
            self.copy(there, "docs")

    def reserve_ports(self):
        """Keeps other sandboxes from serving anything from now on."""
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
        """The value of a variable that a page has set, or None."""
        with open(os.path.join(self.folder, "session", "variables"), encoding="utf-8") as file:
            match = re.search(rf'^declare -x {name}="(.*)"$', file.read(), re.MULTILINE)
        return match and match[1]

    def write(self, name, text):
        """Writes a file in the clone; returns its path."""
        if name.startswith("docs/"):
            self.copy_docs()
        path = os.path.join(self.clone, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, command, keys=None, interrupt=False, needs_bus=False):
        """Runs a command; returns its exit code and everything that it printed.

        `keys` are typed on a terminal of 80 by 24, which it gets in that case; `interrupt` sends Ctrl-C while it runs;
        with `needs_bus` an emulated bus and lines replace those of a Raspberry Pi.
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
        if "docs" in command:
            self.copy_docs()
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
    """A running process: collects its output, sends keys or Ctrl-C once, and never outlives us."""

    def __init__(self, process, stream, keys, interrupt):
        self.process, self.stream, self.keys, self.interrupt = process, stream, keys, interrupt
        self.start = time.monotonic()
        self.first = None  # when it printed its first output
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
        except OSError:  # the other end of the terminal is closed
            return False
        if data and self.first is None:
            self.first = time.monotonic()
        self.printed += data
        return bool(data)

    def poke(self):
        """Sends the keys or Ctrl-C one second after the tool's first output, or after three seconds of silence."""
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
        """Whether the tool is ready for input, and not kept by a busy machine from printing what it has to print."""
        try:
            for member in tree(self.process.pid):
                with open(f"/proc/{member}/comm", encoding="utf-8") as file:
                    if file.read().strip() != "plumb":
                        continue
                ran = now - (self.first or self.start) - queueing(member)
                return bool(self.first or self.interrupt) and catches(member, signal.SIGINT) and ran > 1
        except OSError:
            pass  # it has ended meanwhile
        return False

    def ends_soon(self):
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            return False
        return True
