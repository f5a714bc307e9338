"""A board whose sensor another program owns, such as `plumbd` or `plumb run --share`."""

from __future__ import annotations

import re
import time
import weakref
from typing import Callable, Generic, Iterator, List, Literal, Optional, Type, TypeVar, Union, cast

from .address import Address
from .errors import UnreachableError
from .events import (
    Angles, Event, Hello, Message, PoseEvent, RawSample, Reading, Sample, Settings, Snapshot, TroubleEvent)
from .samples import Samples
from .session import LIMIT, Mailbox, Session
from .vocabulary import EVENTS, POSES, Callbacks, EventName, Pose, Reason
from .when import When

T = TypeVar("T", bound=Message)
# What to wait for: a pose, a kind of event, `unknown` (the pose is no longer known) or `any`.
What = Union[Pose, EventName, Literal["unknown", "any"]]
# Samples a second, "all" of them, or "raw": each one, in the sensor's own frame.
Rate = Union[int, Literal["all", "raw"]]


class Listening(Generic[T]):
    """Messages of one kind, as they come: an iterator that ends when the board is closed."""

    def __init__(self, board: Board, mailbox: Mailbox[T]) -> None:
        # Keeps the board open.
        self._board, self._mailbox = board, mailbox

    def __iter__(self) -> Listening[T]:
        return self

    def __next__(self) -> T:
        while True:
            message = self._mailbox.get()
            if message is not None:
                return cast(T, message)
            if self._mailbox.is_over:
                raise StopIteration


class Board(Callbacks):
    """A board whose sensor another program owns.

        for event in Board("ssh:pi@raspberrypi"):
            print(event)

    `address` is `unix:PATH`, `tcp:HOST:PORT`, `ssh:[USER@]HOST[:PATH]`, `serial:DEVICE` or `serial:auto`; by default
    the owner of this computer. `token` is for an owner at `tcp:` that needs one. `rate` is how many samples a second to
    take, for `angles` and `samples()`: a number, 0 for none, "all", or "raw" for each one in the sensor's own frame.
    With `vibration`, an event each second has its strength, if the owner watches it. `counters` is the interval in
    seconds at which the owner's counters come.

    The board is open when this returns; otherwise it raises a PlumbError. A connection that is lost later is made
    again: an event reports that the pose is unknown (`trouble` with the reason `stale`), and another one the pose when
    the owner is back. Without `reconnects`, the board ends with its first connection. Close it, use it in a `with`
    statement, or leave that to Python.
    """

    when_vibration = When("vibration")
    when_missed = When("missed")
    when_error = When("error")

    def __init__(self, address: Optional[str] = None, *, token: Optional[str] = None, rate: Rate = 10,
                 vibration: bool = False, counters: int = 0, reconnects: bool = True) -> None:
        place = Address.usual() if address is None else Address.parse(address)
        if rate not in ("all", "raw") and (
                isinstance(rate, bool) or not isinstance(rate, int) or not 0 <= rate <= 10_000):
            raise ValueError(f'rate is a number of samples a second, "all" or "raw", not {rate!r}')
        if isinstance(counters, bool) or not isinstance(counters, int) or not 0 <= counters <= 86_400:
            raise ValueError(f"counters is a number of seconds, not {counters!r}")
        # As it is read from a file.
        token = token.strip() if token else None
        if token is not None and not re.fullmatch("[A-Za-z0-9_-]{1,128}", token):
            raise ValueError("a token is at most 128 letters, digits, hyphens and underscores")
        self.rate: Rate = rate
        standing: List[bytes] = []
        if rate:
            standing.append(b'{"samples":%d}' % rate if isinstance(rate, int) else b'{"samples":"%s"}' % rate.encode())
        if counters:
            standing.append(b'{"counters":%d}' % counters)
        if vibration:
            standing.append(b'{"vibration":true}')
        session = Session(place, token, standing, reconnects)
        self._session = session
        # Also when Python ends.
        self._finalizer = weakref.finalize(self, session.close)
        try:
            session.begun.wait()
        except BaseException:
            self._finalizer()
            raise
        if session.is_over or not session.tracker.hello:
            self._finalizer()
            raise session.error or UnreachableError(f"no connection to {place}")

    # What is known

    @property
    def address(self) -> str:
        """Where the owner is."""
        return str(self._session.address)

    @property
    def hello(self) -> Hello:
        """What the owner said about itself last."""
        hello = self._session.tracker.hello
        assert hello is not None
        return hello

    @property
    def snapshot(self) -> Snapshot:
        """What is known now."""
        return self._session.snapshot()

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection to the owner."""
        return self._session.tracker.connected

    @property
    def pose(self) -> Optional[Pose]:
        """The pose; None if it is not known now."""
        return self._session.tracker.pose

    @property
    def reason(self) -> Optional[Reason]:
        """Why the pose is not known; None if it is."""
        return self._session.tracker.reason

    @property
    def angles(self) -> Optional[Angles]:
        """The angles of the last sample; None if they are not known now, or if `rate` is 0 or "raw"."""
        sample, age = self._session.sample()
        # An owner may send samples unasked.
        if sample is None or self.rate in (0, "raw"):
            return None
        rate = self.rate if isinstance(self.rate, int) else self.hello.rate_hz
        # Asleep, the board has not moved since.
        is_present = self._session.tracker.asleep or age <= max(1.0, 3 / min(rate, self.hello.rate_hz))
        return sample.angles if is_present else None

    @property
    def missed(self) -> int:
        """How many lines were lost since the board was opened: by the owner, the connection, or this program."""
        return self._session.tracker.missed

    # What happens

    def __iter__(self) -> Iterator[Event]:
        """The events as they come, beginning with the pose of now. Ends when the board is closed."""
        return self._listening(Event, present=True)

    def samples(self) -> Iterator[Sample]:
        """The samples as they come, as many a second as `rate` says."""
        self._check_rate(Sample)
        return self._listening(Sample)

    def raw_samples(self) -> Iterator[RawSample]:
        """The samples in the sensor's own frame, with `rate="raw"`."""
        self._check_rate(RawSample)
        return self._listening(RawSample)

    def record(self, seconds: Optional[float] = None, count: Optional[int] = None) -> Samples[Sample]:
        """The samples of the next `seconds`, at most `count`."""
        self._check_rate(Sample)
        before = self.missed
        return Samples(self._recorded(Sample, seconds, count), self.missed - before)

    def record_raw(self, seconds: Optional[float] = None, count: Optional[int] = None) -> Samples[RawSample]:
        """The same in the sensor's own frame, with `rate="raw"`."""
        self._check_rate(RawSample)
        before = self.missed
        return Samples(self._recorded(RawSample, seconds, count), self.missed - before)

    def wait_for(self, what: What, timeout: Optional[float] = None) -> Optional[Event]:
        """Waits for a pose, a kind of event, `unknown` (the pose is no longer known) or `any` event; returns the event.

        A pose that the board is in counts at once. None if it does not come within `timeout` seconds, or if the board
        is closed.
        """
        matches = matcher(what)
        end = None if timeout is None else time.monotonic() + timeout
        # The state of now is an event too where a state is asked for.
        mailbox = self._session.listen(Event, present=what in POSES or what == "unknown")
        while True:
            event = mailbox.get(None if end is None else max(0.0, end - time.monotonic()))
            if event is not None and matches(event):
                return event
            if mailbox.is_over or (end is not None and time.monotonic() >= end):
                return None

    # Requests

    def read(self, timeout: float = 2) -> Reading:
        """One fresh reading. Raises RequestError while the sensor delivers nothing."""
        return self._asked(Reading, b'{"query":"read"}', "reading", timeout)

    def refresh(self, timeout: float = 2) -> Hello:
        """Asks the owner to describe itself again, with its counters."""
        return self._asked(Hello, b'{"query":"hello"}', "hello", timeout)

    def settings(self, timeout: float = 2) -> Settings:
        """The sensor's mounting and calibration."""
        return self._asked(Settings, b'{"query":"board"}', "board", timeout)

    def tare(self) -> None:
        """Makes the attitude of now the one in which angles are 0: the board must be still for a second.

        Commands are for Unix sockets, and for owners that allow them; otherwise this raises RequestError.
        """
        self._command("tare")

    def untare(self) -> None:
        """Makes zero what the owner's board file says."""
        self._command("untare")

    def reload(self) -> None:
        """Makes `plumbd` read its board file again."""
        self._command("reload")

    def close(self) -> None:
        """Ends the connection. What iterates ends."""
        self._finalizer()

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<plumb.Board {self.address}: {self.pose or self.reason}>"

    def _listening(self, kind: Type[T], limit: int = LIMIT, present: bool = False) -> Listening[T]:
        return Listening(self, self._session.listen(kind, limit, present=present))

    def _check_rate(self, kind: Type[Message]) -> None:
        if kind is RawSample and self.rate != "raw":
            raise ValueError('raw samples need Board(…, rate="raw")')
        if kind is Sample and self.rate in (0, "raw"):
            raise ValueError(f"samples need another rate than {self.rate!r}, as in Board(…, rate=100)")

    def _recorded(self, kind: Type[T], seconds: Optional[float], count: Optional[int]) -> List[T]:
        if seconds is None and count is None:
            raise ValueError("say for how many seconds to record, or how many samples")
        end = None if seconds is None else time.monotonic() + seconds
        mailbox = self._session.listen(kind, 1 << 20)
        found: List[T] = []
        while count is None or len(found) < count:
            one = mailbox.get(None if end is None else max(0.0, end - time.monotonic()))
            if one is not None:
                found.append(cast(T, one))
            if mailbox.is_over or (end is not None and time.monotonic() >= end):
                break
        return found

    def _asked(self, kind: Type[M], line: bytes, name: str, timeout: float) -> M:
        message = self._session.ask(line, name, timeout)
        assert isinstance(message, kind)
        return message

    def _command(self, name: str) -> None:
        # A tare takes some seconds if the board moves, and ten samples if they are rare.
        self._session.ask(b'{"command":"%s"}' % name.encode(), "done", 6 + 15 / max(0.1, self.hello.rate_hz))


M = TypeVar("M", bound=Message)


def matcher(what: str) -> Callable[[Message], bool]:
    """Whether an event is one to wait for, by the words of `plumb on`."""
    if what == "any":
        return lambda event: event.event in EVENTS
    if what == "unknown":
        return lambda event: isinstance(event, TroubleEvent)
    if what in POSES:
        return lambda event: isinstance(event, PoseEvent) and event.to == what
    if what == "trouble":
        return lambda event: event.event in ("trouble", "give-up")
    if what in EVENTS:
        return lambda event: event.event == what
    raise ValueError(f"there is no event {what!r}; there are: {', '.join((*POSES, *EVENTS))}, unknown, any")
