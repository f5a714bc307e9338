"""Clients of a stream as a test needs them: byte for byte, with an account of what they have seen."""

import collections
import contextlib
import fcntl
import json
import socket
import struct
import termios
import threading
import time

from processes import PATIENCE, wait_until

# What a client receives besides events.
OTHERS = ("hello", "sample", "raw", "counters", "reading", "board", "error", "done", "missed", "bye")
LONGEST = 1024


def connected(address, receive=None, patience=PATIENCE):
    """A socket connected to unix:PATH or tcp:HOST:PORT. `receive` limits the kernel's receive buffer, in bytes."""
    kind, _, place = address.partition(":")
    family = socket.AF_UNIX if kind == "unix" else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    # Not a Python time-out: with one, a Unix socket with a full queue refuses connections.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", patience, 0))
    if receive:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    host, _, port = place.rpartition(":")
    connection.connect(place if kind == "unix" else (host, int(port)))
    return connection


def is_read(connection):
    """Whether everything that was sent has been read."""
    return struct.unpack("@i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))[0] == 0


class Client:
    """A connection that reads on request and checks each line."""

    def __init__(self, address=None, receive=None, connection=None):
        self.connection = connection or connected(address, receive)
        self.connection.settimeout(PATIENCE)
        self.rest = b""

    def send(self, *requests):
        """Sends requests: objects, or bytes unchanged."""
        self.connection.sendall(b"".join(
            request if isinstance(request, bytes) else json.dumps(request).encode() + b"\n" for request in requests))

    def await_read(self):
        """Waits until everything that was sent has been read."""
        wait_until(lambda: is_read(self.connection), "the owner reads all requests")

    def line(self):
        """The next line; None at the end."""
        while b"\n" not in self.rest:
            try:
                data = self.connection.recv(65536)
            except ConnectionResetError:
                data = b""
            if not data:
                if self.rest:
                    raise AssertionError(f"the end came within a line: {self.rest!r}")
                return None
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        if len(line) >= LONGEST:
            raise AssertionError(f"a line of {len(line) + 1} bytes: {line!r}")
        return line

    def object(self):
        """The next object; None at the end."""
        line = self.line()
        if line is None:
            return None
        found = json.loads(line)
        if not isinstance(found.get("event"), str):
            raise AssertionError(f"no event: {line!r}")
        return found

    def until(self, kind):
        """The objects up to and including the first of a kind."""
        found = []
        while not found or found[-1]["event"] != kind:
            found.append(self.object())
            if found[-1] is None:
                raise AssertionError(f"no {kind} came; the last was {found[-2:-1]}")
        return found

    def hello(self):
        """A fresh hello; skips what came before it."""
        self.send({"query": "hello"})
        return self.until("hello")[-1]

    def rest_of_it(self):
        """All objects until the end."""
        found = []
        while (one := self.object()) is not None:
            found.append(one)
        return found

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Witness(Client):
    """Requests every sample, and reads all the time, in a thread."""

    def __init__(self, *arguments, samples="all", **more):
        super().__init__(*arguments, **more)
        self.changed = threading.Condition()
        self.seen = []
        self.hellos = collections.deque()
        self.failure = None
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        self.wait_for_hello()
        # In one piece, so that no sample comes in between.
        self.send({"samples": samples}, {"query": "hello"})
        self.begin = self.wait_for_hello()

    def close(self):
        """Also ends the connection for the thread, which would keep it open."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        super().close()

    def read(self):
        try:
            while (one := self.object()) is not None:
                with self.changed:
                    self.seen.append(one)
                    if one["event"] == "hello":
                        self.hellos.append(one)
                    self.changed.notify()
        except (AssertionError, ValueError, OSError) as error:
            self.failure = error
        with self.changed:
            self.hellos.append(None)
            self.changed.notify()

    def wait_for_hello(self):
        end = time.monotonic() + PATIENCE
        with self.changed:
            while not self.hellos and (left := end - time.monotonic()) > 0:
                self.changed.wait(left)
            found = self.hellos.popleft() if self.hellos else None
        if found is None:
            raise AssertionError(f"no hello came: {self.failure}")
        return found

    def hello(self):
        self.send({"query": "hello"})
        return self.wait_for_hello()

    def account(self):
        """What it has seen from its beginning until now. It then requests no more samples: what is still on the way to
        a slow client must not be lost to those that follow."""
        self.send({"samples": 0}, {"query": "hello"})
        end = self.wait_for_hello()
        with self.changed:
            seen = list(self.seen)
        return Account(self.begin, seen[seen.index(self.begin) + 1:seen.index(end)], end)


class Account:
    """What came between two hellos of one connection that requests every sample, and what should have come."""

    def __init__(self, begin, objects, end):
        self.begin, self.end, self.objects = begin, end, objects
        self.samples = [one for one in objects if one["event"] in ("sample", "raw")]
        self.events = [one for one in objects if one["event"] not in OTHERS]
        self.missed = sum(one["count"] for one in objects if one["event"] == "missed")

    def due(self, with_samples=True):
        events = self.end["events"] - self.begin["events"]
        return events + (self.end["counters"]["samples"] - self.begin["counters"]["samples"] if with_samples else 0)

    def check(self, test, with_samples=True):
        """Every sample and event came once, in order, or is counted as missed."""
        test.assertEqual(self.begin["owner"], self.end["owner"])
        came = len(self.events) + (len(self.samples) if with_samples else 0)
        test.assertEqual(came + self.missed, self.due(with_samples), f"{came} came and {self.missed} were missed")
        times = [one["t"] for one in self.objects if "t" in one]
        test.assertEqual(times, sorted(times))
        sampled = [one["t"] for one in self.samples]
        test.assertEqual(len(sampled), len(set(sampled)), "a sample came twice")
        pose = None
        for one in self.objects:
            if one["event"] == "missed":
                pose = None
            elif one["event"] == "pose":
                if pose is not None:
                    test.assertEqual(one["from"], pose)
                pose = one["to"]
            elif one["event"] == "trouble":
                pose = None
