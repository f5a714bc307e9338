"""`--from serial:` with a real owner behind a pseudo-terminal, and with devices that are hostile.

    PLUMB=build/plumb python3 -m unittest -v test_serial
"""

import contextlib
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import threading
import time
import unittest

from owner import PLUMB
from processes import PATIENCE, plain_environment, resident_bytes, wait_until
from serial_board import NAME, HostileDevice, SerialBoard

USAGE, UNAVAILABLE = 64, 69
HELLO = (b'{"event":"hello","protocol":1,"plumb":"0.2.0","owner":"1-1","board":"b.ini","sensor":"adxl345","address":83,'
         b'"bus":"i2c0","rate_hz":100,"range_g":16,"gyroscope_range_dps":null,"chip":"rp2040","code":"leds",'
         b'"lines":[1,0,0,0,0,0],"commands":true,"t":1,"pose":"portrait","since":0.2,"x":0,"y":1,"z":0,"events":1,'
         b'"clients":1,"counters":{"samples":1}}\n')
MEGABYTE = 1 << 20


def run(board, *words, **environment):
    """Runs plumb to its end; returns its exit code, its output and its error."""
    done = subprocess.run([PLUMB, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                          check=False, env=board.environment(**environment))
    return done.returncode, done.stdout, done.stderr


class Listener:
    """A `plumb run --from` and the objects that it prints. Use it in a `with` statement."""

    def __init__(self, board, address, *words):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [PLUMB, "run", "--from", address, "--format", "json", *words], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=board.environment())
        self.objects = queue.Queue()
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            self.objects.put(json.loads(line))
        self.objects.put({"event": "end of the output"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.thread.join()
        self.process.communicate()

    def until(self, condition, what):
        """The next object for which the condition is true."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                one = self.objects.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"does not come: {what}") from None
            if condition(one):
                return one
            if one["event"] == "end of the output":
                raise AssertionError(f"does not come: {what}: {self.process.stderr.read()}")

    def until_event(self, name):
        return self.until(lambda one: one["event"] == name, name)


class Commands(unittest.TestCase):
    def test_every_command_listens_to_the_only_board(self):
        with SerialBoard("--motion", "tumble") as board:
            record = os.path.join(board.folder, "r.csv")
            for words in (["read"], ["status"], ["run", "--duration", "1"], ["record", "--duration", "1", "-o", record]):
                with self.subTest(words=words):
                    code, output, errors = run(board, *words, "--from", "serial:auto")
                    self.assertEqual(code, 0, errors)
                    self.assertIn("ADXL345" if words[0] != "read" else "portrait", output + errors)
            self.assertGreater(len(pathlib.Path(record).read_text(encoding="utf-8").splitlines()), 50)
            code, output, errors = run(board, "read", PLUMB_STREAM="serial:auto")
            self.assertEqual((code, errors), (0, ""), output)
            self.assertIn(b'\n{"samples":0}\n{"counters":0}\n{"query":"hello"}\n', board.heard)

    def test_what_comes_before_the_hello_is_discarded(self):
        with SerialBoard(noise=b'les":12}}\n\0\xff\xfe\n{"event":"bye"}\n' + b"x" * 5000 + b'\n{"half') as board:
            code, output, errors = run(board, "read", "--from", f"serial:{board.path}", "--format", "json")
            self.assertEqual((code, errors), (0, ""))
            self.assertEqual(json.loads(output)["event"], "read")

    def test_an_unplugged_board_is_unknown_and_comes_back_under_another_number(self):
        with SerialBoard("--motion", "tumble") as board, Listener(board, "serial:auto", "--samples") as listener:
            listener.until_event("sample")
            board.unplug()
            gone = listener.until(lambda one: "unplugged" in json.dumps(one), "the board is gone")
            self.assertIn("serial:auto", json.dumps(gone))
            while not listener.objects.empty():
                listener.objects.get()
            board.plug()
            listener.until_event("sample")

    def test_a_second_program_is_refused_and_disturbs_nothing(self):
        with SerialBoard("--motion", "tumble") as board, Listener(board, "serial:auto", "--samples") as listener:
            listener.until_event("sample")
            code, output, errors = run(board, "read", "--from", f"serial:{board.path}")
            self.assertEqual((code, output), (UNAVAILABLE, ""))
            self.assertIn("is in use by another program", errors)
            code, output, _ = run(board, "probe", "--board", "emulated", "--format", "json")
            self.assertEqual(code, 0)
            found = [json.loads(line) for line in output.splitlines()]
            self.assertIn({"event": "serial", "address": f"serial:{board.devices}/{NAME}", "usable": True}, found)
            self.assertEqual((found[-1]["event"], found[-1]["found"], found[-1]["usable"]), ("summary", 2, 2))
            _, output, _ = run(board, "probe", "--board", "emulated")
            self.assertIn(f"serial:{board.devices}/{NAME}", output)
            code, output, _ = run(board, "doctor", "--board", "emulated", "--format", "json")
            self.assertEqual(code, 0)
            notes = [one for one in map(json.loads, output.splitlines()) if one.get("check") == "serial"]
            self.assertEqual([(one["outcome"], one["problem"]) for one in notes], [("note", "serial.board")])
            self.assertIn(f"--from serial:{board.devices}/{NAME}", notes[0]["fix"])
            listener.until_event("sample")
            listener.process.send_signal(signal.SIGINT)
            kinds = []
            listener.until(lambda one: kinds.append(one["event"]) or one["event"] == "summary", "the end")
            self.assertNotIn("trouble", kinds)
        # Without a board there is none.
        with SerialBoard() as board:
            board.unplug()
            code, _, errors = run(board, "read", "--from", "serial:auto")
            self.assertEqual(code, UNAVAILABLE)
            for word in ("no board at serial:auto", "cable", "BOOTSEL", "dmesg"):
                self.assertIn(word, errors)

    def test_of_several_boards_one_must_be_named(self):
        with SerialBoard() as board:
            other = os.path.join(board.devices, "usb-Plumb_Plumb_lis3dh_2-if00")
            os.symlink("/dev/null", other)
            code, output, errors = run(board, "read", "--from", "serial:auto")
            self.assertEqual((code, output), (USAGE, ""))
            self.assertIn(f"serial:{board.path}", errors)
            self.assertIn(f"serial:{other}", errors)
            code, _, errors = run(board, "read", "--from", f"serial:{board.path}")
            self.assertEqual((code, errors), (0, ""))
            code, _, errors = run(board, "read", "--from", f"serial:{other}")
            self.assertEqual(code, UNAVAILABLE)
            self.assertIn("is not a serial device", errors)

    def test_words_that_name_no_device_are_wrong_usage(self):
        with SerialBoard() as board:
            for words in (["read", "--from", "serial:ttyACM0"], ["read", "--from", "serial:"],
                          ["run", "--share", "serial:auto"]):
                with self.subTest(words=words):
                    code, _, errors = run(board, *words)
                    self.assertEqual(code, USAGE)
                    self.assertIn("serial:", errors)

    def test_a_client_that_is_stopped_misses_lines_and_knows_how_many(self):
        with SerialBoard("--motion", "tumble") as board, Listener(board, "serial:auto", "--samples") as listener:
            listener.until_event("sample")
            os.kill(listener.process.pid, signal.SIGSTOP)
            time.sleep(3)
            os.kill(listener.process.pid, signal.SIGCONT)
            missed = listener.until_event("missed")
            self.assertGreater(missed["count"], 10)
            listener.until_event("sample")


class BoardFiles(unittest.TestCase):
    def file(self, board):
        path = os.path.join(board.folder, "board.ini")
        shutil.copy(pathlib.Path(board.environment()["PLUMB_BOARDS"], "pico-adxl345.ini"), path)
        return path

    def test_a_mounting_is_written_to_the_file_of_the_firmware_or_printed(self):
        for writes in (True, False):
            with self.subTest(writes=writes), SerialBoard("--motion", "two-poses", waits=True) as board:
                file = self.file(board)
                words = ["--board", file] if writes else []
                code, output, errors = run(board, "mount", "--from", "serial:auto", *words)
                self.assertEqual((code, errors), (0, ""), output)
                self.assertIn("make pico BOARD=", output)
                self.assertNotIn("systemctl", output)
                self.assertEqual(f"Written to {file}" in " ".join(output.split()), writes)
                self.assertEqual("Not written. Put these lines" in " ".join(output.split()), not writes)

    def test_a_tare_is_written_too_and_is_taken_by_the_board_without_a_file(self):
        with SerialBoard("--motion", "hold") as board:
            file = self.file(board)
            code, output, errors = run(board, "tare", "--from", "serial:auto", "--board", file)
            self.assertEqual((code, errors), (0, ""), output)
            self.assertIn(f"make pico BOARD={file}", output)
            self.assertIn("[tare]", pathlib.Path(file).read_text(encoding="utf-8"))
            code, output, errors = run(board, "tare", "--from", "serial:auto")
            self.assertEqual((code, errors), (0, ""), output)
            self.assertIn("make pico BOARD=", output)

    def test_a_file_must_be_named_to_be_written(self):
        with SerialBoard() as board:
            code, _, errors = run(board, "mount", "--from", "serial:auto", "--write")
            self.assertEqual(code, USAGE)
            self.assertIn("needs --board", errors)


class Hostile(unittest.TestCase):
    """Devices that are no boards, or boards that have gone mad."""

    def growth(self, device, ends):
        """How much the memory of a client of `device` grows, from when it listens until `ends`."""
        with contextlib.ExitStack() as stack:
            # pylint: disable=consider-using-with
            process = subprocess.Popen(
                [PLUMB, "run", "--from", f"serial:{device.path}", "--format", "json"], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=plain_environment())
            stack.callback(process.communicate)
            stack.callback(process.kill)
            wait_until(lambda: device.sent > 0, "the client reads")
            first = resident_bytes(process.pid)
            greatest = 0
            end = time.monotonic() + PATIENCE
            while not ends(process) and time.monotonic() < end:
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                    greatest = max(greatest, resident_bytes(process.pid))
                time.sleep(0.05)
            self.assertLess(time.monotonic(), end)
            code = process.poll()
            output = process.communicate()[1].decode() if code is not None else ""
            return greatest - first, code, output

    def test_a_line_without_end_before_the_hello_takes_no_memory_and_ends_in_time(self):
        with HostileDevice(b"", b"x" * 4096) as device:
            growth, code, errors = self.growth(device, lambda process: process.poll() is not None)
            self.assertEqual(code, UNAVAILABLE, errors)
            self.assertIn("responds as a board with Plumb's firmware", errors)
            self.assertLess(growth, MEGABYTE)
            self.assertGreater(device.sent, 8 * MEGABYTE)

    def test_a_line_without_end_after_the_hello_ends_the_connection_each_time(self):
        with HostileDevice(HELLO, b"x" * 4096) as device:
            growth, code, _ = self.growth(device, lambda _: device.beginnings >= 3)
            self.assertIsNone(code)
            self.assertLess(growth, MEGABYTE)
