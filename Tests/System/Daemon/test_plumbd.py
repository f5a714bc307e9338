"""What plumbd does and prints, on a bus that kernel.py answers for."""

import errno
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

from kernel import Kernel
from program import PATIENCE, PLUMBD, WORDS, Manager, Program, board
from sensors import ADXL345, POSES, LooseContact


def run(*arguments):
    done = subprocess.run([PLUMBD, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout, done.stderr


class CommandLine(unittest.TestCase):
    def test_the_version_is_printed(self):
        code, output, _ = run("--version")
        self.assertEqual(code, 0)
        self.assertRegex(output, r"^plumbd \d+\.\d+\.\d+\n$")

    def test_help_names_every_option_signal_and_exit_code(self):
        code, output, errors = run("--help")
        self.assertEqual((code, errors), (0, ""))
        for word in "--board --check --version --help TERM INT HUP USR1 64 69 77 78".split():
            self.assertIn(word, output)

    def test_misuse_ends_with_64_and_names_the_wrong_word(self):
        for arguments, words in [
            (["--bord", "x"], '"--bord"'),
            (["x"], '"x"'),
            (["--board"], "--board needs"),
            (["--board="], "--board needs"),
            (["--board", "x" * 600], "too long"),
            (["--board=" + "x" * 600], "too long"),
        ]:
            with self.subTest(arguments=arguments):
                code, output, errors = run(*arguments)
                self.assertEqual((code, output), (64, ""))
                self.assertIn(words, errors)

    def test_a_bad_board_file_ends_with_78_and_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "b.ini")
            for text, words in [("[i2c]\nbuss = x\n", ":2: unknown key"), (board(bus="emulated"), "emulated bus")]:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                for arguments in (["--board", path], ["--board=" + path], ["--check", "--board", path]):
                    code, _, errors = run(*arguments)
                    self.assertEqual(code, 78, errors)
                    self.assertIn(words, errors)
            self.assertEqual(run("--board", os.path.join(folder, "none"))[0], 78)


class Start(unittest.TestCase):
    def check_refusal(self, kernel, code, words, text=None):
        with Program(kernel, text) as program:
            self.assertEqual(program.end(), code)
            self.assertIn(words, program.line(program.errors))

    def test_a_missing_bus_ends_with_69_and_the_advice_of_check(self):
        kernel = Kernel({})
        kernel.missing = errno.ENOENT
        self.check_refusal(kernel, 69, "there is no /dev/i2c-1")

    def test_a_forbidden_bus_ends_with_77_and_names_the_group(self):
        kernel = Kernel({})
        kernel.missing = errno.EACCES
        self.check_refusal(kernel, 77, "group i2c")

    def test_an_address_that_a_driver_holds_ends_with_69(self):
        kernel = Kernel({0x53: ADXL345()})
        kernel.busy = True
        self.check_refusal(kernel, 69, "the address 0x53 on /dev/i2c-1 is in use by a kernel driver")

    def test_a_sensor_with_an_owner_ends_with_69_and_names_it_until_it_is_gone(self):
        kernel = Kernel({0x53: ADXL345(), 0x1D: ADXL345()})
        with Program(kernel) as owner:
            owner.line_after("^pose: ")
            self.check_refusal(
                kernel, 69, f"the sensor at 0x53 on /dev/i2c-1 is in use by plumbd (process {owner.pid}): listen to it")
            with Program(kernel, board(address=0x1D)) as other:
                other.line_after("^pose: ")
            os.kill(owner.pid, signal.SIGKILL)
            self.assertEqual(owner.end(), -signal.SIGKILL)
        with Program(kernel) as heir:
            heir.line_after("^pose: ")

    def test_missing_lines_end_with_69_before_the_bus_is_touched(self):
        kernel = Kernel({0x53: ADXL345()})
        self.check_refusal(kernel, 69, "no-such-chip", board(lines="no-such-chip"))
        self.assertEqual(kernel.transactions, 0)

    def test_it_reports_its_board_and_then_the_first_pose(self):
        with Program() as program:
            self.assertEqual(program.line(), "ADXL345 at 0x53 on /dev/i2c-1, 100 Hz; lines of emulated")
            self.assertEqual(program.line(), "pose: portrait")


class Work(unittest.TestCase):
    def test_each_pose_is_reported_once(self):
        sensor = ADXL345("faceUp")
        with Program(Kernel({0x53: sensor})) as program:
            program.line_after("^pose: face up$")
            for pose in [*POSES, "faceUp"]:
                if pose != sensor.pose:
                    sensor.pose = pose
                    # Of more than five in ten seconds, the others are counted and the last is printed.
                    self.assertRegex(
                        program.line_of_pose(), rf"^(\d+ more in [\d.]+ s, the last: )?pose: {WORDS[pose]}$")

    def test_a_silent_sensor_is_trouble_and_its_return_a_recovery(self):
        sensor = ADXL345()
        with Program(Kernel({0x53: sensor})) as program:
            for code, words in [
                (errno.EREMOTEIO, "no acknowledge from 0x53"),
                (errno.ETIMEDOUT, "the bus hung"),
                (errno.EIO, r"Input/output error \(errno 5\)"),
                (errno.EINTR, r"Interrupted system call \(errno 4\)"),
            ]:
                program.line_after("^pose: portrait$")
                sensor.fault = code
                self.assertRegex(program.line(), "^pose unknown: .*" + words)
                sensor.fault = 0
                self.assertRegex(program.line_after("^recovered"), r"^recovered after \d+\.?\d* s from: .*" + words)

    def test_another_part_is_named_and_the_right_one_accepted_again(self):
        sensor = ADXL345()
        with Program(Kernel({0x53: sensor})) as program:
            program.line_after("^pose: portrait$")
            sensor.fault = errno.EREMOTEIO
            program.line_after("^pose unknown: ")
            sensor.registers[0], sensor.fault = 0xE6, 0
            self.assertIn("that is an ADXL346", program.line_after("^pose unknown: the part"))
            sensor.registers[0] = 0xE5
            program.line_after("^pose: portrait$")

    def test_lost_configuration_is_written_again(self):
        sensor = ADXL345()
        with Program(Kernel({0x53: sensor})) as program:
            program.line_after("^pose: portrait$")
            sensor.lose_configuration()
            program.line_after("^recovered .* lost its configuration")
            self.assertEqual(sensor.registers[0x31], 0x0B)


class Flood(unittest.TestCase):
    """A loose contact: the journal gets five lines of a kind in ten seconds, and the number of those left out."""

    def test_a_loose_contact_causes_few_lines_and_the_rest_are_counted(self):
        begin = time.monotonic()
        with Program(Kernel({0x53: LooseContact()})) as program:
            lines = []
            while sum("more in" in line for line in lines) < 3:
                lines.append(program.line())
            program.signal(signal.SIGTERM)
            while (line := program.line()) is not None:
                lines.append(line)
            elapsed = time.monotonic() - begin
            self.assertEqual(program.end(), 0)
        self.assertEqual(lines[0], "ADXL345 at 0x53 on /dev/i2c-1, 100 Hz; lines of emulated")
        counters = lines.pop()
        for kind, count in [
            ("pose: ", int(re.search(r"(\d+) pose changes?", counters)[1])),
            ("recovered after ", int(re.search(r"(\d+) recover(?:y|ies)", counters)[1])),
            # Each time a fault, followed by a recovery except for the last.
            ("pose unknown: no acknowledge ", None),
        ]:
            told = sum(line.startswith(kind) for line in lines)
            omitted = [int(match[1]) for line in lines if (match := re.match(rf"(\d+) more in .*: {kind}", line))]
            self.assertGreater(told, 0)
            self.assertLessEqual(told, 5 * (elapsed // 10 + 1))
            self.assertGreater(sum(omitted), 5)
            if count is not None:
                self.assertEqual(told + sum(omitted), count)
        print(f"\n  {len(lines)} lines in {elapsed:.1f} s;{counters.split(':')[1].split(',')[5]}", end=" ")

    def test_the_service_manager_gets_one_state_per_second_and_the_last_one(self):
        manager = Manager(f"@plumbd-flood-{os.getpid()}")
        self.addCleanup(manager.socket.close)
        sensor = LooseContact()
        states = []

        def states_until(is_enough):
            while not is_enough():
                if (message := manager.message()).startswith("STATUS="):
                    states.append(message)

        with Program(Kernel({0x53: sensor}), environment={"NOTIFY_SOCKET": manager.name}) as program:
            manager.message_after("^READY=1")
            begin = manager.sent
            states_until(lambda: len(states) >= 4)
            sensor.pose = "faceUp"
            sensor.is_fixed = True
            states_until(lambda: states[-1] == "STATUS=pose: face up")
            # The samples with which they are sent are a second apart.
            self.assertLessEqual(len(states), manager.sent - begin)
            self.assertEqual(program.stop(), 0)
            self.assertEqual(manager.message(), "STOPPING=1")


class Signals(unittest.TestCase):
    def test_term_and_int_end_it_with_0_after_the_counters(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Program() as program:
                program.line_after("^pose: portrait$")
                program.signal(number)
                self.assertEqual(program.end(), 0)
                self.assertRegex(program.line(), r"^counters: \d+ samples?, \d+ transactions, 1 pose change, 0 faults")
                self.assertIsNone(program.line(program.errors))

    def test_usr1_prints_the_counters_and_the_kinds_of_faults(self):
        sensor = ADXL345()
        with Program(Kernel({0x53: sensor})) as program:
            program.line_after("^pose: portrait$")
            sensor.fault = errno.EREMOTEIO
            program.line_after("^pose unknown: ")
            sensor.fault = 0
            program.line_after("^pose: portrait$")
            program.signal(signal.SIGUSR1)
            counters = program.line_after("^counters")
            faults = int(re.search(r"(\d+) faults", counters)[1])
            self.assertGreaterEqual(faults, 3)
            self.assertIn("1 recovery,", counters)
            self.assertIn(f"; faults: {faults} noAcknowledge", counters)

    def test_signals_interrupt_the_wait_for_a_sample(self):
        # At 1 Hz, a signal that did not interrupt the wait would be answered only after the next sample.
        with Program(text=board(rate=1)) as program:
            program.line()
            sensor = program.kernel.targets[0x53]
            late = 0
            for _ in range(300):
                before = sensor.samples
                program.signal(signal.SIGUSR1)
                program.line_after("^counters")
                late += sensor.samples > before
            self.assertLess(late, 100)

    def test_hup_with_the_same_file_changes_nothing(self):
        with Program() as program:
            program.line_after("^pose: portrait$")
            program.signal(signal.SIGHUP)
            self.assertEqual(program.line(), "the board file has not changed")
            program.kernel.targets[0x53].pose = "faceDown"
            self.assertEqual(program.line(), "pose: face down")

    def test_a_flood_of_hup_does_not_fill_the_journal(self):
        for text in (None, "nonsense"):
            with self.subTest(text), Program() as program:
                program.line_after("^pose: portrait$")
                if text:
                    program.describe(text)
                begin = time.monotonic()
                for _ in range(300):
                    program.signal(signal.SIGHUP)
                    time.sleep(0.005)
                self.assertEqual(program.stop(), 0)
                spans = 1 + int((time.monotonic() - begin) // 10)
                lines = [line for line in iter(program.line, None) if "board file" in line]
                # Five in ten seconds, followed by the number of those left out.
                self.assertIn(len(lines), range(6, 6 * spans + 1), lines)
                self.assertRegex(lines[-1], r"^[0-9]+ more in [0-9.]+ s, the last: (the board file has not changed|continuing)")

    def test_hup_with_a_bad_file_keeps_the_old_one(self):
        with Program() as program:
            program.line_after("^pose: portrait$")
            for text in (board(rate=7000), "nonsense", ""):
                program.describe(text)
                program.signal(signal.SIGHUP)
                self.assertEqual(program.line(), "continuing with the previous board file")
                self.assertIn("board.ini:", program.line(program.errors))
            program.kernel.targets[0x53].pose = "faceDown"
            self.assertEqual(program.line(), "pose: face down")

    def test_hup_with_another_board_switches_to_it(self):
        sensors = {0x53: ADXL345(), 0x1D: ADXL345("faceUp")}
        with Program(Kernel(sensors)) as program:
            program.line_after("^pose: portrait$")
            program.describe(board(address=0x1D))
            program.signal(signal.SIGHUP)
            self.assertEqual(program.line(), "the board file has changed")
            self.assertIn("at 0x1D", program.line())
            self.assertEqual(program.line(), "pose: face up")
            self.assertEqual(program.stop(), 0)

    def test_hup_with_an_unavailable_board_goes_back_to_the_old_one(self):
        with Program() as program:
            program.line_after("^pose: portrait$")
            program.describe(board(lines="no-such-chip"))
            program.signal(signal.SIGHUP)
            self.assertEqual(program.line(), "the board file has changed")
            self.assertEqual(program.line(), "continuing with the previous board file")
            self.assertIn("no-such-chip", program.line(program.errors))
            program.line_after("^pose: portrait$")
            self.assertEqual(program.stop(), 0)
