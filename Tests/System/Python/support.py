"""What the tests of the Python package share: its place, a listener that they control, and a link whose clock they set."""

import contextlib
import os
import pathlib
import select
import socket
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "clients" / "python"
# The package of the tree, unless the tests run in an environment where the wheel is installed.
if not os.environ.get("PLUMB_INSTALLED"):
    sys.path.insert(0, str(PACKAGE))
sys.path += [str(ROOT / "Tests" / "Support" / "Python"), str(ROOT / "Tests" / "System" / "Share"),
             str(ROOT / "Tests" / "System" / "Daemon")]

import plumb
from plumb.address import Address
from plumb.link import Connected, Link, Lost
from processes import PATIENCE, wait_until

assert plumb.__file__.startswith(os.environ.get("PLUMB_INSTALLED") or str(PACKAGE)), plumb.__file__

HELLO = (b'{"event":"hello","protocol":1,"plumb":"0.1.0","owner":"1-2","board":"board.ini","sensor":"adxl345","rate_hz":100,'
         b'"t":12.5,"pose":"portrait","since":3.25,"x":0,"y":1,"z":0,"events":17,"counters":{"samples":3}}')
GOOD = HELLO + b"\n"


def short_folder(test):
    folder = tempfile.TemporaryDirectory(prefix="plumb-py-")
    test.addCleanup(folder.cleanup)
    return folder.name


class Listener:
    """A socket at which a test plays the owner."""

    def __init__(self, test, family=socket.AF_UNIX, path=None):
        self.socket = socket.socket(family)
        test.addCleanup(self.socket.close)
        self.path = path or os.path.join(short_folder(test), "s")
        self.socket.bind(self.path if family == socket.AF_UNIX else ("127.0.0.1", 0))
        self.socket.listen()
        self.socket.settimeout(PATIENCE)
        self.address = ("unix:" + self.path if family == socket.AF_UNIX
                        else f"tcp:127.0.0.1:{self.socket.getsockname()[1]}")
        self.test = test

    def accept(self):
        end, _ = self.socket.accept()
        end.settimeout(PATIENCE)
        self.test.addCleanup(end.close)
        return end

    def close(self):
        self.socket.close()
        with contextlib.suppress(OSError):
            os.unlink(self.path)


class Client:
    """A link whose clock the test sets."""

    def __init__(self, test, address, token=None):
        self.now = 1000.0
        # Chance is always in the middle: delays are exact.
        self.link = Link(Address.parse(address), token, self.now, chance=lambda: 0.5)
        self.connections = 0
        test.addCleanup(self.link.end)

    def next(self):
        """The next arrival: an object, "lost: why", or None."""
        while True:
            arrival = self.link.receive(self.now)
            if isinstance(arrival, Connected):
                self.connections += 1
            elif isinstance(arrival, Lost):
                return f"lost: {arrival.error}"
            else:
                return arrival

    def all(self):
        """All arrivals until there is none."""
        found = []
        while (one := self.next()) is not None:
            found.append(one)
        return found

    def settled(self):
        """All arrivals, after waiting for something to arrive."""
        ends = [self.link.fileno()]
        select.select(ends, ends if self.link.waits_to_write else [], [], PATIENCE)
        found = self.all()
        # Over TCP the first thing to come is the connection itself.
        while not found and self.link.fileno() >= 0:
            select.select([self.link.fileno()], [], [], PATIENCE)
            found = self.all()
        return found

    def wait(self):
        return self.link.wait(self.now)

    def next_try(self):
        self.now += self.wait()
        return self.next()


def entered(test, manager):
    """What a `with` statement gives, until the test ends; as enterContext of Python 3.11."""
    value = manager.__enter__()
    test.addCleanup(manager.__exit__, None, None, None)
    return value
