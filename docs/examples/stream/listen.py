#!/usr/bin/env python3
"""Prints the pose of a board, and what happens to it, from a stream of Plumb (docs/stream.md).

    listen.py [ADDRESS [TOKEN-FILE]]

ADDRESS is unix:PATH (default: unix:/run/plumb/stream) or tcp:HOST:PORT. It goes on until Ctrl-C. If the owner of the
stream ends, or cannot be reached, it connects again: after half a second at first, at last every half minute.

Exit codes: 0 ended by Ctrl-C; 64 wrong usage; 66 the token file cannot be read.
"""

import json
import random
import socket
import sys
import time

POSES = ("portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown")
LONGEST_LINE = 1024  # bytes, with the line feed
# The owner sends its counters every 5 s, so that silence means that the connection is broken.
REQUEST = b'{"counters":5}\n'
SILENCE = 15  # s
SHORTEST_PAUSE, LONGEST_PAUSE = 0.5, 30  # s


def connect(address):
    kind, _, place = address.partition(":")
    if kind == "unix":
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(SILENCE)
        try:
            connection.connect(place)
        except OSError:
            connection.close()
            raise
        return connection
    host, _, port = place.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), SILENCE)


def objects(connection):
    """Yields each object of a connection until its end."""
    with connection.makefile("rb") as lines:
        while True:
            line = lines.readline(LONGEST_LINE)
            if not line.endswith(b"\n"):
                if len(line) == LONGEST_LINE:
                    raise ValueError("a line is too long")
                return
            found = json.loads(line)
            if not isinstance(found, dict) or not isinstance(found.get("event"), str):
                raise ValueError("a line is no object with an event")
            yield found


def listen(address, token=None):
    """Yields each object of the stream, and None where it is interrupted. Never ends."""
    pause = SHORTEST_PAUSE
    while True:
        try:
            with connect(address) as connection:
                if token:
                    connection.sendall(json.dumps({"token": token}).encode() + b"\n")
                connection.sendall(REQUEST)
                for found in objects(connection):
                    if found.get("event") == "hello":
                        pause = SHORTEST_PAUSE
                    yield found
        except (OSError, ValueError, RecursionError) as error:
            print(f"listen.py: {address}: {error}", file=sys.stderr)
        yield None
        # The random part keeps many clients from coming back at the same moment.
        time.sleep(pause * random.uniform(0.75, 1.25))
        pause = min(2 * pause, LONGEST_PAUSE)


def words(found):
    """What to print of an object; None for those that say nothing new, and for kinds that this program does not know."""
    if found is None:
        return "unknown: the owner is gone; trying again"
    event, detail = found.get("event"), found.get("detail")
    if event == "hello":
        return found.get("pose") if found.get("pose") in POSES else f"unknown: {found.get('pose')}"
    return {
        "pose": found.get("to"),
        "trouble": f"unknown: {detail}",
        "recovery": f"recovered: {detail}",
        "shake": "shaken",
        "missed": f"missed: {found.get('count')}",
        "error": f"error: {detail}",
        "bye": f"the owner says: {detail}",
    }.get(event)


def main(arguments):
    address = arguments[0] if arguments else "unix:/run/plumb/stream"
    kind, _, place = address.partition(":")
    if len(arguments) > 2 or not place or kind not in ("unix", "tcp") or (
            kind == "tcp" and not place.rpartition(":")[2].isdecimal()):
        print("usage: listen.py [unix:PATH | tcp:HOST:PORT [TOKEN-FILE]]", file=sys.stderr)
        return 64
    try:
        token = None
        if len(arguments) == 2:
            with open(arguments[1], encoding="utf-8") as file:
                token = file.readline().strip()
    except (OSError, ValueError) as error:
        print(f"listen.py: {arguments[1]}: {error}", file=sys.stderr)
        return 66
    shown = None
    try:
        for found in listen(address, token):
            text = words(found)
            is_state = found is None or found.get("event") in ("hello", "pose", "trouble")
            # A hello after a moment's interruption may have nothing new.
            if text and not (is_state and text == shown):
                print(text, flush=True)
            shown = text if is_state else shown
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
