"""What can go wrong. Each message says what happened, where, and what to do."""


class PlumbError(Exception):
    """The base of all errors of this package."""


class AddressError(PlumbError, ValueError):
    """The text is not an address, or not that of one board alone."""


class UnreachableError(PlumbError, ConnectionError):
    """No program listens there, or it does not respond."""


class NotPermittedError(PlumbError, PermissionError):
    """The system denies access to this user."""


class RefusedError(PlumbError, ConnectionError):
    """The owner has ended the connection before it began, for example because it needs a token."""


class ProtocolError(PlumbError, ValueError):
    """The program that listens there does not speak the protocol of a stream."""


class RequestError(PlumbError):
    """The owner has not carried out a request, for the reason that it gives."""


class ClosedError(PlumbError):
    """The board was closed."""


class MissingPackageError(PlumbError, ImportError):
    """Something needs a package that is not installed."""


def printable(text: str) -> str:
    """`text` made safe for one line of a message: control characters become `?`."""
    return "".join("?" if c < " " or "\x7f" <= c <= "\x9f" else c for c in text)
