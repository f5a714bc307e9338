"""The tool on a board whose sensor signals samples on a line: run, watch, serve and record wait for it as plumbd
does."""

import errno
import json
import os
import re
import signal
import socket
import tempfile
import unittest

from gpio import FLAG_INPUT, FLAG_PULL_DOWN, FLAG_RISING, Chip
from kernel import Kernel
from program import Program, board, wait_until
from sensors import ADXL345
from processes import PLUMB, plain_environment
from test_ready import SLOW, Bench


def tool(*words):
    """A command of the tool, as a kind of program."""

    class Tool(Program):
        """The tool, running."""

        command = (str(PLUMB), *words, "--board")

        def __init__(self, kernel, text, arguments=(), before=()):
            super().__init__(kernel, text, arguments, plain_environment(), before)

        def object(self, event, stream=None):
            """The next object of this kind; skips those before it."""
            while (line := self.line(stream)) is not None:
                if line.startswith("{") and (found := json.loads(line)).get("event") == event:
                    return found
            raise AssertionError(f"no {event} came; standard error says {self.line(self.errors)!r}")

    return Tool


RUN = tool("run", "--format", "json")


class Data(unittest.TestCase):
    def is_even(self, kind, count, **sensor):
        """Whether a run of `kind`, which ends with so many samples and waits without an edge, has one of them for each
        edge.

        On a busy machine an edge may be late: one good run of several is enough. By timer there would be a quarter more
        or fewer samples.
        """
        runs = []
        for _ in range(10):
            with Bench(SLOW, kind, sensor=sensor) as bench:
                wait_until(lambda: bench.chip.requests and bench.chip.edges >= 60, "60 edges")  # pylint: disable=W0640
                edges, taken = bench.chip.edges, bench.sensor.samples
                bench.program.signal(signal.SIGTERM)
                samples, missed = count(bench.program)
                self.assertEqual(bench.program.end(), 0)
                self.assertEqual(bench.chip.requests, [(4, FLAG_INPUT | FLAG_RISING | FLAG_PULL_DOWN, "plumb")])
            runs.append((edges, taken, samples, missed))
            # Edges in transit at the end, and those after which it was late.
            if abs(samples - edges) <= 3 + missed and missed <= 4:
                return True
        print(f"edges, samples then, samples and missed: {runs}")
        return False

    @staticmethod
    def summed(program):
        """What the summary of a run reports."""
        summary = program.object("summary")
        return summary["samples"], summary["missed_edges"]

    def test_run_takes_samples_at_the_sensors_pace_whatever_its_clock(self):
        for period in (0.032, 0.050):
            with self.subTest(period=period):
                self.assertTrue(self.is_even(RUN, self.summed, period=period))

    def test_serve_does_too(self):
        kind = tool("serve", "--format", "json", "--listen", "127.0.0.1:0")
        self.assertTrue(self.is_even(kind, self.summed, period=0.05))

    def test_watch_does_too(self):
        # On its own terminal; only its summary matters, not what it draws.
        def summed(program):
            text = ""
            while (line := program.line()) is not None:
                text += line + " "
            found = re.search(r"Summary: [^,]*, (\d+) samples.* (\d+) waits? without data-ready", text)
            self.assertIsNotNone(found, text[-600:])
            return int(found[1]), int(found[2])

        class Watch(tool("watch")):
            """plumb watch on a terminal."""

            def __init__(self, kernel, text):
                super().__init__(kernel, text, before=["python3", "-c", "import pty, sys; pty.spawn(sys.argv[1:])"])

            def signal(self, number):
                children = f"/proc/{self.pid}/task/{self.pid}/children"
                with open(children, encoding="ascii") as file:
                    os.kill(int(file.read().split()[0]), number)

        self.assertTrue(self.is_even(Watch, summed, period=0.05))

    def test_record_does_too(self):
        def counted(program):
            lines = 0
            while (line := program.line()) is not None:
                lines += line[:1].isdigit()
            # It does not report how many edges it missed.
            return lines, 4

        self.assertTrue(self.is_even(tool("record", "-o", "-", "--quiet"), counted, period=0.05))

    def test_the_rate_shown_is_the_sensors_own(self):
        with Bench(board(rate=10, extra="data-ready = 4\n"), tool("run"), sensor={"period": 0.04}) as bench:
            self.assertIn(" 25 Hz,", bench.program.line())
            bench.program.line_after("portrait")
            self.assertEqual(bench.program.stop(), 0)
            self.assertRegex(bench.program.line_after("without"), r"waits? without data-ready")

    def test_clients_of_its_stream_are_served_while_it_waits(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stream")
            with Bench(SLOW, RUN, sensor={"period": 0.04}, arguments=["--share", f"unix:{path}"]) as bench:
                bench.program.object("pose")
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(path)
                    with client.makefile("rw", encoding="utf-8") as lines:
                        self.assertEqual(json.loads(lines.readline())["event"], "hello")
                        for _ in range(10):
                            print('{"query":"read"}', file=lines, flush=True)
                            answer = next(line for line in map(json.loads, lines) if line["event"] == "reading")
                            self.assertEqual(answer["pose"], "portrait")
                        bench.sensor.pose = "faceUp"
                        self.assertEqual(
                            next(line for line in map(json.loads, lines) if line["event"] == "pose")["to"], "faceUp")
                self.assertEqual(bench.program.stop(), 0)


class Trouble(unittest.TestCase):
    def test_a_line_in_use_ends_it_with_69_and_a_message(self):
        for words in (("run",), ("record", "-o", "-")):
            with self.subTest(words=words):
                kernel = Kernel({0x53: ADXL345()})
                kernel.chip = Chip()
                kernel.chip.fault = errno.EBUSY
                with tool(*words)(kernel, SLOW) as program:
                    self.assertEqual(program.end(), 69)
                    self.assertRegex(program.line(program.errors), "data-ready line, 4 of .* is in use by")

    def test_one_reading_leaves_the_line_to_the_program_that_has_it(self):
        with Bench(SLOW, tool("read"), sensor={"period": 0.04}) as bench:
            self.assertEqual(bench.program.end(), 0)
            self.assertEqual(bench.chip.requests, [])

    def test_a_missing_wire_is_reported_once_and_samples_are_taken_by_timer(self):
        with Bench(SLOW, RUN, sensor={"period": 0.04}, is_wired=False) as bench:
            found = bench.program.object("dataReady")
            self.assertEqual(found["works"], False)
            self.assertRegex(found["detail"], "no signal from data-ready on GPIO4.*INT1")
            bench.sensor.pose = "faceDown"
            while bench.program.object("pose")["to"] != "faceDown":
                pass
            bench.sensor.is_wired = True
            self.assertEqual(bench.program.object("dataReady")["works"], True)
            bench.program.signal(signal.SIGTERM)
            self.assertGreater(bench.program.object("summary")["missed_edges"], 8)
            self.assertEqual(bench.program.end(), 0)


if __name__ == "__main__":
    unittest.main()
