"""The names of Plumb: poses, events, reasons, faults and others.

Made from the ones in Swift by a test, which also compares them:
`PLUMB_UPDATE=1 make test-only FILTER=PythonVocabulary`.
"""

from typing import Literal, Tuple

Pose = Literal[
    "portrait",
    "portraitUpsideDown",
    "landscapeLeft",
    "landscapeRight",
    "faceUp",
    "faceDown",
]
POSES: Tuple[Pose, ...] = (
    "portrait",
    "portraitUpsideDown",
    "landscapeLeft",
    "landscapeRight",
    "faceUp",
    "faceDown",
)

Orientation = Literal[
    "portrait",
    "portraitUpsideDown",
    "landscapeLeft",
    "landscapeRight",
]
ORIENTATIONS: Tuple[Orientation, ...] = (
    "portrait",
    "portraitUpsideDown",
    "landscapeLeft",
    "landscapeRight",
)

Reason = Literal[
    "notYetSampled",
    "ambiguous",
    "accelerating",
    "freeFall",
    "stale",
    "fault",
]
REASONS: Tuple[Reason, ...] = (
    "notYetSampled",
    "ambiguous",
    "accelerating",
    "freeFall",
    "stale",
    "fault",
)

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
EVENTS: Tuple[EventName, ...] = (
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
)

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
FAULTS: Tuple[FaultKind, ...] = (
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
)

Certainty = Literal[
    "starting",
    "still",
    "moving",
    "clipped",
]
CERTAINTIES: Tuple[Certainty, ...] = (
    "starting",
    "still",
    "moving",
    "clipped",
)
