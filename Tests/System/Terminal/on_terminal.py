"""Runs a program on its own terminal, performs actions on it, and reports the results as JSON.

    on_terminal.py COLUMNS ROWS ACTION... -- PROGRAM ARGUMENT...

Actions, in order:
    expect:TEXT     waits until the screen, or the output since the last action, contains TEXT
    key:TEXT        types TEXT
    size:CxR        resizes the window
    signal:NAME     sends a signal to the program
    times:N:TEXT    waits until TEXT was written N times since the start
    wait:SECONDS    keeps reading for that long
    cpu:SECONDS     measures the program's share of a core for that long, in percent
    stall:SECONDS   does not read for that long
    frame           waits until one more picture is drawn completely
    redrawn         waits until the screen is cleared and redrawn completely
    stopped         waits until the program is stopped, and examines the terminal
    shot            takes a picture of the screen, once nothing is being drawn there
Then it waits for the end. A program that does not end is killed after a while, and the report says so.
"""

import json
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support" / "Python"))
from processes import PATIENCE, cpu_seconds, status
from screen import Screen
from terminal import Terminal


class Session:
    def __init__(self, columns: int, rows: int, command: list[str], stops: bool):
        """`stops`: whether the program will be stopped, so that it is no stall of the computer if it misses samples."""
        self.stops = stops
        self.screen = Screen(columns, rows)
        self.report = {"shots": [], "cpu": [], "stops": [], "failed": None, "stalled": False}
        self.raw = bytearray()
        self.mark = 0
        self.terminal = Terminal(rows, columns)
        self.job = self.terminal.start(command)
        self.pid = self.job.pid

    def resize(self, columns: int, rows: int) -> None:
        self.terminal.resize(rows, columns)
        self.screen.resize(columns, rows)

    def read(self, seconds: float) -> None:
        """Reads what the program writes within so many seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.take_in(self.terminal.take(min(left, 0.05)))

    def is_stopped(self) -> bool:
        return status(self.pid)[0] == "T"

    def read_until(self, condition) -> bool:
        """Reads until a condition is true; returns whether it is."""
        begin = time.monotonic()
        # What a stall has hidden may never come.
        while not (is_true := condition()) and time.monotonic() - begin < (20 if self.report["stalled"] else PATIENCE):
            self.read(0.05)
        return is_true

    def shows(self, text: str) -> bool:
        return text in self.screen.text() or text.encode() in self.raw[self.mark :]

    def perform(self, action: str) -> bool:
        name, _, value = action.partition(":")
        if name == "expect":
            return self.read_until(lambda: self.shows(value))
        if name == "times":
            count, text = value.split(":", 1)
            return self.read_until(lambda: self.raw.count(text.encode()) >= int(count))
        if name == "frame":
            drawn = self.screen.updates
            return self.read_until(lambda: self.screen.updates > drawn and self.screen.is_whole)
        if name == "redrawn":
            drawn = self.screen.redraws
            return self.read_until(lambda: self.screen.redraws > drawn and self.screen.is_whole)
        self.mark = len(self.raw)
        if name == "key":
            self.terminal.type(value.encode())
        elif name == "size":
            columns, rows = (int(part) for part in value.split("x"))
            self.resize(columns, rows)
        elif name == "signal":
            os.kill(self.pid, getattr(signal, value))
        elif name == "wait":
            self.read(float(value))
        elif name == "stall":
            time.sleep(float(value))
        elif name == "cpu":
            begin, used = time.monotonic(), cpu_seconds(self.pid)
            self.read(float(value))
            share = (cpu_seconds(self.pid) - used) / (time.monotonic() - begin)
            self.report["cpu"].append(round(share * 100, 2))
        elif name == "stopped":
            is_stopped = self.read_until(self.is_stopped)
            self.take_in(self.terminal.drain())
            self.report["stops"].append(
                {"modes_restored": self.terminal.has_modes_back(), "screen": self.screen.modes()})
            return is_stopped
        elif name == "shot":
            self.read_until(lambda: not self.screen.modes()["held"])
            self.report["shots"].append(self.screen.text())
        else:
            raise SystemExit(f"no such action: {action}")
        return True

    def has_ended(self) -> bool:
        return self.job.poll() is not None

    def take_in(self, data: bytes) -> None:
        self.raw += data
        self.screen.feed(data)
        if not self.stops and "no recent sample" in self.screen.text():
            self.report["stalled"] = True

    def finish(self) -> None:
        if not self.read_until(self.has_ended):
            self.report["failed"] = self.report["failed"] or "did not end"
            self.job.kill()
        self.report["exit"] = self.job.wait()
        self.take_in(self.terminal.drain())
        self.report["modes_restored"] = self.terminal.has_modes_back()
        self.report["screen"] = self.screen.modes()
        self.report["unknown_codes"] = self.screen.unknown
        self.report["escapes"] = self.raw.count(b"\x1b")
        self.report["colours"] = self.screen.colours
        self.report["text"] = self.screen.text()
        self.report["updates"] = self.screen.updates


def main() -> None:
    divider = sys.argv.index("--")
    columns, rows, *actions = sys.argv[1:divider]
    stops = any(action == "stopped" or action.startswith("stall:") for action in actions)
    session = Session(int(columns), int(rows), sys.argv[divider + 1 :], stops)
    for action in actions:
        if not session.perform(action):
            session.report["failed"] = action
            session.report["shots"].append(session.screen.text())
            session.job.kill()
            break
    session.finish()
    session.terminal.close()
    json.dump(session.report, sys.stdout)


main()
