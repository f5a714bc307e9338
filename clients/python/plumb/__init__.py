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

__version__ = "0.1.0"

__all__ = [
    "Address", "AddressError", "AsyncBoard", "Board", "ClosedError", "MissingPackageError", "NotPermittedError",
    "PlumbError", "ProtocolError", "RefusedError", "RequestError", "Samples", "UnreachableError",
]
__all__ += events.__all__
