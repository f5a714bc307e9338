"""What is known about a board, from the lines of its owner: without a connection, a clock or a thread."""

from __future__ import annotations

from typing import List, Mapping, Optional, cast

from . import events
from .events import Event, Hello, Message, MissedEvent, PoseEvent, Sample, Snapshot, TroubleEvent
from .vocabulary import POSES, FaultKind, Pose, Reason


class Tracker:
    """Takes the objects of a stream in turn, and the loss of its connection; returns what a program is given."""

    def __init__(self) -> None:
        self.hello: Optional[Hello] = None
        self.missed = 0
        self._owner: Optional[str] = None
        # How many events the owner has had; None if not known, because lines were lost.
        self._events: Optional[int] = None
        self._last_t = 0.0
        self._forget(None, "notYetSampled", None)

    def _forget(self, t: Optional[float], reason: Reason, detail: Optional[str]) -> None:
        self.connected = False
        self.pose: Optional[Pose] = None
        self.reason: Optional[Reason] = reason
        self.detail = detail
        self.cause: Optional[FaultKind] = None
        self.since = t
        self.force: Optional[events.Vector] = None
        self.sample: Optional[Sample] = None
        self.still: Optional[bool] = None
        self.asleep = False
        self.busy: Optional[bool] = None
        self.counters: Optional[events.Counters] = None

    @property
    def t(self) -> float:
        """The owner's time in the last line."""
        return self._last_t

    def snapshot(self) -> Snapshot:
        """What is known now."""
        x, y, z = self.force or (None, None, None)
        return Snapshot(
            connected=self.connected, pose=self.pose, reason=self.reason, detail=self.detail, cause=self.cause,
            since=self.since, x=x, y=y, z=z, angles=self.sample.angles if self.sample else None, still=self.still,
            asleep=self.asleep, busy=self.busy, tare=self.hello.tare if self.hello and self.connected else None,
            counters=self.counters, missed=self.missed)

    def present(self) -> Optional[Event]:
        """The state of now as an event, for one who begins to listen; None before the first sample."""
        if self.pose is not None:
            x, y, z = self.force or (None, None, None)
            return PoseEvent(t=self._last_t, to=self.pose, x=x, y=y, z=z)
        if self.reason is None or self.reason == "notYetSampled":
            return None
        return TroubleEvent(t=self._last_t, reason=self.reason, cause=self.cause, detail=self.detail)

    def take(self, found: Mapping[str, object]) -> List[Message]:
        """The next object. Returns the messages that follow from it; raises LineError if it is not valid."""
        message = events.read(found)
        if message is None:
            return []
        if message.t is not None:
            self._last_t = message.t
        if isinstance(message, Hello):
            return self._take_hello(message)
        if isinstance(message, MissedEvent):
            self._events = None
            self.missed += message.count
        elif isinstance(message, Sample):
            self._take_sample(message)
        elif isinstance(message, events.Counters):
            self.counters = message
        elif message.event in events_of_owner:
            if self._events is not None:
                self._events += 1
            self._take_event(message)
        return [message]

    def lose(self, detail: str, seconds: float) -> List[Message]:
        """The connection is lost, `seconds` after the last line: from now on nothing is known."""
        self._last_t += seconds
        self._forget(self._last_t, "stale", detail)
        return [TroubleEvent(t=self._last_t, reason="stale", detail=detail)]

    def _take_hello(self, hello: Hello) -> List[Message]:
        was_connected, before = self.connected, self.pose or self.reason
        found: List[Message] = []
        if hello.owner == self._owner and self._events is not None and (hello.events or 0) > self._events:
            lost = (hello.events or 0) - self._events
            self.missed += lost
            found.append(MissedEvent(count=lost))
        is_same = hello.owner == self._owner
        self.hello, self._owner, self._events, self.connected = hello, hello.owner, hello.events or 0, True
        self.counters = hello.counters
        if is_same and was_connected and hello.pose == before and not found:
            return []
        pose = next((one for one in POSES if one == hello.pose), None)
        old = self.pose
        self.pose, self.reason = pose, None if pose else cast(Reason, hello.pose)
        self.detail, self.cause, self.since = None, hello.cause, hello.since
        self.still, self.asleep, self.busy = hello.still, bool(hello.asleep), hello.busy
        self.force = None
        if hello.x is not None and hello.y is not None and hello.z is not None:
            self.force = (hello.x, hello.y, hello.z)
        if not is_same or not was_connected or pose is None:
            self.sample = None
        if hello.pose != before:
            if pose:
                x, y, z = self.force or (None, None, None)
                found.append(PoseEvent(t=hello.t, from_=old, to=pose, x=x, y=y, z=z))
            elif hello.pose != "notYetSampled":
                found.append(TroubleEvent(t=hello.t, reason=cast(Reason, hello.pose), cause=hello.cause))
        return found

    def _take_sample(self, sample: Sample) -> None:
        self.sample, self.force = sample, (sample.x, sample.y, sample.z)
        if sample.still is not None:
            self.still = sample.still
        if sample.reason:
            self.pose, self.reason = None, sample.reason
        elif sample.pose:
            self.pose, self.reason, self.detail = sample.pose, None, None

    def _take_event(self, message: Message) -> None:
        if isinstance(message, PoseEvent):
            self.pose, self.reason, self.detail, self.cause, self.since = message.to, None, None, None, message.t
            self.force = None
            if message.x is not None and message.y is not None and message.z is not None:
                self.force = (message.x, message.y, message.z)
        elif isinstance(message, TroubleEvent):
            self.pose, self.reason, self.detail = None, message.reason, message.detail
            self.cause, self.since = message.cause, message.t
            if message.reason in ("fault", "stale"):
                self.force = self.sample = self.still = None
        elif message.event in ("still", "moving"):
            self.still = message.event == "still"
        elif message.event in ("busy", "quiet"):
            self.busy = message.event == "busy"
        elif message.event in ("asleep", "awake"):
            self.asleep = message.event == "asleep"


# The kinds that the owner counts in its hello.
events_of_owner = frozenset(
    kind.event for kind in events.KINDS.values()
    if issubclass(kind, Event) and kind not in (events.VibrationEvent, MissedEvent, events.ErrorEvent))
