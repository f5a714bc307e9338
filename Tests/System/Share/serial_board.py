"""A board on a serial line: a pseudo-terminal whose other end is a real owner, `plumb run --share`.

Like a UART it does not know whether a program has the device open; what is not read is lost, line by line.
"""

import contextlib
import errno
import os
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time

from processes import PLUMB, listens, plain_environment, wait_until

NAME = "usb-Plumb_Plumb_adxl345_E66058388316542C-if00"


class SerialBoard:
    """Use it in a `with` statement. `words` are options of `plumb run`; with `waits`, the owner starts when a client
    has sent something. `noise` is what the line carries when a client opens it, before all lines of the owner."""

    def __init__(self, *words, waits=False, noise=b""):
        self.own = tempfile.TemporaryDirectory(prefix="plumb-serial-")
        self.folder = self.own.name
        self.devices = os.path.join(self.folder, "by-id")
        os.mkdir(self.devices)
        self.path = os.path.join(self.devices, NAME)
        self.socket = os.path.join(self.folder, "s")
        # On a busy computer a test can take longer than a motion.
        self.words = [
            "run", "--format", "json", "--duration", "3600", "--share", "unix:" + self.socket, "--commands", *words]
        self.waits, self.noise = waits, noise
        self.owner = self.connection = self.master = self.thread = None
        self.heard = b""
        self.is_plugged = False

    def __enter__(self):
        if not self.waits:
            self.begin()
        self.plug()
        return self

    def __exit__(self, *_):
        self.unplug()
        if self.owner:
            self.owner.send_signal(signal.SIGINT)
            self.owner.communicate()
        self.own.cleanup()

    def environment(self, **other):
        return plain_environment(PLUMB_SERIAL=self.devices, **other)

    def begin(self):
        # pylint: disable=consider-using-with
        self.owner = subprocess.Popen(
            [PLUMB, *self.words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=plain_environment())
        wait_until(lambda: listens(self.socket), "the owner listens")

    def plug(self):
        """Plugs it in, under another number than before."""
        self.master, slave = os.openpty()
        device = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(self.master, False)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        os.symlink(device, self.path)
        self.is_plugged = True
        self.thread = threading.Thread(target=self.carry)
        self.thread.start()

    def unplug(self):
        if self.is_plugged:
            self.is_plugged = False
            self.thread.join()
            os.close(self.master)
            os.unlink(self.path)

    def carry(self):
        """Carries bytes between the line and the owner until it is unplugged."""
        connection, noise, pending, rest, lost, is_open = None, b"", b"", b"", 0, False
        while self.is_plugged:
            ready = select.select([connection] if connection else [], [], [], 0.002)[0]
            try:
                data = os.read(self.master, 4096)
            except OSError as error:
                data = b""
                if error.errno == errno.EIO:
                    # No program has it open.
                    noise, pending, is_open = b"", b"", False
            if data:
                self.heard += data
                if not is_open:
                    is_open, noise = True, self.noise
                if not self.owner:
                    self.begin()
                if not connection:
                    connection = socket.socket(socket.AF_UNIX)
                    connection.connect(self.socket)
                connection.sendall(data)
            if ready:
                rest += connection.recv(65536)
                *lines, rest = rest.split(b"\n")
                for line in lines if is_open else ():
                    if len(pending) > 2048:
                        lost += 1
                    else:
                        pending += (b'{"event":"missed","count":%d}\n' % lost if lost else b"") + line + b"\n"
                        lost = 0
            with contextlib.suppress(BlockingIOError):
                if noise:
                    noise = noise[os.write(self.master, noise):]
                elif pending:
                    pending = pending[os.write(self.master, pending):]
        if connection:
            connection.close()


class HostileDevice:
    """A pseudo-terminal that sends `begin` and then `piece` without end."""

    def __init__(self, begin, piece):
        self.master, slave = os.openpty()
        self.path = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(self.master, False)
        self.begin, self.piece, self.sent, self.beginnings, self.ends = begin, piece, 0, 0, False
        self.thread = threading.Thread(target=self.pour)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.thread.join()
        os.close(self.master)

    def pour(self):
        begun = False
        while not self.ends:
            try:
                if not os.read(self.master, 4096) and not begun:
                    continue
            except BlockingIOError:
                if not begun:
                    time.sleep(0.002)
                    continue
            except OSError:
                # Nobody has it open.
                begun = False
                time.sleep(0.002)
                continue
            try:
                if not begun:
                    begun = os.write(self.master, self.begin or self.piece) > 0
                    self.beginnings += 1
                self.sent += os.write(self.master, self.piece)
            except BlockingIOError:
                time.sleep(0.0005)
