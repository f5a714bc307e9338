#!/usr/bin/env python3
"""Prints the pose from coded pins (docs/coded-pins.md), on another computer with Linux.

    read_pose.py CHIP one-hot VALID PORTRAIT UPSIDEDOWN LEFT RIGHT FACEUP FACEDOWN
    read_pose.py CHIP binary VALID BIT0 BIT1 BIT2

CHIP is a device such as /dev/gpiochip0; the rest are the lines to which the pins are wired.
Needs the package gpiod, version 1 or 2 (python3-libgpiod).
"""

import sys
import time

import gpiod

NAMES = ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"]
LINES = {"one-hot": 7, "binary": 4}
# The longest time for three readings: valid is off for at least 5 ms between two poses.
LONGEST = 0.004
# Valid is off for some 10 ms while a pose changes; after this many readings, 10 ms apart, the pose is unknown.
PATIENCE = 5
AGAIN = object()


def open_lines(path, offsets):
    """Requests the lines; returns a function that reads them all, each as True or False, in the order of `offsets`."""
    if hasattr(gpiod, "request_lines"):  # version 2
        settings = gpiod.LineSettings(direction=gpiod.line.Direction.INPUT)
        request = gpiod.request_lines(path, consumer="read_pose", config={tuple(offsets): settings})
        return lambda: [value == gpiod.line.Value.ACTIVE for value in request.get_values(offsets)]
    lines = gpiod.Chip(path).get_lines(offsets)
    lines.request(consumer="read_pose", type=gpiod.LINE_REQ_DIR_IN)
    return lambda: [value == 1 for value in lines.get_values()]


def decoded(code, lines):
    """The pose that the lines without valid say."""
    number = sum(1 << place for place, is_on in enumerate(lines) if is_on)
    if code == "binary":
        return NAMES[number] if number < len(NAMES) else AGAIN
    return NAMES[lines.index(True)] if sum(lines) == 1 else AGAIN


def read_pose(code, read):
    """The rule: valid, then the others, then valid again, all soon enough. None where the pose is not known."""
    begin = time.monotonic()
    before, lines, after = read()[0], read()[1:], read()[0]
    if time.monotonic() - begin > LONGEST or before != after:
        return AGAIN
    return decoded(code, lines) if before else None


def main(arguments):
    code = arguments[1] if len(arguments) > 1 else ""
    try:
        offsets = [int(word) for word in arguments[2:]]
    except ValueError:
        offsets = []
    if LINES.get(code) != len(offsets):
        print("\n".join(__doc__.splitlines()[2:4]), file=sys.stderr)
        return 64
    shown, unknown = AGAIN, 0
    try:
        read = open_lines(arguments[0], offsets)
        while True:
            pose = read_pose(code, read)
            unknown = unknown + 1 if pose is None else 0
            is_news = isinstance(pose, str) or unknown == PATIENCE
            if is_news and pose != shown:
                print(pose or "unknown", flush=True)
                shown = pose
            time.sleep(0.01)
    except OSError as error:
        print(f"read_pose.py: the lines of {arguments[0]} cannot be read: {error.strerror}", file=sys.stderr)
        return 69
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
