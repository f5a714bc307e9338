"""Which way a board is held: a client of Plumb.

    from plumb import Board

    for event in Board("ssh:pi@raspberrypi"):
        print(event)
"""

from .address import Address
from .aio import AsyncBoard
from .board import Board
from .errors import (
    AddressError, ClosedError, MissingPackageError, NotPermittedError, PlumbError, ProtocolError, RefusedError,
    RequestError, UnreachableError)
from .events import (
    Angles, AsleepEvent, AwakeEvent, BusyEvent, Counters, DoubleTapEvent, ErrorEvent, Event, FreeFallEvent, GiveUpEvent,
    Hello, Message, MissedEvent, MovingEvent, NoticeEvent, PoseEvent, QuietEvent, RawSample, Reading, RecoveryEvent,
    RotationEvent, Sample, Settings, ShakeEvent, Snapshot, StillEvent, TapEvent, TroubleEvent, VibrationEvent)
from .samples import Samples
from .vocabulary import (
    CERTAINTIES, EVENTS, FAULTS, ORIENTATIONS, POSES, REASONS, Certainty, EventName, FaultKind, Orientation, Pose,
    Reason)

__version__ = "0.1.0"

__all__ = [
    "CERTAINTIES", "EVENTS", "FAULTS", "ORIENTATIONS", "POSES", "REASONS",
    "Address", "AddressError", "Angles", "AsleepEvent", "AsyncBoard", "AwakeEvent", "Board", "BusyEvent", "Certainty",
    "ClosedError", "Counters", "DoubleTapEvent", "ErrorEvent", "Event", "EventName", "FaultKind", "FreeFallEvent",
    "GiveUpEvent", "Hello", "Message", "MissedEvent", "MissingPackageError", "MovingEvent", "NotPermittedError",
    "NoticeEvent", "Orientation", "PlumbError", "Pose", "PoseEvent", "ProtocolError", "QuietEvent", "RawSample",
    "Reading", "Reason", "RecoveryEvent", "RefusedError", "RequestError", "RotationEvent", "Sample", "Samples",
    "Settings", "ShakeEvent", "Snapshot", "StillEvent", "TapEvent", "TroubleEvent", "UnreachableError",
    "VibrationEvent",
]
