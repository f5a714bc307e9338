"""The objects of a stream as dataclasses, with the names that docs/stream.md and docs/output.md of Plumb give.

A field that the owner does not send, or sends as null, is None. Fields and kinds of later versions are ignored.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Type

from . import vocabulary
from .errors import printable
from .lines import LineError
from .messages import Event, Message, Named, _field, _needed, _number, _time
from .vocabulary import *

# What `plumb` has of this module; events without fields are in vocabulary.py.
__all__ = [
    "Angles", "BusyEvent", "Counters", "DoubleTapEvent", "ErrorEvent", "Event", "FreeFallEvent", "GiveUpEvent", "Hello",
    "Message", "MissedEvent", "NoticeEvent", "PoseEvent", "QuietEvent", "RawSample", "Reading", "RecoveryEvent",
    "RotationEvent", "Sample", "Settings", "Snapshot", "TapEvent", "TroubleEvent", "VibrationEvent",
]
__all__ += vocabulary.__all__

Vector = Tuple[float, float, float]


# Readers, as those of messages.py: each takes a value of JSON, and raises TypeError with what it should be.


def _whole(value: Any) -> int:
    # As an integer, because a float has 53 bits.
    whole = value if isinstance(value, int) and not isinstance(value, bool) else int(_number(value))
    if whole != value or abs(whole) >= 1 << 64:
        raise TypeError("a whole number of at most 64 bits")
    return whole


def _count(value: Any) -> int:
    found = _whole(value)
    if found < 0:
        raise TypeError("a count")
    return found


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return printable(value)


def _numbers(value: Any) -> Tuple[float, ...]:
    if not isinstance(value, list):
        raise TypeError("a list of numbers")
    return tuple(map(_number, value))


def _levels(value: Any) -> Tuple[int, ...]:
    if not isinstance(value, list):
        raise TypeError("a list of levels")
    return tuple(map(_level, value))


def _kinds(value: Any) -> Tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError("a list of kinds of event")
    return tuple(map(_text, value))


def _level(value: Any) -> int:
    found = _whole(value)
    if found not in (0, 1):
        raise TypeError("0 or 1")
    return found


def _vector(value: Any) -> Tuple[float, ...]:
    found = _numbers(value)
    if len(found) != 3:
        raise TypeError("three numbers")
    return found


def _pair(value: Any) -> Tuple[float, ...]:
    found = _numbers(value)
    if len(found) != 2:
        raise TypeError("two numbers")
    return found


def _lines(value: Any) -> Named:
    if not isinstance(value, dict):
        raise TypeError("an object of levels")
    return Named((_text(name), _level(level)) for name, level in value.items())


def _counts(value: Any) -> Named:
    if not isinstance(value, dict):
        raise TypeError("an object of counts")
    return Named((_text(name), _count(number)) for name, number in value.items())


def _one_of(names: Tuple[str, ...]) -> Callable[[Any], Optional[str]]:
    def read(value: Any) -> Optional[str]:
        # A name of a later version is None.
        return value if _text(value) in names else None
    return read


def _pose_or_reason(value: Any) -> str:
    if _text(value) not in POSES and value not in REASONS:
        raise TypeError("a pose or a reason that this version knows")
    return str(value)


def _strict(names: Tuple[str, ...], what: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if _text(value) not in names:
            raise TypeError(f"{what} that this version knows")
        return str(value)
    return read


@dataclasses.dataclass(frozen=True, repr=False)
class Faulty(Message):
    """What has a fault as its cause, with the figures of some kinds of faults."""

    cause: Optional[FaultKind] = _field(_one_of(FAULTS))
    expected: Optional[int] = _field(_whole)
    received: Optional[int] = _field(_whole)
    errno: Optional[int] = _field(_whole)
    found: Optional[int] = _field(_whole)
    register: Optional[int] = _field(_whole)
    wrote: Optional[int] = _field(_whole)
    read: Optional[int] = _field(_whole)
    bus_hz: Optional[int] = _field(_whole)
    highest_hz: Optional[int] = _field(_whole)


@dataclasses.dataclass(frozen=True, repr=False)
class PoseEvent(Event):
    """The pose has changed. `from_` is None if it was unknown."""

    event = "pose"
    to: Pose = _needed(_strict(POSES, "a pose"))
    from_: Optional[Pose] = _field(_one_of(POSES), "from")
    angle_deg: Optional[float] = _field(_number)
    pitch_deg: Optional[float] = _field(_number)
    roll_deg: Optional[float] = _field(_number)
    x: Optional[float] = _field(_number)
    y: Optional[float] = _field(_number)
    z: Optional[float] = _field(_number)
    leds: Optional[Tuple[int, ...]] = _field(_levels)
    code: Optional[str] = _field(_text)
    lines: Optional[Named] = _field(_lines)

    def _words(self) -> str:
        return self.to

    def as_dict(self) -> Dict[str, Any]:
        return super().as_dict() | {"from": self.from_ or "unknown"}


@dataclasses.dataclass(frozen=True, repr=False)
class TroubleEvent(Event, Faulty):
    """The pose is no longer known. `stale` is also the reason while the owner is gone."""

    event = "trouble"
    reason: Reason = _needed(_strict(REASONS, "a reason"))
    detail: Optional[str] = _field(_text)

    def _words(self) -> str:
        return self.detail or self.reason


@dataclasses.dataclass(frozen=True, repr=False)
class RecoveryEvent(Event, Faulty):
    """The sensor delivers again, `outage_s` after the first fault."""

    event = "recovery"
    outage_s: float = _needed(_time)
    detail: Optional[str] = _field(_text)

    def _words(self) -> str:
        return f"after {self.outage_s:.2f} s" + (f" from: {self.detail}" if self.detail else "")


@dataclasses.dataclass(frozen=True, repr=False)
class GiveUpEvent(Event, Faulty):
    """The owner has given up the sensor, `outage_s` after the first fault."""

    event = "give-up"
    outage_s: float = _needed(_time)
    detail: Optional[str] = _field(_text)

    def _words(self) -> str:
        return f"after {self.outage_s:.2f} s" + (f": {self.detail}" if self.detail else "")


@dataclasses.dataclass(frozen=True, repr=False)
class NoticeEvent(Event):
    """The sensor works, but something about it should be known."""

    event = "notice"
    notice: Optional[str] = _field(_text)
    detail: Optional[str] = _field(_text)
    identity: Optional[int] = _field(_whole)
    lost_samples: Optional[int] = _field(_count)

    def _words(self) -> str:
        return self.detail or self.notice or ""


@dataclasses.dataclass(frozen=True, repr=False)
class RotationEvent(Event):
    """A phase of the rotation of the interface, whose orientation mirrors the pose."""

    event = "rotation"
    phase: str = _needed(_text)
    from_: Optional[Orientation] = _field(_one_of(ORIENTATIONS), "from")
    to: Optional[Orientation] = _field(_one_of(ORIENTATIONS))
    duration_s: Optional[float] = _field(_time)
    remaining_s: Optional[float] = _field(_time)

    def _words(self) -> str:
        return self.phase


@dataclasses.dataclass(frozen=True, repr=False)
class BusyEvent(Event):
    """A machine works: it has vibrated for `duration_s`."""

    event = "busy"
    duration_s: float = _needed(_time)


@dataclasses.dataclass(frozen=True, repr=False)
class QuietEvent(Event):
    """The machine is done: it has been at rest for `duration_s`."""

    event = "quiet"
    duration_s: float = _needed(_time)


@dataclasses.dataclass(frozen=True, repr=False)
class TapEvent(Event):
    """The board was tapped. `sign` is 0 if the side is not known."""

    event = "tap"
    axis: str = _needed(_strict(("x", "y", "z"), "an axis"))
    sign: int = _needed(_whole)

    def _words(self) -> str:
        return {1: "+", -1: "-"}.get(self.sign, "") + self.axis


@dataclasses.dataclass(frozen=True, repr=False)
class DoubleTapEvent(TapEvent):
    """The board was tapped twice."""

    event = "doubleTap"


@dataclasses.dataclass(frozen=True, repr=False)
class FreeFallEvent(Event):
    """The board has landed after a fall of `duration_s`."""

    event = "freeFall"
    duration_s: float = _needed(_time)
    height_m: Optional[float] = _field(_number)


@dataclasses.dataclass(frozen=True, repr=False)
class VibrationEvent(Event):
    """The vibration in one second, if asked for."""

    event = "vibration"
    rms_g: float = _needed(_number)
    axes_rms_g: Vector = _needed(_vector)
    axes_peak_g: Vector = _needed(_vector)
    edges_hz: Tuple[float, ...] = _needed(_numbers)
    bands_g: Optional[Tuple[float, ...]] = _field(_numbers)

    def _words(self) -> str:
        return f"{self.rms_g:.4f} g"


@dataclasses.dataclass(frozen=True, repr=False)
class MissedEvent(Event):
    """So many lines were lost: this program was slow, or the connection was interrupted."""

    event = "missed"
    count: int = _needed(_count)

    def _words(self) -> str:
        return str(self.count)


@dataclasses.dataclass(frozen=True, repr=False)
class ErrorEvent(Event):
    """The owner has an error that answers no request of this program."""

    event = "error"
    detail: Optional[str] = _field(_text)
    needs: Optional[str] = _field(_text)

    def _words(self) -> str:
        return self.detail or ""


@dataclasses.dataclass(frozen=True)
class Angles:
    """The angles of a board in degrees; None where one is undefined. docs/output.md of Plumb has their formulas."""

    angle_deg: Optional[float]
    level_deg: Optional[float]
    pitch_deg: Optional[float]
    roll_deg: Optional[float]
    inclination_deg: Optional[float]
    steering_deg: Optional[float]
    heading_deg: Optional[float] = None


@dataclasses.dataclass(frozen=True, repr=False)
class Sample(Message):
    """A sample: the force in g in the board's frame, and what follows from it. `pose` is None if it is unknown."""

    event = "sample"
    x: float = _needed(_number)
    y: float = _needed(_number)
    z: float = _needed(_number)
    pose: Optional[Pose] = _field(_one_of(POSES))
    reason: Optional[Reason] = _field(_one_of(REASONS))
    angle_deg: Optional[float] = _field(_number)
    level_deg: Optional[float] = _field(_number)
    pitch_deg: Optional[float] = _field(_number)
    roll_deg: Optional[float] = _field(_number)
    inclination_deg: Optional[float] = _field(_number)
    steering_deg: Optional[float] = _field(_number)
    scroll: Optional[Tuple[float, float]] = _field(_pair)
    gravity: Optional[Vector] = _field(_vector)
    up: Optional[Vector] = _field(_vector)
    heading_deg: Optional[float] = _field(_number)
    rate_dps: Optional[Vector] = _field(_vector)
    bias_dps: Optional[Vector] = _field(_vector)
    still: Optional[bool] = _field(_flag)
    certainty: Optional[Certainty] = _field(_one_of(CERTAINTIES))
    rotation_dps: Optional[Vector] = _field(_vector)

    @property
    def angles(self) -> Angles:
        """The angles of this sample."""
        return Angles(self.angle_deg, self.level_deg, self.pitch_deg, self.roll_deg, self.inclination_deg,
                      self.steering_deg, self.heading_deg)

    def _words(self) -> str:
        return f"{self.x:.3f} {self.y:.3f} {self.z:.3f} g"


@dataclasses.dataclass(frozen=True, repr=False)
class RawSample(Message):
    """A sample in the sensor's own frame, uncalibrated."""

    event = "raw"
    x: float = _needed(_number)
    y: float = _needed(_number)
    z: float = _needed(_number)
    rotation_dps: Optional[Vector] = _field(_vector)

    def _words(self) -> str:
        return f"{self.x:.3f} {self.y:.3f} {self.z:.3f} g"


@dataclasses.dataclass(frozen=True, repr=False)
class Reading(Message):
    """One fresh reading. `pose` is None if it is unknown; `reason` and `detail` then say why."""

    event = "reading"
    x: float = _needed(_number)
    y: float = _needed(_number)
    z: float = _needed(_number)
    pose: Optional[Pose] = _field(_one_of(POSES))
    reason: Optional[Reason] = _field(_one_of(REASONS))
    detail: Optional[str] = _field(_text)
    angle_deg: Optional[float] = _field(_number)
    level_deg: Optional[float] = _field(_number)
    pitch_deg: Optional[float] = _field(_number)
    roll_deg: Optional[float] = _field(_number)
    inclination_deg: Optional[float] = _field(_number)
    steering_deg: Optional[float] = _field(_number)

    @property
    def angles(self) -> Angles:
        """The angles of this reading."""
        return Angles(self.angle_deg, self.level_deg, self.pitch_deg, self.roll_deg, self.inclination_deg,
                      self.steering_deg)

    def _words(self) -> str:
        return self.pose or self.detail or self.reason or "unknown"


@dataclasses.dataclass(frozen=True, repr=False)
class Counters(Message):
    """What the owner has counted. `clients` and `missed` come only if the counters were asked for."""

    event = "counters"
    samples: Optional[int] = _field(_count)
    pose_changes: Optional[int] = _field(_count)
    faults: Optional[int] = _field(_count)
    recoveries: Optional[int] = _field(_count)
    give_ups: Optional[int] = _field(_count)
    notices: Optional[int] = _field(_count)
    late_samples: Optional[int] = _field(_count)
    lost_samples: Optional[int] = _field(_count)
    shakes: Optional[int] = _field(_count)
    transactions: Optional[int] = _field(_count)
    output_writes: Optional[int] = _field(_count)
    restarts: Optional[int] = _field(_count)
    temperature_c: Optional[float] = _field(_number)
    fault_kinds: Optional[Named] = _field(_counts)
    unknown: Optional[Named] = _field(_counts)
    clients: Optional[int] = _field(_count)
    missed: Optional[int] = _field(_count)


def _counters(value: Any) -> Counters:
    if not isinstance(value, dict):
        raise TypeError("an object of counters")
    return Counters._read(value)


@dataclasses.dataclass(frozen=True, repr=False)
class Settings(Message):
    """The sensor's mounting and calibration, as the owner's board file has them."""

    event = "board"
    board: Optional[str] = _field(_text)
    mounting: str = _needed(_text)
    offset_g: Vector = _needed(_vector)
    scale: Vector = _needed(_vector)
    gyroscope_bias_dps: Optional[Vector] = _field(_vector)
    gyroscope_scale: Optional[Vector] = _field(_vector)


@dataclasses.dataclass(frozen=True, repr=False)
class Hello(Faulty):
    """What the owner is, and what it knew when it said so. `pose` is a pose, or the reason why it is unknown."""

    event = "hello"
    protocol: int = _needed(_count)
    pose: str = _needed(_pose_or_reason)
    rate_hz: float = _needed(_number)
    plumb: Optional[str] = _field(_text)
    owner: Optional[str] = _field(_text)
    board: Optional[str] = _field(_text)
    sensor: Optional[str] = _field(_text)
    address: Optional[int] = _field(_whole)
    bus: Optional[str] = _field(_text)
    range_g: Optional[float] = _field(_number)
    gyroscope_range_dps: Optional[float] = _field(_number)
    chip: Optional[str] = _field(_text)
    code: Optional[str] = _field(_text)
    lines: Optional[Tuple[int, ...]] = _field(_levels)
    undetected: Optional[Tuple[str, ...]] = _field(_kinds)
    commands: Optional[bool] = _field(_flag)
    tare: Optional[Vector] = _field(_vector)
    since: Optional[float] = _field(_time)
    x: Optional[float] = _field(_number)
    y: Optional[float] = _field(_number)
    z: Optional[float] = _field(_number)
    still: Optional[bool] = _field(_flag)
    asleep: Optional[bool] = _field(_flag)
    busy: Optional[bool] = _field(_flag)
    events: Optional[int] = _field(_count)
    clients: Optional[int] = _field(_count)
    counters: Optional[Counters] = _field(_counters)

    def _words(self) -> str:
        return f"{self.sensor} of {self.board}, {self.rate_hz:g} Hz"


@dataclasses.dataclass(frozen=True, repr=False)
class Done(Message):
    """The owner has carried out a command."""

    event = "done"
    command: Optional[str] = _field(_text)


_ALL: Tuple[Type[Message], ...] = (
    *vocabulary.PLAIN, PoseEvent, TroubleEvent, RecoveryEvent, GiveUpEvent, NoticeEvent, RotationEvent, BusyEvent,
    QuietEvent, TapEvent, DoubleTapEvent, FreeFallEvent, VibrationEvent, MissedEvent, ErrorEvent, Sample, RawSample,
    Reading, Counters, Settings, Hello, Done)
KINDS: Dict[str, Type[Message]] = {kind.event: kind for kind in _ALL}

# Objects that have no time.
_TIMELESS = (MissedEvent, ErrorEvent, Done)


def read(found: Mapping[str, Any]) -> Optional[Message]:
    """The message in an object; None for a kind that this version does not know. Raises LineError if it lacks
    something that its kind has, or if a field is of a wrong type."""
    name = found.get("event")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        return None
    if "t" not in found and not issubclass(kind, _TIMELESS):
        raise LineError(f"its {kind.event} has no t")
    message = kind._read(found)
    if message.t is None and not issubclass(kind, _TIMELESS):
        raise LineError(f"its {kind.event} has no t")
    if isinstance(message, Hello) and message.rate_hz <= 0:
        raise LineError("the rate_hz of its hello is not above 0")
    return message


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """What is known of a board at one moment.

    `pose` is None if it is unknown; `reason` and `detail` then say why. While there is no connection, nothing is known:
    the reason is `stale`. `missed` is the number of lines that were lost since the board was opened.
    """

    connected: bool
    pose: Optional[Pose]
    reason: Optional[Reason]
    detail: Optional[str]
    cause: Optional[FaultKind]
    since: Optional[float]
    x: Optional[float]
    y: Optional[float]
    z: Optional[float]
    angles: Optional[Angles]
    still: Optional[bool]
    asleep: bool
    busy: Optional[bool]
    tare: Optional[Vector]
    counters: Optional[Counters]
    missed: int
