"""One line of a stream: a JSON object of at most 1024 bytes and eight levels (docs/stream.md of Plumb).

A repeated key has its last value, as for each reader of a stream.
"""

from __future__ import annotations

import json
from typing import Any, Dict, NoReturn

LONGEST_LINE = 1024  # bytes, with the line feed
DEEPEST = 8


class LineError(ValueError):
    """Why a line is not an object of a stream."""


def _constant(name: str) -> NoReturn:
    raise LineError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_constant)


def parse(line: bytes) -> Dict[str, Any]:
    """The object in `line`, with or without its end. Raises LineError for anything else."""
    if len(line) > LONGEST_LINE:
        raise LineError(f"it has more than {LONGEST_LINE} bytes")
    # Brackets in strings count too; a closer look follows.
    if line.count(b"[") + line.count(b"{") > DEEPEST and _depth(line) > DEEPEST:
        raise LineError(f"it is nested more than {DEEPEST} deep")
    try:
        text = line.decode("utf-8")
        found = _DECODER.decode(text)
        if "\\u" in text:
            # Half of a surrogate pair.
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except LineError:
        raise
    except UnicodeError:
        raise LineError("it is not UTF-8") from None
    except (ValueError, RecursionError):
        raise LineError("it is not JSON") from None
    if not isinstance(found, dict):
        raise LineError("it is not an object")
    return found


def _depth(line: bytes) -> int:
    """How deep brackets outside of strings are nested."""
    depth = deepest = 0
    in_string = escaped = False
    for byte in line:
        if in_string:
            in_string = escaped or byte != 0x22
            escaped = not escaped and byte == 0x5C
        elif byte == 0x22:
            in_string = True
        elif byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


def excerpt(line: bytes) -> str:
    """The beginning of a line, for a message."""
    return line[:60].decode("utf-8", "replace")
