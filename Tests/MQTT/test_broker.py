"""Brokers that are absent, killed, frozen, slow or deaf, that have forgotten everything, or do not let the device in.

    PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt python3 -m unittest -v test_broker
"""

import json
import re
import signal
import time
import unittest

from processes import wait_until
from proxy import Deaf, Proxy
from publisher import KEEP_ALIVE, MOMENT, on_both
from scripted_owner import POSES

# How many events wait for a broker at most.
QUEUE = 64
# How many publications may be unacknowledged at once: these are in flight, and wait no more.
IN_FLIGHT = 8
# s; how long connecting may take.
CONNECTING = 10


class Events:
    """What a judge has seen of a device's events: each once, although QoS 1 may repeat one after a broken connection."""

    def __init__(self, messages, test):
        self.objects, self.dropped, repeated = [], 0, set()
        for message in messages:
            test.assertFalse(message.is_retained)
            if message.payload in repeated:
                continue
            repeated.add(message.payload)
            one = message.object
            if one["event_type"] == "missed":
                self.dropped += one["count"]
            else:
                self.objects.append(one)

    @property
    def numbers(self):
        return [one["n"] for one in self.objects]


class Outage:
    """A broker out of reach while more events happen than are kept."""

    def begun_with_account(self, **options):
        begun = self.begun(**options)
        self.emitted = 0
        return begun

    def happen(self, owner, count):
        """So many events, each with a number of its own, in pieces that are read at once."""
        for first in range(0, count, 10):
            with owner.lock:
                for number in range(first, min(first + 10, count)):
                    owner.emit("shake", number=self.emitted + number)
            time.sleep(0.02)
        self.emitted += count

    def check_account(self, judge, publisher, since, most_kept=QUEUE + IN_FLIGHT):
        """All events that happened came, or are counted as missed where they are missing; the newest came."""
        judge.await_message(lambda one: one.topic == publisher.topic("event")
                            and one.object.get("number") == self.emitted - 1, "the newest event", since)
        events = Events(judge.seen(publisher.topic("event")), self)
        numbers = [one["number"] for one in events.objects]
        self.assertEqual(numbers, sorted(numbers), "in order")
        self.assertEqual(len(numbers), len(set(numbers)))
        self.assertEqual(len(numbers) + events.dropped, self.emitted)
        later = [one for one in Events(judge.seen(publisher.topic("event"), since), self).objects]
        self.assertLessEqual(len(later), most_kept)
        if events.dropped:
            self.assertGreaterEqual(len(later), QUEUE)
            state = publisher.await_state(judge, lambda state: state["missed"] == events.dropped, "the number of missed events")
            self.assertTrue(state)
            publisher.await_line(rf"{events.dropped} events (were )?dropped")
        return events


@on_both
class Absent(Outage):
    def test_absent_at_the_start_then_there(self):
        broker, owner = self.broker(starts=False), self.owner()
        publisher = self.publisher(broker, owner)
        line = publisher.await_line("no connection|cannot|refused")[0]
        self.assertIn(str(broker.port), line)
        # Two more tries, of which it says nothing again.
        time.sleep(3)
        self.assertTrue(publisher.is_running())
        complaints = [one for one in publisher.printed().splitlines() if re.search("no connection|cannot|refused", one)]
        self.assertEqual(len(complaints), 1, publisher.printed())
        broker.start()
        judge = self.judge(broker)
        publisher.await_state(judge, lambda state: state["pose"] == "faceUp", "the pose")

    def test_killed_and_started_again_with_events_meanwhile(self):
        broker, judge, owner, publisher = self.begun_with_account()
        broker.kill()
        publisher.await_line("lost|closed|gone")
        self.happen(owner, 20)
        owner.turn("portrait")
        since = judge.mark()
        broker.start()
        judge.await_line("Subscribed ", 2)
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose", since)
        # The judge may have come back after the first of them.
        wait_until(lambda: "connected" in publisher.printed(), "it is connected")
        seen = Events(judge.seen(publisher.topic("event"), since), self)
        self.assertEqual(seen.dropped, 0)

    def test_restarted_without_anything_kept(self):
        broker, judge, _, publisher = self.begun(broker=self.broker(keeps=False))
        since = judge.mark()
        broker.restart(forgets=True)
        judge.await_line("Subscribed ", 2)
        publisher.await_state(judge, since=since)
        self.assertEqual(set(broker.retained()),
                         {publisher.topic("status"), publisher.topic("state"), publisher.discovery})
        self.assertEqual(broker.retained()[publisher.topic("status")], b"online")

    def test_ten_restarts_in_a_row(self):
        broker, judge, owner, publisher = self.begun(broker=self.broker(keeps=False))
        for _ in range(10):
            broker.restart(forgets=True)
            time.sleep(0.2)
        judge.await_line("Subscribed ", 2)
        owner.turn("portrait")
        # Several connections that were not good: the delays have grown.
        wait_until(lambda: json.loads(broker.retained().get(publisher.topic("state"), b"{}")).get("pose") == "portrait",
                   "the pose", 0.5)


@on_both
class Cut(Outage):
    """A network that drops everything: more happens than is kept."""

    def begun_behind_proxy(self, **options):
        broker = self.broker()
        proxy = self.begin(Proxy(broker.address, broker.port, **options))
        return proxy, self.begun_with_account(broker=broker, link={"host": proxy.address, "port": proxy.port})

    def test_an_hour_without_a_network(self):
        proxy, (_, judge, owner, publisher) = self.begun_behind_proxy()
        self.happen(owner, 5)
        memory, since = publisher.memory(), judge.mark()
        proxy.mode = "drop"
        # As many as a washing machine makes in an hour.
        self.happen(owner, 3600)
        for pose in [*POSES] * 3:
            owner.turn(pose)
        self.emitted += 1
        owner.emit("shake", number=self.emitted - 1)
        publisher.await_line("lost|no answer")
        self.assertLess(publisher.memory() - memory, 1 << 20)
        proxy.mode = "pass"
        publisher.await_state(judge, lambda state: state["pose"] == "faceDown", "the latest pose", since)
        # Of the poses that passed meanwhile only the latest is published.
        poses = [one.object["pose"] for one in judge.seen(publisher.topic("state"), since)]
        self.assertEqual(len([pose for pose in poses if pose is not None and pose != "faceUp" and pose != "faceDown"]), 0, poses)
        self.emitted += len(POSES) * 3
        events = Events(judge.seen(publisher.topic("event")), self)
        publisher.await_line("events (were )?dropped")
        self.settle(judge, publisher)
        events = Events(judge.seen(publisher.topic("event")), self)
        self.assertEqual(len(events.objects) + events.dropped, self.emitted)
        later = Events(judge.seen(publisher.topic("event"), since), self)
        self.assertLessEqual(len(later.objects), QUEUE + IN_FLIGHT)
        self.assertGreaterEqual(len(later.objects), QUEUE)
        publisher.await_state(judge, lambda state: state["missed"] == events.dropped, "how many were missed", since)

    def settle(self, judge, publisher):
        judge.await_message(lambda one: one.topic == publisher.topic("event")
                            and one.object.get("number") == self.emitted - 1 - len(POSES) * 3, "the newest event")

    def test_a_slow_network(self):
        proxy, (_, judge, owner, publisher) = self.begun_behind_proxy(speed=400)
        self.happen(owner, 5)
        since = judge.mark()
        proxy.mode = "slow"
        before = owner.requests.copy()
        self.happen(owner, 300)
        owner.turn("portrait")
        time.sleep(4)
        # It reads its owner all the time, and never has to be told that it missed something.
        self.assertEqual(owner.requests, before)
        proxy.mode = "pass"
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose", since)
        self.emitted += 1
        owner.emit("shake", number=self.emitted - 1)
        self.emitted += 1
        judge.await_message(lambda one: one.topic == publisher.topic("event")
                            and one.object.get("number") == self.emitted - 2, "the newest event", since)
        events = Events(judge.seen(publisher.topic("event")), self)
        self.assertEqual(len(events.objects) + events.dropped, self.emitted)
        numbers = [one["number"] for one in events.objects if "number" in one]
        self.assertEqual(numbers, sorted(numbers))


@on_both
class Frozen(Outage):
    """The broker is stopped by SIGSTOP: its connections stand, and nothing answers."""

    def test_for_a_moment(self):
        broker, judge, owner, publisher = self.begun_with_account()
        since = judge.mark()
        broker.freeze()
        self.happen(owner, 30)
        owner.turn("portrait")
        time.sleep(1)
        broker.thaw()
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose", since)
        events = self.check_account(judge, publisher, since)
        self.assertEqual((len(events.objects), events.dropped), (31 - 1 + 1, 0))

    def test_until_the_connection_counts_as_lost(self):
        broker, judge, owner, publisher = self.begun_with_account()
        begin = time.monotonic()
        broker.freeze()
        self.happen(owner, 30)
        owner.turn("portrait")
        publisher.await_line("lost|no answer|closed")
        took = time.monotonic() - begin
        self.assertGreater(took, KEEP_ALIVE / 2)
        since = judge.mark()
        broker.thaw()
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose", since)
        judge.await_message(lambda one: one.topic == publisher.topic("event") and one.object["event_type"] == "pose",
                            "the newest event", since)
        events = Events(judge.seen(publisher.topic("event")), self)
        self.assertEqual(sorted(events.numbers), list(range(1, 32)))
        self.assertEqual(events.dropped, 0)


@on_both
class NotLetIn:
    def test_a_broker_that_accepts_and_never_answers(self):
        broker, owner = self.broker(starts=False), self.owner()
        with Deaf() as deaf:
            publisher = self.publisher(broker, owner, link={"host": deaf.address, "port": deaf.port})
            with self.within(CONNECTING + MOMENT, publisher) as judged:
                publisher.await_line("no answer|time")
                judged(time.monotonic())
            with self.within(5, publisher) as judged:
                self.assertEqual(publisher.stop(), 0)
                judged(time.monotonic())

    def test_a_wrong_password_then_the_right_one(self):
        broker, owner = self.broker(), self.owner()
        judge = self.judge(broker)
        right = broker.users["dev-1"]
        broker.set_passwords({"dev-1": "another"})
        publisher = self.publisher(broker, owner, password=right)
        publisher.await_line("(?i)wrong user or password|not authori[sz]ed")
        time.sleep(2)
        self.assertTrue(publisher.is_running())
        self.assertEqual(judge.seen(publisher.topic("status")), [])
        complaints = [one for one in publisher.printed().splitlines() if re.search("(?i)password|not authori", one)]
        self.assertEqual(len(complaints), 1)
        broker.set_passwords({"dev-1": right})
        publisher.await_state(judge, lambda state: state["pose"] == "faceUp", "the pose")

    def test_a_name_without_an_address(self):
        broker, owner = self.broker(starts=False), self.owner()
        for host in ("no-such-broker.invalid", "no-such-broker.local"):
            with self.subTest(host):
                publisher = self.publisher(broker, owner, link={"host": host})
                line = publisher.await_line("address|resolve|name")[0]
                self.assertIn(host, line)
                self.assertTrue(publisher.is_running())
                with self.within(5, publisher) as judged:
                    self.assertEqual(publisher.stop(), 0)
                    judged(time.monotonic())

    def test_two_programs_with_one_client_identity(self):
        broker, judge, owner, publisher = self.begun(broker=self.broker(devices=("dev-1", "dev-2")),
                                                     link={"client-id": "the-same"})
        other = self.publisher(broker, owner, name="dev-2", link={"client-id": "the-same"})
        line = other.await_line("client.id")[0]
        self.assertIn("the-same", line)
        publisher.await_line("client.id")
        other.stop()
        # Once it is alone again, it stays.
        since = judge.mark()
        publisher.await_state(judge, since=0)
        owner.turn("portrait")
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose", since)


if __name__ == "__main__":
    unittest.main()
