"""`plumb calibrate` and `plumb mount` with the samples of an owner, and what they write on its machine.

    PLUMB=build/plumb PLUMBD=build/plumbd python3 -m unittest -v test_hands
"""

import contextlib
import json
import os
import pathlib
import queue
import signal
import socket
import stat
import struct
import subprocess
import tempfile
import threading
import unittest

from owner import HERE, PLUMB, free_port
from client import Client
from kernel import Kernel
from processes import PATIENCE, plain_environment, wait_until
from program import ADXL345, POSES, Program, board

SSH = str(HERE / "fake_ssh.py")
SSHD = "/usr/sbin/sshd"
USAGE, DATA, UNAVAILABLE, CANNOT_CREATE, NO_PERMISSION, CONFIGURATION = 64, 65, 69, 73, 77, 78
# A sample is taken every 10 ms; a face must be held for 1.25 s.
HOLD = 200


class Held(ADXL345):
    """A sensor with errors on each axis, on a board that a hand holds: in one pose, or in all six by turns."""

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
    """A machine with plumbd, whose board file can be written, and the ways to it. Use it in a `with` statement."""

    def __init__(self, sensor, extra="", environment=None):
        self.own = tempfile.TemporaryDirectory(prefix="plumb-hands-")
        self.folder = self.own.name
        os.chmod(self.folder, 0o755)
        os.mkdir(os.path.join(self.folder, "bin"))
        self.socket = os.path.join(self.folder, "stream")
        self.sensor = sensor
        self.environment = {"PLUMB_SSH": SSH, "FAKE_REMOTE": self.folder, **(environment or {})}
        text = "; written by hand\n" + board() + f"[share] ; for all\nsocket = {self.socket}\n{extra}# the end"
        self.daemon = Program(Kernel({0x53: sensor}), text)
        self.file = os.path.join(self.folder, "board.ini")
        self.text = text

    def __enter__(self):
        wait_until(lambda: os.path.exists(self.socket), "plumbd listens")
        # The file is in a folder of the test's, so that rights are its own. Its link is what plumbd reads.
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

    def shadow(self, name, script):
        """Puts a program of this name before that of the machine."""
        path = os.path.join(self.folder, "bin", name)
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o755)

    def read(self):
        with open(self.file, encoding="utf-8") as file:
            return file.read()

    def board(self):
        """What the owner says of its board."""
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
        """Runs plumb to its end; returns its exit code, what it printed and its error."""
        process = self.start(*words, **environment)
        output, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, output, errors

    def mount(self, *words, before_the_end=lambda: None, upright="portrait", **environment):
        """Runs `plumb mount` and does what it wants. `before_the_end` is called when the board has been held upright, which the
        sensor feels as the pose `upright`."""
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
                before_the_end()
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

    def test_the_mounting_is_found_with_the_calibration_of_the_owner(self):
        with Machine(Held()) as machine:
            code, objects, errors = machine.mount("--from", "unix:" + machine.socket)
            self.assertEqual((code, errors), (0, ""))
            self.assertEqual(objects[-1]["mounting"], "+x +y +z")
            self.assertEqual(objects[-1]["lines"], ["mounting = +x +y +z"])
            self.assertEqual(machine.read(), machine.text)

    def test_an_emulated_board_is_calibrated_over_a_stream(self):
        with tempfile.TemporaryDirectory(prefix="plumb-hands-") as folder:
            path = os.path.join(folder, "stream")
            # pylint: disable=consider-using-with
            owner = subprocess.Popen(
                [PLUMB, "run", "--board", "emulated-uncalibrated", "--motion", "six-faces", "--share", "unix:" + path],
                stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=plain_environment())
            try:
                wait_until(lambda: os.path.exists(path), "plumb run listens")
                done = subprocess.run(
                    [PLUMB, "calibrate", "--from", path], capture_output=True, text=True, timeout=PATIENCE, check=False,
                    env=plain_environment(), stdin=subprocess.DEVNULL)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                lines = done.stdout.splitlines()
                self.assertEqual(lines[-3], "[sensor]")
                self.assertRegex(lines[-2], r"^offset = -?0\.0")
                self.assertRegex(lines[-1], r"^scale = ")
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

    def test_a_sensor_that_always_measures_the_same_passes_for_no_board_at_rest(self):
        with Machine(Held()) as machine:
            machine.sensor.prepare = lambda register: None
            code, output, errors = machine.run(
                "calibrate", "--from", "unix:" + machine.socket, "--timeout", "4", "--format", "json")
            self.assertEqual(code, DATA, errors)
            self.assertIn('"event":"trouble"', output)
            self.assertNotIn('"event":"accepted"', output)


class Written(unittest.TestCase):
    def test_calibrate_writes_the_file_of_the_other_machine_and_plumbd_reads_it(self):
        with Machine(Held(turns=True)) as machine:
            code, output, errors = machine.run(
                "calibrate", "--from", machine.ssh, "--write", "--remote-board", machine.file)
            self.assertEqual((code, errors), (0, ""), output)
            self.assertIn(f"Written to pi:{machine.file}.\nThe owner has read it again.\n", output)
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

    def test_an_owner_that_takes_commands_is_commanded(self):
        with Machine(Held(), "commands = yes\n") as machine:
            # Through the link that plumbd reads: it stays one.
            code, objects, errors = machine.mount("--from", machine.ssh, "--write", "--remote-board", machine.daemon.file)
            self.assertEqual((code, errors), (0, ""), objects)
            self.assertEqual(objects[-2]["written"], True)
            self.assertEqual(objects[-1], {"event": "done", "command": "reload"})
            self.assertIn("\nmounting = +x +y +z\n", machine.read())
            self.assertTrue(os.path.islink(machine.daemon.file))

    def test_a_file_of_this_machine_is_written(self):
        with Machine(Held(), "commands = yes\n") as machine:
            code, objects, errors = machine.mount(
                "--from", "unix:" + machine.socket, "--write", "--board", machine.file)
            self.assertEqual((code, errors), (0, ""), objects)
            self.assertEqual(objects[-1], {"event": "done", "command": "reload"})
            self.assertIn("\nmounting = +x +y +z\n", machine.read())

    def test_a_dry_run_writes_nothing(self):
        with Machine(Held()) as machine:
            code, objects, errors = machine.mount(
                "--from", machine.ssh, "--write", "--dry-run", "--remote-board", machine.file)
            self.assertEqual((code, errors), (0, ""))
            self.assertEqual(objects[-1]["written"], False)
            self.assertEqual(machine.read(), machine.text)

    def test_sudo_writes_what_the_user_may_not(self):
        if os.geteuid() != 0:
            self.skipTest("only root can be another user")
        with Machine(Held(), environment={"FAKE_USER": "65534"}) as machine:
            os.chmod(machine.file, 0o600)
            os.chmod(machine.daemon.folder.name, 0o755)
            code, _, errors = machine.run("mount", "--from", machine.ssh, "--write", "--remote-board", machine.file)
            self.assertEqual(code, NO_PERMISSION, errors)
            self.assertIn("nothing was written", errors)
            # A helper that is root's stands for sudo.
            with helper(machine.folder):
                machine.shadow("sudo", f'shift; exec python3 {HERE / "as_root.py"} {machine.folder}/root "$@"')
                code, objects, errors = machine.mount("--from", machine.ssh, "--write", "--remote-board", machine.file)
            self.assertEqual((code, errors), (0, ""), objects)
            self.assertIn("\nmounting = +x +y +z\n", machine.read())
            status = os.stat(machine.file)
            self.assertEqual((status.st_uid, stat.S_IMODE(status.st_mode)), (0, 0o600))


class ByRealSSH(unittest.TestCase):
    def test_calibrate_writes_by_openssh(self):
        if not os.path.exists(SSHD):
            print("SKIPPED: OpenSSH: there is no sshd; a stand-in was used by the other tests")
            self.skipTest("there is no sshd")
        with Machine(Held(turns=True)) as machine, sshd(machine.folder) as ssh:
            code, output, errors = machine.run(
                "calibrate", "--from", machine.ssh, "--write", "--remote-board", machine.file, PLUMB_SSH=ssh)
            self.assertEqual(code, 0, (output, errors))
            self.assertIn(f"Written to pi:{machine.file}.\nThe owner has read it again.\n", output)
            self.assertIn("\noffset = ", machine.read())
            self.assertEqual(machine.leftovers(), [])


class Failing(unittest.TestCase):
    def fails(self, machine, expected, words, *arguments, **more):
        code, objects, errors = machine.mount(
            "--from", machine.ssh, "--write", "--remote-board", machine.file, *arguments, **more)
        self.assertEqual(code, expected, (objects, errors))
        self.assertIn(words, errors)
        self.assertEqual(machine.leftovers(), [])
        self.assertFalse(any(one.get("written") for one in objects))
        return errors

    def test_each_step_that_fails_leaves_the_file_as_it_was(self):
        full = "echo 'No space left on device' >&2; exit 1"
        steps = {
            "mktemp": (full, "no file can be made"),
            "tee": (f"head -c 10 >\"$1\"; {full}", "cannot be written"),
            "head": ("exec /usr/bin/head -c 100", "is not whole"),
            "chown": ("exit 1", "owner of the old one"),
            "chmod": ("exit 1", "rights of the old one"),
            "sync": ("exit 1", "brought to the disk"),
            "mv": (full, "take the place"),
        }
        with Machine(Held()) as machine:
            for name, (script, words) in steps.items():
                with self.subTest(step=name):
                    machine.shadow(name, script)
                    errors = self.fails(machine, CANNOT_CREATE, words)
                    self.assertIn("nothing was written; the file is as it was", errors)
                    self.assertEqual(machine.read(), machine.text)
                    os.remove(os.path.join(machine.folder, "bin", name))

    def test_a_connection_that_breaks_leaves_the_file_as_it_was(self):
        with Machine(Held()) as machine:
            for count in ("0", "700", "1900"):
                with self.subTest(bytes=count):
                    pathlib.Path(machine.folder, "calls").unlink(missing_ok=True)
                    errors = self.fails(machine, CANNOT_CREATE, "the file is as it was", FAKE_CALL="2", FAKE_CUT=count)
                    self.assertIn("Broken pipe", errors)
                    self.assertEqual(machine.read(), machine.text)

    def test_a_connection_that_breaks_when_all_is_done_is_no_error(self):
        with Machine(Held()) as machine:
            code, objects, errors = machine.mount(
                "--from", machine.ssh, "--write", "--remote-board", machine.file, FAKE_CALL="2", FAKE_CUT="end")
            self.assertEqual((code, errors), (0, ""), objects)
            self.assertIn("\nmounting = +x +y +z\n", machine.read())

    def test_a_file_that_was_changed_meanwhile_is_left_alone(self):
        with Machine(Held()) as machine:
            def change():
                with open(machine.file, "a", encoding="utf-8") as file:
                    file.write("\n# another hand")
            self.fails(machine, CANNOT_CREATE, "the file was changed meanwhile", before_the_end=change)
            self.assertEqual(machine.read(), machine.text + "\n# another hand")

    def test_what_cannot_work_is_found_before_the_board_is_held(self):
        with Machine(Held()) as machine:
            for words, code, message in (
                    (["--remote-board", machine.file + "x"], CANNOT_CREATE, "there is no such file"),
                    ([], USAGE, f"--remote-board {machine.daemon.file}"),
                    (["--remote-board", SSH], CONFIGURATION, "nothing was written")):
                with self.subTest(words=words):
                    found, output, errors = machine.run("mount", "--from", machine.ssh, "--write", *words)
                    self.assertEqual((found, output), (code, ""), errors)
                    self.assertIn(message, errors)
            found, _, errors = machine.run("mount", "--from", "ssh:nowhere", "--write")
            self.assertEqual(found, UNAVAILABLE, errors)
            self.assertIn("Could not resolve hostname", errors)
            machine.shadow("cat", "exit 1")
            found, _, errors = machine.run("mount", "--from", machine.ssh, "--write", "--remote-board", machine.file)
            self.assertEqual(found, UNAVAILABLE, errors)

    def test_an_owner_that_does_not_have_the_new_values_is_an_error_after_writing(self):
        with Machine(Held()) as machine:
            other = os.path.join(machine.folder, "other.ini")
            with open(other, "w", encoding="utf-8") as file:
                file.write(machine.text)
            code, objects, errors = machine.mount(
                "--from", machine.ssh, "--write", "--remote-board", other, upright="landscapeLeft")
            self.assertEqual(code, UNAVAILABLE, (objects, errors))
            self.assertIn("was written, but the owner has not read it again", errors)
            self.assertIn("\nmounting = -y +x +z\n", pathlib.Path(other).read_text(encoding="utf-8"))
            self.assertEqual(machine.read(), machine.text)

    def test_the_wrong_options(self):
        tcp, ssh, unix = "tcp:127.0.0.1:1", "ssh:pi", "unix:/nowhere"
        for words in (
                ["--from", tcp, "--write"], ["--from", ssh, "--board", "x"], ["--from", unix, "--write"],
                ["--from", unix, "--board", "x"], ["--write", "--board", "x"], ["--remote-board", "/x", "--board", "x"],
                ["--from", ssh, "--remote-board", "/x"], ["--from", ssh, "--write", "--remote-board", "x"],
                ["--from", unix, "--motion", "hold"], ["--from", unix, "--speed", "fast"], ["--from", unix, "--seed", "1"], []):
            for command in ("calibrate", "mount"):
                with self.subTest(words=words, command=command):
                    done = subprocess.run(
                        [PLUMB, command, *words], capture_output=True, text=True, timeout=PATIENCE, check=False,
                        env=plain_environment(), stdin=subprocess.DEVNULL)
                    self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)


@contextlib.contextmanager
def sshd(folder):
    """OpenSSH's server on a port of its own, with keys of its own; gives the program that stands for ssh to it."""
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
            def listens():
                assert server.poll() is None, pathlib.Path(folder, "sshd.log").read_text(encoding="utf-8")
                with socket.socket() as probe:
                    return probe.connect_ex(("127.0.0.1", port)) == 0
            wait_until(listens, "sshd listens")
            yield program
        finally:
            server.terminate()


@contextlib.contextmanager
def helper(folder):
    """A process of root's that runs what as_root.py hands it."""
    with subprocess.Popen(["python3", str(HERE / "as_root.py"), os.path.join(folder, "root")]) as process:
        wait_until(lambda: os.path.exists(os.path.join(folder, "root")), "the helper listens")
        try:
            yield
        finally:
            process.terminate()


if __name__ == "__main__":
    unittest.main()
