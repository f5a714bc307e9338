"""A hundred publishers of emulated boards on one machine, and the restart of their broker.

    PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt python3 -m unittest -v test_crowd

MINUTE=60 is for how many seconds messages are counted before the broker restarts. From 60 on it restarts twice, and the
memory of a publisher is the same after both.
"""

import collections
import os
import sys
import time
import unittest

from publisher import Case, Publisher
from client import Witness
from owner import Owner
from processes import cpu_seconds, wait_until
from test_state import is_published

SECONDS = float(os.environ.get("MINUTE") or 60)
COUNT = 100
# Publishers of one owner, which has room for one more client.
SHARING = 15
# s; the default of the setting `spread`.
SPREAD = 30
# How many of a hundred may come back in one second. Each chooses its moment within 30 s: chance brings 25 or more
# together once in 10^13 restarts.
TOGETHER = 25
# How much the memory of a warmed-up publisher may vary, bytes: the 36 KiB of its event queue come into use one by one.
FLAT = 128 << 10
# The additional memory for the first reconnection, and for the first time that the event queue is full.
FIRST = 256 << 10


class Crowd(Case):
    kind = "plumb-mqtt"

    def test_no_event_is_lost_and_reconnections_are_spread_out(self):
        names = [f"dev-{number:03}" for number in range(COUNT)]
        broker = self.broker(devices=names, extra="max_queued_messages 100000")
        judge = self.judge(broker, "plumb/#", identity="judge")
        owners = [self.begin(Owner("plumb")).await_socket() for _ in range(-(-COUNT // SHARING))]
        witnesses = [Witness(owner.address, samples=0) for owner in owners]
        for witness in witnesses:
            self.addCleanup(witness.close)
        publishers = [
            self.begin(Publisher(self.kind, broker, owners[number // SHARING].address, name=name, link={"spread": SPREAD},
                                 values={"interval": 5}))
            for number, name in enumerate(names)]
        self.await_all(judge, publishers)
        # What has been used once stays in use.
        time.sleep(3)
        begin, before = judge.mark(), [(one.memory(), cpu_seconds(one.pid)) for one in publishers]
        began = time.monotonic()
        time.sleep(SECONDS)
        took = time.monotonic() - began
        after = [(one.memory(), cpu_seconds(one.pid)) for one in publishers]
        self.check_counted(judge, publishers, witnesses, may_drop=False)
        counted = judge.seen(since=begin)
        growth = [new[0] - old[0] for old, new in zip(before, after)]
        spent = sum(new[1] - old[1] for old, new in zip(before, after))
        self.say(f"{len(counted)} messages of {COUNT} publishers in {took:.1f} s, none lost; memory of each {after[0][0] >> 10} "
                 f"KiB, {min(growth) / 1024:+.0f} to {max(growth) / 1024:+.0f}; {1000 * spent / took / COUNT:.2f} ms of "
                 "processor a second each")
        self.assertLessEqual(max(growth), FLAT)

        for number in range(2 if SECONDS >= 60 else 1):
            before = [one.memory() for one in publishers]
            self.restart(broker, judge, publishers, witnesses)
            growth = [one.memory() - old for one, old in zip(publishers, before)]
            self.say(f"memory over restart {number + 1} of the broker {min(growth) / 1024:+.0f} to {max(growth) / 1024:+.0f} KiB")
            self.assertLessEqual(max(growth), FLAT if number else FIRST)
        self.assertTrue(all(one.is_running() for one in publishers))

    def restart(self, broker, judge, publishers, witnesses):
        """Restarts the broker; all publishers come back, and what they have published adds up."""
        since, restarted = judge.mark(), int(time.time())
        broker.restart()
        self.await_all(judge, publishers, since)
        back = [moment for moment in broker.connections(r"plumb-dev-\d+") if moment >= restarted][:COUNT]
        self.check_spread([moment - restarted for moment in back])
        self.check_counted(judge, publishers, witnesses, may_drop=True)

    def say(self, text):
        print(f"{self.id().split('.', 1)[1]}: {text}", file=sys.stderr)

    def await_all(self, judge, publishers, since=0):
        """Waits until each is online and has published its state after that."""
        online, complete = set(), set()
        def wanted(one):
            name, last = one.topic.split("/")[1:]
            if last == "status" and one.text == "online":
                online.add(name)
            elif last == "state" and name in online:
                complete.add(name)
            return len(complete) == len(publishers)
        judge.await_message(wanted, f"{len(publishers)} publishers have a state", since)

    def check_spread(self, seconds):
        histogram = collections.Counter(seconds)
        most = max(histogram.values())
        self.say(f"back within {max(seconds)} s of the restart, at most {most} in one second: "
                 + " ".join(str(histogram[second]) for second in range(max(seconds) + 1)))
        self.assertEqual(len(seconds), COUNT)
        self.assertLessEqual(most, TOGETHER)
        # A hundred moments in thirty seconds lie within twenty of them once in 10^15 restarts.
        self.assertGreaterEqual(max(seconds) - min(seconds), 2 * SPREAD / 3)

    def check_counted(self, judge, publishers, witnesses, may_drop):
        """Each has published what its owner's witness has seen, from the first event on; each once, or reported as
        dropped."""
        known = []
        for witness in witnesses:
            with witness.changed:
                seen = list(witness.seen)
            known.append([(one["event"], one["t"]) for one in seen if is_published(one)])
        dropped_by_all = repeated_by_all = 0
        for number, publisher in enumerate(publishers):
            truth = known[number // SHARING]
            def events():
                return [one.object for one in judge.seen(publisher.topic("event"))]
            wait_until(lambda: any((one["event_type"], one.get("t")) == truth[-1] for one in reversed(events())),
                       f"the last event of {publisher.name}")
            kept, dropped, repeated = {}, 0, 0
            for one in events():
                if one["event_type"] == "missed":
                    dropped += one["count"]
                elif one["n"] in kept:
                    self.assertEqual(kept[one["n"]], (one["event_type"], one["t"]))
                    repeated += 1
                else:
                    kept[one["n"]] = (one["event_type"], one["t"])
            self.assertEqual(list(kept), sorted(kept), "in order")
            if not may_drop:
                self.assertEqual((dropped, repeated), (0, 0))
                self.assertEqual(list(kept), list(range(1, len(kept) + 1)))
            first = truth.index(kept[1])
            last = max(number for number, one in kept.items() if one == truth[-1])
            for n, one in kept.items():
                if n <= last:
                    self.assertEqual(one, truth[first + n - 1])
            self.assertEqual(sum(n <= last for n in kept) + dropped, last, publisher.name)
            dropped_by_all, repeated_by_all = dropped_by_all + dropped, repeated_by_all + repeated
        if may_drop:
            self.say(f"with the restart {dropped_by_all} events were dropped and told, {repeated_by_all} repeated")


if __name__ == "__main__":
    unittest.main()
