"""A terminal of a program's own, and what has come of it."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

from harness import PATIENCE, Scratch, environment

# What begins drawing and what ends it: the other screen, and the cursor that is shown again.
BEGIN, END = b"\x1b[?1049h", b"\x1b[?1049l"


class Terminal:
    """A program on a terminal of its own, which it controls."""

    def __init__(self, words, folder, rows=24, columns=80, **variables):
        # What has come and was not waited for yet.
        self.told = b""
        master, slave = pty.openpty()
        self.master, self.slave = master, slave
        self.resize(rows, columns)
        self.modes = termios.tcgetattr(slave)

        def own_it():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(words, cwd=folder, stdin=slave, stdout=slave, stderr=slave, preexec_fn=own_it,
                                        env=environment(**variables))

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.master, text)

    def read(self, until=None, seconds=PATIENCE):
        """Reads until that text has come since the last time, or for so many seconds; tells whether it has."""
        end = time.monotonic() + seconds
        while until is None or until not in self.told:
            ready, _, _ = select.select([self.master], [], [], max(0, min(0.05, end - time.monotonic())))
            if ready:
                self.told += os.read(self.master, 65536)
            elif time.monotonic() >= end or self.process.poll() is not None:
                return until is None
        self.told = self.told.partition(until)[2]
        return True

    def end(self):
        """Reads to the end of the program. Returns its code, None where it does not end; what it said is in `told`."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read(seconds=0.05)
        self.read(seconds=0)
        code = self.process.poll()
        self.process.kill()
        self.process.wait()
        return code

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def complaint(self, code, codes):
        """What is wrong with the terminal and the code after the program; None if nothing is."""
        if code not in codes:
            return f"it ended with {code}, not {codes}: {self.told[-500:]!r}"
        if termios.tcgetattr(self.slave) != self.modes:
            return "the modes of the terminal are not what they were"
        return None


def watching(call, size=(24, 80), **variables):
    """A terminal on which the drawing has begun."""
    scratch = Scratch()
    terminal = Terminal(scratch.words(call), scratch.folder, *size, **variables)
    return scratch, terminal, terminal.read(BEGIN)
