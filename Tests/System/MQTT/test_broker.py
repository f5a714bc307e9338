"""Brokers that are absent, killed, frozen, slow or deaf, that have forgotten everything, or reject the device.

    PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt python3 -m unittest -v test_broker
"""

import json
import re
import time
import unittest

from publisher import KEEP_ALIVE, MOMENT, on_both
from processes import wait_until
from proxy import Deaf, Proxy
from scripted_owner import POSES

# How many events wait for a broker at most, including those that it has not acknowledged.
QUEUE = 64
# How many publications may be unacknowledged at once.
IN_FLIGHT = 8
# s; the time limit for connecting.
CONNECTING = 10
# s; Paho checks its timeouts every 3 s.
LOOKS = 3


class Events:
    """The events of a device that a judge has seen: each once, although QoS 1 may repeat one after a broken connection.

    `later` are the numbers of those that came after the first `since` messages.
    """

    def __init__(self, publisher, judge, since=0):
        self.numbers, self.later, self.dropped, seen = [], [], 0, set()
        for index, message in enumerate(judge.seen()):
            if message.topic != publisher.topic("event") or message.payload in seen:
                continue
            seen.add(message.payload)
            if message.object["event_type"] == "missed":
                self.dropped += message.object["count"]
                continue
            self.numbers.append(message.object["n"])
            if index >= since:
                self.later.append(message.object["n"])


class Outage:
    """A broker that is unreachable while things happen."""

    @staticmethod
    def happen(owner, count):
        """Causes that many events, in portions that are read at once."""
        for first in range(0, count, 10):
            owner.emit(*["shake"] * min(10, count - first))
            time.sleep(0.01)

    def check_account(self, owner, publisher, judge, since=0):
        """All events of the owner came in order or were reported as missed, and the newest came. From message `since`
        on, no more than the queue holds."""
        judge.await_message(lambda one: one.topic == publisher.topic("event") and one.object.get("n") == owner.events,
                            "the newest event")
        events = Events(publisher, judge, since)
        self.assertEqual(events.numbers, sorted(set(events.numbers)), "each once, and in order")
        self.assertEqual(len(events.numbers) + events.dropped, owner.events)
        if since:
            self.assertLessEqual(len(events.later), QUEUE)
        if events.dropped:
            # The newest are kept.
            newest = QUEUE - IN_FLIGHT
            self.assertEqual(events.later[-newest:], list(range(owner.events - newest + 1, owner.events + 1)))
            # The log reports them in portions.
            wait_until(lambda: sum(int(count) for count in re.findall(r"(\d+) events? dropped", publisher.printed()))
                       == events.dropped, "the log tells of all events that were dropped")
        publisher.await_state(judge, lambda state: state["missed"] == events.dropped, "the number of missed events")
        return events


@on_both
class Absent(Outage):
    def test_absent_at_the_start_then_available(self):
        broker, owner = self.broker(starts=False), self.owner()
        publisher = self.publisher(broker, owner)
        line = publisher.await_line("no connection|cannot|refused")[0]
        self.assertIn(str(broker.port), line)
        # Two more attempts, which it does not report again.
        time.sleep(3)
        self.assertTrue(publisher.is_running())
        complaints = [one for one in publisher.printed().splitlines() if re.search("no connection|cannot|refused", one)]
        self.assertEqual(len(complaints), 1, publisher.printed())
        broker.start()
        judge = self.judge(broker)
        publisher.await_state(judge, lambda state: state["pose"] == "faceUp", "the pose")

    def test_killed_and_started_again_with_events_meanwhile(self):
        broker, judge, owner, publisher = self.begun()
        # The broker remembers the judge, so it receives what is sent before it is back.
        judge = self.judge(broker, "plumb/#", identity="judge")
        broker.stop()
        publisher.await_line("lost: ")
        self.happen(owner, 20)
        owner.turn("portrait")
        since = judge.mark()
        broker.start()
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose", since)
        self.assertEqual(self.check_account(owner, publisher, judge).dropped, 0)

    def test_restarted_with_nothing_retained(self):
        broker, judge, _, publisher = self.begun(broker=self.broker(keeps=False))
        since = judge.mark()
        broker.restart(forgets=True)
        judge.await_line("Subscribed ", 2)
        publisher.await_state(judge, since=since)
        self.assertEqual(set(broker.retained()), publisher.kept)
        self.assertEqual(broker.retained()[publisher.topic("status")], b"online")

    def test_ten_restarts_in_a_row(self):
        broker, judge, owner, publisher = self.begun(broker=self.broker(keeps=False))
        for _ in range(10):
            broker.restart(forgets=True)
            time.sleep(0.2)
        judge.await_line("Subscribed ", 2)
        owner.turn("portrait")
        # Several failed connections: the delays have grown.
        wait_until(lambda: json.loads(broker.retained().get(publisher.topic("state"), b"{}")).get("pose") == "portrait",
                   "the pose", 0.5)


@on_both
class Cut(Outage):
    """A network that drops everything: more happens than the queue holds."""

    def begun_behind_proxy(self, **options):
        broker = self.broker()
        proxy = self.begin(Proxy(broker.address, broker.port, **options))
        return proxy, *self.begun(broker=broker, link={"host": proxy.address, "port": proxy.port})[1:]

    def test_an_hour_without_a_network(self):
        proxy, judge, owner, publisher = self.begun_behind_proxy()
        self.happen(owner, 5)
        judge.await_message(lambda one: one.topic == publisher.topic("event") and one.object.get("n") == 5, "the fifth event")
        memory, since = publisher.memory(), judge.mark()
        proxy.mode = "drop"
        # One a second.
        self.happen(owner, 3600)
        for pose in [*POSES] * 3:
            owner.turn(pose)
        publisher.await_line("lost: ")
        self.assertLess(publisher.memory() - memory, 256 << 10)
        proxy.mode = "pass"
        publisher.await_state(judge, lambda state: state["pose"] == "faceDown", "the latest pose", since)
        events = self.check_account(owner, publisher, judge, since)
        self.assertGreater(events.dropped, 3000)
        # Some of the poses that passed in the meantime may have been in transit when the network was cut.
        poses = [one.object["pose"] for one in judge.seen(publisher.topic("state"), since)]
        self.assertLessEqual(len(poses), 6, poses)

    def test_a_slow_network(self):
        proxy, judge, owner, publisher = self.begun_behind_proxy(speed=300)
        self.happen(owner, 5)
        since, requests = judge.mark(), owner.requests.copy()
        proxy.mode = "slow"
        self.happen(owner, 300)
        owner.turn("portrait")
        time.sleep(4)
        # It has read its owner all the time and did not have to request anything again.
        self.assertEqual(owner.requests, requests)
        proxy.mode = "pass"
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose", since)
        judge.await_message(lambda one: one.topic == publisher.topic("event") and one.object.get("n") == owner.events,
                            "the newest event")
        events = Events(publisher, judge)
        self.assertEqual(len(events.numbers) + events.dropped, owner.events)
        self.assertEqual(events.numbers, sorted(set(events.numbers)))
        self.assertGreater(events.dropped, 0, "it was not slow")


@on_both
class Frozen(Outage):
    """SIGSTOP has stopped the broker: its connections stay open, and it does not respond."""

    def test_for_a_moment(self):
        broker, judge, owner, publisher = self.begun()
        broker.freeze()
        self.happen(owner, 30)
        owner.turn("portrait")
        time.sleep(1)
        broker.thaw()
        self.assertEqual(self.check_account(owner, publisher, judge).dropped, 0)
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose")
        self.assertNotIn("lost", publisher.printed())

    def test_until_the_connection_counts_as_lost(self):
        broker, judge, owner, publisher = self.begun()
        begin = time.monotonic()
        broker.freeze()
        self.happen(owner, 30)
        owner.turn("portrait")
        publisher.await_line("lost: ")
        self.assertGreater(time.monotonic() - begin, KEEP_ALIVE / 2)
        broker.thaw()
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose")
        self.assertEqual(self.check_account(owner, publisher, judge).dropped, 0)


@on_both
class NotLetIn:
    def test_a_broker_that_accepts_but_never_answers(self):
        broker, owner = self.broker(starts=False), self.owner()
        with Deaf() as deaf:
            publisher = self.publisher(broker, owner, link={"host": deaf.address, "port": deaf.port})
            with self.within(CONNECTING + LOOKS + MOMENT, publisher) as judged:
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
