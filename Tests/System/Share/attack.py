"""What all attacks have in common: an owner, and the limits of what it may lose and use during them."""

import contextlib
import sys
import unittest

from owner import RATE, SEATS, Owner
from board_witness import BoardWitness, patiently
from client import Client, Witness, connected
from kinds import for_each_kind
from processes import take_signals_back, wait_until

# The possible error, in samples, of a count that is taken between two of them.
SLACK = 2
# The seats that a vigil leaves: there are two witnesses.
FREE = SEATS - 2
# How much the memory of an owner may vary once all seats have been used, bytes: it stores nothing more for a client.
FLAT = {"plumbd": 64 << 10, "plumb": 256 << 10}

take_signals_back()


class Attack(unittest.TestCase):
    """Tests against an owner of one kind, shared by all tests of a class."""

    kind = None
    tcp = None
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.owner = Owner(cls.kind, cls.tcp)
        cls.addClassCleanup(cls.owner.__exit__)
        cls.owner.await_socket()
        cls.use_all_seats()
        cls.memory = cls.owner.memory()

    @classmethod
    def use_all_seats(cls):
        """Fills the memory that the owner has for each client, so that it is in use from now on."""
        cls.await_empty_seats()
        clients = [Client(cls.owner.address) for _ in range(SEATS)]
        # More than fits into the kernel's 208 KiB for a connection and the owner's own 16 KiB.
        count = 400_000 // max(1, len(clients[0].line()))
        for client in clients:
            client.send(b'{"query":"hello"}\n' * count)
        for client in clients:
            client.await_read()
            client.close()
        cls.await_empty_seats()

    @classmethod
    def await_empty_seats(cls):
        """Waits until a client that connects is the only one."""
        def is_alone():
            with Client(cls.owner.address) as client:
                return client.object().get("clients") == 1
        wait_until(is_alone, "the seats are empty")

    @contextlib.contextmanager
    def vigil(self, has_seat=True):
        """While the body attacks, the owner loses no sample, and its memory stays the same. Yields a witness that has
        seen every sample and event at the end; None without a seat. Another one is a `Board` of the Python package.

        A sample is late or lost if the owner is a whole period late for it. Its threads, and those of the bus, may have
        been ready to run while other programs had the processors: the kernel counts that time, and that for the disk,
        from which code that it has evicted is read again. The attack is responsible for what this does not explain.
        """
        owner = self.owner
        witness = board = None
        # First: it must count every delay after the samples that `begin` counts.
        delays = owner.delays()
        if has_seat:
            self.enterContext(patiently())
            witness, board = Witness(owner.address), BoardWitness(owner.address)
        begin = witness.begin if has_seat else self.look()
        memory, descriptors = owner.memory(), owner.descriptors()
        try:
            yield witness
            account = witness.account() if has_seat else None
            end = account.end if has_seat else self.look()
            waited, faults, disk = (after - before for before, after in zip(delays, owner.delays()))
            wait_until(lambda: owner.descriptors() <= descriptors, "the owner closes what clients have closed")
            self.judge(begin, end, waited + (disk if faults else 0), owner.memory() - memory)
            if has_seat:
                account.check(self)
                board.check(self)
        finally:
            if has_seat:
                witness.close()
                board.close()

    def look(self):
        with Client(self.owner.address) as client:
            return client.object()

    def judge(self, begin, end, delays, growth):
        self.assertEqual(begin["owner"], end["owner"])
        seconds = end["t"] - begin["t"]
        taken, late = (end["counters"][key] - begin["counters"][key] for key in ("samples", "late_samples"))
        lost = max(0, round(seconds * RATE) - taken)
        excused = delays * RATE
        print(f"{self.id().split('.', 1)[1]}: {seconds:.1f} s, {taken} samples, {late} late, {lost} not taken "
              f"({excused:.1f} for want of a processor or disk), memory {growth / 1024:+.0f} KiB", file=sys.stderr)
        self.assertGreater(seconds, 0)
        self.assertLessEqual(max(late, lost), SLACK + excused)
        self.assertLessEqual(growth, FLAT[self.kind])

    def deaf(self, *requests, count=1):
        """Clients that never read."""
        clients = [connected(self.owner.address) for _ in range(count)]
        for client in clients:
            self.addCleanup(client.close)
            for request in requests:
                client.sendall(request)
        return clients


on_both = for_each_kind(Attack, {"plumbd": "OnPlumbd", "plumb": "OnPlumb"})
