"""plumbd on a board whose sensor signals each sample on a line of gpio.py."""

import errno
import os
import re
import signal
import tempfile
import time
import unittest

from gpio import FLAG_INPUT, FLAG_PULL_DOWN, FLAG_RISING, Chip, ReadySensor
from kernel import Kernel
from program import Program, board, traced, wait_until

BOARD = board(extra="data-ready = 4\n")
# 25 Hz for tests that count samples: even a busy machine is rarely late by much of a period.
SLOW = board(rate=25, extra="data-ready = 4\n")


class Bench:
    """plumbd, or another program, on a board with such a line."""

    def __init__(self, text=BOARD, kind=Program, **arguments):
        self.chip = Chip()
        self.sensor = ReadySensor(self.chip, **arguments.pop("sensor", {}))
        self.sensor.is_wired = arguments.pop("is_wired", True)
        self.kernel = Kernel({0x53: self.sensor})
        self.kernel.chip = self.chip
        self.program = kind(self.kernel, text, **arguments)

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.program.__exit__(*arguments)
        self.sensor.end()

    def counters(self):
        """Samples, late samples and waits without data-ready, so far."""
        self.program.signal(signal.SIGUSR1)
        line = self.program.line_after("^counters")
        numbers = [re.search(r"(\d+) " + words, line) for words in ("samples?", "late samples?", "waits? without")]
        return [int(number[1]) for number in numbers]

    def seen(self):
        """Samples, missed edges and edges so far."""
        samples, _, missed = self.counters()
        return samples, missed, self.chip.edges

    def measure(self, edges):
        """The samples, missed edges and edges counted while `edges` edges pass."""
        before = self.seen()
        wait_until(lambda: self.chip.edges - before[2] >= edges, f"{edges} edges", 0.005)
        return [after - first for after, first in zip(self.seen(), before)]

    def is_even(self, edges, missed):
        """Whether, of so many edges, at most `missed` are missed and each of the others yields a sample.

        On a busy machine edges may be late, many of them at a bad moment: one good stretch of several is enough.
        """
        stretches = []
        for _ in range(10):
            samples, lost, made = self.measure(edges)
            # Edges in transit at both ends account for a difference of three.
            if abs(samples - made) <= 3 + lost and lost <= missed:
                return True
            stretches.append((samples, lost, made))
        print(f"samples, missed and edges: {stretches}")
        return False

    def waits_once_a_sample(self, samples):
        """Whether, without edges, there are as many timed-out waits as samples, in one good stretch of several."""
        stretches = []
        for _ in range(10):
            first = self.counters()
            enough = self.sensor.samples + samples
            wait_until(lambda: self.sensor.samples >= enough, f"{samples} samples by timer")
            taken, _, waits = (after - before for after, before in zip(self.counters(), first))
            # Samples in transit at both ends account for a difference of two; a wait after which a busy sensor has no
            # data, for more.
            if taken >= samples // 2 and abs(waits - taken) <= 2:
                return True
            stretches.append((taken, waits))
        print(f"samples and waits: {stretches}")
        return False


class Data(unittest.TestCase):
    def test_the_line_is_requested_for_its_rising_edges_and_reported(self):
        with Bench() as bench:
            line = bench.program.line()
            self.assertEqual(
                line, "ADXL345 at 0x53 on /dev/i2c-1, 100 Hz; lines of emulated; data-ready on GPIO4")
            bench.program.line_after("^pose: portrait$")
            self.assertEqual(bench.chip.requests, [(4, FLAG_INPUT | FLAG_RISING | FLAG_PULL_DOWN, "plumb")])
            # Data ready drives INT1 and is enabled last, just before measuring.
            self.assertEqual(bench.sensor.registers[0x2E:0x30], bytes([0x80, 0x00]))
            self.assertEqual(bench.program.stop(), 0)

    def test_samples_are_taken_at_the_sensors_pace_whatever_its_clock(self):
        for period in (0.032, 0.040, 0.050):
            with self.subTest(period=period), Bench(SLOW, sensor={"period": period}) as bench:
                bench.program.line_after("^pose: portrait$")
                self.assertTrue(bench.is_even(40, missed=4))
                self.assertEqual(bench.chip.lost, 0)
                bench.sensor.pose = "faceDown"
                self.assertEqual(bench.program.line_of_pose(), "pose: face down")

    def test_a_rate_below_the_sensors_own_leaves_the_pace_to_the_sensor(self):
        with Bench(board(rate=10, extra="data-ready = 4\n"), sensor={"period": 0.04}) as bench:
            self.assertIn(", 25 Hz;", bench.program.line())
            bench.program.line_after("^pose: portrait$")
            self.assertTrue(bench.is_even(25, missed=2))

    def test_it_recovers_from_a_stop_during_which_events_are_lost(self):
        for _ in range(3):
            with Bench(SLOW, sensor={"period": 0.04, "pulses": True}) as bench:
                bench.program.line_after("^pose: portrait$")
                bench.measure(5)
                bench.program.signal(signal.SIGSTOP)
                wait_until(lambda: bench.chip.lost > 10, "events are lost")
                bench.program.signal(signal.SIGCONT)
                time.sleep(0.3)  # any other signal makes it check for events again
                self.assertTrue(bench.is_even(20, missed=3))

    def test_a_line_that_never_rests_does_not_flood_the_bus(self):
        with Bench(sensor={"period": 0.0005, "pulses": True}) as bench:
            bench.program.line_after("^pose: portrait$")
            begin = time.monotonic()
            samples, _, edges = bench.measure(600)
            seconds = time.monotonic() - begin
            # Twice the nominal rate, plus what the two queries take.
            self.assertLess(samples, 200 * seconds + 30)
            self.assertLess(samples, edges / 2)

    def test_signals_are_answered_while_it_waits_for_data(self):
        with Bench() as bench:
            bench.program.line_after("^pose: portrait$")
            for _ in range(30):
                bench.counters()
            bench.program.signal(signal.SIGHUP)
            self.assertEqual(bench.program.line(), "the board file has not changed")
            self.assertEqual(bench.program.stop(), 0)

    def test_hup_with_another_line_releases_the_first_one(self):
        with Bench() as bench:
            bench.program.line_after("^pose: portrait$")
            before = len(os.listdir(f"/proc/{bench.program.pid}/fd"))
            bench.program.describe(board(extra="data-ready = 5\n"))
            bench.program.signal(signal.SIGHUP)
            self.assertIn("data-ready on GPIO5", bench.program.line_after("data-ready"))
            bench.program.line_after("^pose: portrait$")
            self.assertEqual([offset for offset, _, _ in bench.chip.requests], [4, 5])
            self.assertEqual(len(os.listdir(f"/proc/{bench.program.pid}/fd")), before)


class Trouble(unittest.TestCase):
    def test_an_unavailable_line_ends_with_69_and_is_named(self):
        for fault, words in [
            (errno.EBUSY, "is in use by another program"),
            (errno.ENXIO, "cannot report edges"),
            (errno.EINVAL, "older than 5.10"),
            (errno.EIO, "errno 5"),
        ]:
            with self.subTest(fault=fault):
                kernel = Kernel({})
                kernel.chip = Chip()
                kernel.chip.fault = fault
                with Program(kernel, BOARD) as program:
                    self.assertEqual(program.end(), 69)
                    self.assertRegex(program.line(program.errors), "data-ready line, 4 of .*" + words)

    def test_a_missing_chip_ends_with_69(self):
        kernel = Kernel({})
        kernel.chip = Chip("pinctrl-other")
        with Program(kernel, BOARD) as program:
            self.assertEqual(program.end(), 69)
            self.assertIn("no GPIO chip of a Raspberry Pi's header", program.line(program.errors))

    def test_a_missing_wire_is_reported_once_and_samples_are_taken_by_timer(self):
        with Bench(SLOW, sensor={"period": 0.04}, is_wired=False) as bench:
            bench.program.line_after("^pose: portrait$")
            self.assertRegex(bench.program.line_after("data-ready"), "no signal from data-ready on GPIO4.*INT1")
            self.assertTrue(bench.waits_once_a_sample(40))
            bench.sensor.pose = "faceDown"
            self.assertEqual(bench.program.line_of_pose(), "pose: face down")
            bench.sensor.is_wired = True
            self.assertRegex(bench.program.line(), "GPIO4 works again")
            for is_wired in (False, True):
                bench.sensor.is_wired = is_wired
                time.sleep(0.5)
            bench.sensor.pose = "faceUp"
            self.assertEqual(bench.program.line_of_pose(), "pose: face up")
            self.assertEqual(bench.program.stop(), 0)

    def test_a_wire_that_breaks_costs_a_few_samples_and_no_pose(self):
        with Bench() as bench:
            bench.program.line_after("^pose: portrait$")
            bench.sensor.is_wired = False
            self.assertRegex(bench.program.line(), "no signal from data-ready on GPIO4")
            bench.sensor.pose = "landscapeLeft"
            self.assertEqual(bench.program.line_of_pose(), "pose: landscape, left edge down")

    def test_a_silent_sensor_is_trouble_as_usual_and_recovers_on_its_line(self):
        with Bench(SLOW, sensor={"period": 0.04}) as bench:
            bench.program.line_after("^pose: portrait$")
            bench.sensor.fault = errno.EREMOTEIO
            self.assertIn("no acknowledge from 0x53", bench.program.line())
            bench.sensor.fault = 0
            bench.program.line_after("^recovered")
            bench.program.line_after("^pose: portrait$")
            self.assertTrue(bench.is_even(40, missed=4))

    def test_lost_configuration_is_written_again_with_the_interrupt(self):
        with Bench(SLOW, sensor={"period": 0.04}) as bench:
            bench.program.line_after("^pose: portrait$")
            bench.sensor.lose_configuration()
            self.assertRegex(bench.program.line_after("^recovered"), "lost its configuration")
            self.assertEqual(bench.sensor.registers[0x2E], 0x80)
            self.assertTrue(bench.is_even(40, missed=4))


class Economy(unittest.TestCase):
    def test_a_sample_is_two_system_calls_and_every_32nd_three(self):
        # On a busy machine an edge is now and then late and the next one early, or one is missed, which costs more.
        for _ in range(10):
            with tempfile.NamedTemporaryFile() as log:
                with Bench(SLOW, sensor={"period": 0.04}, before=["strace", "-D", "-o", log.name]) as bench:
                    bench.program.line_after("^pose: portrait$")
                    enough = bench.sensor.samples + 130
                    wait_until(lambda sensor=bench.sensor: sensor.samples >= enough, "130 samples")
                    self.assertEqual(bench.program.stop(), 0)
                lines = traced(log.name)
            names = [line.split("(")[0] for line in lines]
            waits, controls, reads = (names.count(name) for name in ("epoll_pwait2", "ioctl", "read"))
            others = set(names) - {"epoll_pwait2", "ioctl", "read"}
            uneven = sum(re.search(r"\) += 0( |$)", line) is not None for line in lines if line.startswith("epoll"))
            if uneven < 0.1 * controls and not others:
                break
        self.assertGreater(controls, 128)
        self.assertEqual(others, set())
        self.assertLess(uneven, 0.1 * controls)
        # At every 22nd sample, 0.9 s apart, three more transactions check the configuration.
        checks = 3 * (waits // 22)
        self.assertLessEqual(abs(waits + checks - controls), 5 + 2 * uneven)
        self.assertLessEqual(reads, waits // 32 + 2 + 2 * uneven)
        print(f"\n  {waits} samples, {len(names)} system calls", end=" ")


if __name__ == "__main__":
    unittest.main()
