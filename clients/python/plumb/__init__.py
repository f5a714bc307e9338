"""Which way a board is held: a client of Plumb.

    from plumb import Board

    for event in Board("ssh:pi@raspberrypi"):
        print(event)
"""

from . import events
from .address import Address
from .aio import AsyncBoard
from .board import Board
from .errors import (
    AddressError, ClosedError, MissingPackageError, NotPermittedError, PlumbError, ProtocolError, RefusedError,
    RequestError, UnreachableError)
from .events import *
from .samples import Samples
from .vocabulary import (
    CERTAINTIES, EVENTS, FAULTS, ORIENTATIONS, POSES, REASONS, Certainty, EventName, FaultKind, Orientation, Pose,
    Reason)

__version__ = "0.1.0"

__all__ = [
    "CERTAINTIES", "EVENTS", "FAULTS", "ORIENTATIONS", "POSES", "REASONS", "Address", "AddressError", "AsyncBoard",
    "Board", "Certainty", "ClosedError", "EventName", "FaultKind", "MissingPackageError", "NotPermittedError",
    "Orientation", "PlumbError", "Pose", "ProtocolError", "Reason", "RefusedError", "RequestError", "Samples",
    "UnreachableError",
]
__all__ += events.__all__
