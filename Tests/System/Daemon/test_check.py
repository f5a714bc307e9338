"""plumbd --check: what it reports about a set-up, on a bus and a chip that kernel.py answers for."""

import errno
import unittest

from gpio import Chip
from kernel import Kernel
from program import Program, board
from sensors import ADXL345

CHIP = board(lines="raspberry-pi")
READY = board(lines="raspberry-pi", extra="data-ready = 26\n")


class Check(unittest.TestCase):
    def outcome(self, kernel, text=None):
        """The exit code, and the result of each aspect with its fix, keyed by the aspect's words."""
        with Program(kernel, text, arguments=["--check"]) as program:
            code = program.end()
            found, title = {}, None
            while (line := program.line()) is not None:
                if line.startswith("  fix: "):
                    found[title] += "\n" + line
                    continue
                title, _, rest = line.partition(": ")
                found[title] = rest
            self.assertIsNone(program.line(program.errors))
            return code, found

    def bench(self, chip=None):
        kernel = Kernel({0x53: ADXL345()})
        kernel.chip = chip or Chip()
        return kernel

    def test_a_working_board_passes_and_nothing_is_written(self):
        kernel = self.bench()
        code, found = self.outcome(kernel, CHIP)
        self.assertEqual(code, 0)
        self.assertEqual([title for title, words in found.items() if words == "OK"], [
            "board file", "the I2C bus", "permission to use the bus", "a response at the sensor's address",
            "the sensor's identity", "permission to use GPIO", "the GPIO chip of the lines", "the lines of the LEDs",
        ])
        self.assertEqual((kernel.targets[0x53].writes, kernel.chip.requests), ([], []))
        self.assertEqual(kernel.transactions, 1)

    def test_emulated_lines_are_not_checked(self):
        code, found = self.outcome(Kernel({0x53: ADXL345()}))
        self.assertEqual(code, 0)
        self.assertEqual(found["the lines of the LEDs"], "emulated, nothing to check")

    def test_each_problem_with_bus_or_sensor_is_reported_with_its_fix_and_exit_code(self):
        silent, other, none, held, absent, refused, elsewhere = (self.bench() for _ in range(7))
        silent.targets[0x53].fault = errno.EREMOTEIO
        other.targets[0x53].registers[0] = 0xE6
        none.targets[0x53].registers[0] = 0xFF
        held.busy = True
        absent.missing, refused.missing = errno.ENOENT, errno.EACCES
        elsewhere.targets = {0x1D: ADXL345()}
        for kernel, code, title, words, fix in [
            (silent, 69, "a response at the sensor's address", "no response at 0x53", "SDA and SCL"),
            (other, 69, "the sensor's identity", "ADXL346", "3.3 V"),
            (none, 69, "the sensor's identity", "reads 0xFF", "wires"),
            (held, 69, "a response at the sensor's address", "a kernel driver", "unbind"),
            (absent, 69, "the I2C bus", "there is no /dev/i2c-1", "(/dev/i2c-|use a computer with an I2C bus)"),
            (refused, 77, "permission to use the bus", "no permission to use /dev/i2c-1", "i2c"),
            (elsewhere, 78, "a response at the sensor's address", "responds at 0x1D", "address = 0x1D"),
        ]:
            with self.subTest(words=words):
                result, found = self.outcome(kernel, CHIP)
                self.assertEqual(result, code)
                self.assertRegex(found[title], f"^error: .*{words}.*\n  fix: .*{fix}")
                self.assertFalse(any(target.writes for target in kernel.targets.values()))

    def test_each_problem_with_lines_is_reported_with_its_fix(self):
        holder, other = Chip(), Chip()
        holder.requests = [(22, 0, "blinker")]
        other.requests = [(26, 0, "")]
        for chip, code, title, words in [
            (Chip("pinctrl-other"), 69, "the GPIO chip of the lines", "raspberry-pi.*found: pinctrl-other"),
            (Chip(lines=20), 78, "the lines of the LEDs", "has no line 20"),
            (holder, 69, "the lines of the LEDs", r'GPIO22 \(faceDown\) is in use by "blinker"'),
            (other, 69, "the lines of the LEDs", r"GPIO26 \(data-ready\) is in use by an unnamed program"),
        ]:
            with self.subTest(words=words):
                result, found = self.outcome(self.bench(chip), READY)
                self.assertEqual(result, code)
                self.assertRegex(found[title], f"^error: .*{words}.*\n  fix: ")

    def test_every_problem_is_reported_but_not_its_mere_consequences(self):
        kernel = self.bench(Chip("pinctrl-other"))
        kernel.missing = errno.ENOENT
        code, found = self.outcome(kernel, CHIP)
        self.assertEqual(code, 69)
        wrong = [title for title, words in found.items() if words.startswith("error")]
        self.assertEqual(wrong, ["the I2C bus", "the GPIO chip of the lines"])
        self.assertEqual(found["the sensor's identity"], "not checked: needs the I2C bus")


if __name__ == "__main__":
    unittest.main()
