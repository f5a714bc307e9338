"""Runs a program on a terminal of its own, does to it what is asked, and tells what came of it as JSON.

    on_terminal.py COLUMNS ROWS ACTION... -- PROGRAM ARGUMENT...

Actions, in order:
    expect:TEXT     waits until the screen, or what was written since the last action, holds TEXT
    key:TEXT        types TEXT
    size:CxR        makes the window another size
    signal:NAME     sends a signal to the program
    wait:SECONDS    goes on reading so long
    cpu:SECONDS     measures the program's share of a core so long, in percent
    stall:SECONDS   does not read so long
    stopped         waits until the program is stopped, and looks at the terminal
    shot            takes a picture of the screen
Then it waits for the end. A program that does not end within 30 s is killed, and that is told.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

from screen import Screen

PATIENCE = 60.0


class Session:
    def __init__(self, columns: int, rows: int, command: list[str]):
        self.screen = Screen(columns, rows)
        self.report = {"shots": [], "cpu": [], "stops": [], "failed": None}
        self.raw = bytearray()
        self.mark = 0
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        self.pid = os.fork()
        if self.pid == 0:
            # A job of its own in the foreground, as a shell starts it.
            os.setpgid(0, 0)
            os.tcsetpgrp(self.slave, os.getpid())
            for number in (signal.SIGTTOU, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            for descriptor in range(3):
                os.dup2(self.slave, descriptor)
            os.closerange(3, 64)
            try:
                os.execv(command[0], command)
            finally:
                os._exit(127)
        self.status = None

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(columns, rows)

    def read(self, seconds: float) -> None:
        """Takes in what the program writes within so many seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self.master], [], [], min(left, 0.05))
            if ready:
                data = os.read(self.master, 65536)
                self.raw += data
                self.screen.feed(data)

    def state(self) -> str:
        """The program's state as the system has it: T where it is stopped."""
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0]

    def expect(self, text: str) -> bool:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if text in self.screen.text() or text.encode() in self.raw[self.mark :]:
                return True
            self.read(0.05)
        return False

    def used(self) -> float:
        """Seconds of processor time so far."""
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def perform(self, action: str) -> bool:
        name, _, value = action.partition(":")
        if name == "expect":
            return self.expect(value)
        self.mark = len(self.raw)
        if name == "key":
            os.write(self.master, value.encode())
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
            begin, used = time.monotonic(), self.used()
            self.read(float(value))
            share = (self.used() - used) / (time.monotonic() - begin)
            self.report["cpu"].append(round(share * 100, 2))
        elif name == "stopped":
            end = time.monotonic() + PATIENCE
            while self.state() != "T" and time.monotonic() < end:
                self.read(0.05)
            # What it wrote before.
            self.read(0.1)
            self.report["stops"].append({"modes_restored": self.modes_are_back(), "screen": self.screen.modes()})
            return self.state() == "T"
        elif name == "shot":
            self.report["shots"].append(self.screen.text())
        else:
            raise SystemExit(f"no such action: {action}")
        return True

    def modes_are_back(self) -> bool:
        return termios.tcgetattr(self.slave) == self.before

    def finish(self) -> None:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
                break
            self.read(0.05)
        else:
            self.report["failed"] = self.report["failed"] or "did not end"
            os.kill(self.pid, signal.SIGKILL)
            _, self.status = os.waitpid(self.pid, 0)
        self.read(0.2)
        self.report["exit"] = os.waitstatus_to_exitcode(self.status)
        self.report["modes_restored"] = self.modes_are_back()
        self.report["screen"] = self.screen.modes()
        self.report["unknown_codes"] = self.screen.unknown
        self.report["escapes"] = self.raw.count(b"\x1b")
        self.report["colours"] = self.screen.colours
        self.report["text"] = self.screen.text()
        self.report["updates"] = self.screen.updates


def lead_session() -> None:
    """Goes on as the leader of a session, which has a terminal to give, and has the first process wait for that."""
    child = os.fork()
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.setsid()
    for number in (signal.SIGTTOU, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def main() -> None:
    lead_session()
    divider = sys.argv.index("--")
    columns, rows, *actions = sys.argv[1:divider]
    session = Session(int(columns), int(rows), sys.argv[divider + 1 :])
    for action in actions:
        if not session.perform(action):
            session.report["failed"] = action
            session.report["shots"].append(session.screen.text())
            os.kill(session.pid, signal.SIGKILL)
            break
    session.finish()
    json.dump(session.report, sys.stdout)


main()
