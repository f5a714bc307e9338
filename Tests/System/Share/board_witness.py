"""A client of a stream that is a `Board` of the Python package, with an account of what has come to it.

    board_witness.py ADDRESS [TOKEN]

As a program it prints a line when it has begun, and after each line of standard input the account until then: what
came, what was missed, what should have come, and how many samples there were.
"""

import sys
import threading
from unittest import mock

from owner import HERE, PATIENCE, wait_until
from client import Account

if "plumb" not in sys.modules:
    sys.path.append(str(HERE.parents[2] / "clients" / "python"))
import plumb


def patiently():
    """In this context no connection of a Board is lost because the computer is busy."""
    return mock.patch.multiple("plumb.link", SILENCE=PATIENCE, GREETING=PATIENCE)


class BoardWitness:
    """Listens to every sample and event. Use it in a `with` statement, or close it."""

    def __init__(self, address, token=None):
        self.board = plumb.Board(address, token=token, rate="all", reconnects=False)
        self.came, self.given = [], []
        tracker = self.board._session.tracker

        def take(found, take=tracker.take):
            self.came.append(found)
            return take(found)
        tracker.take = take
        events = iter(self.board)
        threading.Thread(target=lambda: self.given.extend(events), daemon=True).start()
        self.hello("0")
        self.begin = self.hello('"all"')
        self.before = self.board.missed
        # With a step the owner renews how often it listens: what comes in one piece is then handled in one.
        wait_until(lambda: self.came[-1]["event"] == "sample", "samples come")

    def hello(self, samples):
        """A fresh hello, as it came, after a wish for samples."""
        # In one piece, so that no sample comes in between.
        self.board._session.ask(b'{"samples":%s}\n{"query":"hello"}' % samples.encode(), "hello", PATIENCE)
        return next(one for one in reversed(self.came) if one["event"] == "hello")

    def account(self):
        """What has come from its beginning until now. No samples come after that: on a slow connection the end would
        be lost among them."""
        end = self.hello("0")
        places = [place for place, one in enumerate(self.came) if one is self.begin or one is end]
        return Account(self.begin, self.came[places[0] + 1:places[-1]], end)

    def check(self, test):
        """Every sample and event came once, in order, or is counted; and the program was given what came."""
        account = self.account()
        account.check(test)
        test.assertEqual(self.board.missed - self.before, account.missed)
        test.assertEqual(self.board.hello.owner, account.begin["owner"])
        if not account.missed:
            events = [(one["t"], one["event"]) for one in account.events]
            wait_until(lambda: not events or self.given and self.given[-1].t >= events[-1][0], "the program is given all")
            given = [(one.t, one.event) for one in list(self.given)]
            test.assertEqual([one for one in events if one not in given], [])
        return account

    def close(self):
        self.board.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


if __name__ == "__main__":
    with patiently(), BoardWitness(*sys.argv[1:]) as witness:
        print("begun", flush=True)
        for _ in sys.stdin:
            found = witness.account()
            print(len(found.events) + len(found.samples), found.missed, found.due(), len(found.samples), flush=True)
