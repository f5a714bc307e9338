"""A terminal that a test made: it types, reads, changes the size, and starts a program there."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

from processes import PATIENCE


class Terminal:
    """Both ends of a terminal: `ours`, and `theirs` for a program."""

    def __init__(self, rows=24, columns=80):
        self.ours, self.theirs = pty.openpty()
        self.resize(rows, columns)
        self.modes = termios.tcgetattr(self.theirs)
        # What came and was not waited for yet.
        self.unread = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def start(self, words, **options):
        """Starts a program that controls the terminal; `options` are those of Popen."""
        def control():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        streams = {name: self.theirs for name in ("stdin", "stdout", "stderr")}
        return subprocess.Popen(words, **streams, preexec_fn=control, **options)

    def type(self, text):
        os.write(self.ours, text)

    def take(self, seconds):
        """What comes next, b"" where nothing does within so many seconds."""
        ready, _, _ = select.select([self.ours], [], [], max(0, seconds))
        return os.read(self.ours, 65536) if ready else b""

    def read(self, until=None, seconds=PATIENCE, is_over=lambda: False):
        """Reads until a text has come since the last time, until `is_over`, or for so many seconds.

        Returns whether the text has come.
        """
        end = time.monotonic() + seconds
        is_last = False
        while until is None or until not in self.unread:
            data = self.take(0 if is_last else min(0.05, end - time.monotonic()))
            self.unread += data
            if not data and is_last:
                return until is None
            # What it wrote before its end may come only now.
            is_last = not data and (time.monotonic() >= end or is_over())
        self.unread = self.unread.partition(until)[2]
        return True

    def has_modes_back(self):
        """Whether its modes are those of the beginning."""
        return termios.tcgetattr(self.theirs) == self.modes

    def close(self):
        for end in (self.ours, self.theirs):
            os.close(end)
