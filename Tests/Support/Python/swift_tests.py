"""Runs Swift's tests, and names those that do not end.

    swift_tests.py [--silence SECONDS] [--limit SECONDS] BINARY FLAG...

BINARY is the built bundle of tests; the flags are those of Swift Testing, such as --filter NAME. Output is shown as
it comes. If no test begins or ends for SECONDS (`--silence`, by default 900), or all takes longer than `--limit` (by
default 3000), this program prints the names of the tests that have begun and not ended, and ends everything that was
started. It does the same if the bundle crashes, or if it is stopped itself.

A test may count as begun long before its turn: as many run at a time as there are cores. That is why silence is
measured: by then, all tests that can run beside a hanging one have ended.

Exit codes: that of the tests; 1 if they did not end, or crashed.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from processes import end_tree, take_signals_back

NOTHING_TO_RUN = 69  # EX_UNAVAILABLE: no test has this name


class Progress:
    """Which tests have begun and not ended, according to the event stream that Swift Testing writes to a file."""

    def __init__(self, path):
        self.file = path.open("rb")
        self.rest = b""
        self.names, self.running = {}, {}
        self.last = time.monotonic()

    def read(self):
        *lines, self.rest = (self.rest + self.file.read()).split(b"\n")
        for line in lines:
            self.take(json.loads(line))

    def take(self, record):
        payload = record["payload"]
        if record["kind"] == "test":
            if payload["kind"] == "function":
                self.names[payload["id"]] = payload.get("displayName") or payload["name"]
            return
        self.last = time.monotonic()
        kind, test = payload["kind"], payload.get("testID")
        if kind == "testStarted" and test in self.names:
            self.running[test] = self.last
        elif kind in ("testEnded", "testSkipped"):
            self.running.pop(test, None)

    def report(self, why):
        self.read()
        print(f"swift: {why}", flush=True)
        for test, since in self.running.items():
            module, _, _ = test.partition(".")
            print(f"swift: has not ended: {module}: {self.names[test]} (begun {time.monotonic() - since:.0f} s ago)", flush=True)


class Stopped(Exception):
    """This program should end."""


def main():
    parser = argparse.ArgumentParser(description="Runs Swift's tests, and names those that do not end.")
    parser.add_argument("--silence", type=float, default=900)
    parser.add_argument("--limit", type=float, default=3000)
    parser.add_argument("binary")
    parser.add_argument("flags", nargs=argparse.REMAINDER)
    chosen = parser.parse_args()
    take_signals_back()

    def stop(number, _):
        raise Stopped(signal.Signals(number).name)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with tempfile.TemporaryDirectory() as folder:
        events = pathlib.Path(folder, "events")
        events.touch()
        progress, begin = Progress(events), time.monotonic()
        words = [os.path.abspath(chosen.binary), "--testing-library", "swift-testing", *chosen.flags]
        process = subprocess.Popen(
            [*words, "--event-stream-output-path", events, "--event-stream-version", "0"], stdin=subprocess.DEVNULL,
            start_new_session=True)
        try:
            code = watch(process, progress, begin, chosen)
        except Stopped as end:
            progress.report(f"stopped by {end} after {time.monotonic() - begin:.0f} s")
            code = 1
        if process.returncode is None:
            end_tree(process.pid, process.wait)
        progress.file.close()
    sys.exit(code)


def watch(process, progress, begin, chosen):
    """Waits until the tests end, or must be ended; returns the exit code of this program."""
    while True:
        try:
            code = process.wait(0.5)
        except subprocess.TimeoutExpired:
            code = None
        progress.read()
        now = time.monotonic()
        if code is not None:
            if code < 0 or code not in (0, NOTHING_TO_RUN) and progress.running:
                name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
                progress.report(f"ended by {name} in the middle")
                return 1
            return code
        if now - progress.last > chosen.silence:
            progress.report(f"no test has begun or ended for {chosen.silence:g} s")
            return 1
        if now - begin > chosen.limit:
            progress.report(f"not all have ended after {chosen.limit:g} s")
            return 1


if __name__ == "__main__":
    main()
