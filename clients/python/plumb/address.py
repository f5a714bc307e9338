"""Where the owner of a sensor serves its stream."""

from __future__ import annotations

import dataclasses
import os
from typing import Optional, Tuple

from .errors import AddressError, printable

SYSTEM_PATH = "/run/plumb/stream"
USUAL_PORT = 7587
# In bytes. Linux has space for this and a NUL in the address of a Unix socket.
LONGEST_PATH = 107
LONGEST_DEVICE = 191


@dataclasses.dataclass(frozen=True)
class Address:
    """An address of a stream: `unix:PATH`, `tcp:HOST:PORT`, `ssh:[USER@]HOST[:PATH]`, `serial:DEVICE` or `serial:auto`.

    `place` is the path of the socket or device, or the host; None stands for the only board on a serial line.
    """

    kind: str
    place: Optional[str]
    port: int = 0
    path: Optional[str] = None

    @classmethod
    def parse(cls, text: str) -> Address:
        """The address in `text`. An absolute path alone is a Unix socket."""
        kind, _, rest = text.partition(":")
        if text.startswith("/"):
            return cls("unix", _path(text, text))
        if kind == "unix":
            return cls("unix", _path(rest, text) if rest else SYSTEM_PATH)
        if kind == "tcp":
            return cls("tcp", *_host(rest, text))
        if kind == "ssh":
            destination, path = _destination(rest, text)
            return cls("ssh", destination, path=path)
        if kind == "serial":
            if rest == "auto":
                return cls("serial", None)
            if rest.startswith("/"):
                return cls("serial", _path(rest, text, "serial device", LONGEST_DEVICE))
            raise _error(text, "write serial:auto, or the path of a device, as in serial:/dev/ttyACM0")
        raise _error(text, "it begins with unix:, tcp:, ssh: or serial:, or is an absolute path")

    @classmethod
    def usual(cls) -> Address:
        """The owner of this computer: the one that `PLUMB_STREAM` names, otherwise its service."""
        name = os.environ.get("PLUMB_STREAM")
        if not name:
            return cls("unix", SYSTEM_PATH)
        if name == "none":
            raise AddressError("PLUMB_STREAM is none, so this computer has no usual owner: pass an address, as in "
                               'Board("unix:/tmp/board")')
        try:
            return cls.parse(name)
        except AddressError as error:
            raise AddressError(f"PLUMB_STREAM: {error}") from None

    def __str__(self) -> str:
        if self.kind == "tcp":
            host = f"[{self.place}]" if ":" in (self.place or "") else self.place
            return f"tcp:{host}:{self.port}"
        if self.kind == "serial":
            return f"serial:{self.place or 'auto'}"
        return f"{self.kind}:{self.place}" + (f":{self.path}" if self.path else "")


def _error(text: str, words: str) -> AddressError:
    return AddressError(f"{printable(text)} is no address of a stream: {words}")


def _is_word(text: str) -> bool:
    """Whether it is not empty, and has neither blanks nor control characters."""
    return text != "" and all(c > " " and c != "\x7f" for c in text)


def _path(path: str, text: str, what: str = "Unix socket", longest: int = LONGEST_PATH) -> str:
    if len(os.fsencode(path)) > longest:
        raise _error(text, f"the path of a {what} has at most {longest} bytes")
    if any(c < " " or c == "\x7f" for c in path):
        raise _error(text, "the path has control characters")
    return path


def _host(rest: str, text: str) -> Tuple[str, int]:
    host, colon, digits = rest.rpartition(":")
    port = USUAL_PORT
    # The last colon, unless it belongs to an IPv6 address.
    if colon and "]" not in digits:
        if not (digits.isascii() and digits.isdigit() and 0 < int(digits) <= 65535):
            raise _error(text, "a port is a number from 1 to 65535")
        port = int(digits)
    else:
        host = rest
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise _error(text, f"write an IPv6 address in brackets, as in tcp:[::1]:{USUAL_PORT}")
    if not _is_word(host):
        raise _error(text, "the host is missing: tcp:HOST:PORT")
    return host, port


def _destination(rest: str, text: str) -> Tuple[str, Optional[str]]:
    destination, colon, path = rest.partition(":/")
    # ssh would take a leading hyphen for an option.
    if not _is_word(destination) or destination.startswith("-") or destination.endswith("@"):
        raise _error(text, "the host is missing: ssh:[USER@]HOST[:PATH]")
    # More than one colon is an IPv6 address.
    if destination.count(":") == 1:
        raise _error(text, "write an absolute path after the host; "
                     "a port or a key belongs into the configuration of ssh")
    return destination, _path("/" + path, text) if colon else None
