"""The package with owners, networks and programs that fail: `plumbd` and `plumb run --share` on a bus that the test
answers for. In `make test-stream` a board of the package is also a witness of each attack on an owner.

    PLUMB=build/plumb PLUMBD=build/plumbd python3 -m unittest -v test_failures
"""

import concurrent.futures
import contextlib
import errno
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import support
import plumb
import board_witness
from plumb import Board
from board_witness import BoardWitness, patiently
from client import Account, Client, is_read
from kinds import for_each_kind
from network import ADDRESSES
from owner import SEATS, TOKEN, Owner, free_port
from processes import PATIENCE, wait_until
from test_network import PORT, Proxy, bad_network

SECONDS = 2
NOT_AVAILABLE = 69


class Failing(unittest.TestCase):
    kind = None
    maxDiff = None

    def setUp(self):
        support.entered(self, patiently())
        support.entered(self, mock.patch("plumb.link.SHORTEST_DELAY", 0.05))

    def opened(self, address, **options):
        return support.entered(self, Board(address, **options))


on_both = for_each_kind(Failing, {"plumbd": "OnPlumbd", "plumb": "OnPlumb"})


@on_both
class Staying:
    """Of these failures an owner that all tests share knows nothing."""

    @classmethod
    def setUpClass(cls):
        cls.tcp = f"127.0.0.1:{free_port()}"
        cls.owner = Owner(cls.kind, cls.tcp, token=TOKEN)
        cls.addClassCleanup(cls.owner.__exit__)
        cls.owner.await_socket()

    def seats_left(self, count):
        """Waits until as many seats are free."""
        def is_left():
            with Client(self.owner.address) as client:
                one = client.object()
                return one["event"] == "hello" and one["clients"] <= SEATS - count + 1
        wait_until(is_left, f"{count} seats are free")

    def await_samples(self, count):
        """Waits until the owner has so many samples more. With each it handles some of the requests that it has read."""
        with Client(self.owner.address) as client:
            begin = client.hello()["counters"]["samples"]
            wait_until(lambda: client.hello()["counters"]["samples"] >= begin + count, f"{count} samples are taken")

    def test_every_seat_is_taken(self):
        self.seats_left(SEATS)
        with contextlib.ExitStack() as stack:
            # Those that want nothing would make room after 10 s.
            boards = [stack.enter_context(Board(self.owner.address, rate=1)) for _ in range(SEATS)]
            with self.assertRaisesRegex(plumb.RefusedError, f"refuses: .*{SEATS}"):
                Board(self.owner.address)
            boards.pop().close()
            self.seats_left(1)
            Board(self.owner.address).close()
            self.assertTrue(all(one.is_connected for one in boards))

    def test_tokens(self):
        address = "tcp:" + self.tcp
        with Board(address, token=TOKEN) as board:
            wait_until(lambda: board.pose and board.angles, "samples come")
        for token in ("x" + TOKEN[1:], TOKEN + "x", TOKEN[:-1], "x"):
            with self.subTest(token), self.assertRaisesRegex(plumb.RefusedError, "refuses: the token is wrong"):
                Board(address, token=token)
        with self.assertRaisesRegex(plumb.RefusedError, "needs a token: pass it as Board"):
            Board(address)

    def test_a_program_that_reads_nothing_for_a_while_counts_what_it_missed(self):
        asked = 2000
        with BoardWitness(self.owner.address) as witness:
            session = witness.board._session
            with session._lock:
                # The answers are more than fits into the system and the owner.
                end = session._link._end._end
                rest = b'{"query":"hello"}\n' * asked
                while rest:
                    select.select([], [end], [], PATIENCE)
                    rest = rest[end.send(rest):]
                wait_until(lambda: is_read(end), "the owner reads all requests")
            self.await_samples(100)
            # The samples end with one more answer: where this program is slow, they take the place of all others.
            witness.hello("0")
            asked += 1

            def account():
                came = list(witness.came)
                last = max(place for place, one in enumerate(came) if one["event"] == "hello")
                first = next(place for place, one in enumerate(came) if one is witness.begin)
                found = Account(witness.begin, came[first + 1:last], came[last])
                answers = sum(one["event"] == "hello" for one in came[first + 1:last + 1])
                return answers + len(found.events) + len(found.samples) + found.missed, asked + found.due()
            # At the end no more comes than events.
            wait_until(lambda: account()[0] >= account()[1], "the last answer comes")
            came, due = account()
            self.assertEqual(came, due)
            self.assertGreater(witness.board.missed, 0)

    def test_a_program_that_is_stopped(self):
        with started([sys.executable], self.owner.address) as program:
            program.send_signal(signal.SIGSTOP)
            time.sleep(SECONDS)
            program.send_signal(signal.SIGCONT)
            judge(self, program)

    def test_a_connection_that_is_slow(self):
        proxy = Proxy("tcp:" + self.tcp)
        self.addCleanup(proxy.close)
        with concurrent.futures.ThreadPoolExecutor() as pool, contextlib.ExitStack() as stack:
            slow = list(pool.map(lambda _: BoardWitness(f"tcp:127.0.0.1:{proxy.port}", TOKEN), range(2)))
            for one in slow:
                stack.callback(one.close)
            time.sleep(SECONDS)
            for one, account in zip(slow, pool.map(BoardWitness.account, slow)):
                account.check(self)
                self.assertGreater(len(account.samples), 0)

    def test_a_connection_that_ends_in_the_middle_of_a_line_or_falls_silent(self):
        with Client(self.owner.address) as client:
            hello = len(client.line())
        # Its length differs by some digits from time to time.
        for size in (1, hello // 2, hello - 40, hello + 40):
            for is_closed in (True, False):
                with self.subTest(size=size, is_closed=is_closed), Cut(self.owner.path, size, is_closed) as cut, \
                        mock.patch.multiple("plumb.link", SILENCE=0.2, ANSWER_TIME=0.2, GREETING=0.2):
                    if size <= hello:
                        with self.assertRaises(plumb.UnreachableError):
                            Board(cut.address)
                        continue
                    with Board(cut.address, rate="all") as board:
                        gone = board.wait_for("unknown", PATIENCE)
                        self.assertEqual((gone.reason, board.pose, board.angles), ("stale", None, None))
                        with patiently():
                            cut.size = None
                            wait_until(lambda: board.pose and board.angles, "samples come")

    def test_a_second_owner_takes_nothing_away(self):
        with BoardWitness(self.owner.address) as witness, Owner(self.kind, folder=self.owner.folder) as second:
            self.assertEqual(second.end(), NOT_AVAILABLE)
            witness.check(self)

    def test_a_sensor_that_fails_and_recovers(self):
        with BoardWitness(self.owner.address) as witness, Client(self.owner.address) as client:
            board, begin = witness.board, client.object()["t"]
            self.addCleanup(self.owner.fail, 0)
            for cause, code in (("noAcknowledge", errno.EREMOTEIO), ("timedOut", errno.ETIMEDOUT)):
                self.owner.fail(code)
                gone = board.wait_for("unknown", PATIENCE)
                self.assertEqual((gone.reason, gone.cause, board.pose, board.angles), ("fault", cause, None, None))
                self.owner.fail(0)
                wait_until(lambda: board.pose and board.angles, "samples come again")
            account = witness.check(self)
            client.send({"query": "hello"})
            # The same lines as another client's.
            lines, events = ([one for one in found if begin < one["t"] < account.end["t"]]
                             for found in (client.until("hello")[:-1], account.events))
            self.assertEqual(lines, events)
            self.assertLessEqual({"trouble", "recovery", "pose"}, {one["event"] for one in account.events})


@on_both
class Ending:
    """Each test has an owner of its own."""

    def begun(self, **options):
        owner = Owner(self.kind, **options)
        self.addCleanup(owner.__exit__)
        return owner.await_socket()

    def test_killed_under_every_seat_and_started_again(self):
        owner = self.begun()
        boards = [self.opened(owner.address, rate="all") for _ in range(SEATS - 1)]
        names = {board.hello.owner for board in boards}
        self.assertEqual(owner.stop(signal.SIGKILL), -signal.SIGKILL)
        for board in boards:
            gone = board.wait_for("unknown", PATIENCE)
            self.assertEqual((gone.reason, board.pose, board.angles), ("stale", None, None))
            self.assertRegex(gone.detail, "; trying again$")
        owner.start()
        for board in boards:
            wait_until(lambda one=board: one.pose and one.angles, "it is found again")
            self.assertNotIn(board.hello.owner, names)

    def test_a_clean_end_is_reported_with_its_reason(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            owner = self.begun()
            with Board(owner.address, rate="all") as board, Board(owner.address, reconnects=False) as other:
                events = iter(other)
                self.assertEqual(owner.stop(number), 0)
                gone = board.wait_for("unknown", PATIENCE)
                self.assertRegex(gone.detail, "^the owner at .* has ended: .*; trying again$")
                # It ends with its first connection.
                self.assertEqual(list(events)[-1].reason, "stale")
                self.assertIsNone(board.pose)

    def test_stopped_and_continued(self):
        owner = self.begun()
        with mock.patch.multiple("plumb.link", SILENCE=0.5, ANSWER_TIME=0.1):
            board = self.opened(owner.address, rate="all")
            run = board.hello.owner
            os.kill(owner.pid, signal.SIGSTOP)
            support.entered(self, mock.patch("plumb.link.GREETING", 0.5))
            try:
                gone = board.wait_for("unknown", PATIENCE)
                self.assertEqual((gone.reason, board.pose, board.angles), ("stale", None, None))
                self.assertRegex(gone.detail, "^nothing came from the owner at .* for [0-9]+ s; trying again$")
            finally:
                os.kill(owner.pid, signal.SIGCONT)
        support.entered(self, patiently())
        wait_until(lambda: board.pose and board.angles, "samples come again")
        self.assertEqual(board.hello.owner, run)

    def test_a_removed_socket_costs_only_new_connections(self):
        owner = self.begun()
        with BoardWitness(owner.address) as witness:
            os.unlink(owner.path)
            with self.assertRaisesRegex(plumb.UnreachableError, "no owner|No such file"):
                Board(owner.address)
            for name, spoil in {"a file": lambda: open(owner.path, "xb").close(), "a folder": lambda: os.mkdir(owner.path),
                                "a pipe": lambda: os.mkfifo(owner.path)}.items():
                with self.subTest(name):
                    spoil()
                    with self.assertRaises(plumb.UnreachableError):
                        Board(owner.address)
                    (os.rmdir if os.path.isdir(owner.path) else os.unlink)(owner.path)
            witness.check(self)
            self.assertEqual(owner.stop(), 0)

    def test_a_network_with_delay_and_loss(self):
        inside = bad_network(self.addCleanup)
        owner = self.begun(tcp=f"{ADDRESSES[0]}:{PORT}", token=TOKEN, before=inside[0])
        with started([*inside[1], sys.executable], f"tcp:{ADDRESSES[0]}:{PORT}", TOKEN) as program:
            time.sleep(SECONDS)
            judge(self, program)
        owner.stop()


class Cut:
    """An address behind which is that of an owner, until `size` bytes have come from there: then the connection ends,
    or falls silent. With None for the size it stays. Use it in a `with` statement."""

    def __init__(self, path, size, is_closed):
        self.path, self.size, self.is_closed = path, size, is_closed
        self.folder = tempfile.TemporaryDirectory(prefix="plumb-py-")
        self.address = "unix:" + os.path.join(self.folder.name, "s")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.address[5:])
        self.listener.listen()
        self.ends = False
        self.thread = threading.Thread(target=self.accept)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.thread.join()
        self.listener.close()
        self.folder.cleanup()

    def accept(self):
        """One connection after the other."""
        while not self.ends:
            if select.select([self.listener], [], [], 0.02)[0]:
                with self.listener.accept()[0] as near, socket.socket(socket.AF_UNIX) as far:
                    far.connect(self.path)
                    with contextlib.suppress(OSError):
                        self.carry(near, far)

    def carry(self, near, far):
        left = self.size
        while not self.ends:
            ready = select.select([near] if left == 0 else [near, far], [], [], 0.02)[0]
            if near in ready:
                data = near.recv(4096)
                if not data:
                    return
                far.sendall(data)
            if far in ready:
                data = far.recv(4096 if left is None else min(4096, left))
                near.sendall(data)
                if left is not None:
                    left -= len(data)
                if not data or left == 0 and self.is_closed:
                    return


@contextlib.contextmanager
def started(python, *words):
    """board_witness.py as a program of its own."""
    with subprocess.Popen([*python, "-B", board_witness.__file__, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          bufsize=0) as program:
        try:
            assert program.stdout.readline() == b"begun\n"
            yield program
        finally:
            program.kill()


def judge(test, program):
    """Its account is even."""
    program.stdin.write(b"account\n")
    came, missed, due, samples = map(int, program.stdout.readline().split())
    test.assertEqual(came + missed, due)
    test.assertGreater(samples, 0)


if __name__ == "__main__":
    unittest.main()
