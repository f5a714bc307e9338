"""A Board with an owner that the test plays: what is known, callbacks, waiting, asyncio, samples, and what a server that
lies can do.

    python3 -m unittest -v test_board
"""

import asyncio
import contextlib
import gc
import os
import pathlib
import queue
import socket
import sys
import threading
import tracemalloc
import unittest
from unittest import mock

import support
import plumb
from plumb import AsyncBoard, Board
from plumb import session
from scripted_owner import ScriptedOwner
from support import GOOD, HELLO, PATIENCE, Listener, wait_until

SSH = str(pathlib.Path(__file__).resolve().parents[1] / "Share" / "fake_ssh.py")


class Quick(unittest.TestCase):
    """Tests in which a lost connection is tried again at once, and none is lost because the computer is busy."""

    def setUp(self):
        for name, seconds in (("SHORTEST_DELAY", 0.01), ("SILENCE", 2 * PATIENCE), ("GREETING", PATIENCE)):
            support.entered(self, mock.patch(f"plumb.link.{name}", seconds))

    def owner(self, **options):
        owner = ScriptedOwner(**options)
        self.addCleanup(owner.__exit__)
        return owner

    def board(self, owner, **options):
        board = Board(owner.address, **{"rate": 0, **options})
        self.addCleanup(board.close)
        return board

    def await_request(self, owner, request):
        wait_until(lambda: owner.requests[request], f"the owner gets {request}")


class Boards(Quick):
    def test_the_pose_is_known_at_once_and_follows_the_board(self):
        owner = self.owner(pose="faceUp")
        board = self.board(owner)
        self.assertEqual((board.pose, board.reason, board.is_connected), ("faceUp", None, True))
        self.assertEqual(repr(board), f"<plumb.Board {owner.address}: faceUp>")
        owner.turn("portrait")
        wait_until(lambda: board.pose == "portrait", "it turns")
        self.assertEqual((board.snapshot.x, board.snapshot.y, board.snapshot.since > 0), (None, None, True))
        owner.fail(cause="noAcknowledge")
        wait_until(lambda: board.pose is None, "the pose is unknown")
        snapshot = board.snapshot
        self.assertEqual((snapshot.reason, snapshot.cause, snapshot.detail), ("fault", "noAcknowledge", "no acknowledge from 0x53"))
        self.assertEqual((snapshot.x, snapshot.angles, snapshot.connected), (None, None, True))
        owner.recover("faceDown")
        wait_until(lambda: board.pose == "faceDown", "it recovers")

    def test_an_iteration_begins_with_the_pose_and_has_each_event_once(self):
        owner = self.owner()
        board = self.board(owner)
        events = iter(board)
        owner.turn("portrait")
        owner.emit("shake", "still")
        owner.fail()
        owner.recover()
        owner.emit("later", "tap", axis="x", sign=1)
        found = [next(events) for _ in range(8)]
        self.assertEqual([str(one)[10:] for one in found], [
            "pose: faceUp", "pose: portrait", "shake", "still", "trouble: no acknowledge from 0x53",
            "recovery: after 1.00 s from: no acknowledge from 0x53", "pose: faceUp", "tap: +x"])
        self.assertEqual((found[0].from_, found[1].from_, found[6].from_), (None, "faceUp", None))
        board.close()
        self.assertEqual(list(events), [])
        self.assertEqual((board.pose, board.is_connected), (None, False))
        with self.assertRaisesRegex(plumb.ClosedError, "was closed"):
            board.read()

    def test_an_old_pose_is_never_the_present_one_and_the_connection_is_made_again(self):
        for bye in (True, False):
            owner = self.owner(pose="faceUp")
            board = self.board(owner, rate=50)
            wait_until(lambda: board.angles, "samples come")
            events = iter(board)
            self.assertEqual(next(events).to, "faceUp")
            owner.stop(bye)
            gone = next(events)
            self.assertEqual((gone.event, gone.reason), ("trouble", "stale"))
            words = "has ended: the owner was stopped" if bye else "is gone: it has closed the connection"
            self.assertEqual(gone.detail, f"the owner at {owner.address} {words}; trying again")
            self.assertEqual((board.pose, board.reason, board.angles, board.is_connected), (None, "stale", None, False))
            self.assertEqual(board.snapshot.x, None)
            with self.assertRaisesRegex(plumb.UnreachableError, "no connection"):
                board.read()
            # Tries that fail are not reported.
            wait_until(lambda: board._session._link._delay >= 0.04, "it tries again and again")
            owner.pose = "faceDown"
            owner.start()
            back = next(events)
            self.assertEqual((back.event, back.from_, back.to), ("pose", None, "faceDown"))
            # Asked for again.
            wait_until(lambda: board.angles, "samples come again")
            self.assertEqual(owner.requests["samples 50"], 2)

    def test_without_reconnects_it_ends_with_its_first_connection(self):
        owner = self.owner()
        board = self.board(owner, reconnects=False)
        events = iter(board)
        next(events)
        owner.stop(bye=False)
        found = list(events)
        self.assertEqual([(one.reason, one.detail[-35:]) for one in found], [("stale", "is gone: it has closed the connection"[-35:])])
        with self.assertRaises(plumb.ClosedError):
            board.read()

    def test_events_of_an_interruption_are_counted_as_missed(self):
        listener = Listener(self)
        threading.Thread(target=lambda: listener.accept().sendall(GOOD), daemon=True).start()
        board = Board(listener.address, rate=0)
        self.addCleanup(board.close)
        events = iter(board)
        self.assertEqual(next(events).to, "portrait")
        # The first end was dropped, and is closed with its thread's reference.
        end = self.reconnected(listener, board)
        end.sendall(HELLO.replace(b'"events":17', b'"events":20') + b"\n" + b'{"event":"missed","count":4}\n')
        seen = [next(events) for _ in range(4)]
        self.assertEqual([str(one)[10:] for one in seen if one.event != "trouble"], ["missed: 3", "pose: portrait", "missed: 4"])
        self.assertEqual(board.missed, 7)

    def reconnected(self, listener, board):
        """Ends the connection of a board, and returns the next one."""
        with board._session._link_lock:
            end = board._session._link._end._end
            end.shutdown(socket.SHUT_RDWR)
        return listener.accept()

    def test_what_a_slow_program_does_not_take_is_counted_and_bounded(self):
        with mock.patch.object(session, "LIMIT", 10), mock.patch.object(plumb.board, "LIMIT", 10):
            owner = self.owner()
            board = self.board(owner)
            events = board._listening(plumb.Event, limit=10)
            owner.emit(*["shake"] * 25)
            wait_until(lambda: board.missed == 15, "15 are lost")
            found = [next(events) for _ in range(11)]
        self.assertEqual([one.event for one in found], ["missed"] + ["shake"] * 10)
        self.assertEqual(found[0].count, 15)

    def test_angles_are_those_of_a_sample_that_is_not_old(self):
        owner = self.owner(gyroscope=True)
        board = self.board(owner, rate=50)
        wait_until(lambda: board.angles, "samples come")
        self.assertEqual((board.angles.pitch_deg, board.angles.heading_deg), (0, 12.5))
        sample, _ = board._session.sample()
        for age, asleep, is_present in ((0.9, False, True), (1.1, False, False), (1e6, True, True)):
            board._session.tracker.asleep = asleep
            with mock.patch.object(board._session, "sample", lambda age=age: (sample, age)):
                self.assertEqual(board.angles is not None, is_present)
        other = self.board(owner)
        self.assertIsNone(other.angles)
        # Samples that come unasked are no reason to fail.
        owner.say(owner.sample())
        wait_until(lambda: other._session.sample()[0], "a sample comes")
        self.assertIsNone(other.angles)

    def test_samples(self):
        owner = self.owner()
        board = self.board(owner, rate=200)
        samples = board.record(count=5)
        self.assertEqual((len(samples), samples.missed, len(samples[1:3])), (5, 0, 2))
        self.assertEqual([one.t for one in samples], sorted(one.t for one in samples))
        self.assertLessEqual(len(board.record(seconds=0)), 1)
        self.assertEqual(next(board.samples()).pose, "faceUp")
        for wrong in (lambda: board.record(), lambda: board.raw_samples(), lambda: self.board(owner).samples(),
                      lambda: self.board(owner).record(1)):
            with self.assertRaises(ValueError):
                wrong()

    def test_samples_without_the_packages_for_them(self):
        samples = plumb.Samples([plumb.Sample(t=1.0, x=0.0, y=1.0, z=0.0)])
        with mock.patch.dict(sys.modules, {"numpy": None, "pandas": None}):
            for make, name in ((samples.to_numpy, "numpy"), (samples.to_pandas, "pandas")):
                with self.assertRaisesRegex(plumb.MissingPackageError, f"^{name} is not installed: pip install {name}$"):
                    make()

    def test_requests_and_their_answers(self):
        owner = self.owner(commands=True)
        board = self.board(owner)
        self.assertEqual(board.read(PATIENCE).pose, "faceUp")
        self.assertEqual(board.refresh(PATIENCE).owner, board.hello.owner)
        board.tare()
        self.assertEqual(owner.requests["command tare"], 1)
        owner.commands = False
        with self.assertRaisesRegex(plumb.RequestError, "^the owner at unix:.*: commands are not allowed: write commands = yes"):
            board.untare()
        owner.is_silent = True
        with self.assertRaisesRegex(plumb.UnreachableError, "does not respond$"):
            board.read(timeout=0.05)

    def test_a_request_fails_with_the_connection(self):
        owner = self.owner()
        board = self.board(owner)
        owner.is_silent = True
        errors = queue.Queue()

        def ask():
            try:
                board.read(timeout=PATIENCE)
            except plumb.PlumbError as error:
                errors.put(error)
        thread = threading.Thread(target=ask)
        thread.start()
        self.await_request(owner, "query read")
        owner.stop(bye=False)
        self.assertRegex(str(errors.get(timeout=PATIENCE)), "is gone")
        thread.join()

    def test_waiting(self):
        owner = self.owner()
        board = self.board(owner)
        self.assertEqual(board.wait_for("faceUp", 0).to, "faceUp")
        self.assertIsNone(board.wait_for("faceDown", 0.01))
        self.assertIsNone(board.wait_for("pose", 0))
        for what, happen, event in (
                ("faceDown", lambda: owner.turn("faceDown"), "pose"), ("shake", lambda: owner.emit("shake"), "shake"),
                ("any", lambda: owner.emit("still"), "still"),
                ("trouble", lambda: owner.emit("give-up", outage_s=3), "give-up"), ("unknown", owner.fail, "trouble")):
            found, listens = queue.Queue(), threading.Event()

            def listen(*arguments, listen=board._session.listen, listens=listens, **more):
                mailbox = listen(*arguments, **more)
                listens.set()
                return mailbox
            with mock.patch.object(board._session, "listen", listen):
                thread = threading.Thread(target=lambda what=what, found=found: found.put(board.wait_for(what, PATIENCE)))
                thread.start()
                self.assertTrue(listens.wait(PATIENCE))
            happen()
            self.assertEqual(found.get(timeout=PATIENCE).event, event)
            thread.join()
        self.assertEqual(board.wait_for("unknown", 0).reason, "fault")
        with self.assertRaisesRegex(ValueError, "there is no event 'facedown'; there are: portrait, "):
            board.wait_for("facedown")
        board.close()
        self.assertIsNone(board.wait_for("shake"))

    def test_callbacks(self):
        owner = self.owner()
        board = self.board(owner)
        came = queue.Queue()
        board.when_pose_changed = came.put
        board.when_shake = lambda: came.put("shaken")
        board.when_trouble = lambda event, more=2: came.put((event.reason, more))
        owner.turn("portrait")
        owner.emit("shake")
        owner.fail()
        self.assertEqual(came.get(timeout=PATIENCE).to, "portrait")
        self.assertEqual(came.get(timeout=PATIENCE), "shaken")
        self.assertEqual(came.get(timeout=PATIENCE), ("fault", 2))
        self.assertEqual(board.when_pose_changed, came.put)
        board.when_shake = None
        self.assertIsNone(board.when_shake)
        owner.emit("shake")
        owner.turn("faceUp")
        self.assertEqual(came.get(timeout=PATIENCE).to, "faceUp")
        for wrong, error in ((3, TypeError), (lambda a, b: None, ValueError)):
            with self.assertRaises(error):
                board.when_shake = wrong

    def test_a_callback_that_fails_is_reported_and_the_next_one_is_called(self):
        owner = self.owner()
        board = self.board(owner)
        came, caught = queue.Queue(), queue.Queue()
        with mock.patch.object(threading, "excepthook", caught.put):
            board.when_shake = lambda: 1 / 0
            board.when_still = lambda: came.put("still")
            owner.emit("shake", "still")
            self.assertEqual(came.get(timeout=PATIENCE), "still")
        self.assertIs(caught.get(timeout=PATIENCE).exc_type, ZeroDivisionError)

    def test_a_board_that_is_no_longer_used_is_closed(self):
        owner = self.owner()
        board = Board(owner.address)
        thread = board._session._thread
        del board
        gc.collect()
        thread.join(PATIENCE)
        self.assertFalse(thread.is_alive())
        events = iter(Board(owner.address))
        gc.collect()
        owner.turn("portrait")
        self.assertEqual([next(events).to, next(events).to], ["faceUp", "portrait"])
        with Board(owner.address) as board:
            pass
        self.assertFalse(board._session._thread.is_alive())

    def test_without_an_owner_it_raises(self):
        for address, error, words in (
                ("unix:/nonexistent/s", plumb.UnreachableError, "no owner offers a stream at unix:/nonexistent/s: there is no such socket"),
                ("tcp:127.0.0.1:1", plumb.UnreachableError, "no program listens there"), (__file__, plumb.UnreachableError, "no program listens")):
            with self.assertRaisesRegex(error, words):
                Board(address)
        self.assertTrue(issubclass(plumb.UnreachableError, ConnectionError))

    def test_by_ssh(self):
        owner = self.owner()
        with mock.patch.dict(os.environ, {"PLUMB_SSH": SSH}):
            board = Board(f"ssh:pi:{owner.path}", rate=0)
            self.addCleanup(board.close)
            self.assertEqual(board.pose, "faceUp")
            process = board._session._link._tunnel._process
            # Later, ssh may not ask for a password.
            self.assertFalse(board._session._link.asks)
            board.close()
            self.assertIsNotNone(process.poll())
            with self.assertRaisesRegex(plumb.UnreachableError, "^ssh to elsewhere: ssh: Could not resolve hostname"):
                Board("ssh:elsewhere")


class Asynchronous(Quick):
    def test_events_samples_and_requests(self):
        owner = self.owner()

        async def program():
            async with AsyncBoard(owner.address, rate=100) as board:
                self.assertEqual((board.pose, board.is_connected, board.reason), ("faceUp", True, None))
                events = board.__aiter__()
                owner.turn("portrait")
                owner.emit("shake")
                found = [(await events.__anext__()).event for _ in range(3)]
                self.assertEqual(found, ["pose", "pose", "shake"])
                async for sample in board.samples():
                    self.assertEqual(sample.pose, "portrait")
                    break
                self.assertEqual((await board.read(PATIENCE)).pose, "portrait")
                self.assertEqual(len(await board.record(count=2)), 2)
                self.assertEqual((await board.wait_for("portrait")).to, "portrait")
                self.assertIsNone(await board.wait_for("faceDown", 0.01))
                waiting = asyncio.ensure_future(board.wait_for("shake", PATIENCE))
                await asyncio.sleep(0)
                owner.emit("shake")
                self.assertEqual((await waiting).event, "shake")
            self.assertEqual([event.event async for event in events], ["shake"])
            self.assertIsNone(board.pose)
        asyncio.run(asyncio.wait_for(program(), PATIENCE))

    def test_errors(self):
        async def program():
            with self.assertRaises(plumb.UnreachableError):
                async with AsyncBoard("unix:/nonexistent"):
                    pass
            with self.assertRaisesRegex(plumb.ClosedError, "async with"):
                AsyncBoard("unix:/nonexistent").pose
        asyncio.run(program())

    def test_an_opening_that_is_cancelled_leaves_nothing(self):
        listener = Listener(self)

        async def program():
            opening = asyncio.ensure_future(AsyncBoard(listener.address).__aenter__())
            end = await asyncio.get_running_loop().run_in_executor(None, listener.accept)
            opening.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await opening
            end.sendall(GOOD)
            # The end of the connection.
            while await asyncio.get_running_loop().run_in_executor(None, end.recv, 100):
                pass
        asyncio.run(asyncio.wait_for(program(), PATIENCE))


class Liars(Quick):
    """Servers that send what no owner sends."""

    def serve(self, *scripts):
        """A server: each connection gets one script, in order, and is then ended; the last one stays."""
        listener = Listener(self)
        over = threading.Event()
        self.addCleanup(over.set)

        def run():
            for number, script in enumerate(scripts):
                with contextlib.suppress(OSError), listener.accept() as end:
                    end.sendall(script)
                    if number == len(scripts) - 1:
                        over.wait()
        threading.Thread(target=run, daemon=True).start()
        return listener.address

    def test_a_first_connection_that_is_no_stream_raises(self):
        for script, words in {
                b"hello\n": "is not the owner of a sensor", GOOD.replace(b'"t":12.5', b'"t":"x"'): "sent an invalid line: the t of its hello is not a number",
                GOOD.replace(b'"pose":"portrait"', b'"pose":7'): "the pose of its hello is not text", GOOD.replace(b'"rate_hz":100,', b""): "its hello has no rate_hz",
                GOOD.replace(b'"t":12.5', b'"t":NaN'): "NaN is not JSON", b'{"a":' * 100 + b"\n": "nested more than 8 deep", b"x" * 9999: "more than 1024 bytes"}.items():
            with self.subTest(script[:30]), self.assertRaisesRegex(plumb.ProtocolError, words):
                Board(self.serve(script, b""))

    def test_later_lies_end_the_connection_which_is_made_again(self):
        for lie, words in {
                b"{\n": "not JSON", b"x" * 2000: "more than 1024 bytes", b'{"t":1,"event":"pose","to":7}\n': "the to of its pose is not text",
                b'{"t":1e400,"event":"shake"}\n': "the t of its shake is not a number", b'{"event":"missed","count":-1}\n': "is not a count",
                b'{"t":1,"event":"sample","x":"a","y":0,"z":0}\n': "the x of its sample is not a number",
                HELLO.replace(b"portrait", b"sideways") + b"\n": "is not a pose or a reason"}.items():
            with self.subTest(lie[:40]):
                board = Board(self.serve(GOOD + lie, GOOD.replace(b"portrait", b"faceDown")), rate=0)
                self.assertIsNotNone(board.wait_for("faceDown", PATIENCE))
                self.assertRegex(str(board._session.error), words)
                board.close()

    def test_nothing_that_it_sends_is_executed_or_moves_the_cursor(self):
        text = "__import__('os').system('touch x'); $(touch x) `touch x` %s {0.__class__} \\u001b[2J"
        script = GOOD + b'{"t":13,"event":"trouble","reason":"fault","detail":"%s","cause":"__import__"}\n' % text.encode()
        board = Board(self.serve(script), rate=0)
        self.addCleanup(board.close)
        event = board.wait_for("unknown", PATIENCE)
        self.assertEqual((event.detail, event.cause), (text.replace("\\u001b", "?"), None))
        self.assertIn("{0.__class__}", str(event) + repr(event))

    def test_an_endless_line_is_ended_after_a_kilobyte_whoever_sends_it(self):
        """A line of 10 GB is one that never ends: the client has closed the connection long before."""
        listener = Listener(self)
        counts = queue.Queue()

        def pour():
            for _ in range(3):
                end = listener.accept()
                end.sendall(GOOD)
                sent = 0
                with contextlib.suppress(OSError):
                    while sent < 10_000_000_000:
                        sent += end.send(b"x" * 65536)
                counts.put(sent)
                end.close()
        threading.Thread(target=pour, daemon=True).start()
        tracemalloc.start()
        board = Board(listener.address, rate=0)
        sent = [counts.get(timeout=PATIENCE) for _ in range(3)]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        board.close()
        # What the system holds for a socket, and two pieces.
        self.assertLess(max(sent), 4_000_000)
        self.assertLess(peak, 2_000_000)

    def test_a_flood_of_events_takes_bounded_memory_and_leaves_room_for_a_close(self):
        listener = Listener(self)
        ended = threading.Event()

        def pour():
            end = listener.accept()
            end.sendall(GOOD)
            with contextlib.suppress(OSError):
                while True:
                    end.sendall(b'{"t":13,"event":"shake"}\n' * 1000)
            ended.set()
        threading.Thread(target=pour, daemon=True).start()
        board = Board(listener.address, rate=0)
        events = board._listening(plumb.Event, limit=100)
        wait_until(lambda: board.missed > 20_000, "they are counted")
        self.assertLessEqual(len(events._mailbox._messages), 100)
        self.assertEqual(board.pose, "portrait")
        board.close()
        self.assertTrue(ended.wait(PATIENCE))


if __name__ == "__main__":
    unittest.main()
