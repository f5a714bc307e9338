"""The names of Plumb: poses, events, reasons, faults and others.

Made from the ones in Swift by a test, which also compares them:
`PLUMB_UPDATE=1 make test-only FILTER=PythonVocabulary`.
"""

from typing import Literal, Tuple, get_args

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
