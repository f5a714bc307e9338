#!/usr/bin/env python3
"""Draws what `plumb watch` shows on a terminal as an SVG picture that needs no font of its own.

    python3 scripts/pictures/terminal.py -o docs/pictures/watch.svg [--seconds 19.9] [--plumb build/plumb] [-- ARGUMENT...]

Runs the program in a terminal of 80 columns and 24 rows, reads what it sends for that long, and keeps what it then shows.
Lines and dots are drawn as shapes, so that they look the same in every browser. Arguments after -- go to `plumb watch`.
Standard library only.
"""

import argparse
import fcntl
import os
import pathlib
import pty
import select
import signal
import struct
import sys
import termios
import time

from screen import Screen
from svg import picture

COLUMNS, ROWS = 80, 24


def show(plumb, arguments, seconds):
    """The screen of `plumb watch` after `seconds`."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.environ.pop("NO_COLOR", None)
        os.execv(plumb, [plumb, "watch", *arguments])
    # Before the program asks: it starts slower than this, and hears of a change besides.
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen = Screen(COLUMNS, ROWS)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            screen.feed(os.read(terminal, 65536))
    while not screen.is_whole:
        screen.feed(os.read(terminal, 65536))
    os.kill(child, signal.SIGTERM)
    # A program that ends wants to be read to its end.
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
    os.waitpid(child, 0)
    return screen


def main():
    parser = argparse.ArgumentParser(description="Draws what `plumb watch` shows as an SVG picture.")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path)
    parser.add_argument("--plumb", default="build/plumb")
    parser.add_argument("--seconds", type=float, default=19.9)
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    if not os.access(options.plumb, os.X_OK):
        sys.exit(f'terminal: "{options.plumb}" cannot be run; `make build` builds it')
    screen = show(options.plumb, options.arguments, options.seconds)
    options.output.write_text(picture(screen, "plumb watch"), encoding="utf-8")


main()
