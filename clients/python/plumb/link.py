"""A connection to the owner of a sensor that is made again by itself, with the rules of docs/stream.md of Plumb.

It reads no clock: each function that needs the time takes it, in seconds. Nothing waits, except for the look-up of a
host name and the start of ssh.
"""

from __future__ import annotations

import errno
import json
import random
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from . import places
from .address import Address
from .errors import PlumbError, ProtocolError, RefusedError, UnreachableError, printable
from .lines import LONGEST_LINE, LineError, parse

KNOWN_PROTOCOL = 1
CONNECTING, GREETING, GOOD = 20.0, 12.0, 5.0  # s
# After so long a board on a serial line is asked for its hello again.
ASKING = 3.0
SHORTEST_DELAY, LONGEST_DELAY, JITTER = 0.5, 30.0, 0.25
# An owner that is silent is asked, and lost so much later.
SILENCE, ANSWER_TIME = 2.0, 3.0
# How long ssh may take: a person may have to enter a password.
SSH_PATIENCE, SSH_INTERVAL = 120.0, 0.05
# After so many lines in a row the caller looks at the time and at its requests, whatever the owner sends.
MOST_LINES = 64
LONGEST_INBOX, LONGEST_OUTBOX = 4096, 1024
QUESTION = b'{"query":"hello"}'


class Connected:
    """The connection is made, so that lasting requests may be sent. The owner has not said hello yet."""


class Lost:
    """The connection is lost, or could not be made. It is retried."""

    def __init__(self, error: PlumbError, was_open: bool) -> None:
        self.error, self.was_open = error, was_open


Arrival = Union[Connected, Lost, Dict[str, Any]]


class Link:
    """A connection to the owner at an address."""

    def __init__(self, address: Address, token: Optional[str], now: float,
                 chance: Callable[[], float] = random.random) -> None:
        self.address, self.token = address, token
        # Whether ssh may ask for a password: only for the first connection.
        self.asks = True
        self.is_open = self.is_over = False
        # The bytes of the last line.
        self.line = b""
        self._chance = chance
        self._delay = SHORTEST_DELAY
        self._phase = "idle"
        self._end: Optional[places.Line] = None
        self._tunnel: Optional[places.Tunnel] = None
        self._addresses: List[Tuple[int, Tuple[str, int]]] = []
        self._due = self._begun = self._heard = now
        self._asked: Optional[float] = None
        self._inbox, self._outbox = b"", b""
        self._bye: Optional[str] = None
        self._has_bye = self._was_reminded = False
        self._lines_left = MOST_LINES

    @property
    def name(self) -> str:
        return printable(str(self.address))

    @property
    def is_serial(self) -> bool:
        return self.address.kind == "serial"

    def fileno(self) -> int:
        """What to wait for; -1 to wait for time only."""
        return self._end.fileno() if self._end else -1

    @property
    def waits_to_write(self) -> bool:
        return self._phase == "connecting" or (self._end is not None and self._outbox != b"")

    def wait(self, now: float) -> Optional[float]:
        """How long to wait at most before the next `receive`; None for ever."""
        if self.is_over:
            return None
        return 0.0 if self._lines_left <= 0 else max(0.0, self._due - now)

    def send(self, line: bytes) -> bool:
        """Sends a line, given without its end; False without a connection, or if too much is unsent."""
        if self._end is None or self._phase not in ("greeting", "open"):
            return False
        if len(self._outbox) + len(line) >= LONGEST_OUTBOX:
            return False
        self._outbox += line + b"\n"
        self._flush()
        return True

    def receive(self, now: float) -> Optional[Arrival]:
        """What has arrived; None if nothing has, and now and then while lines keep arriving."""
        if self._lines_left < 0:
            self._lines_left = MOST_LINES
        while True:
            if self._lines_left == 0:
                self._lines_left = -1
                return None
            try:
                found = self._go(now)
            except PlumbError as error:
                was_open = self.is_open
                self.abandon(now)
                return Lost(error, was_open)
            if found == "wait":
                self._lines_left = MOST_LINES
                return None
            if not isinstance(found, str):
                return found

    def abandon(self, now: float) -> None:
        """Closes the connection as lost; it is retried."""
        if self.is_open and now - self._begun >= GOOD:
            self._delay = SHORTEST_DELAY
        self._close()
        self._phase = "idle"
        self._due = now + self._delay * (1 + JITTER * (2 * self._chance() - 1))
        self._delay = min(LONGEST_DELAY, 2 * self._delay)

    def end(self) -> None:
        """Closes the connection for good."""
        self._close()
        self.is_over, self._phase = True, "over"

    def _close(self) -> None:
        if self._end:
            self._end.close()
        if self._tunnel:
            self._tunnel.close()
        self._end = self._tunnel = None
        self._inbox = self._outbox = b""
        self.is_open = False

    # Each step returns an arrival, "again" or "wait".

    def _go(self, now: float) -> Union[Arrival, str]:
        if self._phase == "over":
            return "wait"
        if self._phase == "idle":
            if now < self._due:
                return "wait"
            self._begun, self._due = now, now + CONNECTING
            self._bye, self._has_bye, self._was_reminded = None, False, False
            self._phase = "preparing"
            return "again"
        if self._phase == "preparing":
            return self._begin(now)
        if self._phase == "connecting":
            return self._finish_connecting(now)
        return self._hear(now)

    def _begin(self, now: float) -> Union[Arrival, str]:
        if self.is_serial:
            self._end = places.open_serial(self.address.place)
            self._greet(now)
            # Ends what a program before this one has asked for, and half a line of it.
            for line in (b"", b'{"samples":0}', b'{"counters":0}'):
                self.send(line)
            self._ask_for_hello(now)
            return Connected()
        if self.address.kind == "tcp":
            self._addresses = places.look_up(self.address.place or "", self.address.port)
            return self._connect_to_next(0)
        path = self.address.place or ""
        if self.address.kind == "ssh":
            if self._tunnel is None:
                self._tunnel = places.Tunnel(self.address, self.asks)
            trouble = self._tunnel.ending()
            if trouble is not None:
                raise UnreachableError(f"ssh to {printable(path)}: {trouble}")
            path = self._tunnel.path
        try:
            return self._take(places.connect_unix(path))
        except OSError as error:
            if isinstance(error, PlumbError):
                raise
            early = (errno.ENOENT, errno.ECONNREFUSED, errno.EAGAIN) if self._tunnel else ()
            if error.errno not in early:
                raise places.unconnected(error.errno or 0, self.name) from None
        if now - self._begun >= SSH_PATIENCE:
            raise UnreachableError(f"{self.name}: ssh made no connection in {SSH_PATIENCE:.0f} s")
        self._due = now + SSH_INTERVAL
        return "wait"

    def _take(self, end: places.Line) -> str:
        self._end, self._phase = end, "connecting"
        return "again"

    def _connect_to_next(self, code: int) -> str:
        while self._addresses:
            try:
                return self._take(places.connect_tcp(*self._addresses.pop(0)))
            except OSError as error:
                code = error.errno or 0
        raise places.unconnected(code, self.name)

    def _finish_connecting(self, now: float) -> Union[Arrival, str]:
        assert self._end is not None
        if not places.is_writable(self._end):
            if now >= self._due:
                raise UnreachableError(f"no connection to the owner at {self.name}: no response in {CONNECTING:.0f} s")
            return "wait"
        code = self._end.outcome()
        if code:
            self._end.close()
            self._end = None
            return self._connect_to_next(code)
        self._greet(now)
        # An empty token makes an owner that needs one say so at once.
        if self.token is not None or self.address.kind == "tcp":
            self.send(json.dumps({"token": self.token or ""}).encode()[:LONGEST_OUTBOX - 2])
        return Connected()

    def _greet(self, now: float) -> None:
        self._phase, self._due = "greeting", now + GREETING
        self._heard, self._asked = now, None

    def _ask_for_hello(self, now: float) -> None:
        self.send(QUESTION)
        self._due = now + ASKING

    def _flush(self) -> None:
        if self._end:
            self._outbox = self._outbox[self._end.send(self._outbox):]

    def _hear(self, now: float) -> Union[Arrival, str]:
        assert self._end is not None
        if self._outbox:
            self._flush()
        is_tuning_in = self.is_serial and not self.is_open
        while True:
            end = self._inbox.find(b"\n", 0, LONGEST_LINE)
            if end >= 0:
                self.line, self._inbox = self._inbox[:end], self._inbox[end + 1:]
                self._heard, self._asked = now, None
                self._lines_left -= 1
                found = self._object(is_tuning_in)
                if found is not None:
                    return found
                return self._go_on(now)
            if len(self._inbox) >= LONGEST_LINE:
                if is_tuning_in:
                    # A serial line begins in the middle of something.
                    self._inbox = self._inbox.partition(b"\n")[2]
                    self._lines_left -= 1
                    return self._go_on(now)
                raise ProtocolError(f"the owner at {self.name} sent a line of more than {LONGEST_LINE} bytes")
            try:
                data = self._end.receive(LONGEST_INBOX - len(self._inbox))
            except OSError as error:
                raise self._ended(error.errno or 0) from None
            if data is None:
                return self._wait_for_more(now)
            if not data:
                raise self._ended(0)
            self._inbox += data

    def _go_on(self, now: float) -> str:
        if not self.is_open:
            self._await_hello(now)
        return "again"

    def _await_hello(self, now: float) -> None:
        """Raises an error if the hello is overdue. A board is asked for it again now and then: half a line may have
        hidden it, or the board may have started since."""
        if now < self._due:
            return
        if not self.is_serial or now - self._begun >= GREETING:
            raise self._unanswered()
        self._ask_for_hello(now)

    def _object(self, is_tuning_in: bool) -> Optional[Dict[str, Any]]:
        """The object in the last line; None for one that is meant for the connection alone."""
        try:
            found = parse(self.line)
        except LineError as error:
            if is_tuning_in:
                return None
            if self.is_open:
                raise ProtocolError(
                    f"the owner at {self.name} sent a line that is no object of a stream: {error}") from None
            raise self._no_owner(f"its first line is no object of a stream: {error}") from None
        event = found.get("event")
        if event == "hello":
            version = found.get("protocol")
            if isinstance(version, bool) or not isinstance(version, int):
                raise self._no_owner("its hello does not name a protocol")
            if version != KNOWN_PROTOCOL:
                program = found.get("plumb")
                words = f" (plumb {printable(program)[:64]})" if isinstance(program, str) else ""
                raise ProtocolError(f"the owner at {self.name}{words} speaks protocol {str(version)[:20]}, and this "
                                    f"program protocol {KNOWN_PROTOCOL}: update the older of the two")
            self._phase, self.is_open = "open", True
            return found
        if is_tuning_in:
            return None
        detail = found.get("detail")
        reason = printable(detail)[:256] if isinstance(detail, str) else None
        if event == "bye":
            self._bye, self._has_bye = reason, True
            if self.is_serial:
                # The line stays open.
                raise self._ended(0)
        if self.is_open:
            return found
        if found.get("needs") == "token":
            # The token may be on its way.
            if self.token and not self._was_reminded:
                self._was_reminded = True
                return None
            raise RefusedError(f'the owner at {self.name} needs a token: pass it as Board("{self.name}", token=…)')
        if event in ("bye", "error"):
            raise RefusedError(f"the owner at {self.name} refuses"
                               + (f": {reason}" if reason else " and gives no reason"))
        raise self._no_owner("it did not begin with a hello")

    def _no_owner(self, words: str) -> ProtocolError:
        return ProtocolError(f"the program at {self.name} is not the owner of a sensor: {words}")

    def _wait_for_more(self, now: float) -> str:
        if not self.is_open:
            self._await_hello(now)
            return "wait"
        if self._asked is None:
            if now - self._heard < SILENCE:
                self._due = self._heard + SILENCE
                return "wait"
            self._asked = now
            self.send(QUESTION)
        # Counted from the question, because this program may have been stopped for a long time.
        if now - self._asked >= ANSWER_TIME:
            raise UnreachableError(f"nothing came from the owner at {self.name} for {now - self._heard:.0f} s")
        self._due = self._asked + ANSWER_TIME
        return "wait"

    def _ended(self, code: int) -> PlumbError:
        if self._has_bye:
            return UnreachableError(f"the owner at {self.name} has ended: {self._bye or 'it gave no reason'}")
        if self.is_serial:
            return UnreachableError(f"the board at {self.name} was unplugged")
        if not self.is_open:
            return UnreachableError(f"no owner offers a stream at {self.name}: the connection was closed at once"
                                    + self._trouble())
        words = places.system_words(code) if code else "it has closed the connection"
        return UnreachableError(f"the owner at {self.name} is gone: {words}{self._trouble()}")

    def _unanswered(self) -> PlumbError:
        if self.is_serial:
            return UnreachableError(f"nothing at {self.name} responds as a board with Plumb's firmware (docs/pico.md)")
        return UnreachableError(f"the owner at {self.name} does not respond{self._trouble()}")

    def _trouble(self) -> str:
        heard = self._tunnel.heard() if self._tunnel else ""
        return f" (ssh: {heard})" if heard else ""
