"""A Pico's serial port as a pseudo-terminal, for real clients: the one place where real time plays a part.

The Pico never runs ahead of real time. On a slow machine it falls behind, which a client sees as a slow board.
"""

import os
import pty
import select
import subprocess
import tempfile
import time
import tty

STEP = 0.02


class Port:
    """The port of a Pico, `over` "usb" or "uart", as a terminal at `path`."""

    def __init__(self, pico, over="usb"):
        self.pico, self.over = pico, over
        self.lines = pico.usb_lines if over == "usb" else pico.serial
        self.lines.raw = bytearray()
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        os.set_blocking(self.master, False)
        # From now on the master sees whether a client has it open.
        os.close(slave)
        self.poll = select.poll()
        self.poll.register(self.master, select.POLLIN | select.POLLOUT)
        self.is_open = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.master)
        self.lines.raw = None

    def pump(self):
        """What a cable does in a moment."""
        state = self.poll.poll(0)[0][1]
        is_open = not state & select.POLLHUP
        if is_open != self.is_open:
            self.is_open = is_open
            self.lines.raw.clear()
            if self.over == "usb":
                (self.pico.usb.open if is_open else self.pico.usb.close)()
        if state & select.POLLIN and is_open:
            (self.pico.usb.send if self.over == "usb" else self.pico.type)(os.read(self.master, 4096))
        if self.lines.raw and is_open and state & select.POLLOUT:
            try:
                del self.lines.raw[:os.write(self.master, self.lines.raw)]
            except BlockingIOError:
                pass

    def run(self, seconds, until=None):
        """Lets time pass on both sides, until a limit in the Pico's time; returns whether `until` has become true."""
        start, begun = self.pico.seconds, time.monotonic()
        while (passed := self.pico.seconds - start) < seconds:
            self.pump()
            if until and until():
                return True
            self.pico.run(STEP)
            time.sleep(max(0, begun + passed - time.monotonic()))
        return bool(until and until())


class Client:
    """A running program, and what it has printed. Use it in a `with` statement."""

    def __init__(self, *words, environment=None):
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output,
                                        env={**os.environ, **(environment or {})})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.output.close()

    @property
    def text(self):
        return os.pread(self.output.fileno(), 1 << 20, 0).decode()

    @property
    def has_ended(self):
        return self.process.poll() is not None
