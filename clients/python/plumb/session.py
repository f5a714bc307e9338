"""A thread that reads a stream all the time, and hands what comes to those who listen."""

from __future__ import annotations

import collections
import contextlib
import inspect
import selectors
import socket
import sys
import threading
import time
import weakref
from typing import Any, Callable, Deque, Dict, Generic, List, Optional, Set, Tuple, Type, TypeVar, Union

from .address import Address
from .errors import ClosedError, PlumbError, ProtocolError, RequestError, UnreachableError, printable
from .events import ErrorEvent, Event, Message, MissedEvent, Sample, Snapshot
from .lines import LineError, excerpt
from .link import Connected, Link, Lost
from .tracker import Tracker

T = TypeVar("T", bound=Message)
# Where a program is slow, older messages than these are lost, and counted.
LIMIT = 4096


class Mailbox(Generic[T]):
    """Messages of some kinds for one who listens, at most `limit`: beyond it the oldest are lost."""

    def __init__(self, kind: Type[T], limit: int, notify: Optional[Callable[[], None]] = None) -> None:
        self.kind, self.limit, self.lost = kind, limit, 0
        self._notify = notify
        self._messages: Deque[T] = collections.deque()
        self._changed = threading.Condition()
        self._is_over = False

    def put(self, message: T) -> int:
        """Adds a message; returns how many are lost for it."""
        with self._changed:
            lost = int(len(self._messages) >= self.limit)
            if lost:
                self._messages.popleft()
                self.lost += 1
            self._messages.append(message)
            self._changed.notify()
        if self._notify:
            self._notify()
        return lost

    def get(self, timeout: Optional[float] = None) -> Optional[Union[T, MissedEvent]]:
        """The next message; None at the end, or if none comes within `timeout` seconds."""
        with self._changed:
            if not self._messages and not self._is_over:
                self._changed.wait_for(lambda: self._messages or self._is_over, timeout)
            if self.lost and issubclass(MissedEvent, self.kind):
                missed, self.lost = MissedEvent(count=self.lost), 0
                return missed
            return self._messages.popleft() if self._messages else None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        with self._changed:
            return self._is_over and not self._messages

    def end(self) -> None:
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        if self._notify:
            self._notify()


class Answer:
    """What a request waits for."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.came = threading.Event()
        self.message: Optional[Message] = None
        self.error: Optional[PlumbError] = None


Callback = Callable[..., object]


class Session:
    """The connection of a Board. It does not know the Board, so that a Board which is no longer used is closed."""

    def __init__(self, address: Address, token: Optional[str], standing: List[bytes], reconnects: bool) -> None:
        self.address, self.reconnects = address, reconnects
        self.tracker = Tracker()
        # Held while the link is used, also while it looks up a host; and while anything else changes.
        self._link_lock, self._lock = threading.Lock(), threading.RLock()
        self._link = Link(address, token, time.monotonic())
        self._standing = standing
        self._listeners: weakref.WeakSet[Mailbox[Any]] = weakref.WeakSet()
        self._answers: List[Answer] = []
        self._callbacks: Dict[str, Callable[[Event], object]] = {}
        self._originals: Dict[str, Callback] = {}
        self._dispatcher: Optional[threading.Thread] = None
        self._mailbox: Optional[Mailbox[Event]] = None
        self._is_closing = self._has_connected = self._is_done = False
        self._line_at = self._sample_at = 0.0
        # What ended it, and whether it is decided that it has begun or not.
        self.error: Optional[PlumbError] = None
        self.begun = threading.Event()
        self._near, self._far = socket.socketpair()
        self._near.setblocking(False)
        self._far.setblocking(False)
        self._thread = threading.Thread(target=self._run, name=f"plumb {printable(str(address))}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends it: the connection, and the ssh of an address of another computer."""
        self._is_closing = True
        self._wake()
        if threading.current_thread() is not self._thread:
            self._thread.join(10)

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def snapshot(self) -> Snapshot:
        with self._lock:
            return self.tracker.snapshot()

    def sample(self) -> Tuple[Optional[Sample], float]:
        """The last sample that is still true, and its age in seconds."""
        with self._lock:
            return self.tracker.sample, time.monotonic() - self._sample_at

    def listen(self, kind: Type[T], limit: int = LIMIT, notify: Optional[Callable[[], None]] = None,
               present: bool = False) -> Mailbox[T]:
        """A mailbox for messages of a kind from now on, which is used for as long as it exists. With `present`, it
        begins with the state of now."""
        mailbox = Mailbox(kind, limit, notify)
        with self._lock:
            state = self.tracker.present() if present else None
            if isinstance(state, kind):
                mailbox.put(state)
            if self._is_done:
                mailbox.end()
            else:
                self._listeners.add(mailbox)
        return mailbox

    # Requests

    def ask(self, line: bytes, kind: str, timeout: float) -> Message:
        """Sends a request, and waits for its answer."""
        answer = Answer(kind)
        with self._lock:
            if self._is_done or self._is_closing:
                raise ClosedError(f"the board at {printable(str(self.address))} was closed")
            if not self.tracker.connected:
                raise UnreachableError(f"no connection to the owner at {printable(str(self.address))}")
            self._answers.append(answer)
        try:
            with self._link_lock:
                is_sent = self._link.send(line)
            self._wake()
            if not is_sent or not answer.came.wait(timeout):
                raise UnreachableError(f"the owner at {printable(str(self.address))} does not respond")
        finally:
            with self._lock, contextlib.suppress(ValueError):
                self._answers.remove(answer)
        if answer.error or answer.message is None:
            raise answer.error or UnreachableError("the connection was lost")
        return answer.message

    # Callbacks

    def callback(self, event: str) -> Optional[Callback]:
        return self._originals.get(event)

    def set_callback(self, event: str, function: Optional[Callback]) -> None:
        with self._lock:
            if function is None:
                self._callbacks.pop(event, None)
                self._originals.pop(event, None)
                return
            self._callbacks[event], self._originals[event] = _with_event(function), function
            if self._dispatcher is None:
                self._mailbox = self.listen(Event)
                self._dispatcher = threading.Thread(
                    target=self._dispatch, args=(self._mailbox,), name="plumb callbacks", daemon=True)
                self._dispatcher.start()

    def _dispatch(self, mailbox: Mailbox[Event]) -> None:
        while not mailbox.is_over:
            event = mailbox.get()
            function = self._callbacks.get(event.event) if event else None
            if event and function and not self._is_closing:
                try:
                    function(event)
                except Exception:
                    # As of a thread that ends: printed, unless the program has a hook. The next event is handled.
                    kind, error, trace = sys.exc_info()
                    assert kind is not None
                    threading.excepthook(threading.ExceptHookArgs((kind, error, trace, threading.current_thread())))

    # The thread

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            self._near.send(b"x")

    def _run(self) -> None:
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._far, selectors.EVENT_READ)
                while not self._is_closing and not self._link.is_over:
                    self._turn(selector)
        except Exception as error:
            # A defect of this package must not leave a program waiting.
            self.error = PlumbError(
                f"the connection to {printable(str(self.address))} ended by an error of this package: {error!r}")
            self.error.__cause__ = error
        finally:
            with self._link_lock:
                self._link.end()
            with self._lock:
                self._is_done = True
                if self.tracker.connected:
                    self.tracker.lose("the board was closed", 0)
                self._fail_answers(self.error or ClosedError(f"the board at {printable(str(self.address))} was closed"))
                for mailbox in list(self._listeners):
                    mailbox.end()
            self._near.close()
            self._far.close()
            self.begun.set()

    def _turn(self, selector: selectors.BaseSelector) -> None:
        with self._link_lock:
            arrival = self._link.receive(time.monotonic())
            if isinstance(arrival, Connected):
                for line in self._standing:
                    self._link.send(line)
        if arrival is None:
            self._wait(selector)
        elif isinstance(arrival, Lost):
            self._lose(arrival.error, arrival.was_open)
        elif not isinstance(arrival, Connected):
            self._take(arrival)

    def _wait(self, selector: selectors.BaseSelector) -> None:
        end, wanted = self._link.fileno(), selectors.EVENT_READ
        if self._link.waits_to_write:
            wanted |= selectors.EVENT_WRITE
        if end >= 0:
            selector.register(end, wanted)
        try:
            selector.select(self._link.wait(time.monotonic()))
        finally:
            if end >= 0:
                selector.unregister(end)
        with contextlib.suppress(OSError):
            while self._far.recv(4096):
                pass

    def _take(self, found: Dict[str, Any]) -> None:
        try:
            with self._lock:
                messages = self.tracker.take(found)
                self._line_at = time.monotonic()
                self._deliver(found, messages)
        except LineError as error:
            with self._link_lock:
                words = printable(excerpt(self._link.line))
                was_open = self._has_connected and self.tracker.connected
                self._link.abandon(time.monotonic())
            name = printable(str(self.address))
            self._lose(ProtocolError(f"the owner at {name} sent an invalid line: {error}: {words}"), was_open)
            return
        if found["event"] == "hello" and not self._has_connected:
            self._has_connected = True
            self._link.asks = False
            self.begun.set()

    def _deliver(self, found: Dict[str, Any], messages: List[Message]) -> None:
        kind = found.get("event")
        for answer in self._answers:
            if not answer.came.is_set() and (kind == answer.kind or kind == "error"):
                message = self.tracker.hello if kind == "hello" else messages[0]
                if isinstance(message, ErrorEvent):
                    words = message.detail or "it gives no reason"
                    answer.error = RequestError(f"the owner at {printable(str(self.address))}: {words}")
                    messages = []
                answer.message = message
                answer.came.set()
                break
        for message in messages:
            if isinstance(message, Sample):
                self._sample_at = time.monotonic()
            for mailbox in list(self._listeners):
                if isinstance(message, mailbox.kind):
                    self.tracker.missed += mailbox.put(message)

    def _lose(self, error: PlumbError, was_open: bool) -> None:
        with self._lock:
            self.error = error
            self._fail_answers(error)
            if not self._has_connected or not self.reconnects:
                with self._link_lock:
                    self._link.end()
            if was_open and self._has_connected:
                more = "; trying again" if self.reconnects else ""
                seconds = time.monotonic() - self._line_at
                self._deliver({}, self.tracker.lose(f"{error}{more}", seconds))

    def _fail_answers(self, error: PlumbError) -> None:
        for answer in self._answers:
            if not answer.came.is_set():
                answer.error = error
                answer.came.set()


def _with_event(function: Callback) -> Callable[[Event], object]:
    """A function that takes the event, from one that takes it or nothing, as in gpiozero."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        # Some functions that are written in C do not say.
        return lambda event: function()
    needed: Set[str] = {one.name for one in parameters if one.default is one.empty
                        and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)}
    if len(needed) > 1:
        raise ValueError(f"a callback takes the event, or nothing; {function!r} takes {len(needed)} arguments")
    return function if needed else lambda event: function()
