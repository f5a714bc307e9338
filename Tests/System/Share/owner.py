"""Owners under attack, `plumbd` and `plumb run --share`, and what can be seen of them from outside."""

import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "Support" / "Python"), str(HERE.parent / "Daemon")]
from processes import (
    MEMORY, PATIENCE, PLUMB, major_faults, plain_environment, queueing, resident_bytes, stolen, waiting_for_disk, wait_until)
from program import PLUMBD, board

RATE = 100
SEATS = 16
TOKEN = "a-token-of-the-tests"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Owner:
    """An owner of an ADXL345 at 100 Hz on a board that turns all the time. `kind` is plumbd or plumb.

    Use it in a `with` statement so that it never outlives a test. `tcp` is HOST:PORT; `before` are words before its
    command.
    """

    # The server of its bus, and the contents of its board file.
    host_command = (str(HERE / "host.py"),)
    board = board(rate=RATE)

    def __init__(self, kind, tcp=None, token=None, before=(), folder=None, environment=None):
        self.kind, self.before, self.environment = kind, before, environment or {}
        self.own = None if folder else tempfile.TemporaryDirectory(prefix="plumb-share-", dir=MEMORY)
        self.folder = folder or self.own.name
        self.path = os.path.join(self.folder, "stream")
        self.address = "unix:" + self.path
        self.tcp = tcp
        self.token_file = None
        if token:
            self.token_file = os.path.join(self.folder, "token")
            with open(self.token_file, "w", encoding="ascii", opener=lambda p, f: os.open(p, f, 0o600)) as file:
                file.write(token + "\n")
        self.log = os.path.join(self.folder, f"log-{kind}")
        self.host = None
        self.pid = None
        self.start()

    def command(self):
        file = os.path.join(self.folder, f"{self.kind}.ini")
        text = self.board
        shares = [self.address] + (["tcp:" + self.tcp] if self.tcp else [])
        if self.kind == "plumbd":
            text += f"[share]\nsocket = {self.path}\n"
            text += f"tcp = {self.tcp}\n" if self.tcp else ""
            text += f"tcp-token-file = {self.token_file}\n" if self.token_file else ""
        with open(file, "w", encoding="utf-8") as handle:
            handle.write(text)
        if self.kind == "plumbd":
            return [PLUMBD, "--board", file]
        words = [str(PLUMB), "run", "--board", file, "--format", "json"]
        for share in shares:
            words += ["--share", share]
        return words + (["--token-file", self.token_file] if self.token_file else [])

    def start(self):
        """Starts it without waiting until it is ready."""
        # pylint: disable=consider-using-with
        self.host = subprocess.Popen(
            [sys.executable, "-B", *self.host_command, self.log, *self.before, *self.command()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=plain_environment(**self.environment))
        self.pid = self.number()

    def number(self):
        """The next number that the host prints."""
        if not select.select([self.host.stdout], [], [], PATIENCE)[0]:
            raise AssertionError(f"{self.kind} does not end; it printed {self.printed()}")
        return int(self.host.stdout.readline())

    def await_socket(self):
        """Waits until it listens."""
        def listens():
            with socket.socket(socket.AF_UNIX) as probe:
                try:
                    probe.connect(self.path)
                except OSError:
                    if self.host.poll() is not None:
                        raise AssertionError(f"it ended: {self.printed()}") from None
                    return False
                return True
        wait_until(listens, f"{self.kind} listens at {self.path}")
        return self

    def end(self):
        """Waits for it to end; returns its exit code, negative for a signal."""
        code = self.number()
        self.host.communicate()
        self.pid = None
        return code

    def stop(self, number=signal.SIGTERM):
        os.kill(self.pid, number)
        return self.end()

    def fail(self, code):
        """Lets each transfer on its bus end with an error (errno) from now on; 0 for none."""
        self.host.stdin.write(b"%d\n" % code)

    def printed(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def summary(self):
        """The counters that `plumb run` prints when it ends."""
        return json.loads(self.printed().splitlines()[-1])

    def memory(self):
        return resident_bytes(self.pid)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def delays(self):
        """How long owner and bus were ready to run while other programs had the processors, s; and what they had to
        read from the disk again: how often, and how long programs have waited for it, s."""
        both = (self.pid, self.host.pid)
        return sum(map(queueing, both)) + stolen(), sum(map(major_faults, both)), waiting_for_disk()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pid is not None:
            self.host.communicate()
        if self.own:
            self.own.cleanup()
