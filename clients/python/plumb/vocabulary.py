"""The names of Plumb: poses, events, reasons, faults and others; and the events that have no fields.

Made from the ones in Swift by a test, which also compares them:
`PLUMB_UPDATE=1 make test-only FILTER=PythonVocabulary`.
"""

import dataclasses
from typing import Literal, Tuple, Type, get_args

from .messages import Event
from .when import When

# What `plumb` has of this module.
__all__ = [
    "CERTAINTIES",
    "EVENTS",
    "FAULTS",
    "ORIENTATIONS",
    "POSES",
    "REASONS",
    "Certainty",
    "EventName",
    "FaultKind",
    "Orientation",
    "Pose",
    "Reason",
    "ShakeEvent",
    "StillEvent",
    "MovingEvent",
    "AsleepEvent",
    "AwakeEvent",
]

Pose = Literal[
    "portrait",
    "portraitUpsideDown",
    "landscapeLeft",
    "landscapeRight",
    "faceUp",
    "faceDown",
]
POSES: Tuple[Pose, ...] = get_args(Pose)

Orientation = Literal[
    "portrait",
    "portraitUpsideDown",
    "landscapeLeft",
    "landscapeRight",
]
ORIENTATIONS: Tuple[Orientation, ...] = get_args(Orientation)

Reason = Literal[
    "notYetSampled",
    "ambiguous",
    "accelerating",
    "freeFall",
    "stale",
    "fault",
]
REASONS: Tuple[Reason, ...] = get_args(Reason)

EventName = Literal[
    "pose",
    "trouble",
    "recovery",
    "give-up",
    "notice",
    "shake",
    "still",
    "moving",
    "rotation",
    "busy",
    "quiet",
    "tap",
    "doubleTap",
    "freeFall",
    "asleep",
    "awake",
]
EVENTS: Tuple[EventName, ...] = get_args(EventName)

FaultKind = Literal[
    "noAcknowledge",
    "arbitrationLost",
    "timedOut",
    "shortRead",
    "unsupported",
    "notPermitted",
    "busy",
    "unavailable",
    "otherBusFault",
    "unexpectedIdentity",
    "configurationRejected",
    "configurationLost",
    "resetTimedOut",
    "rateTooHigh",
    "frozen",
    "stuckAtFullScale",
    "weightless",
    "configurationChanged",
]
FAULTS: Tuple[FaultKind, ...] = get_args(FaultKind)

Certainty = Literal[
    "starting",
    "still",
    "moving",
    "clipped",
]
CERTAINTIES: Tuple[Certainty, ...] = get_args(Certainty)


@dataclasses.dataclass(frozen=True, repr=False)
class ShakeEvent(Event):
    """The board is shaken."""

    event = "shake"


@dataclasses.dataclass(frozen=True, repr=False)
class StillEvent(Event):
    """The board has come to rest."""

    event = "still"


@dataclasses.dataclass(frozen=True, repr=False)
class MovingEvent(Event):
    """The board moves after a rest."""

    event = "moving"


@dataclasses.dataclass(frozen=True, repr=False)
class AsleepEvent(Event):
    """The sensor watches for movement by itself, with [power] in the board file."""

    event = "asleep"


@dataclasses.dataclass(frozen=True, repr=False)
class AwakeEvent(Event):
    """Samples come again."""

    event = "awake"


PLAIN: Tuple[Type[Event], ...] = (
    ShakeEvent,
    StillEvent,
    MovingEvent,
    AsleepEvent,
    AwakeEvent,
)


class Callbacks:
    """What a board calls at its events."""

    when_pose_changed = When("pose")
    when_trouble = When("trouble")
    when_recovery = When("recovery")
    when_give_up = When("give-up")
    when_notice = When("notice")
    when_shake = When("shake")
    when_still = When("still")
    when_moving = When("moving")
    when_rotation = When("rotation")
    when_busy = When("busy")
    when_quiet = When("quiet")
    when_tap = When("tap")
    when_double_tap = When("doubleTap")
    when_free_fall = When("freeFall")
    when_asleep = When("asleep")
    when_awake = When("awake")
