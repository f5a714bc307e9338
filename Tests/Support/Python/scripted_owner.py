"""An owner of a sensor that a test controls: the stream of docs/stream.md, from a thread.

Its lines are those of a real owner; `test_state` compares them with one.
"""

import collections
import contextlib
import json
import os
import select
import socket
import tempfile
import threading
import time

POSES = {"portrait": (0, 1, 0), "portraitUpsideDown": (0, -1, 0), "landscapeLeft": (1, 0, 0), "landscapeRight": (-1, 0, 0),
         "faceUp": (0, 0, 1), "faceDown": (0, 0, -1)}
COUNTERS = ("samples", "pose_changes", "faults", "recoveries", "late_samples", "shakes", "transactions", "output_writes",
            "restarts")


class ScriptedOwner:
    """Use it in a `with` statement. `gyroscope`: whether it has one; `commands`: whether it accepts them."""

    def __init__(self, pose="faceUp", gyroscope=False, commands=False, path=None):
        self.own = tempfile.TemporaryDirectory(prefix="plumb-owner-")
        self.path = path or os.path.join(self.own.name, "stream")
        self.address = "unix:" + self.path
        self.gyroscope, self.commands = gyroscope, commands
        # Held while a line is written, or anything below changes.
        self.lock = threading.RLock()
        self.pose, self.force, self.since = pose, POSES.get(pose, (0, 0, 1)), 0.01
        # Forces that samples measure in turn, instead of `force`; empty for none.
        self.forces = []
        self.counters = dict.fromkeys(COUNTERS, 0)
        self.temperature = None
        self.events = 0
        self.requests = collections.Counter()
        self.is_silent = False
        self.listener, self.seats = None, []
        self.runs = 0
        self.start()

    # Start and end

    def start(self):
        self.runs += 1
        self.begin = time.monotonic()
        self.listener = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        self.listener.bind(self.path)
        self.listener.listen(128)
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def stop(self, bye=True):
        """Ends; without a `bye` as if it were killed."""
        if bye:
            self.say({"event": "bye", "detail": "the owner was stopped"})
        with self.lock:
            # Wakes the accepting thread.
            with contextlib.suppress(OSError):
                self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
            for seat in self.seats:
                with contextlib.suppress(OSError):
                    seat.shutdown(socket.SHUT_RDWR)
            self.seats = []

    def restart(self, bye=True):
        """Ends, and starts another run, which counts from 0."""
        self.stop(bye)
        with self.lock:
            self.events, self.counters = 0, dict.fromkeys(COUNTERS, 0)
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop(bye=False)
        self.own.cleanup()

    # Output

    @property
    def now(self):
        return round(time.monotonic() - self.begin, 6)

    def hello(self):
        x, y, z = self.force
        return {
            "event": "hello", "protocol": 1, "plumb": "0.1.0", "owner": f"{os.getpid()}-{self.runs}", "board": "scripted",
            "sensor": "mpu6050" if self.gyroscope else "adxl345", "address": 0x53, "bus": "emulated", "rate_hz": 100,
            "range_g": 16, "gyroscope_range_dps": 500 if self.gyroscope else None, "chip": "emulated", "code": "leds",
            "lines": [0] * 6, "commands": self.commands, "t": self.now, "pose": self.pose, "since": self.since, "x": x, "y": y,
            "z": z, "events": self.events, "clients": max(1, len(self.seats)), "counters": self.all_counters()}

    def all_counters(self):
        more = {} if self.temperature is None else {"temperature_c": self.temperature}
        return self.counters | {"fault_kinds": {}, "unknown": {}} | more

    def sample(self):
        x, y, z = self.force
        if self.forces:
            x, y, z = self.forces[0]
            self.forces = [*self.forces[1:], self.forces[0]]
        pose = self.pose if self.pose in POSES else "unknown"
        # Not used by a publisher, which computes angles from a mean of several samples.
        angles = dict.fromkeys(("angle_deg", "level_deg", "pitch_deg", "roll_deg", "inclination_deg", "steering_deg"), 0)
        more = {"up": [x, y, z], "heading_deg": 12.5, "rate_dps": [0, 0, 0], "still": True} if self.gyroscope else {}
        return {"t": self.now, "event": "sample", "x": x, "y": y, "z": z, "pose": pose, **angles, "scroll": [0, 0], **more}

    def say(self, *objects):
        """Writes lines to all clients."""
        with self.lock:
            for seat in list(self.seats):
                self.write(seat, *objects)

    def write(self, seat, *objects):
        if self.is_silent:
            return
        data = b"".join(one if isinstance(one, bytes) else json.dumps(one, separators=(",", ":")).encode() + b"\n"
                        for one in objects)
        with contextlib.suppress(OSError):
            seat.sendall(data)

    def emit(self, *kinds, **fields):
        """Events, each with the same fields besides its kind and time."""
        with self.lock:
            self.events += len(kinds)
            self.say(*({"t": self.now, "event": kind} | fields for kind in kinds))

    def turn(self, pose):
        """The board turns to a pose, with its event."""
        with self.lock:
            old, self.pose, self.force, self.since = self.pose, pose, POSES[pose], self.now
            self.counters["pose_changes"] += 1
            self.emit("pose", **{"from": old if old in POSES else "unknown", "to": pose, "angle_deg": 0, "pitch_deg": 0,
                                 "roll_deg": 0, "leds": [int(name == pose) for name in POSES]})

    def fail(self, reason="fault", detail="no acknowledge from 0x53", **fields):
        """The pose becomes unknown."""
        with self.lock:
            self.pose, self.since = reason, self.now
            self.emit("trouble", reason=reason, detail=detail, **fields)

    def recover(self, pose="faceUp"):
        with self.lock:
            self.emit("recovery", outage_s=1.0, cause="noAcknowledge", detail="no acknowledge from 0x53")
            self.turn(pose)

    # Requests

    def accept(self, listener):
        while True:
            try:
                seat, _ = listener.accept()
            except OSError:
                return
            with self.lock:
                self.seats.append(seat)
                self.write(seat, self.hello())
            threading.Thread(target=self.serve, args=(seat,), daemon=True).start()

    def serve(self, seat):
        """Reads requests, and writes samples and counters as often as requested."""
        rest, every, due = b"", {}, {}
        while True:
            pause = max(0.0, min(due.values()) - time.monotonic()) if due else None
            try:
                if select.select([seat], [], [], pause)[0]:
                    data = seat.recv(4096)
                    if not data:
                        break
                    rest += data
            except (OSError, ValueError):
                break
            *lines, rest = rest.split(b"\n")
            for line in lines:
                self.answer(seat, line, every)
            now = time.monotonic()
            due = {kind: due.get(kind, now) for kind in every}
            for kind, period in every.items():
                if due[kind] <= now:
                    due[kind] = now + period
                    with self.lock:
                        if kind == "counters":
                            self.write(seat, {"t": self.now, "event": "counters"} | self.all_counters()
                                       | {"clients": 1, "missed": 0})
                        elif self.pose not in ("fault", "stale"):
                            self.write(seat, self.sample())
        with self.lock:
            with contextlib.suppress(ValueError):
                self.seats.remove(seat)
        seat.close()

    def answer(self, seat, line, every):
        request = json.loads(line)
        (kind, value), = request.items()
        with self.lock:
            self.requests[f"{kind} {value}"] += 1
            if kind in ("samples", "counters"):
                every.pop(kind, None)
                if value:
                    every[kind] = value if kind == "counters" else 1 / (self.hello()["rate_hz"] if value == "all" else value)
            elif (kind, value) == ("query", "hello"):
                self.write(seat, self.hello())
            elif (kind, value) == ("query", "read"):
                self.write(seat, self.sample() | {"event": "reading", "reason": None, "detail": None})
            elif kind == "command" and self.commands:
                self.write(seat, {"event": "done", "command": value})
            else:
                self.write(seat, {"event": "error", "detail": "commands are not allowed: write commands = yes in [share] "
                                                              "of the board file"})
