"""Signals: Ctrl-C, a request to end, a terminal that disappears; early, late, and while a file is written."""

import collections
import json
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest

from cases import COMMANDS
from harness import NEW, PATIENCE, PLUMB, STOPS, Judging, Scratch, rows, run, verdict, written
from processes import wait_until

CALLS = "openat,write,fsync,fchmod,close,rename,renameat2,link,unlink"


def await_sign(process, row, scratch):
    """Waits until the command reports that it is running, or has stored something; if it does neither, waits a
    moment."""
    sign = row.sign
    if row.keeps:
        wait_until(lambda: process.poll() is not None or any(text and text.count(b"\n") > 1 for text in scratch.changed().values()),
                   f"{row.long} keeps something")
        return
    end = time.monotonic() + (PATIENCE if sign else 0.5)
    told = b""
    while time.monotonic() < end:
        ready, _, _ = select.select([process.stdout, process.stderr], [], [], max(0, end - time.monotonic()))
        for stream in ready:
            told += stream.read1()
        if ready and sign and sign.encode() in told or process.poll() is not None:
            return


class Signals(Judging):
    def test_every_command_has_a_row(self):
        told = subprocess.run([PLUMB, "--experimental-dump-help"], check=True, capture_output=True).stdout
        names = {command["commandName"] for command in json.loads(told)["command"]["subcommands"]}
        self.assertEqual(names - {"help"}, set(COMMANDS))

    def test_every_command_works_when_nothing_is_wrong(self):
        def case(name, row):
            outcome = run(row.short)
            missing = row.codes == (0,) and sorted(outcome.left) != sorted(written(row))
            return verdict(name, outcome, row.codes, written(row)) or (missing and f"{name} writes nothing: {outcome}")
        self.judge(case, rows(lambda row: True))

    def test_stopped_work(self):
        def case(name, row, number):
            scratch = Scratch()

            def within(process):
                await_sign(process, row, scratch)
                process.send_signal(number)
            codes = (0,) if row.tidies else (0, -number)
            outcome = run(row.long, scratch, within=within, stdin=subprocess.PIPE)
            lost = row.keeps and NEW not in outcome.left
            problem = verdict(name, outcome, codes, [NEW] if row.keeps else [])
            return problem or (lost and f"{name}: what was recorded is lost: {outcome}")
        cases = [(name, row, number) for name, row in rows(lambda row: row.long) for number in STOPS]
        self.judge(case, cases)

    def test_a_signal_while_it_begins_or_ends(self):
        def case(name, row, delay):
            def within(process):
                time.sleep(delay)
                process.send_signal(signal.SIGTERM)
            outcome = run(row.short, within=within)
            return verdict(name, outcome, (*row.codes, 0, -signal.SIGTERM), written(row))
        self.judge(case, [(n, r, delay) for n, r in rows(lambda row: True) for delay in (0, 0.002, 0.005, 0.01, 0.02)])

    def test_a_signal_in_the_middle_of_writing_a_file(self):
        """strace sends one in each system call since the new file was opened: afterwards the file is complete or
        absent."""
        def points(row):
            scratch = Scratch()
            log = pathlib.Path(tempfile.mkstemp()[1])
            run(row.short, scratch, before=("strace", "-qq", "-f", "-e", f"trace={CALLS}", "-o", log))
            count, found = collections.Counter(), []
            for call, rest in re.findall(r"^\d+ +(\w+)\((.*)", log.read_text(), re.MULTILINE):
                count[call] += 1
                if found or "O_CREAT" in rest:
                    found.append((call, count[call]))
            log.unlink()
            return found

        def case(name, row, call, when, number):
            inject = f"inject={call}:signal={number.name}:when={when}"
            traced = ("strace", "-qq", "-f", "-e", f"trace={call}", "-e", inject, "-o", "/dev/null")
            outcome = run(row.short, before=traced)
            place = f"{name}, {number.name} in {call} number {when}"
            half = [file for file, text in outcome.left.items() if text != whole[name].get(file)]
            # A stopped recording is shorter, but complete.
            half = [] if row.keeps and outcome.left.get(NEW, b"\n").endswith(b"\n") else half
            problem = verdict(place, outcome, (*row.codes, 0, -number), written(row))
            return problem or (half and f"{place}: half a file: {outcome}")

        writing = rows(written)
        whole = {name: run(row.short).left for name, row in writing}
        cases = [(name, row, call, when) for name, row in writing for call, when in points(row)]
        self.assertGreater(len(cases), 5 * len(writing))
        self.judge(case, [(*c, STOPS[index % len(STOPS)]) for index, c in enumerate(cases)])


if __name__ == "__main__":
    unittest.main()
