"""plumbd under test: starts it on a bus of kernel.py, reads its lines and sets its environment."""

import os
import pathlib
import re
import select
import signal
import socket
import struct
import sys
import tempfile
import time

from kernel import Kernel
from sensors import ADXL345, POSES

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support" / "Python"))
from processes import PATIENCE, ROOT, take_signals_back, wait_until

take_signals_back()

PLUMBD = os.path.abspath(os.environ.get("PLUMBD", ROOT / "build" / "plumbd"))

# asm-generic/socket.h; Python's module lacks it.
SO_TIMESTAMP = 29

# The words for each pose in the journal.
WORDS = {
    "portrait": "portrait", "portraitUpsideDown": "portrait, upside down", "landscapeLeft": "landscape, left edge down",
    "landscapeRight": "landscape, right edge down", "faceUp": "face up", "faceDown": "face down",
}


def board(address=0x53, rate=100, bus="/dev/i2c-1", lines="emulated", extra=""):
    """The text of a board file."""
    names = "".join(f"{name} = {17 + index}\n" for index, name in enumerate(POSES))
    return (
        f"[i2c]\nbus = {bus}\n[sensor]\nmodel = adxl345\naddress = 0x{address:02X}\nrate = {rate}\n{extra}"
        f"[lines]\nchip = {lines}\n{names}"
    )


class Program:
    """A running plumbd. Use it in a `with` statement so that it never outlives a test."""

    # The command before the name of the board file.
    command = (PLUMBD, "--board")

    def __init__(self, kernel=None, text=None, arguments=(), environment=None, before=()):
        self.kernel = kernel or Kernel({0x53: ADXL345()})
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "board.ini")
        self.describe(text or board())
        self.output, stdout = os.pipe()
        self.errors, stderr = os.pipe()
        self.rest = {self.output: b"", self.errors: b""}
        # As last printed.
        self.pose = None
        # For `make coverage`: the destination of its counters.
        known = {name: os.environ[name] for name in ("PATH", "LLVM_PROFILE_FILE") if name in os.environ}
        inherited = known | (environment or {})
        command = [*before, *self.command, self.file, *arguments]
        self.pid = self.kernel.start(command, inherited, stdout=stdout, stderr=stderr)
        self.code = None
        os.close(stdout)
        os.close(stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.code is None:
            if "LLVM_PROFILE_FILE" in os.environ:
                self.end_well()
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.output)
        os.close(self.errors)
        self.folder.cleanup()

    def end_well(self):
        """Lets the program end normally: `make coverage` needs the counters that it writes then."""
        os.kill(self.pid, signal.SIGTERM)
        end = time.monotonic() + 5
        while os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None and time.monotonic() < end:
            time.sleep(0.01)

    def describe(self, text):
        """Replaces the board file."""
        with open(self.file + "~", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(self.file + "~", self.file)

    def line(self, stream=None):
        """The next line of standard output, or of `stream`; None at the end."""
        stream = self.output if stream is None else stream
        end = time.monotonic() + PATIENCE
        while b"\n" not in self.rest[stream]:
            if not select.select([stream], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"no line came; so far {self.rest[stream]!r}")
            data = os.read(stream, 65536)
            if not data:
                return None
            self.rest[stream] += data
        line, _, self.rest[stream] = self.rest[stream].partition(b"\n")
        if pose := re.search(b"(?:^|: )pose: (.+)", line):
            self.pose = pose[1]
        return line.decode()

    def line_of_pose(self):
        """The next line of standard output that is not about a stall of this computer: no recent sample, the end of that,
        and the same pose again."""
        has_stalled = False
        while True:
            before, line = self.pose, self.line()
            if line is not None and "no recent sample" in line:
                has_stalled = True
            elif line is None or not has_stalled or self.pose != before:
                return line

    def line_after(self, pattern):
        """The next line of standard output that matches `pattern`; skips those before it."""
        while True:
            line = self.line()
            if line is None:
                raise AssertionError(f"no line matched {pattern!r}; standard error says {self.line(self.errors)!r}")
            if re.search(pattern, line):
                return line

    def signal(self, number):
        os.kill(self.pid, number)

    def end(self):
        """Waits for the end and returns the exit code, negative for a signal."""
        _, status = wait_until(
            lambda: (found := os.waitpid(self.pid, os.WNOHANG))[0] and found, "the program ends", 0.005)
        self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def stop(self):
        """Asks it to end and returns the exit code."""
        self.signal(signal.SIGTERM)
        return self.end()


def traced(log, after="pose: portrait"):
    """The lines that strace wrote about an ended program, from the one that begins with `after`, its first pose, to
    SIGTERM."""
    def lines():
        with open(log, encoding="utf-8") as file:
            found = file.read().splitlines()
        return found if found and "+++ exited" in found[-1] else None
    found = wait_until(lines, "strace ends", 0.05)
    begin = next(n for n, line in enumerate(found) if f'write(1, "{after}' in line) + 1
    end = next(n for n, line in enumerate(found) if "--- SIGTERM" in line)
    return found[begin:end]


class Manager:
    """A service manager's socket. `name` is a path or begins with @."""

    def __init__(self, name):
        self.name = name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + name[1:] if name.startswith("@") else name)
        self.socket.settimeout(PATIENCE)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMP, 1)
        # When the last message was sent, in seconds, by the kernel's timestamp, so a late test does not matter.
        self.sent = None

    def message(self):
        data, ancillary, _, _ = self.socket.recvmsg(4096, 64)
        seconds, microseconds = struct.unpack("@ll", ancillary[0][2])
        self.sent = seconds + microseconds / 1e6
        return data.decode()

    def message_after(self, pattern):
        while True:
            message = self.message()
            if re.search(pattern, message):
                return message
