"""Tests the judge with handwritten messages, right and wrong, and what Home Assistant makes of each."""

import json
import os
import tempfile
import unittest

from home import HomeAssistant
from mosquitto import Broker

STATE, DISCOVERY_TOPIC = "plumb/by-hand/state", "homeassistant/device/plumb-by-hand/config"
PITCH = "sensor.by_hand_pitch"
DISCOVERY = {
    "dev": {"ids": ["by-hand"], "name": "By hand"}, "o": {"name": "a test"},
    "cmps": {
        "pose": {"p": "sensor", "uniq_id": "by-hand_pose", "name": "Pose", "dev_cla": "enum", "ops": ["Left", "Right"],
                 "stat_t": STATE, "val_tpl": "{{ value_json.pose }}"},
        "pitch": {"p": "sensor", "uniq_id": "by-hand_pitch", "name": "Pitch", "unit_of_meas": "°", "stat_t": STATE,
                  "val_tpl": "{{ value_json.pitch }}", "exp_aft": 2},
    },
}


class Judge(unittest.TestCase):
    """One broker and one Home Assistant, without Plumb."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="judge-")
        cls.addClassCleanup(folder.cleanup)
        cls.broker = Broker(devices=("by-hand",))
        cls.addClassCleanup(cls.broker.__exit__)
        cls.home = HomeAssistant(os.path.join(folder.name, "home"), cls.broker)
        cls.addClassCleanup(cls.home.__exit__)

    def publish(self, topic, what):
        """Publishes as the device, retained; None removes the message."""
        self.broker.publish(topic, json.dumps(what) if what else "", retain=True, user="by-hand")

    def tell(self, **state):
        self.publish(STATE, state)

    def test_a_message_by_hand_creates_a_device_until_it_is_removed(self):
        mark = self.home.mark()
        self.tell(pose="Left", pitch=1.25)
        self.publish(DISCOVERY_TOPIC, DISCOVERY)
        self.home.wait_for(sensor__by_hand_pose="Left")
        self.home.wait(lambda: "1.25" in self.home.since(mark, PITCH), "the angle")
        self.assertEqual(self.home.device("By hand")["identifiers"], ["by-hand"])
        # Not one of the options: the old value stays, and Home Assistant complains.
        self.tell(pose="Middle", pitch=1)
        self.home.wait(lambda: self.home.log, "a complaint of a pose that is no option")
        self.assertEqual(self.home.value("sensor.by_hand_pose"), "Left")
        self.assertIn("Middle", self.home.log.pop())
        mark = self.home.mark()
        self.tell(pose=None, pitch=None)
        # The angle expires after two seconds without a message, the pose never.
        self.home.wait(lambda: self.home.since(mark, PITCH)[-2:] == ["unknown", "unavailable"], "the angle expires")
        self.assertEqual(self.home.value("sensor.by_hand_pose"), "unknown")
        self.publish(DISCOVERY_TOPIC, None)
        self.home.wait_for(sensor__by_hand_pose=None, sensor__by_hand_pitch=None)
        self.assertIsNone(self.home.device("By hand"))
        self.assertEqual(self.home.warnings(), [])

    def test_a_message_that_is_not_valid_discovery_is_logged_as_an_error(self):
        self.publish(DISCOVERY_TOPIC, DISCOVERY | {"o": {}})
        self.home.wait(lambda: self.home.log, "a complaint of an origin without a name")
        self.assertIn("name", self.home.log.pop())


if __name__ == "__main__":
    unittest.main()
