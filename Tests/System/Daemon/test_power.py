"""plumbd on a board that sleeps until it is moved: the sensor watches on its own, and its pin is a line of gpio.py."""

import signal
import tempfile
import time
import unittest

from gpio import Chip, ReadySensor
from kernel import Kernel
from program import Manager, Program, board, wait_until

# Falls asleep after one second at rest.
POWER = "[power]\nstill = 1\n"
WIRE = "data-ready = 4\n"


class WatchingSensor(ReadySensor):
    """Detects activity while POWER_CTL has Measure and Sleep set; INT1 is up until INT_SOURCE is read."""

    def watches(self):
        return self.registers[0x2D] == 0x0C and self.registers[0x2E] == 0x10 and not self.registers[0x2F] & 0x10

    def move(self, pose, is_heard=True):
        """Changes its position to `pose`."""
        self.pose = pose
        if self.watches():
            self.registers[0x30] |= 0x10
            if is_heard:
                self.chip.edge()

    def read(self, count):
        # A burst from POWER_CTL onwards includes the data registers, and clears INT_SOURCE.
        if self.pointer == 0x2D and count > 5:
            super().prepare(0x32)
        includes_source = self.pointer <= 0x30 < self.pointer + count
        data = super().read(count)
        if includes_source:
            self.registers[0x30] = 0
        return data


class Bench:
    """plumbd on a board with such a sensor."""

    def __init__(self, text=None, **arguments):
        self.chip = Chip()
        self.sensor = WatchingSensor(self.chip)
        self.kernel = Kernel({0x53: self.sensor})
        self.kernel.chip = self.chip
        self.program = Program(self.kernel, text or board(extra=WIRE) + POWER, **arguments)

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.program.__exit__(*arguments)
        self.sensor.end()

    def fall_asleep(self):
        self.program.line_after("^asleep until the board moves$")
        # Wait until it sleeps: before that it writes registers.
        wait_until(self.sensor.watches, "the sensor watches")


class Sleep(unittest.TestCase):
    def test_a_board_at_rest_sleeps_and_its_pin_wakes_it_with_the_new_pose(self):
        with Bench() as bench:
            bench.program.line_after("^pose: portrait$")
            for pose, words in (("faceUp", "face up"), ("landscapeLeft", "landscape, left edge down")):
                bench.fall_asleep()
                before = bench.sensor.samples
                time.sleep(0.5)
                self.assertEqual(bench.sensor.samples, before)
                bench.sensor.move(pose)
                self.assertEqual(bench.program.line(), "awake")
                self.assertEqual(bench.program.line(), f"pose: {words}")
            self.assertEqual(bench.program.stop(), 0)

    def test_asleep_it_wakes_up_only_for_the_watchdog(self):
        with tempfile.NamedTemporaryFile() as log, tempfile.TemporaryDirectory() as folder:
            manager = Manager(f"{folder}/notify")
            self.addCleanup(manager.socket.close)
            environment = {"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "1000000"}
            with Bench(before=["strace", "-D", "-o", log.name], environment=environment) as bench:
                bench.fall_asleep()
                # Half of the watchdog's time: a notification every 0.5 s.
                manager.message_after("STATUS=asleep")
                for _ in range(8):
                    manager.message_after("WATCHDOG=1")
                bench.sensor.move("faceUp")
                bench.program.line_after("^pose: face up$")
                self.assertEqual(bench.program.stop(), 0)
            with open(log.name, encoding="utf-8") as file:
                lines = file.read().splitlines()
        first = next(n for n, line in enumerate(lines) if 'write(1, "asleep' in line) + 1
        last = next(n for n, line in enumerate(lines) if 'write(1, "awake' in line)
        # The edge, and the check that the sensor has moved, end it.
        last = max(n for n in range(first, last) if lines[n].startswith("epoll_pwait2"))
        asleep = [line for line in lines[first:last] if not line.startswith("---")]
        names = [line.split("(")[0] for line in asleep]
        notices = sum("WATCHDOG=1" in line for line in asleep)
        self.assertEqual([line for line in asleep if line.startswith("ioctl")], [])
        self.assertGreaterEqual(notices, 6)
        # For each notification a wait, a check for an edge that came meanwhile, and a message; the status comes once.
        self.assertLessEqual(names.count("epoll_pwait2"), notices + 3)
        self.assertLessEqual(len(names), 3 * notices + 6)
        print(f"\n  {notices} notices, {names.count('epoll_pwait2')} waits, {len(names)} system calls", end=" ")

    def test_the_status_shows_the_new_pose_after_sleep(self):
        with tempfile.TemporaryDirectory() as folder:
            manager = Manager(f"{folder}/notify")
            self.addCleanup(manager.socket.close)
            with Bench(environment={"NOTIFY_SOCKET": manager.name}) as bench:
                manager.message_after("STATUS=pose: portrait")
                bench.fall_asleep()
                bench.sensor.move("faceUp")
                manager.message_after("STATUS=pose: face up")

    def test_asleep_it_answers_a_signal_and_a_stop_ends_it(self):
        with Bench() as bench:
            bench.fall_asleep()
            bench.program.signal(signal.SIGUSR1)
            self.assertIn("samples", bench.program.line_after("^counters"))
            bench.program.signal(signal.SIGHUP)
            self.assertEqual(bench.program.line(), "the board file has not changed")
            self.assertEqual(bench.program.stop(), 0)

    def test_an_edge_without_movement_costs_one_check(self):
        with Bench() as bench:
            bench.fall_asleep()
            before = bench.kernel.transactions
            bench.chip.edge()
            wait_until(lambda: bench.kernel.transactions > before, "a look")
            time.sleep(0.3)
            self.assertEqual(bench.kernel.transactions, before + 1)
            self.assertTrue(bench.sensor.watches())
            bench.sensor.move("faceDown")
            self.assertEqual(bench.program.line(), "awake")

    def test_a_movement_as_the_sensor_begins_to_watch_is_not_missed(self):
        class Restless(WatchingSensor):
            """Moves at the moment when it begins to watch, without causing an edge."""

            def write(self, data):
                super().write(data)
                if data[0] == 0x2D and data[1:] == b"\x0c" and self.pose == "portrait":
                    self.move("faceUp", is_heard=False)

        with Bench() as bench:
            bench.sensor.__class__ = Restless
            self.assertRegex(bench.program.line_after("^pose: face up$|^asleep"), "^pose: face up$")

    def test_without_the_wire_it_is_rejected_and_the_missing_wire_is_named(self):
        with Program(Kernel({}), board() + POWER) as program:
            self.assertEqual(program.end(), 78)
            self.assertRegex(program.line(program.errors), r'"still" in \[power\] needs a wire from INT1 .* "data-ready"')


if __name__ == "__main__":
    unittest.main()
