"""Owners and publishers that end: by a signal, in an orderly way, or not quite.

    PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt PLUMBD=build/plumbd python3 -m unittest -v test_ends
"""

import os
import signal
import time
import unittest

from publisher import KEEP_ALIVE, MOMENT, on_both
from owner import Owner
from proxy import Proxy

ANGLES = ("pitch_deg", "roll_deg", "angle_deg", "inclination_deg")
# s; the limit for an owner that is killed.
GONE = 2
# s; for a silent one: it is pinged after 2 s and has 3 s to answer (docs/stream.md).
SILENT = 5
UNAVAILABLE = 69
# s; mosquitto checks every 5 s for clients with an expired keep-alive.
LOOKS = 5


@on_both
class Owners:
    """The owner of the sensor ends and comes back."""

    def begun_with_real_owner(self, **options):
        owner = self.begin(Owner("plumb" if self.kind == "plumb" else "plumbd")).await_socket()
        return self.begun(owner, **options)

    def check_gone(self, state):
        self.assertEqual((state["pose"], state["pose_name"], state["trouble"]), (None, None, True))
        self.assertEqual([state[name] for name in ANGLES], [None] * 4)
        self.assertTrue(state["detail"])

    def await_trouble(self, judge, publisher, since):
        return publisher.await_state(judge, lambda state: state["trouble"], "trouble", since)

    def await_pose(self, judge, publisher, since):
        return publisher.await_state(judge, lambda state: state["pose"] is not None and not state["trouble"], "a pose", since)

    def test_killed_and_started_again(self):
        broker, judge, owner, publisher = self.begun_with_real_owner()
        for _ in range(2):
            since = judge.mark()
            with self.within(GONE, publisher, broker, judge) as judged:
                owner.stop(signal.SIGKILL)
                one = self.await_trouble(judge, publisher, since)
                judged(one.came)
            self.check_gone(one.object)
            self.assertEqual(one.object["reason"], "ownerGone")
            since = judge.mark()
            owner.start()
            self.await_pose(judge, publisher, since)
        self.assertTrue(publisher.is_running())
        # Only the owner was gone: the device was online all the time.
        self.assertEqual([one.text for one in judge.seen(publisher.topic("status"))], ["online"])

    def test_stopped_and_continued(self):
        broker, judge, owner, publisher = self.begun_with_real_owner()
        since = judge.mark()
        with self.within(SILENT + MOMENT, publisher, broker, judge) as judged:
            os.kill(owner.pid, signal.SIGSTOP)
            try:
                one = self.await_trouble(judge, publisher, since)
            finally:
                os.kill(owner.pid, signal.SIGCONT)
            judged(one.came)
        self.check_gone(one.object)
        self.await_pose(judge, publisher, judge.seen().index(one))

    def test_ended_cleanly(self):
        broker, judge, owner, publisher = self.begun()
        since = judge.mark()
        with self.within(GONE, publisher, broker, judge) as judged:
            owner.stop()
            one = self.await_trouble(judge, publisher, since)
            judged(one.came)
        self.check_gone(one.object)

    def test_events_of_another_owner_are_counted_from_its_start(self):
        _, judge, owner, publisher = self.begun()
        for _ in range(3):
            owner.emit("shake")
        publisher.await_event(judge, "shake")
        since = judge.mark()
        owner.restart(bye=False)
        self.await_pose(judge, publisher, since)
        owner.emit("shake")
        last = publisher.await_event(judge, "shake", judge.seen().index(self.await_pose(judge, publisher, since)))
        state = judge.seen(publisher.topic("state"))[-1].object
        # Its one event must not be mistaken for three missed ones.
        self.assertEqual(state["missed"], 0)
        self.assertEqual(last.object["n"], 4)

    def test_events_during_a_lost_connection_to_the_same_owner_are_counted(self):
        _, judge, owner, publisher = self.begun()
        owner.stop(bye=False)
        self.await_trouble(judge, publisher, 0)
        since = judge.mark()
        with owner.lock:
            owner.events += 5
            owner.start()
            # The same run of the same owner.
            owner.runs -= 1
        one = self.await_pose(judge, publisher, since)
        if one.object["missed"] == 0:
            owner.turn("faceDown")
            one = publisher.await_state(judge, lambda state: state["missed"] > 0, "missed events", since)
        self.assertEqual(one.object["missed"], 5)

    def test_absent_at_the_start(self):
        broker, owner = self.broker(), self.owner()
        judge = self.judge(broker)
        owner.stop()
        publisher = self.publisher(broker, owner)
        if self.kind == "plumb":
            # An interactive command ends, like every command of the tool without an owner.
            self.assertEqual(publisher.end(), UNAVAILABLE)
            self.assertIn(owner.path, publisher.printed())
            return
        self.check_gone(self.await_trouble(judge, publisher, 0).object)
        owner.start()
        self.await_pose(judge, publisher, 0)


@on_both
class Publishers:
    """The publisher ends, and the broker reports it."""

    def test_killed(self):
        broker, judge, owner, publisher = self.begun()
        since = judge.mark()
        with self.within(1.5 * KEEP_ALIVE, broker, judge) as judged:
            publisher.kill()
            one = publisher.await_status(judge, "offline", since)
            judged(one.came)
        self.assertEqual(broker.retained()[publisher.topic("status")], b"offline")
        since = judge.mark()
        publisher.start()
        publisher.await_status(judge, "online", since)
        publisher.await_state(judge, lambda state: state["pose"] == "faceUp", "the pose", since)

    def test_ended_cleanly_it_reports_that_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                broker, judge, _, publisher = self.begun()
                since = judge.mark()
                with self.within(MOMENT, publisher, broker, judge) as judged:
                    publisher.signal(number)
                    judged(publisher.await_status(judge, "offline", since).came)
                self.assertEqual(publisher.end(), 0)
                self.assertEqual(broker.retained()[publisher.topic("status")], b"offline")
                # The publisher said so itself; it is not the will.
                self.assertRegex(broker.printed(), rf"Client plumb-{publisher.name} disconnected\.")

    def test_stopped_and_continued(self):
        broker, judge, owner, publisher = self.begun()
        since = judge.mark()
        with self.within(1.5 * KEEP_ALIVE + LOOKS + MOMENT, broker, judge) as judged:
            publisher.signal(signal.SIGSTOP)
            try:
                judged(publisher.await_status(judge, "offline", since).came)
                owner.turn("portrait")
            finally:
                publisher.signal(signal.SIGCONT)
        publisher.await_status(judge, "online", since)
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose of meanwhile", since)

    def test_killed_behind_a_broken_network(self):
        broker = self.broker()
        proxy = self.begin(Proxy(broker.address, broker.port))
        broker, judge, _, publisher = self.begun(broker=broker, link={"host": proxy.address, "port": proxy.port})
        since = judge.mark()
        with self.within(1.5 * KEEP_ALIVE + LOOKS + MOMENT, broker, judge) as judged:
            proxy.mode = "drop"
            publisher.kill()
            judged(publisher.await_status(judge, "offline", since).came)

    def test_ended_cleanly_without_a_broker(self):
        broker, _, _, publisher = self.begun()
        broker.stop()
        with self.within(5, publisher) as judged:
            self.assertEqual(publisher.stop(), 0)
            judged(time.monotonic())

    def test_ended_cleanly_while_the_broker_is_frozen(self):
        broker, _, _, publisher = self.begun()
        broker.freeze()
        with self.within(5 + MOMENT, publisher) as judged:
            self.assertEqual(publisher.stop(), 0)
            judged(time.monotonic())


if __name__ == "__main__":
    unittest.main()
