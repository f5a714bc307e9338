"""A terminal for tests: types, reads, changes its size, and starts programs."""

import fcntl
import os
import pathlib
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time

from processes import PATIENCE

LEADER = pathlib.Path(__file__).resolve().with_name("session_leader.py")
MARK = b"\0drained\0"


class Job:
    """A program on a terminal, under a leader of its session; like a Popen."""

    def __init__(self, words, terminal, options):
        def control():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.report, theirs = socket.socketpair()
        streams = {name: terminal for name in ("stdin", "stdout", "stderr")}
        command = [sys.executable, "-I", "-S", str(LEADER), str(theirs.fileno()), *words]
        self.leader = subprocess.Popen(
            command, **streams, preexec_fn=control, pass_fds=[theirs.fileno()], **options)
        theirs.close()
        # Unbuffered: `select` would not see data that was read ahead.
        self.lines = self.report.makefile("rb", buffering=0)
        self.pid = int(self.lines.readline())
        self.returncode = None

    def wait(self, timeout=PATIENCE):
        """The exit code, negative for a signal; TimeoutExpired if it does not end."""
        if self.returncode is None:
            if not select.select([self.report], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.leader.args, timeout)
            self.returncode = int(self.lines.readline())
        return self.returncode

    def poll(self):
        """The exit code; None if it has not ended."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def close(self):
        """Ends the leader, and with it the rest of the session."""
        self.lines.close()
        self.report.close()
        self.leader.wait()


class Terminal:
    """Both ends of a terminal: `ours`, and `theirs` for a program."""

    def __init__(self, rows=24, columns=80):
        self.ours, self.theirs = pty.openpty()
        self.resize(rows, columns)
        self.modes = termios.tcgetattr(self.theirs)
        self.jobs = []
        # Output that was not awaited yet.
        self.unread = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def start(self, words, **options):
        """Starts a program that controls the terminal; `options` are those of Popen."""
        self.jobs.append(Job(words, self.theirs, options))
        return self.jobs[-1]

    def type(self, text):
        os.write(self.ours, text)

    def take(self, seconds):
        """The next output; b"" if none comes within that many seconds."""
        ready, _, _ = select.select([self.ours], [], [], max(0, seconds))
        return os.read(self.ours, 65536) if ready else b""

    def drain(self):
        """All output written until now, however late the kernel delivers it."""
        # A separate open file, so the program's own is unchanged.
        descriptor = os.open(os.ttyname(self.theirs), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        data, unsent, end = b"", MARK, time.monotonic() + PATIENCE
        try:
            while MARK not in data and time.monotonic() < end:
                if unsent:
                    try:
                        unsent = unsent[os.write(descriptor, unsent) :]
                    except BlockingIOError:
                        pass
                data += self.take(0.05)
        finally:
            os.close(descriptor)
        return data.replace(MARK, b"")

    def read(self, until=None, seconds=PATIENCE, is_over=lambda: False):
        """Reads until a text has come since the last call, until `is_over`, or for that many seconds.

        Returns whether the text has come.
        """
        end = time.monotonic() + seconds
        is_last = False
        while until is None or until not in self.unread:
            if is_last:
                return until is None
            if is_over():
                self.unread += self.drain()
                is_last = True
            else:
                is_last = time.monotonic() >= end
                self.unread += self.take(0 if is_last else min(0.05, end - time.monotonic()))
        self.unread = self.unread.partition(until)[2]
        return True

    def has_modes_back(self):
        """Whether its modes are the initial ones."""
        return termios.tcgetattr(self.theirs) == self.modes

    def hang_up(self):
        for end in (self.ours, self.theirs):
            os.close(end)

    def close(self):
        self.hang_up()
        self.end_jobs()

    def end_jobs(self):
        for job in self.jobs:
            job.close()
