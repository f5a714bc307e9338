"""What the owner in the guest shares, as received by clients on the host."""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from emulator import Failed

# The longest wait for anything, in seconds of the host: a busy one may take its time.
PATIENCE = 60.0
LONGEST_LINE = 1024

Object = dict[str, Any]
# The name used here for an unknown pose, whatever the reason.
UNKNOWN = "unknown"


class Account:
    """What any client has received so far: each line is one object."""

    def __init__(self, name: str, poses: Iterable[str]) -> None:
        self.name = name
        self._poses = frozenset(poses)
        self._rest = b""
        self.hello: Object | None = None
        self.goodbye: Object | None = None
        self.reading: Object | None = None
        # The pose, UNKNOWN for none, None before the first report.
        self.state: str | None = None
        # The states since the last query, and the total number of events.
        self._passed: list[str] = []
        self._kinds: list[str] = []
        self.count = 0

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        if len(line) >= LONGEST_LINE:
            raise Failed(f"{self.name}: a line of {len(line) + 1} bytes")
        try:
            found = json.loads(line)
            kind = found["event"]
        except (ValueError, KeyError, TypeError) as error:
            raise Failed(f"{self.name}: {line!r} is no object of a stream") from error
        if kind == "hello":
            self.hello = found
            self._become(found["pose"])
        elif kind == "bye":
            self.goodbye = found
        elif kind == "reading":
            self.reading = found
        elif kind in ("error", "missed"):
            raise Failed(f"{self.name}: {line!r}")
        else:
            self.count += 1
            self._kinds.append(kind)
            if kind == "pose":
                self._become(found["to"])
            elif kind == "trouble":
                self._become(UNKNOWN)

    def _become(self, name: str) -> None:
        self.state = name if name in self._poses else UNKNOWN
        self._passed.append(self.state)

    def forget(self) -> None:
        """The next hello reports the current state."""
        self.state = None
        self._passed = []

    def passed(self) -> list[str]:
        """The states since the last call."""
        found, self._passed = self._passed, []
        return found

    def kinds(self, wanted: Iterable[str]) -> list[str]:
        """The kinds of the events since the last call, once the wanted ones are among them, or after a while."""
        deadline = time.monotonic() + PATIENCE
        self.hear(0)
        while not set(wanted).issubset(self._kinds) and not self.is_over and time.monotonic() < deadline:
            self.hear(0.1)
        found, self._kinds = self._kinds, []
        return found

    def hear(self, seconds: float) -> None:
        """Reads what arrives within so many seconds, and returns as soon as something does."""
        raise NotImplementedError

    @property
    def is_over(self) -> bool:
        raise NotImplementedError

    def becomes(self, state: str) -> bool:
        """Whether the state is or becomes `state`; first processes what has already arrived."""
        deadline = time.monotonic() + PATIENCE
        self.hear(0)
        while self.state != state and not self.is_over and time.monotonic() < deadline:
            self.hear(0.1)
        return self.state == state


class Listener(Account):
    """A connection to the stream through a socket of the host, which has received a hello."""

    def __init__(self, path: Path, poses: Iterable[str]) -> None:
        super().__init__("the stream", poses)
        self._link: socket.socket | None = None
        deadline = time.monotonic() + PATIENCE
        while not self._begin(path):
            if time.monotonic() > deadline:
                raise Failed("no owner shares a stream")
            time.sleep(0.05)
        assert self.hello is not None
        self._first = int(self.hello["events"])

    def _begin(self, path: Path) -> bool:
        """Whether there is an owner at the other end. If not, the far end of the forwarding closes at once."""
        self._link = socket.socket(socket.AF_UNIX)
        try:
            self._link.connect(str(path))
        except OSError as error:
            raise Failed(f"ssh does not forward any more: {error}") from error
        deadline = time.monotonic() + PATIENCE
        while self.hello is None and not self.is_over and time.monotonic() < deadline:
            self.hear(0.1)
        if self.hello is None:
            self.close()
        return self.hello is not None

    def hear(self, seconds: float) -> None:
        while self._link is not None and select.select([self._link], [], [], seconds)[0]:
            try:
                data = self._link.recv(65536)
            except ConnectionError:
                data = b""
            if not data:
                self.close()
            self.feed(data)
            seconds = 0

    def ask(self, question: Object) -> None:
        if self._link is not None:
            self._link.sendall(json.dumps(question).encode() + b"\n")

    def read(self) -> Object:
        """One fresh reading of the sensor."""
        self.reading = None
        self.ask({"query": "read"})
        deadline = time.monotonic() + PATIENCE
        while self.reading is None and not self.is_over and time.monotonic() < deadline:
            self.hear(0.1)
        if self.reading is None:
            raise Failed("the owner does not answer a query")
        return self.reading

    def lost(self) -> int:
        """How many events that the owner has counted since the beginning of this connection have not arrived."""
        self.hello = None
        self.ask({"query": "hello"})
        deadline = time.monotonic() + PATIENCE
        while self.hello is None and not self.is_over and time.monotonic() < deadline:
            self.hear(0.1)
        if self.hello is None:
            raise Failed("the owner does not answer a query")
        return int(self.hello["events"]) - self._first - self.count

    def ends(self) -> bool:
        """Whether the owner closes the connection."""
        deadline = time.monotonic() + PATIENCE
        while not self.is_over and time.monotonic() < deadline:
            self.hear(0.1)
        return self.is_over

    @property
    def is_over(self) -> bool:
        return self._link is None

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None


def is_shared(path: Path) -> bool:
    """Whether there is an owner at the other end of a forwarded socket."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(PATIENCE)
        link.connect(str(path))
        try:
            return link.recv(1) != b""
        except ConnectionError:
            return False
