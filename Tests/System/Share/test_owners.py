"""Owners that are killed, that compete, or that find something else in their place; and how they end.

    PLUMB=build/plumb PLUMBD=build/plumbd python3 -m unittest -v test_owners
"""

import os
import signal
import socket
import stat
import tempfile
import unittest

from owner import SEATS, Owner, free_port
from attack import on_both
from client import Client, connected

NOT_AVAILABLE = 69


@on_both
class Owners:
    """These tests share no owner: each ends its own."""

    @classmethod
    def setUpClass(cls):
        cls.owner = None

    def begun(self, **options):
        owner = Owner(self.kind, **options)
        self.addCleanup(owner.__exit__)
        return owner.await_socket()

    def test_killed_under_sixteen_clients_and_started_again(self):
        first = self.begun()
        clients = [Client(first.address) for _ in range(SEATS)]
        names = {client.object()["owner"] for client in clients}
        self.assertEqual(len(names), 1)
        self.assertEqual(first.stop(signal.SIGKILL), -signal.SIGKILL)
        for client in clients:
            self.assertNotIn("bye", [one["event"] for one in client.rest_of_it()])
            client.close()
        self.assertTrue(os.path.exists(first.path), "nobody could remove it")
        first.start()
        first.await_socket()
        clients = []
        while len(clients) < SEATS:
            client = Client(first.address)
            one = client.object()
            # The client that checked whether it listens has just left.
            if one["event"] == "bye":
                client.close()
                continue
            self.assertNotIn(one["owner"], names)
            clients.append(client)
        for client in clients:
            client.until("pose")
            client.close()
        first.stop()

    def test_a_second_owner_is_rejected_and_the_first_continues(self):
        port = free_port()
        first = self.begun(tcp=f"127.0.0.1:{port}")
        with Client(first.address) as client:
            name = client.object()["owner"]
            for kind in ("plumbd", "plumb"):
                with Owner(kind, folder=first.folder) as second:
                    self.assertEqual(second.end(), NOT_AVAILABLE)
                    self.assertIn("is already shared by another owner", second.printed())
                    self.assertIn(first.path, second.printed())
                # With its own socket path, but the same port.
                with Owner(kind, tcp=f"127.0.0.1:{port}") as second:
                    self.assertEqual(second.end(), NOT_AVAILABLE)
                    self.assertIn(str(port), second.printed())
                    self.assertFalse(os.path.exists(second.path), "it leaves its socket behind")
            self.assertEqual(client.hello()["owner"], name)
        with Client(first.address) as client:
            self.assertEqual(client.object()["owner"], name)

    def test_anything_but_a_stale_socket_is_left_alone(self):
        def file(path):
            with open(path, "w", encoding="ascii") as handle:
                handle.write("mine\n")

        def bound(path, kind, queue=None, waiting=0):
            one = socket.socket(socket.AF_UNIX, kind)
            self.addCleanup(one.close)
            one.bind(path)
            if queue is not None:
                one.listen(queue)
            for _ in range(waiting):
                self.addCleanup(connected("unix:" + path).close)

        spoilers = {
            "a file": file, "a folder": os.mkdir, "a pipe": os.mkfifo,
            "a link to a file": lambda path: (file(path + "-other"), os.symlink(path + "-other", path)),
            "a socket for messages": lambda path: bound(path, socket.SOCK_DGRAM),
            "a listener that never accepts": lambda path: bound(path, socket.SOCK_STREAM, 8),
            "a listener whose queue is full": lambda path: bound(path, socket.SOCK_STREAM, 0, 1),
        }
        for name, spoil in spoilers.items():
            with self.subTest(name), tempfile.TemporaryDirectory(prefix="plumb-share-") as folder:
                path = os.path.join(folder, "stream")
                spoil(path)
                before = os.lstat(path)
                with Owner(self.kind, folder=folder) as owner:
                    self.assertEqual(owner.end(), NOT_AVAILABLE, owner.printed())
                    self.assertIn(path, owner.printed())
                after = os.lstat(path)
                self.assertEqual((before.st_ino, before.st_mode), (after.st_ino, after.st_mode))

    def test_a_clean_end_says_goodbye_and_removes_the_socket(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            owner = self.begun()
            self.assertEqual(stat.S_IMODE(os.stat(owner.path).st_mode), 0o660)
            with Client(owner.address) as client, connected(owner.address) as deaf:
                deaf.sendall(b'{"samples":"all"}\n')
                client.until("hello")
                self.assertEqual(owner.stop(number), 0)
                self.assertEqual(client.rest_of_it()[-1]["event"], "bye")
            self.assertFalse(os.path.exists(owner.path))
            owner.start()
            owner.await_socket()
            owner.stop()

    def test_clients_that_never_read_do_not_delay_the_end(self):
        owner = self.begun()
        clients = [connected(owner.address) for _ in range(SEATS)]
        for client in clients:
            client.sendall(b'{"samples":"all"}\n' + b'{"query":"hello"}\n' * 1000)
        self.assertEqual(owner.stop(), 0)
        for client in clients:
            client.close()

    def test_a_removed_socket_costs_only_new_clients(self):
        owner = self.begun()
        with Client(owner.address) as client:
            os.unlink(owner.path)
            client.hello()
            # Its path is free, and what is put there belongs to another.
            with open(owner.path, "w", encoding="ascii") as file:
                file.write("mine\n")
            self.assertEqual(owner.stop(), 0)
        with open(owner.path, encoding="ascii") as file:
            self.assertEqual(file.read(), "mine\n")


if __name__ == "__main__":
    unittest.main()
