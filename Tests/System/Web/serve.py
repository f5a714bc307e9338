"""Starts `plumb serve` and exchanges bytes with it: for tests that must send what no client would."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support" / "Python"))
from processes import PATIENCE, PLUMB, ROOT, cpu_seconds, link, resident_bytes, take_signals_back, wait_until

take_signals_back()


class Serve:
    """The tool, serving on a free port."""

    def __init__(self, *arguments, listen="127.0.0.1:0", **more):
        command = [PLUMB, "serve", "--listen", listen, "--format", "json", *arguments]
        # Unbuffered: what closely follows the first line stays in the pipe for `communicate`.
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, bufsize=0, **more)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"it does not serve: {self.process.stderr.read().decode()}")
        self.url = json.loads(line)["url"]
        self.host, port, self.query = re.fullmatch(r"http://(.+):(\d+)/(.*)", self.url).groups()
        self.port = int(port)

    def connect(self, timeout=PATIENCE):
        return socket.create_connection((self.host.strip("[]"), self.port), timeout)

    def say(self, data, timeout=PATIENCE):
        """Sends bytes; returns everything that comes back until the end."""
        with self.connect(timeout) as connection:
            connection.sendall(data)
            return received(connection)

    def ask(self, path="/", method="GET", host=None, fields=""):
        """Sends a complete request; returns the status, the header fields and the body."""
        host = host or f"{self.host}:{self.port}"
        return parted(self.say(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{fields}\r\n".encode()))

    def state(self):
        return json.loads(self.ask("/state.json" + self.query)[2])

    def settled(self, pose):
        """The state once the board is in a pose. A number of samples is not enough: a busy machine takes some of them
        late."""
        return wait_until(lambda: (state := self.state())["pose"] == pose and state, f"the pose is {pose}")

    def notices_outage(self, meanwhile=lambda: None):
        """Whether it notices that a tumbling board's sensor does not answer for 0.4 s, from 5.5 s on: not if the computer
        stalls then. Calls `meanwhile` all the time."""
        def is_over():
            meanwhile()
            state = self.state()
            return (state["counters"]["recoveries"] > 0 or state["t"] > 10) and state
        return wait_until(is_over, "the outage is over", 0.005)["counters"]["recoveries"] > 0

    def connections(self):
        """The number of connections."""
        folder = f"/proc/{self.process.pid}/fd"
        names = [link(f"{folder}/{name}") for name in os.listdir(folder)]
        return sum(name.startswith("socket:") for name in names) - 1

    def memory(self):
        """The memory in use, bytes."""
        return resident_bytes(self.process.pid)

    def cpu(self):
        """The CPU time used, s."""
        return cpu_seconds(self.process.pid)

    def stop(self, number=signal.SIGINT):
        """Ends it; returns its exit code, how long that took, and the lines that it wrote."""
        begin = time.monotonic()
        self.process.send_signal(number)
        output, errors = self.process.communicate(timeout=PATIENCE)
        lines = [json.loads(line) for line in output.splitlines()]
        return self.process.returncode, time.monotonic() - begin, lines, errors.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait()


def despite_stalls(trial):
    """Repeats a trial that returns false where it has not seen what happens once: the computer may have stalled."""
    if not any(trial() for _ in range(10)):
        raise AssertionError("ten trials have not seen it")


def kinds(events):
    return [kind for kind, _, _ in events]


def received(connection):
    data = b""
    try:
        while piece := connection.recv(65536):
            data += piece
    except ConnectionResetError:
        pass
    return data


def parted(data):
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    match = re.fullmatch(r"HTTP/1.1 (\d+) (.+)", lines[0])
    if not match:
        raise AssertionError(f"no answer: {data[:200]!r}")
    fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
    return int(match.group(1)), fields, body.decode()


class Viewer:
    """Reads server-sent events as they come."""

    def __init__(self, served, last=None, path=None):
        self.connection = served.connect()
        field = f"Last-Event-ID: {last}\r\n" if last else ""
        path = path or "/events" + served.query
        self.connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {served.host}:{served.port}\r\n{field}\r\n".encode())
        self.rest = b""
        self.status, self.fields = None, None

    def events(self, seconds):
        """The events within so many seconds: event, id, data."""
        return self.events_until(lambda _: False, seconds)

    def events_until(self, is_enough, seconds=PATIENCE):
        """The events until there are enough: event, id, data."""
        end = time.monotonic() + seconds
        found = []
        while not is_enough(found) and (left := end - time.monotonic()) > 0:
            self.connection.settimeout(left)
            try:
                piece = self.connection.recv(65536)
            except TimeoutError:
                break
            if not piece:
                break
            self.rest += piece
            if self.status is None and b"\r\n\r\n" in self.rest:
                head, self.rest = self.rest.split(b"\r\n\r\n", 1)
                self.status, self.fields, _ = parted(head + b"\r\n\r\n")
            while self.status and b"\n\n" in self.rest:
                message, self.rest = self.rest.split(b"\n\n", 1)
                parts = dict(line.split(": ", 1) for line in message.decode().split("\n"))
                if "event" in parts:
                    found.append((parts["event"], parts.get("id"), json.loads(parts["data"])))
        return found

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def machine_board(folder):
    """A board file for an emulated ADXL345 whose vibration is monitored in two bands; returns its name.

    The sensor buffers samples, so a busy machine causes no gap, after which vibration would be measured from scratch.
    """
    name = os.path.join(folder, "machine.ini")
    text = (ROOT / "boards" / "emulated.ini").read_text(encoding="utf-8").replace("model = adxl345", "model = adxl345\nbatch = 4")
    with open(name, "w", encoding="utf-8") as file:
        file.write(text + "\n[vibration]\nbands = 1 10 40\n")
    return name
