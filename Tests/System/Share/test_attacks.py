"""Clients that misbehave, while another one checks that the owner takes every sample.

    PLUMB=build/plumb PLUMBD=build/plumbd python3 -m unittest -v test_attacks
"""

import os
import random
import resource
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from attack import FREE, on_both
from client import OTHERS, Account, Client, Witness, connected
from owner import RATE, SEATS
from processes import cpu_seconds, wait_until

# The duration of an attack that has no end, s.
SECONDS = 3
# How long SIGSTOP stops a client, s: make test-stream STOPPED=60 for the whole minute.
STOPPED = float(os.environ.get("STOPPED") or 6)

# Invalid requests. Each gets an error, and nothing else happens.
NO_REQUESTS = [
    b"{}", b"[]", b"null", b"17", b"hello", b'"', b"\\", b"{", b'{"samples"', b'{"samples":', b'{"samples":10', b'{"samples":10}}',
    b'{"samples":10}{"samples":20}', b'{"samples":-1}', b'{"samples":"many"}', b'{"samples":null}', b'{"samples":[1]}',
    b'{"samples":9999999999999999999999999}', b'{"samples":1e999}', b'{"samples":1e99999999999999}',
    b'{"samples":' + b"9" * 400 + b"}", b'{"counters":"x"}', b'{"counters":-5}', b'{"query":"everything"}', b'{"query":1}',
    b'{"command":"halt"}', b'{"command":"tare"}', b'{"Samples":10}', b"GET / HTTP/1.1", b"\x16\x03\x01\x02\x00\x01\x00",
    b"\0" * 100, b'{"samples":\0}', b"\xff\xfe\xfd", b'{"query":"\xc3\x28"}', b'{"query":"\\u12"}', b'{"query":"\\ud800"}',
    b"[" * 400, b'{"a":' * 80, b'{"samples":10' + b" " * 600 + b"}", b"x" * 5000, b'{"query":"' + b"h" * 2000 + b'"}',
]


def lasting(function, seconds=SECONDS):
    """Calls a function repeatedly, for the duration of an attack."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        function()


def poured(connection, pieces, seconds=SECONDS):
    """Writes the pieces repeatedly without reading anything; it does not matter whether they are accepted."""
    connection.settimeout(0.5)
    try:
        lasting(lambda: [connection.sendall(piece) for piece in pieces], seconds)
    except OSError:
        pass


def side_by_side(*functions):
    """Calls functions in parallel threads and waits for all of them."""
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@on_both
class Requests:
    """Incomplete lines, garbage, and far too many requests."""

    def test_half_a_line_and_then_nothing(self):
        with self.vigil():
            clients = [Client(self.owner.address) for _ in range(FREE)]
            for client in clients:
                client.send(b'{"samples":')
            time.sleep(SECONDS)
            # It is waiting, not forgotten.
            for client in clients:
                client.send(b"50}\n")
            for client in clients:
                client.until("sample")
                client.close()

    def test_a_request_byte_by_byte(self):
        with self.vigil(), Client(self.owner.address) as client:
            for byte in b' { "samples" : 50 }\n':
                client.send(bytes([byte]))
                time.sleep(0.01)
            client.until("sample")

    def test_invalid_requests_get_an_error_and_nothing_else(self):
        with self.vigil(), Client(self.owner.address) as client:
            client.object()
            for text in NO_REQUESTS:
                with self.subTest(text[:60]):
                    client.send(text + b"\n", {"query": "hello"})
                    kinds = {one["event"] for one in client.until("hello")} & set(OTHERS)
                    self.assertEqual(kinds, {"error", "hello"})

    def test_garbage_at_line_speed(self):
        chance = random.Random(16)
        kinds = [
            [chance.randbytes(65536) for _ in range(8)],
            [b"x" * 65536],
            [b"\n" * 65536],
            [b"\0" * 65536],
            [b"[" * 400 + b"\n"],
            [b'{"samples":' + b"9" * 300 + b"}\n"],
            [b'{"query":"read"}\n' * 1000],
            [b'{"samples":"all"}\n{"samples":0}\n{"counters":1}\n' * 1000],
        ]
        with self.vigil():
            clients = [connected(self.owner.address) for _ in kinds]
            side_by_side(*(lambda c=c, k=k: poured(c, k) for c, k in zip(clients, kinds)))
            for client in clients:
                client.close()

    def test_answers_at_line_speed(self):
        def ask_and_read():
            with Client(self.owner.address) as client:
                lasting(lambda: client.hello())
        with self.vigil():
            side_by_side(*[ask_and_read] * 4)

    def test_answers_that_nobody_reads_are_counted(self):
        with self.vigil(), Client(self.owner.address) as client:
            begin, asked = client.object(), 1000
            client.send(b'{"query":"hello"}\n' * asked)
            client.await_read()
            seen = []
            while True:
                seen.append(client.object())
                account = Account(begin, seen, seen[-1])
                answers = sum(one["event"] == "hello" for one in seen)
                if seen[-1]["event"] == "hello" and answers + account.missed + len(account.events) >= asked + account.due(False):
                    break
            self.assertEqual(answers + account.missed + len(account.events), asked + account.due(False))
            self.assertGreater(account.missed, 0)

    def test_a_client_that_closes_its_sending_side_still_gets_what_it_requested(self):
        with self.vigil(), Client(self.owner.address) as client:
            client.send({"samples": 50})
            client.connection.shutdown(socket.SHUT_WR)
            for _ in range(25):
                client.until("sample")


@on_both
class Connections:
    """Clients that come and go, and more of them than there are seats."""

    def test_ten_thousand_connections_in_a_row(self):
        reset = struct.pack("@ii", 1, 0)
        with self.vigil() as witness:
            for number in range(10_000):
                with connected(self.owner.address) as connection:
                    try:
                        if number % 5 == 1:
                            connection.sendall(b'{"samples":"all"}\n{"query":"read"}\n')
                        elif number % 5 == 2:
                            connection.sendall(b'{"samples')
                        elif number % 100 == 3:
                            connection.recv(1)
                        elif number % 5 == 4:
                            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
                    except OSError:
                        pass  # it was the seventeenth
            witness.hello()
        self.await_empty_seats()

    def test_the_seventeenth_client_is_turned_away_with_a_reason(self):
        with self.vigil() as witness:
            seated = [Client(self.owner.address) for _ in range(FREE)]
            for client in seated:
                self.assertEqual(client.object()["event"], "hello")
            for _ in range(50):
                with Client(self.owner.address) as late:
                    one, *others = late.rest_of_it()
                    self.assertEqual((one["event"], others), ("bye", []))
                    self.assertIn(str(SEATS), one["detail"])
            self.assertEqual(witness.hello()["clients"], SEATS)
            seated.pop().close()
            wait_until(lambda: self.look()["event"] == "hello", "the free seat is given away")
            for client in seated:
                client.hello()
                client.close()

    def test_a_client_that_no_longer_listens(self):
        with self.vigil():
            for _ in range(200):
                with Client(self.owner.address) as client:
                    client.send({"samples": "all"}, {"query": "read"})
                    client.connection.shutdown(socket.SHUT_RD)

    def test_a_process_that_may_open_no_more_files(self):
        with self.vigil():
            limits = resource.prlimit(self.owner.pid, resource.RLIMIT_NOFILE)
            resource.prlimit(self.owner.pid, resource.RLIMIT_NOFILE, (self.owner.descriptors() + 3, limits[1]))
            try:
                before = cpu_seconds(self.owner.pid)
                every = self.deaf(count=20)
                time.sleep(SECONDS)
                spent = cpu_seconds(self.owner.pid) - before
            finally:
                resource.prlimit(self.owner.pid, resource.RLIMIT_NOFILE, limits)
            # It must not poll for room all the time.
            self.assertLess(spent, SECONDS / 2)
            for client in every:
                client.close()
        self.await_empty_seats()

    def test_the_criterion_detects_an_owner_that_is_kept_from_its_samples(self):
        with self.assertRaisesRegex(AssertionError, "not less than or equal to"), self.vigil():
            os.kill(self.owner.pid, signal.SIGSTOP)
            time.sleep(0.5)
            os.kill(self.owner.pid, signal.SIGCONT)


@on_both
class Silence:
    """Clients that do not read what they requested."""

    def test_sixteen_that_never_read(self):
        with self.vigil(has_seat=False):
            every = self.deaf(b'{"samples":"all"}\n', count=SEATS // 2)
            every += self.deaf(b'{"samples":"raw"}\n{"counters":1}\n' + b'{"query":"hello"}\n' * 600, count=SEATS // 2)
            time.sleep(2 * SECONDS)
            for client in every:
                client.close()
            self.await_empty_seats()

    def test_all_others_never_read_alongside_two_that_do(self):
        with self.vigil():
            every = self.deaf(b'{"samples":"all"}\n' + b'{"query":"hello"}\n' * 600, count=FREE)
            time.sleep(SECONDS)
            for client in every:
                client.close()

    def test_one_that_finally_reads_learns_how_much_it_has_missed(self):
        with self.vigil(), Client(self.owner.address) as client:
            client.send({"samples": "all"}, {"query": "hello"})
            begin = [one for one in (client.object(), *client.until("hello")) if one["event"] == "hello"][-1]
            time.sleep(2 * SECONDS)
            client.send({"query": "hello"})
            objects = client.until("hello")
            Account(begin, objects[:-1], objects[-1]).check(self)

    def test_a_client_that_is_stopped(self):
        with self.vigil():
            ours, theirs = socket.socketpair()
            with subprocess.Popen(["socat", "-", f"UNIX-CONNECT:{self.owner.path}"], stdin=theirs, stdout=theirs) as process:
                theirs.close()
                try:
                    with Witness(connection=ours) as stopped:
                        process.send_signal(signal.SIGSTOP)
                        time.sleep(STOPPED)
                        process.send_signal(signal.SIGCONT)
                        account = stopped.account()
                        account.check(self)
                        self.assertGreater(len(account.samples), RATE)
                finally:
                    process.kill()


if __name__ == "__main__":
    unittest.main()
