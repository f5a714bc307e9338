"""What a device publishes in normal operation, and when its sensor has trouble.

    PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt PLUMBD=build/plumbd python3 -m unittest -v test_state
"""

import math
import re
import time
import unittest

from publisher import MOMENT, on_both
from client import OTHERS, Witness
from owner import Owner
from scripted_owner import POSES

ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
STATE = {"version", "pose", "pose_name", "since", "reason", "detail", "trouble", "moving", "pitch_deg", "roll_deg",
         "angle_deg", "inclination_deg", "late_samples", "restarts", "missed", "temperature_c", "sensor", "board"}
ANGLES = ("pitch_deg", "roll_deg", "angle_deg", "inclination_deg")
# Events of the stream that describe the owner, not what happened to the board.
NO_EVENTS = (*OTHERS, "trouble", "recovery", "notice")


def is_published(event):
    return event["event"] not in NO_EVENTS and (event["event"] != "rotation" or event["phase"] == "didRotate")


@on_both
class RealOwner:
    """`plumbd`, or `plumb run --share`, on an emulated bus, with a board that turns all the time."""

    def test_every_pose_and_every_event_of_an_owner_is_published(self):
        owner = self.begin(Owner("plumb" if self.kind == "plumb" else "plumbd")).await_socket()
        broker, judge, owner, publisher = self.begun(owner)
        witness = Witness(owner.address)
        self.addCleanup(witness.close)
        for pose in POSES:
            one = publisher.await_state(judge, lambda state, pose=pose: state["pose"] == pose, pose)
            self.assertEqual(one.object["reason"], None)
            self.assertEqual((one.is_retained, one.quality), (False, 1))
        begin = judge.mark()
        self.enough_events(publisher, judge, begin, 20)
        known = [(event["event"], event["t"]) for event in witness.account().objects if is_published(event)]
        publisher.await_event(judge, known[-1][0], begin)
        last = judge.await_message(lambda one: one.topic == publisher.topic("event") and one.object["t"] == known[-1][1],
                                   "the last event")
        published = [one.object for one in judge.seen(publisher.topic("event")) if one.came <= last.came]
        self.assertEqual([event["n"] for event in published], list(range(1, len(published) + 1)))
        times = [(event["event_type"], event["t"]) for event in published]
        self.assertEqual([one for one in times if one[1] >= known[0][1]], known)
        for event in published:
            if event["event_type"] == "pose":
                self.assertLessEqual({"from", "to", "n", "t", "time"}, set(event))
            self.assertRegex(event["time"], f"^{ISO}$")
        self.check_retained(broker, publisher)
        self.assertEqual(publisher.stop(), 0)

    @staticmethod
    def enough_events(publisher, judge, since, count):
        seen = []
        def wanted(one):
            if one.topic == publisher.topic("event"):
                seen.append(one)
            return len(seen) >= count
        judge.await_message(wanted, f"{count} events", since)

    def check_retained(self, broker, publisher):
        retained = broker.retained()
        self.assertEqual(set(retained), publisher.kept)
        self.assertEqual(retained[publisher.topic("status")], b"online")


@on_both
class State:
    def test_its_state_is_published_then_online_then_discovery_then_its_state_again(self):
        # If it were online before its state, an old state retained by the broker would look current.
        broker, judge, _, publisher = self.settled()
        known = (publisher.topic("state"), publisher.topic("status"), publisher.discovery)
        topics = [one.topic for one in judge.seen() if one.topic in known]
        self.assertEqual(topics, [publisher.topic("state"), publisher.topic("status"), publisher.discovery,
                                  publisher.topic("state")])
        for one in judge.seen():
            self.assertEqual((one.quality, one.is_retained), (1, False))
        state = judge.seen(publisher.topic("state"))[0].object
        self.assertEqual(set(state), STATE)
        expected = {
            "version": 1, "pose": "faceUp", "pose_name": "Face up", "reason": None, "detail": None, "trouble": False,
            "moving": None, "late_samples": 0, "restarts": 0, "missed": 0, "temperature_c": None, "sensor": "adxl345",
            "board": "scripted"}
        self.assertEqual({key: state[key] for key in expected}, expected)
        self.assertRegex(state["since"], f"^{ISO}$")
        self.assertEqual(set(broker.retained()), publisher.kept)

    def test_every_entity_is_announced_to_home_assistant(self):
        _, judge, _, publisher = self.begun(names={"faceUp": "Level"})
        found = judge.seen(publisher.discovery)[0].object
        self.assertEqual(found["dev"]["ids"], [f"plumb-{publisher.name}"])
        self.assertEqual(found["dev"]["name"], f"The {publisher.name}")
        self.assertEqual(found["o"]["name"], "plumb")
        components = found["cmps"]
        self.assertEqual(components["pose"]["dev_cla"], "enum")
        self.assertIn("Level", components["pose"]["ops"])
        self.assertEqual(len(components["pose"]["ops"]), 6)
        identities = [one["uniq_id"] for one in components.values() if "uniq_id" in one]
        self.assertEqual(len(identities), len(set(identities)))
        for identity in identities:
            self.assertTrue(identity.startswith(f"plumb-{publisher.name}_"), identity)
        # There is no gyroscope. A component described only by its platform is removed if it existed.
        self.assertEqual(components["moving"], {"p": "binary_sensor"})
        state = judge.seen(publisher.topic("state"))[-1].object
        self.assertEqual(state["pose_name"], "Level")

    def test_without_discovery_nothing_is_announced(self):
        broker, judge, _, publisher = self.begun(home_assistant={"discovery": "no"})
        self.assertEqual([one for one in judge.seen() if one.topic.startswith("homeassistant/")], [])
        self.assertNotIn(publisher.discovery, broker.retained())

    def test_state_and_discovery_are_published_again_when_home_assistant_starts(self):
        broker, judge, _, publisher = self.begun()
        since = judge.mark()
        broker.publish("homeassistant/status", "online")
        found = judge.await_message(lambda one: one.topic == publisher.discovery, "discovery", since)
        publisher.await_state(judge, since=judge.seen().index(found) + 1)

    def test_sensor_trouble_clears_pose_and_angles(self):
        owner = self.owner()
        _, judge, owner, publisher = self.begun(owner)
        self.assertNotEqual(self.angles(judge, publisher, lambda state: state["pitch_deg"] is not None)["pitch_deg"], None)
        since = judge.mark()
        owner.fail("fault", "no acknowledge from 0x53", cause="noAcknowledge")
        state = publisher.await_state(judge, lambda state: state["trouble"], "trouble", since).object
        self.assertEqual((state["pose"], state["pose_name"], state["reason"]), (None, None, "fault"))
        self.assertIn("0x53", state["detail"])
        self.assertEqual([state[name] for name in ANGLES], [None] * 4)
        # Whatever else is published in the meantime.
        with owner.lock:
            owner.counters["late_samples"] = 1
        state = publisher.await_state(judge, lambda state: state["late_samples"] == 1, "a later state", since).object
        self.assertEqual((state["pose"], state["trouble"]), (None, True))
        self.assertEqual([state[name] for name in ANGLES], [None] * 4)
        since = judge.mark()
        owner.recover("portrait")
        state = publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose is back", since).object
        self.assertEqual((state["trouble"], state["reason"], state["detail"]), (False, None, None))

    def test_an_unknown_pose_is_not_trouble(self):
        _, judge, owner, publisher = self.begun()
        for reason in ("ambiguous", "accelerating", "freeFall"):
            with self.subTest(reason):
                since = judge.mark()
                owner.fail(reason, "in words")
                state = publisher.await_state(judge, lambda state, r=reason: state["reason"] == r, reason, since).object
                self.assertEqual((state["pose"], state["trouble"], state["detail"]), (None, False, "in words"))

    def test_the_state_contains_the_counters_of_the_owner(self):
        _, judge, owner, publisher = self.begun(owner=self.owner(gyroscope=True))
        with owner.lock:
            owner.counters |= {"late_samples": 3, "recoveries": 2, "restarts": 7}
            owner.temperature = 31.5
        # It requests them at intervals; the next state contains them.
        def has_them(state):
            owner.turn("faceDown" if owner.pose == "faceUp" else "faceUp")
            return state["late_samples"] == 3
        publisher.await_state(judge, lambda state: state["late_samples"] == 3 or has_them(state), "counters")
        state = judge.seen(publisher.topic("state"))[-1].object
        self.assertEqual((state["late_samples"], state["restarts"], state["temperature_c"]), (3, 2, 31.5))

    def test_still_and_moving_with_a_gyroscope(self):
        _, judge, owner, publisher = self.begun(owner=self.owner(gyroscope=True))
        self.assertEqual(judge.seen(publisher.discovery)[0].object["cmps"]["moving"]["dev_cla"], "moving")
        for kind, is_moving in (("moving", True), ("still", False)):
            since = judge.mark()
            owner.emit(kind)
            publisher.await_state(judge, lambda state, wanted=is_moving: state["moving"] is wanted, kind, since)
            publisher.await_event(judge, kind, since)

    def test_events_are_published_unchanged(self):
        _, judge, owner, publisher = self.begun()
        since = judge.mark()
        owner.emit("shake")
        owner.emit("rotation", phase="willRotate", **{"from": "portrait", "to": "landscapeRight"}, duration_s=0.3)
        owner.emit("rotation", phase="firstHalf")
        owner.emit("rotation", phase="secondHalf")
        owner.emit("rotation", phase="didRotate", **{"from": "portrait"})
        # A kind that a later owner may have.
        owner.emit("tap", axis="z", sign=1, count=2)
        owner.emit("notice", detail="another part")
        owner.emit("shake")
        publisher.await_event(judge, "tap", since)
        judge.await_message(lambda one: one.topic == publisher.topic("event") and one.object["n"] == 4, "the last", since)
        events = [one.object for one in judge.seen(publisher.topic("event"), since)]
        self.assertEqual([event["event_type"] for event in events], ["shake", "rotation", "tap", "shake"])
        self.assertEqual([event["n"] for event in events], [1, 2, 3, 4])
        self.assertEqual((events[1]["from"], events[1]["to"]), ("portrait", "landscapeRight"))
        self.assertEqual((events[2]["axis"], events[2]["count"]), ("z", 2))

    def test_events_that_the_owner_reports_as_missed_are_counted(self):
        _, judge, owner, publisher = self.begun()
        owner.say({"event": "missed", "count": 7})
        owner.turn("faceDown")
        publisher.await_state(judge, lambda state: state["missed"] == 7, "7 missed")

    def angles(self, judge, publisher, wanted, since=0):
        return publisher.await_state(judge, wanted, "angles", since).object


@on_both
class Pace:
    """Angles at the pace and with the step of the settings; the state at least at each heartbeat."""

    def test_angles_are_published_only_when_one_has_changed_by_a_step(self):
        _, judge, owner, publisher = self.settled(values={"interval": "0.5", "step": 2})
        before = len(judge.seen(publisher.topic("state")))
        self.lean(owner, 1)
        time.sleep(2)
        self.assertEqual(len(judge.seen(publisher.topic("state"))), before, "it is less than a step")
        since = judge.mark()
        self.lean(owner, 8)
        # Perhaps in two steps, if it leans in the middle of an interval; less than a step may then remain.
        state = publisher.await_state(judge, lambda state: abs(state["pitch_deg"] - 8) <= 2, "8 degrees", since).object
        self.assertAlmostEqual(state["inclination_deg"], state["pitch_deg"], delta=0.1)

    def test_angles_are_published_at_most_once_per_interval(self):
        _, judge, owner, publisher = self.settled(values={"interval": 1, "step": "0.1"})
        since, begin = judge.mark(), time.monotonic()
        for tenth in range(40):
            self.lean(owner, tenth)
            time.sleep(0.1)
        states = judge.seen(publisher.topic("state"), since)
        took = time.monotonic() - begin
        # One may already be due at the beginning.
        self.assertLessEqual(len(states), took + 1)
        self.lean(owner, 60)
        publisher.await_state(judge, lambda state: abs(state["pitch_deg"] - 60) <= 0.1, "the last angle", since)
        self.assertGreater(len(judge.seen(publisher.topic("state"), since)), 1)

    def test_the_state_is_published_at_each_heartbeat_even_if_nothing_changes(self):
        broker, judge, _, publisher = self.settled(values={"heartbeat": 10, "interval": 1, "step": 90})
        first = judge.seen(publisher.topic("state"))[-1]
        with self.within(10 + MOMENT, publisher, broker, judge) as judged:
            since = judge.mark()
            again = publisher.await_state(judge, since=since)
            judged(again.came)
        self.assertGreater(again.came - first.came, 5, "it is no heartbeat")

    def test_angles_are_computed_from_the_mean_of_an_interval(self):
        _, judge, owner, publisher = self.settled(values={"interval": 1, "step": "0.1", "angles": "pitch"})
        since = judge.mark()
        with owner.lock:
            owner.forces = [self.leaning(0), self.leaning(60)]
        # Of nine samples or more, there may be one more of one kind than of the other: 27° to 33°.
        state = publisher.await_state(judge, lambda state: 26.5 < state["pitch_deg"] < 33.5, "the mean", since).object
        self.assertNotIn("roll_deg", state)

    @staticmethod
    def leaning(degrees):
        """The force on a board that leans by `degrees` from lying on its back."""
        angle = math.radians(degrees)
        return 0, round(math.sin(angle), 6), round(math.cos(angle), 6)

    def lean(self, owner, degrees):
        with owner.lock:
            owner.force = self.leaning(degrees)


if __name__ == "__main__":
    unittest.main()
