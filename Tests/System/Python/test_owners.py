"""The package with real owners: `plumb run --share`, killed, restarted, with a token, by ssh and on a serial line; and in
test_failures.py both owners, in all that can fail.

    PLUMB=build/plumb python3 -m unittest -v test_owners
"""

import collections
import json
import os
import pathlib
import signal
import subprocess
import threading
import unittest
from unittest import mock

import support
import plumb
from plumb import Board
from processes import PATIENCE, PLUMB, accepts, listens, plain_environment, wait_until
from serial_board import SerialBoard
from test_hands import SSHD, sshd
from support import short_folder

SSH = str(pathlib.Path(__file__).resolve().parents[1] / "Share" / "fake_ssh.py")
TOKEN = "a-token-of-the-tests"
# What a stream's time loses as text, twice.
NEAR = 3e-6


class Owner:
    """`plumb run --share` with an emulated board. Use it in a `with` statement."""

    def __init__(self, test, *words):
        self.folder = short_folder(test)
        self.path = os.path.join(self.folder, "s")
        self.address = "unix:" + self.path
        # On a busy computer a test can take longer than a motion.
        self.words = [
            str(PLUMB), "run", "--format", "json", "--duration", "3600", "--share", self.address, *words]
        self.process = None
        self.start()
        test.addCleanup(self.stop, signal.SIGKILL)

    def start(self):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=plain_environment())
        wait_until(lambda: listens(self.path), "the owner listens")

    def stop(self, number=signal.SIGTERM):
        if self.process:
            self.process.send_signal(number)
            self.process.wait(PATIENCE)
            self.process = None


class Listening:
    """`plumb run --from`, with what it prints."""

    def __init__(self, test, address, **environment):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [str(PLUMB), "run", "--from", address, "--format", "json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            env=plain_environment(**environment))
        test.addCleanup(self.end)
        self.objects, self.changed = [], threading.Condition()
        self.thread = threading.Thread(target=self.gather)
        self.thread.start()
        self.wait_for(lambda: self.objects, "hello")
        self.hello = self.objects[0]

    def gather(self):
        for line in self.process.stdout:
            with self.changed:
                self.objects.append(json.loads(line))
                self.changed.notify_all()

    def wait_for(self, condition, what):
        with self.changed:
            assert self.changed.wait_for(condition, PATIENCE), f"no {what}: {self.objects}"

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE)
        self.thread.join()
        self.process.stdout.close()


def named(objects):
    """Events by what they are, without their times."""
    return [{key: value for key, value in one.items() if key != "t" and value is not None} for one in objects]


class Owners(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # No connection is lost because the computer is busy.
        for name in ("SILENCE", "GREETING"):
            support.entered(self, mock.patch(f"plumb.link.{name}", PATIENCE))

    def gathered(self, board):
        """The events of a board, which a thread adds to."""
        found, changed = [], threading.Condition()
        events = iter(board)

        def gather():
            for one in events:
                with changed:
                    found.append(one)
                    changed.notify_all()
        threading.Thread(target=gather, daemon=True).start()
        return found, changed

    def compare(self, address, condition, **environment):
        """Until `condition(events)`, the package has the events that `plumb run --from` prints."""
        tool = Listening(self, address, **environment)
        with mock.patch.dict(os.environ, environment), Board(address, rate=0) as board:
            found, changed = self.gathered(board)
            with changed:
                self.assertTrue(changed.wait_for(lambda: condition(found), PATIENCE), found)
                # Several events have the same time: those of the last one may not be complete yet.
                begin, last = found[0].t + NEAR, found[-1].t - NEAR
                mine = [one.as_dict() for one in found if begin < one.t < last]
            # The times of the tool count from its hello.
            shift = tool.hello["t"]
            tool.wait_for(lambda: any(one.get("t", -1) + shift > last for one in tool.objects[1:]), "as many events")
            wanted = [{**one, "t": one["t"] + shift} for one in tool.objects[1:] if "t" in one]
            wanted = [one for one in wanted if begin < one["t"] < last]
            self.assertEqual(named(mine), named(wanted))
            for a, b in zip(mine, wanted):
                self.assertAlmostEqual(a["t"], b["t"], delta=NEAR)
            return [one for one in found if one.t < last]

    def test_the_events_are_those_of_the_tool_through_poses_trouble_and_recovery(self):
        owner = Owner(self, "--motion", "tumble")
        found = self.compare(owner.address, lambda events: any(one.event == "recovery" and one.t < events[-1].t for one in events))
        kinds = collections.Counter(one.event for one in found)
        self.assertLessEqual({"pose", "rotation", "still", "moving", "trouble", "recovery"}, set(kinds))
        # On a busy computer a sample is late now and then, which is another trouble.
        self.assertIn(("fault", "noAcknowledge"), [(one.reason, one.cause) for one in found if one.event == "trouble"])

    def test_the_three_lines_of_the_guide(self):
        owner = Owner(self, "--motion", "tumble")
        program = f"from plumb import Board\nfor event in Board({owner.address!r}):\n    print(event, flush=True)\n"
        with subprocess.Popen([support.sys.executable, "-B", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=owner.folder,
                              env={**plain_environment(), "PYTHONPATH": os.environ.get("PLUMB_INSTALLED", str(support.PACKAGE))}) as process:
            # If a line never comes, the test fails here, not at the time limit of the whole suite.
            watch = threading.Timer(PATIENCE, process.kill)
            watch.start()
            lines = [process.stdout.readline() for _ in range(4)]
            watch.cancel()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
        self.assertRegex(lines[0], r"^ +[0-9.]+  (pose: \w+|still)\n$")
        self.assertTrue(all(len(line) > 12 for line in lines), lines)

    def test_an_owner_that_is_killed_and_started_again_is_found_again(self):
        owner = Owner(self, "--motion", "hold")
        with mock.patch("plumb.link.SHORTEST_DELAY", 0.05), Board(owner.address, rate=100) as board:
            wait_until(lambda: board.pose is not None, "the pose is known")
            wait_until(lambda: board.angles, "samples come")
            first = board.hello.owner
            for number in (signal.SIGKILL, signal.SIGTERM):
                events = iter(board)
                next(events)
                owner.stop(number)
                gone = next(one for one in events if one.event == "trouble")
                self.assertEqual((gone.reason, board.pose, board.angles), ("stale", None, None))
                owner.start()
                self.assertEqual(next(one for one in events if one.event == "pose").from_, None)
                wait_until(lambda: board.angles and board.pose, "samples come again")
            self.assertNotEqual(board.hello.owner, first)

    def test_samples_are_the_owners(self):
        owner = Owner(self, "--motion", "hold")
        with Board(owner.address, rate="all") as board:
            samples = board.record(count=50)
            self.assertEqual(samples.missed, 0)
            self.assertEqual(len({one.t for one in samples}), 50)
            self.assertEqual(board.read(PATIENCE).pose, samples[-1].pose)
            self.assertRegex(board.settings(PATIENCE).mounting, "^[+-]x [+-]y [+-]z$")
            self.assertGreaterEqual(board.refresh(PATIENCE).counters.samples, 50)
            with self.assertRaisesRegex(plumb.RequestError, "commands"):
                board.tare()
        with Board(owner.address, rate="raw") as board:
            self.assertEqual(len(board.record_raw(count=5)), 5)

    def test_a_token(self):
        with support.socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        folder = short_folder(self)
        pathlib.Path(folder, "token").write_text(TOKEN + "\n", encoding="ascii")
        os.chmod(os.path.join(folder, "token"), 0o600)
        Owner(self, "--motion", "hold", "--share", f"tcp:127.0.0.1:{port}", "--token-file", os.path.join(folder, "token"))
        # Its other socket, for which Owner waits, comes first.
        wait_until(lambda: accepts(port), "the owner listens to the port")
        address = f"tcp:127.0.0.1:{port}"
        with Board(address, token=TOKEN) as board:
            self.assertTrue(board.is_connected)
        for token, words in (("not-the-token-of-it", "refuses: "), (None, "needs a token: pass it as Board")):
            with self.assertRaisesRegex(plumb.RefusedError, words):
                Board(address, token=token)

    def test_by_ssh_the_events_are_those_of_the_tool(self):
        owner = Owner(self, "--motion", "tumble")
        self.compare(f"ssh:pi:{owner.path}", lambda events: sum(one.event == "pose" for one in events) >= 3, PLUMB_SSH=SSH)

    def test_by_a_real_ssh(self):
        if not os.path.exists(SSHD):
            print("SKIPPED: OpenSSH: there is no sshd; a stand-in was used by the other test")
            self.skipTest("there is no sshd")
        owner = Owner(self, "--motion", "hold")
        with sshd(short_folder(self)) as ssh, mock.patch.dict(os.environ, {"PLUMB_SSH": ssh}), \
                Board(f"ssh:pi:{owner.path}", rate=50) as board:
            wait_until(lambda: board.pose and board.angles, "samples come")

    def test_on_a_serial_line(self):
        with mock.patch("plumb.link.SHORTEST_DELAY", 0.05), SerialBoard("--motion", "hold", noise=b'lf a line"}\n\xff\xfe{"event":') as line, \
                mock.patch.dict(os.environ, {"PLUMB_SERIAL": line.devices}), Board("serial:auto", rate=50) as board:
            wait_until(lambda: board.pose and board.angles, "samples come")
            events = iter(board)
            next(events)
            line.unplug()
            gone = next(one for one in events if one.event == "trouble")
            self.assertEqual((gone.detail, board.pose), ("the board at serial:auto was unplugged; trying again", None))
            line.plug()
            wait_until(lambda: board.pose and board.angles, "samples come again")


if __name__ == "__main__":
    unittest.main()
