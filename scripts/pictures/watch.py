#!/usr/bin/env python3
"""Draws what `plumb watch` shows on a terminal as an SVG picture that needs no particular font.

    python3 scripts/pictures/watch.py -o docs/pictures/watch.svg [--seconds 19.9] [--plumb build/plumb] [-- ARGUMENT...]

Runs the program in a terminal of 80 columns and 24 rows, reads its output for that long, and draws the final screen.
Lines and dots are drawn as shapes, so they look the same in every browser. Arguments after -- go to `plumb watch`.
Standard library only.
"""

import argparse
import os
import pathlib
import signal
import sys
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Support" / "Python"))
from screen import Screen
from svg import picture
from terminal import Terminal

COLUMNS, ROWS = 80, 24


def show(plumb, arguments, seconds):
    """The screen of `plumb watch` after `seconds`."""
    environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    environment.pop("NO_COLOR", None)
    terminal = Terminal(ROWS, COLUMNS)
    process = terminal.start([plumb, "watch", *arguments], env=environment)
    screen = Screen(COLUMNS, ROWS)
    end = time.monotonic() + seconds
    while time.monotonic() < end or not screen.is_whole:
        screen.feed(terminal.take(0.05))
        if process.poll() is not None:
            sys.exit(f"terminal: plumb watch ended with {process.returncode}:\n{screen.text()}")
    process.send_signal(signal.SIGTERM)
    terminal.read(is_over=lambda: process.poll() is not None)
    terminal.close()
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
