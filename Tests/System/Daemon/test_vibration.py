"""plumbd on a machine that vibrates: the journal, the stream, and what it costs."""

import signal
import unittest

from kernel import Kernel
from program import Program, board
from sensors import ADXL345
from test_share import Shared

QUICK = "[vibration]\nbands = 1 20 30 50\nbusy = 0.1\nbusy-time = 2\nquiet-time = 2\n"


class Machine(ADXL345):
    """A sensor on a machine: while it runs, its X axis swings by 0.5 g, 24.4 times a second at 100 Hz by its own sample
    count."""

    is_running = False
    # The waveform in units of 1/256 g: ten swings in 41 samples.
    swing = [0, 128, 6, -127, -12, 127, 18, -126, -23, 125, 29, -124, -35, 123, 41, -121, -47, 119, 53, -117, -58, 114,
             64, -111, -69, 108, 74, -104, -79, 101, 84, -97, -88, 93, 93, -88, -97, 84, 101, -79, -104]

    def measured(self):
        x, y, z = super().measured()
        return [x + (self.swing[self.samples % 41] if self.is_running else 0), y, z]


class Watched(Shared):
    def setUp(self):
        super().setUp()
        self.machine = Machine()

    def start(self, section=QUICK, **figures):
        program = Program(Kernel({0x53: self.machine}), self.text(section, **figures))
        self.addCleanup(program.__exit__)
        program.line_after("^pose: portrait$")
        return program

    def test_the_journal_reports_when_a_machine_is_busy_and_when_it_is_done(self):
        program = self.start()
        client = self.client()
        self.machine.is_running = True
        program.line_after("^busy: the machine vibrates$")
        busy = client.line_of("busy")
        self.machine.is_running = False
        program.line_after("^quiet: the machine is done$")
        quiet = client.line_of("quiet")
        for event in (busy, quiet):
            self.assertEqual(set(event), {"t", "event", "duration_s"})
            self.assertGreaterEqual(event["duration_s"], 2)
            self.assertLess(event["duration_s"], 4)
        # Both are whole microseconds.
        self.assertGreaterEqual(round(quiet["t"] - quiet["duration_s"], 6), busy["t"])
        self.assertEqual(program.stop(), 0)

    def test_clients_that_ask_get_each_second_with_its_bands(self):
        self.start()
        self.machine.is_running = True
        client, other = self.client(), self.client()
        client.ask({"vibration": True})
        seconds = [client.line_of("vibration") for _ in range(5)]
        self.assertEqual(
            set(seconds[0]), {"t", "event", "rms_g", "axes_rms_g", "axes_peak_g", "edges_hz", "bands_g"})
        for before, second in zip(seconds, seconds[1:]):
            # A sample taken late by a busy computer may end one early.
            self.assertGreater(second["t"], before["t"])
            self.assertEqual(second["edges_hz"], [1, 20, 30, 50])
        last = seconds[-1]
        # 0.5 g / √2, from samples that may be late.
        self.assertAlmostEqual(last["rms_g"], 0.354, delta=0.03)
        self.assertAlmostEqual(last["axes_rms_g"][0], 0.354, delta=0.03)
        self.assertAlmostEqual(last["axes_peak_g"][0], 0.5, delta=0.1)
        client.ask({"vibration": False})
        client.ask({"query": "read"})
        while (line := client.line())["event"] != "reading":
            self.assertNotEqual(line["event"], "error")
        other.ask({"query": "read"})
        while (line := other.line())["event"] != "reading":
            self.assertNotEqual(line["event"], "vibration", "it did not ask")

    def test_batches_are_accepted_too(self):
        # The fake sensor has no FIFO: Tests/Stream/Stream tests that. This checks the file.
        with Program(text=board(rate=60, extra="batch = 10\n") + "[vibration]\nbands = 1 50\n", arguments=["--check"]) as program:
            self.assertIn("board file: OK", program.line())

    def test_without_the_section_the_request_is_rejected_with_what_to_write(self):
        self.start("")
        client = self.client()
        client.ask({"vibration": True})
        self.assertEqual(
            client.line_of("error")["detail"], "vibration is not measured: add [vibration] to the board file")
        client.ask({"vibration": False})
        client.ask({"vibration": 1})
        self.assertEqual(client.line_of("error")["detail"], "vibration is true or false")

    def test_a_file_with_too_few_samples_ends_with_78_and_its_line(self):
        text = board(rate=60) + "[vibration]\nbands = 1 50\n"
        with Program(text=text) as program:
            line = program.line(program.errors)
            self.assertEqual(program.end(), 78)
        self.assertIn(f"board.ini:{len(text.splitlines())}: too few samples for [vibration], 60 a second", line)
        self.assertIn("a rate in [sensor] of 100 or more", line)

    def test_after_a_reload_another_section_applies(self):
        program = self.start("")
        client = self.client()
        program.describe(self.text("commands = no\n" + QUICK))
        program.signal(signal.SIGHUP)
        program.line_after("the board file has changed")
        client = self.client()
        client.ask({"vibration": True})
        self.assertEqual(client.line_of("vibration")["edges_hz"], [1, 20, 30, 50])

    def test_it_takes_a_few_pages_of_memory(self):
        """Of its own pages at most 17 KiB belong to the measurement. Those of the program's file are mapped 64 KiB at a
        time, so how many there are depends on where the linker has put what runs, and on what is cached of it: of several
        starts the most without the measurement counts, and the least with it.
        """
        def memory(section):
            with Program(text=board() + section) as program:
                program.line_after("^pose: portrait$")
                with open(f"/proc/{program.pid}/status", encoding="utf-8") as file:
                    status = dict(line.split(":", 1) for line in file.read().splitlines())
                return [int(status[name].split()[0]) for name in ("RssAnon", "VmHWM")]
        own, peak = map(max, zip(*(memory("") for _ in range(3))))
        own_with, peak_with = map(min, zip(*(memory(QUICK) for _ in range(3))))
        print(f"\n  {own} KiB of its own, at most {peak} KiB; with vibration {own_with} and {peak_with} KiB", end=" ")
        self.assertLess(own_with, own + 40)
        self.assertLess(peak_with, peak + 40 + 3 * 64)


if __name__ == "__main__":
    unittest.main()
