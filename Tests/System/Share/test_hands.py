"""`plumb calibrate` and `plumb mount` with an owner's samples: the lines that they print, and the file of this machine.

    PLUMB=build/plumb PLUMBD=build/plumbd python3 -m unittest -v test_hands
"""

import contextlib
import json
import os
import pathlib
import queue
import signal
import stat
import struct
import subprocess
import tempfile
import threading
import unittest

from owner import HERE, PLUMB, free_port
from client import Client
from kernel import Kernel
from processes import PATIENCE, accepts, listens, plain_environment, wait_until
from program import Program, board
from sensors import ADXL345, POSES

SSH = str(HERE / "fake_ssh.py")
SSHD = "/usr/sbin/sshd"
USAGE, DATA, UNAVAILABLE, CONFIGURATION = 64, 65, 69, 78
# A sample is taken every 10 ms; a face must be held for 1.25 s.
HOLD = 200


class Held(ADXL345):
    """A sensor with errors on each axis, on a board held in a hand: in one pose, or in all six in turn."""

    offset = (20, -12, 8)
    gain = (1.02, 0.97, 1.0)

    def __init__(self, pose="portrait", turns=False):
        super().__init__(pose)
        self.turns = turns

    def prepare(self, register):
        if self.turns:
            self.pose = list(POSES)[self.samples // HOLD % len(POSES)]
        super().prepare(register)
        if register in (0x31, 0x32):
            values = struct.unpack("<hhh", self.registers[0x32:0x38])
            wrong = [round(value * gain) + offset for value, gain, offset in zip(values, self.gain, self.offset)]
            self.registers[0x32:0x38] = struct.pack("<hhh", *wrong)


class Machine:
    """A machine with plumbd, with a writable board file, and the connections to it. Use it in a `with` statement."""

    def __init__(self, sensor, extra=""):
        self.own = tempfile.TemporaryDirectory(prefix="plumb-hands-")
        self.folder = self.own.name
        os.chmod(self.folder, 0o755)
        self.socket = os.path.join(self.folder, "stream")
        self.sensor = sensor
        self.environment = {"PLUMB_SSH": SSH}
        text = "; written by hand\n" + board() + f"[share] ; for all\nsocket = {self.socket}\n{extra}# the end"
        self.daemon = Program(Kernel({0x53: sensor}), text)
        self.file = os.path.join(self.folder, "board.ini")
        self.text = text

    def __enter__(self):
        wait_until(lambda: listens(self.socket), "plumbd listens")
        # The file is in a folder of the test, so permissions are under its control. plumbd reads a link to it.
        os.replace(self.daemon.file, self.file)
        os.symlink(self.file, self.daemon.file)
        os.chmod(self.file, 0o640)
        return self

    def __exit__(self, *_):
        self.daemon.__exit__()
        self.own.cleanup()

    @property
    def ssh(self):
        return f"ssh:pi:{self.socket}"

    def read(self):
        with open(self.file, encoding="utf-8") as file:
            return file.read()

    def board(self):
        """What the owner reports about its board."""
        with contextlib.closing(Client("unix:" + self.socket).connection) as connection:
            client = Client(connection=connection)
            client.send({"query": "board"})
            return client.until("board")[-1]

    def leftovers(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".plumb-board-")]

    def start(self, *words, **environment):
        # pylint: disable=consider-using-with
        return subprocess.Popen(
            [PLUMB, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=plain_environment(**{**self.environment, **environment}))

    def run(self, *words, **environment):
        """Runs plumb to its end; returns its exit code, its output and its error."""
        process = self.start(*words, **environment)
        output, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, output, errors

    def mount(self, *words, upright="portrait", **environment):
        """Runs `plumb mount` and does what it asks. When held upright, the sensor measures the pose `upright`."""
        self.sensor.pose = "faceDown"
        process = self.start("mount", "--format", "json", *words, **environment)
        objects = []
        errors = queue.Queue()
        threading.Thread(target=lambda: errors.put(process.stderr.read()), daemon=True).start()
        for line in process.stdout:
            one = json.loads(line)
            objects.append(one)
            if one["event"] == "status" and one["state"] == "not-moved":
                self.sensor.pose = upright
            elif one["event"] == "accepted":
                self.sensor.pose = "faceUp"
        process.stdout.close()
        code = process.wait(PATIENCE)
        process.stderr.close()
        return code, objects, errors.get(timeout=PATIENCE)


class Printed(unittest.TestCase):
    def test_the_board_of_an_owner_is_calibrated_and_the_lines_are_printed(self):
        with Machine(Held(turns=True)) as machine:
            code, output, errors = machine.run("calibrate", "--from", "unix:" + machine.socket, "--format", "json")
            self.assertEqual((code, errors), (0, ""))
            found = json.loads(output.splitlines()[-1])
            self.assertEqual((found["event"], found["written"], found["section"]), ("calibration", False, "sensor"))
            for offset, expected in zip(found["offset_g"], Held.offset):
                self.assertAlmostEqual(offset, expected / 256, delta=0.01)
            for scale, expected in zip(found["scale"], Held.gain):
                self.assertAlmostEqual(scale, 1 / expected, delta=0.02)
            self.assertEqual(
                found["lines"], [
                    "offset = " + " ".join(f"{value:.6f}".rstrip("0").rstrip(".") for value in found["offset_g"]),
                    "scale = " + " ".join(f"{value:.6f}".rstrip("0").rstrip(".") for value in found["scale"])])
            self.assertEqual(machine.read(), machine.text)

    def test_the_mounting_is_found_with_the_owners_calibration(self):
        with Machine(Held()) as machine:
            code, objects, errors = machine.mount("--from", "unix:" + machine.socket)
            self.assertEqual((code, errors), (0, ""))
            self.assertEqual(objects[-1]["mounting"], "+x +y +z")
            self.assertEqual(objects[-1]["lines"], ["mounting = +x +y +z"])
            self.assertEqual(machine.read(), machine.text)

    def test_an_emulated_board_is_calibrated_over_a_stream(self):
        # It turns only once: where the computer stalls at a face, calibrate says so, misses the face and ends.
        for _ in range(5):
            done = self.calibrated_over_a_stream()
            if done.returncode == 0 or "no recent sample" not in done.stdout:
                break
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[-3], "[sensor]")
        self.assertRegex(lines[-2], r"^offset = -?0\.0")
        self.assertRegex(lines[-1], r"^scale = ")

    def calibrated_over_a_stream(self):
        with tempfile.TemporaryDirectory(prefix="plumb-hands-") as folder:
            path = os.path.join(folder, "stream")
            # pylint: disable=consider-using-with
            owner = subprocess.Popen(
                [PLUMB, "run", "--board", "emulated-uncalibrated", "--motion", "six-faces", "--share", "unix:" + path],
                stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=plain_environment())
            try:
                wait_until(lambda: listens(path), "plumb run listens")
                return subprocess.run(
                    [PLUMB, "calibrate", "--from", path], capture_output=True, text=True, timeout=PATIENCE, check=False,
                    env=plain_environment(), stdin=subprocess.DEVNULL)
            finally:
                owner.kill()
                owner.wait()

    def test_ctrl_c_stops_it(self):
        with Machine(Held()) as machine:
            process = machine.start("calibrate", "--from", "unix:" + machine.socket)
            self.assertIn("from the owner at", process.stdout.readline())
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, errors), (0, ""))
            self.assertIn("Stopped: nothing was written.", output)

    def test_a_sensor_that_always_measures_the_same_does_not_pass_for_a_board_at_rest(self):
        with Machine(Held()) as machine:
            machine.sensor.prepare = lambda register: None
            code, output, errors = machine.run(
                "calibrate", "--from", "unix:" + machine.socket, "--timeout", "4", "--format", "json")
            self.assertEqual(code, DATA, errors)
            self.assertIn('"event":"trouble"', output)
            self.assertNotIn('"event":"accepted"', output)


class Written(unittest.TestCase):
    def test_calibrate_writes_the_file_and_plumbd_reads_it(self):
        with Machine(Held(turns=True), "commands = yes\n") as machine:
            code, output, errors = machine.run(
                "calibrate", "--from", "unix:" + machine.socket, "--write", "--board", machine.file)
            self.assertEqual((code, errors), (0, ""), output)
            self.assertIn(f"Written to {machine.file}.\nThe owner has read it again.\n", output)
            board = machine.board()
            for offset, expected in zip(board["offset_g"], Held.offset):
                self.assertAlmostEqual(offset, expected / 256, delta=0.01)
            text = machine.read()
            begin, end = machine.text.split("[lines]")
            self.assertTrue(text.startswith(begin.rstrip("\n")), text)
            self.assertTrue(text.endswith("[lines]" + end), text)
            self.assertIn("\n# Written by plumb calibrate for this sensor.", text)
            self.assertEqual(stat.S_IMODE(os.stat(machine.file).st_mode), 0o640)
            self.assertEqual(machine.leftovers(), [])

    def test_the_link_that_plumbd_reads_stays_a_link(self):
        with Machine(Held(), "commands = yes\n") as machine:
            code, objects, errors = machine.mount(
                "--from", "unix:" + machine.socket, "--write", "--board", machine.daemon.file)
            self.assertEqual((code, errors), (0, ""), objects)
            self.assertEqual(objects[-2]["written"], True)
            self.assertEqual(objects[-1], {"event": "done", "command": "reload"})
            self.assertIn("\nmounting = +x +y +z\n", machine.read())
            self.assertTrue(os.path.islink(machine.daemon.file))

    def test_a_dry_run_writes_nothing(self):
        with Machine(Held()) as machine:
            code, objects, errors = machine.mount(
                "--from", "unix:" + machine.socket, "--write", "--dry-run", "--board", machine.file)
            self.assertEqual((code, errors), (0, ""))
            self.assertEqual(objects[-1]["written"], False)
            self.assertEqual(machine.read(), machine.text)


class ByRealSSH(unittest.TestCase):
    def test_calibrate_prints_lines_that_are_valid_on_the_other_machine(self):
        if not os.path.exists(SSHD):
            print("SKIPPED: OpenSSH: there is no sshd; a stand-in was used by the other tests")
            self.skipTest("there is no sshd")
        with Machine(Held(turns=True)) as machine, sshd(machine.folder) as ssh:
            code, output, errors = machine.run("calibrate", "--from", machine.ssh, PLUMB_SSH=ssh)
            self.assertEqual(code, 0, (output, errors))
            lines = output.splitlines()
            words = " ".join(lines)
            self.assertIn(f"Not written. On pi, put these lines into {machine.daemon.file}, in place of those", words)
            self.assertIn(f"sudo plumbd --check --board {machine.daemon.file} && sudo systemctl reload plumbd", words)
            self.assertEqual(lines[-3], "[sensor]")
            self.assertEqual(machine.read(), machine.text)
            # What a user does next: paste, check, reload.
            with open(machine.file, "w", encoding="utf-8") as file:
                file.write(machine.text.replace("[sensor]\n", "\n".join(lines[-3:]) + "\n", 1))
            check = subprocess.run(
                [os.environ.get("PLUMBD", str(HERE.parents[2] / "build/plumbd")), "--check", "--board", machine.file],
                capture_output=True, text=True, timeout=PATIENCE, check=False, env=plain_environment())
            self.assertNotIn(f"{machine.file}:", check.stdout + check.stderr)
            os.kill(machine.daemon.pid, signal.SIGHUP)
            offset = [float(number) for number in lines[-2].split()[2:]]
            wait_until(lambda: machine.board()["offset_g"] == offset, "plumbd has the new values")


class Failing(unittest.TestCase):
    def test_a_file_for_another_board_is_rejected_before_the_board_is_held(self):
        with Machine(Held()) as machine:
            for words, code, message in (
                    (["--board", machine.file + "x"], CONFIGURATION, "no such board file"),
                    (["--board", SSH], CONFIGURATION, SSH)):
                with self.subTest(words=words):
                    found, output, errors = machine.run("mount", "--from", "unix:" + machine.socket, "--write", *words)
                    self.assertEqual((found, output), (code, ""), errors)
                    self.assertIn(message, errors)
            found, _, errors = machine.run("mount", "--from", "ssh:nowhere")
            self.assertEqual(found, UNAVAILABLE, errors)
            self.assertIn("Could not resolve hostname", errors)

    def test_after_writing_an_owner_without_the_new_values_is_an_error(self):
        with Machine(Held(), "commands = yes\n") as machine:
            other = os.path.join(machine.folder, "other.ini")
            with open(other, "w", encoding="utf-8") as file:
                file.write(machine.text)
            code, objects, errors = machine.mount(
                "--from", "unix:" + machine.socket, "--write", "--board", other, upright="landscapeLeft")
            self.assertEqual(code, UNAVAILABLE, (objects, errors))
            self.assertIn("was written, but the owner has not read it again", errors)
            self.assertIn("\nmounting = -y +x +z\n", pathlib.Path(other).read_text(encoding="utf-8"))
            self.assertEqual(machine.read(), machine.text)

    def test_no_file_on_another_computer_is_written(self):
        for address in ("ssh:pi", "tcp:127.0.0.1:1"):
            for command in ("calibrate", "mount", "tare"):
                with self.subTest(address=address, command=command):
                    done = subprocess.run(
                        [PLUMB, command, "--from", address, "--write"], capture_output=True, text=True, timeout=PATIENCE, check=False,
                        env=plain_environment(), stdin=subprocess.DEVNULL)
                    self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)
                    self.assertIn("--write changes no file of another computer. Leave it out", " ".join(done.stderr.split()))

    def test_wrong_options(self):
        tcp, ssh, unix = "tcp:127.0.0.1:1", "ssh:pi", "unix:/nowhere"
        for words in (
                ["--from", tcp, "--write"], ["--from", ssh, "--board", "x"], ["--from", unix, "--write"],
                ["--from", unix, "--board", "x"], ["--write", "--board", "x"], ["--from", tcp, "--board", "x"],
                ["--from", unix, "--motion", "hold"], ["--from", unix, "--speed", "fast"], ["--from", unix, "--seed", "1"], []):
            for command in ("calibrate", "mount"):
                with self.subTest(words=words, command=command):
                    done = subprocess.run(
                        [PLUMB, command, *words], capture_output=True, text=True, timeout=PATIENCE, check=False,
                        env=plain_environment(), stdin=subprocess.DEVNULL)
                    self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)


@contextlib.contextmanager
def sshd(folder):
    """An OpenSSH server with its own port and keys; yields the program that stands for ssh to it."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(folder, name)], check=True)
    port = free_port()
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    with open(os.path.join(folder, "sshd_config"), "w", encoding="utf-8") as file:
        file.write(
            f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\n"
            "StrictModes no\nPidFile none\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n")
    with open(os.path.join(folder, "ssh_config"), "w", encoding="utf-8") as file:
        file.write(
            f"Host pi\nHostName 127.0.0.1\nPort {port}\nIdentityFile {folder}/user\nIdentitiesOnly yes\nLogLevel ERROR\n"
            f"UserKnownHostsFile {folder}/known_hosts\nStrictHostKeyChecking accept-new\n")
    program = os.path.join(folder, "ssh")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec ssh -F {folder}/ssh_config "$@"\n')
    os.chmod(program, 0o755)
    with open(os.path.join(folder, "sshd.log"), "wb") as log, subprocess.Popen(
            [SSHD, "-D", "-e", "-f", os.path.join(folder, "sshd_config")], stdout=log, stderr=log, stdin=subprocess.DEVNULL) as server:
        try:
            def is_ready():
                assert server.poll() is None, pathlib.Path(folder, "sshd.log").read_text(encoding="utf-8")
                return accepts(port)
            wait_until(is_ready, "sshd listens")
            yield program
        finally:
            server.terminate()


if __name__ == "__main__":
    unittest.main()
