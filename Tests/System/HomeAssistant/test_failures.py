"""What Home Assistant shows when something is gone, and when it is back: sensor, owner, publisher, broker, itself.

Each test has its own scene. Waits have ample time (PATIENCE); assertions check which values came, and in which order.
"""

import os
import signal
import subprocess
import unittest

from scene import EVENT, EXPIRY, ID, NAME, PITCH, POSE, POSES, TROUBLE, VALUES, Scene
from setting import pause
from processes import PATIENCE

ALL = (POSE, PITCH, TROUBLE, EVENT)
DISCOVERY, STATE, STATUS = f"homeassistant/device/plumb-{ID}/config", f"plumb/{ID}/state", f"plumb/{ID}/status"


class Absence(Scene):
    """A device that is gone."""

    def wait_for_absence(self):
        self.home.wait(lambda: {self.home.value(one) for one in ALL} == {"unavailable"}, "all entities are unavailable")


class LostOwner(Absence):
    """Nothing arrives from the sensor or its owner."""

    def test_a_sensor_that_does_not_respond_means_trouble_until_it_recovers(self):
        self.home.wait_for(sensor__workbench_pitch=lambda value: value not in (None, "unknown", "unavailable"))
        mark = self.home.mark()
        self.board.change(fault=True)
        self.home.wait_for(
            binary_sensor__workbench_trouble="on", sensor__workbench_pose="unknown", sensor__workbench_pitch="unknown")
        self.board.hold("portrait")
        self.board.change(fault=False)
        self.wait_for_pose("portrait")
        self.assertEqual(self.home.since(mark, TROUBLE), ["on", "off"])
        self.assertEqual(self.home.since(mark, POSE), ["unknown", POSES["portrait"]])

    def test_an_owner_that_is_killed_means_trouble_until_it_returns(self):
        mark = self.home.mark()
        self.board.stop(signal.SIGKILL)
        self.home.wait_for(
            binary_sensor__workbench_trouble="on", sensor__workbench_pose="unknown", sensor__workbench_pitch="unknown")
        self.board.restart()
        self.board.hold("landscapeLeft")
        self.wait_for_pose("landscapeLeft")
        self.assertEqual(self.home.since(mark, TROUBLE), ["on", "off"])
        # It starts with the pose of a new bench, face up.
        self.assertIn(self.home.since(mark, POSE), (
            ["unknown", POSES["landscapeLeft"]], ["unknown", POSES["faceUp"], POSES["landscapeLeft"]],
            ["unknown", POSES["faceUp"], "unknown", POSES["landscapeLeft"]]))

    def test_an_owner_that_is_frozen_means_trouble_until_it_continues(self):
        mark = self.home.mark()
        os.kill(self.board.pid, signal.SIGSTOP)
        self.home.wait_for(
            binary_sensor__workbench_trouble="on", sensor__workbench_pose="unknown", sensor__workbench_pitch="unknown")
        os.kill(self.board.pid, signal.SIGCONT)
        self.wait_for_pose("faceUp")
        self.assertEqual(self.home.since(mark, TROUBLE), ["on", "off"])


class LostPublisher(Absence):
    """The publisher ends in each way, or is frozen."""

    def test_a_publisher_that_is_killed_is_absent_by_its_will_until_it_returns(self):
        self.publisher.kill()
        self.wait_for_absence()
        self.assertEqual(self.broker.retained()[STATUS], b"offline")
        self.board.hold("portrait")
        mark = self.home.mark()
        self.publisher.start()
        self.wait_for_pose("portrait")
        self.assertEqual(self.home.since(mark, POSE)[-1], POSES["portrait"])

    def test_a_publisher_that_ends_cleanly_reports_that_it_is_absent(self):
        self.assertEqual(self.publisher.stop(), 0)
        self.wait_for_absence()
        self.assertEqual(self.broker.retained()[STATUS], b"offline")
        self.publisher.start()
        self.wait_for_pose("faceUp")

    def test_a_publisher_that_is_frozen_is_absent_until_it_continues(self):
        self.publisher.signal(signal.SIGSTOP)
        self.wait_for_absence()
        self.publisher.signal(signal.SIGCONT)
        self.wait_for_pose("faceUp")

    def test_a_device_that_is_forgotten_disappears_until_it_is_published_again(self):
        self.assertEqual(self.publisher.stop(), 0)
        subprocess.run([*self.publisher.arguments, "--forget"], env=self.publisher.environment, timeout=PATIENCE,
                       check=True, stdout=subprocess.DEVNULL)
        self.home.wait(lambda: {self.home.value(one) for one in ALL} == {None}, "all entities are gone")
        self.assertIsNone(self.home.device(NAME))
        self.assertEqual(self.home.ask("entities"), [])
        self.assertEqual(self.broker.retained(), {})
        self.publisher.start()
        self.wait_for_pose("faceUp")


class RestartOfHomeAssistant(Absence):
    """Home Assistant stops and starts; the others keep running."""

    def test_what_home_assistant_showed_before_its_restart_it_shows_afterwards(self):
        self.board.hold("portrait")
        self.wait_for_pose("portrait")
        device, entities = self.home.device(NAME), self.home.ask("entities")
        self.home.restart()
        self.wait_for_pose("portrait")
        self.assertEqual(self.home.device(NAME), device)
        self.assertEqual(self.home.ask("entities"), entities)
        self.board.hold("faceUp")
        self.wait_for_pose("faceUp")

    def test_after_a_birth_everything_the_broker_forgot_is_published_again(self):
        self.home.stop()
        for topic in (DISCOVERY, STATE):
            self.assertIn(topic, self.broker.retained())
            self.broker.publish(topic, retain=True, user=ID)
        self.assertNotIn(DISCOVERY, self.broker.retained())
        self.home.start()
        self.wait_for_pose("faceUp")
        self.assertIn(STATE, self.broker.retained())


class LostBroker(Absence):
    """The broker fails. Home Assistant itself complains about that, and that it could not send its birth message."""

    complaints = ("homeassistant.components.mqtt.client: ", "asyncio: Task exception was never retrieved")

    def test_a_broker_that_forgot_everything_gets_it_again(self):
        mark = self.home.mark()
        self.broker.kill()
        self.wait_for_absence()
        self.board.hold("landscapeRight")
        self.broker.start()
        self.wait_for_pose("landscapeRight")
        # The last pose before the failure is not new.
        poses = [value for value in self.home.since(mark, POSE) if value not in ("unavailable", "unknown")]
        self.assertIn(poses, ([POSES["landscapeRight"]], [POSES["faceUp"], POSES["landscapeRight"]]))
        self.assertLessEqual({DISCOVERY, STATE, STATUS}, set(self.broker.retained()))


class SlowWill(Absence):
    """A broker that is slow to report a publisher as absent: only retained messages and the expiry help. At rest there
    are only heartbeats, because a step is more than noise."""

    keep_alive, values = 600, VALUES | {"step": 5}

    def test_angles_of_a_frozen_publisher_expire_but_those_of_one_at_rest_do_not(self):
        self.home.wait_for(sensor__workbench_pitch=lambda value: value not in (None, "unknown", "unavailable"))
        mark = self.home.mark()
        pause(EXPIRY + 1)
        self.assertNotIn("unavailable", self.home.since(mark, PITCH))
        self.publisher.signal(signal.SIGSTOP)
        self.home.wait_for(sensor__workbench_pitch="unavailable")
        self.assertEqual(self.home.value(POSE), POSES["faceUp"])
        self.publisher.signal(signal.SIGCONT)
        self.home.wait_for(sensor__workbench_pitch=lambda value: value not in ("unknown", "unavailable"))

    def test_what_the_broker_retains_is_enough_for_a_restart(self):
        self.board.hold("portrait")
        self.wait_for_pose("portrait")
        self.publisher.signal(signal.SIGSTOP)
        self.home.restart()
        self.wait_for_pose("portrait")
        self.publisher.signal(signal.SIGCONT)


if __name__ == "__main__":
    unittest.main()
