"""What is known about a board from lines alone.

    python3 -m unittest -v test_tracker
"""

import unittest

import support
from support import HELLO
from plumb.lines import parse
from plumb.tracker import Tracker

SAMPLE = {"event": "sample", "x": 0, "y": 1, "z": 0, "pose": "portrait", "pitch_deg": 90}


class Trackers(unittest.TestCase):
    def setUp(self):
        self.tracker = Tracker()
        self.taken = self.take(parse(HELLO))

    def take(self, *objects):
        return [message for one in objects for message in self.tracker.take(one)]

    def hello(self, **fields):
        return parse(HELLO) | fields

    def test_before_a_hello_and_after_it(self):
        before = Tracker().snapshot()
        self.assertEqual((before.pose, before.reason, before.connected, Tracker().present()), (None, "notYetSampled", False, None))
        self.assertEqual([repr(one) for one in self.taken], ["PoseEvent(t=12.5, to='portrait', x=0.0, y=1.0, z=0.0)"])
        self.assertEqual((self.tracker.snapshot().since, self.tracker.snapshot().counters.samples), (3.25, 3))

    def test_a_hello_in_between_says_nothing_new_and_keeps_the_angles(self):
        self.take({"t": 13, **SAMPLE})
        self.assertEqual(self.take(self.hello()), [])
        self.assertEqual(self.tracker.snapshot().angles.pitch_deg, 90)
        turned, = self.take(self.hello(pose="faceUp"))
        self.assertEqual((turned.event, turned.from_, turned.to), ("pose", "portrait", "faceUp"))
        unknown, = self.take(self.hello(pose="fault", cause="timedOut", x=None, y=None, z=None))
        self.assertEqual((unknown.reason, unknown.cause), ("fault", "timedOut"))
        self.assertEqual((self.tracker.snapshot().angles, self.tracker.snapshot().x), (None, None))

    def test_another_run_of_the_owner_has_its_own_angles_and_counts(self):
        self.take({"t": 13, **SAMPLE})
        self.assertEqual(self.take(self.hello(owner="1-3", events=40)), [])
        self.assertEqual((self.tracker.snapshot().angles, self.tracker.missed), (None, 0))

    def test_events_that_came_are_not_missed_and_others_are(self):
        self.take({"t": 13, "event": "shake"}, {"t": 13, "event": "still"}, {"t": 13, "event": "later"})
        self.assertEqual(self.take(self.hello(events=19)), [])
        missed, pose = self.take(self.hello(events=22, pose="faceUp"))
        self.assertEqual((missed.count, pose.to, self.tracker.missed), (3, "faceUp", 3))

    def test_lines_that_the_owner_reports_as_missed_count_once(self):
        self.take({"event": "missed", "count": 5})
        self.assertEqual(self.take(self.hello(events=22)), [])
        self.assertEqual(self.tracker.missed, 5)
        self.assertEqual([one.event for one in self.take(self.hello(events=23))], ["missed"])

    def test_a_fault_ends_what_was_measured_and_a_doubt_about_the_pose_does_not(self):
        self.take({"t": 13, **SAMPLE}, {"t": 13, "event": "still"})
        self.take({"t": 14, "event": "trouble", "reason": "ambiguous"})
        snapshot = self.tracker.snapshot()
        self.assertEqual((snapshot.pose, snapshot.reason, snapshot.still, snapshot.angles.pitch_deg, snapshot.y), (None, "ambiguous", True, 90, 1))
        self.take({"t": 15, "event": "trouble", "reason": "fault", "cause": "frozen", "detail": "d"})
        snapshot = self.tracker.snapshot()
        self.assertEqual((snapshot.reason, snapshot.cause, snapshot.still, snapshot.angles, snapshot.y, snapshot.since), ("fault", "frozen", None, None, None, 15))
        # The owner's words stay while it only repeats the reason.
        self.assertEqual(self.take(self.hello(pose="fault", cause="frozen")), [])
        self.assertEqual(self.tracker.snapshot().detail, "d")
        self.take({"t": 15, "event": "trouble", "reason": "fault", "cause": "frozen", "detail": "d"})
        self.assertEqual(repr(self.tracker.present()), "TroubleEvent(t=15.0, cause='frozen', reason='fault', detail='d')")

    def test_each_state_follows_its_events(self):
        self.take({"t": 1, "event": "asleep"}, {"t": 1, "event": "busy", "duration_s": 1}, {"t": 1, "event": "moving"})
        snapshot = self.tracker.snapshot()
        self.assertEqual((snapshot.asleep, snapshot.busy, snapshot.still), (True, True, False))
        self.take({"t": 1, "event": "awake"}, {"t": 1, "event": "quiet", "duration_s": 1}, {"t": 1, "event": "counters", "samples": 9})
        snapshot = self.tracker.snapshot()
        self.assertEqual((snapshot.asleep, snapshot.busy, snapshot.counters.samples), (False, False, 9))
        self.take({"t": 2, **SAMPLE, "pose": "unknown", "reason": "accelerating", "still": True})
        snapshot = self.tracker.snapshot()
        self.assertEqual((snapshot.pose, snapshot.reason, snapshot.still), (None, "accelerating", True))

    def test_without_a_connection_nothing_is_known(self):
        self.take({"t": 13, **SAMPLE}, {"t": 14, "event": "still"})
        lost, = self.tracker.lose("gone", 2.5)
        self.assertEqual(repr(lost), "TroubleEvent(t=16.5, reason='stale', detail='gone')")
        snapshot = self.tracker.snapshot()
        self.assertEqual((snapshot.connected, snapshot.pose, snapshot.reason, snapshot.x, snapshot.angles, snapshot.still, snapshot.tare, snapshot.counters),
                         (False, None, "stale", None, None, None, None, None))
        back, = self.take(self.hello())
        self.assertEqual((back.from_, back.to), (None, "portrait"))


if __name__ == "__main__":
    unittest.main()
