"""What Home Assistant shows of a healthy board: the device, its entities, each pose, angle, event and trigger."""

import datetime
import subprocess
import unittest

from scene import EVENT, ID, NAME, PITCH, POSE, POSES, TROUBLE, Scene
from setting import tilted
from processes import PLUMB

ROLL = "sensor.workbench_roll"


def near(wanted, tolerance):
    """Judges the value of an angle."""
    def judge(value):
        try:
            return abs(float(value) - wanted) <= tolerance
        except (TypeError, ValueError):
            return False
    return judge


class Device:
    """Applies to both sensors."""

    is_shared = True
    model, more = None, {}

    def entities(self):
        """The entities of the device, by the ends of their unique names."""
        device = self.home.device(NAME)["id"]
        found = {one["unique"]: one for one in self.home.ask("entities") if one["device"] == device}
        for name in found:
            self.assertTrue(name.startswith(f"plumb-{ID}_"), name)
        return {name.removeprefix(f"plumb-{ID}_"): one for name, one in found.items()}

    def automate(self, triggers):
        """Adds an automation for each trigger, whose notification names it."""
        self.home.automate(*({
            "alias": one["type"] + " " + one["subtype"], "mode": "queued",
            "triggers": [{"trigger": "device", **{key: one[key] for key in one if key not in ("platform", "metadata")}}],
            "actions": [{"action": "persistent_notification.create", "data": {
                "title": "Triggered", "message": one["type"] + " " + one["subtype"]}}],
        } for one in triggers))
        self.addCleanup(self.home.automate)

    def triggers(self, kind):
        found = self.home.ask("triggers", device=self.home.device(NAME)["id"])
        return [one for one in found if one["type"] == kind]

    def test_the_device_has_its_name_model_and_version(self):
        device = self.home.device(NAME)
        self.assertEqual(device["identifiers"], [f"plumb-{ID}"])
        self.assertEqual((device["manufacturer"], device["model"]), ("Plumb", self.model))
        printed = subprocess.run([PLUMB, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertEqual(device["version"], printed.split()[-1])

    def test_each_entity_has_its_class_and_category(self):
        kinds = {key: (one["entity"].split(".")[0], one["class"], one["category"]) for key, one in self.entities().items()}
        self.assertEqual(kinds, {
            "pose": ("sensor", "enum", None),
            "pitch": ("sensor", None, None),
            "roll": ("sensor", None, None),
            "inclination": ("sensor", None, None),
            "angle": ("sensor", None, None),
            "moving": ("binary_sensor", "moving", None),
            "trouble": ("binary_sensor", "problem", "diagnostic"),
            "event": ("event", None, None),
            "since": ("sensor", "timestamp", "diagnostic"),
            "late_samples": ("sensor", None, "diagnostic"),
            "restarts": ("sensor", None, "diagnostic"),
            "missed": ("sensor", None, "diagnostic"),
        } | self.more)

    def test_moving_is_on_while_the_board_moves(self):
        self.home.wait_for(binary_sensor__workbench_moving="off")
        mark = self.home.mark()
        self.board.change(running=True)
        self.home.wait_for(binary_sensor__workbench_moving="on")
        self.board.change(running=False)
        self.home.wait_for(binary_sensor__workbench_moving="off")
        self.assertEqual(self.home.since(mark, "binary_sensor.workbench_moving"), ["on", "off"])

    def test_a_shake_is_an_event_and_runs_an_automation(self):
        triggers = self.triggers("shaken")
        self.assertEqual(len(triggers), 1)
        self.automate(triggers)
        mark, before = self.home.mark(), len(self.home.notifications)

        def shakes():
            return [one for one in self.home.events(mark, EVENT) if one["event_type"] == "shake"]
        self.board.change(shaken=True)
        self.home.wait(shakes, "an event of a shake")
        self.board.change(shaken=False)
        self.home.wait(lambda: len(self.home.notifications) > before, "the automation runs")
        self.assertEqual(self.home.notifications[before]["message"], "shaken board")
        datetime.datetime.strptime(shakes()[0]["time"], "%Y-%m-%dT%H:%M:%SZ")
        self.assertGreater(shakes()[0]["n"], 0)


class WithoutGyroscope(Device, Scene):
    """A board with an ADXL345, which shows a pose as soon as it lies that way."""

    model = "ADXL345"

    def test_each_pose_has_its_readable_name(self):
        self.assertEqual(set(self.home.attributes(POSE)["options"]), set(POSES.values()))
        mark = self.home.mark()
        # The last pose is the first one again.
        for pose in POSES:
            self.board.hold(pose)
            self.wait_for_pose(pose)
        values = [value for value in self.home.since(mark, POSE) if value != "unknown"]
        self.assertEqual(values, list(POSES.values()))

    def test_each_pose_runs_its_own_automation(self):
        triggers = self.triggers("turned")
        self.assertEqual({one["subtype"] for one in triggers}, set(POSES))
        self.automate(triggers)
        before = len(self.home.notifications)
        for count, pose in enumerate(POSES, 1):
            self.board.hold(pose)
            self.home.wait(lambda n=before + count: len(self.home.notifications) >= n, f"the automation of {pose}")
        self.assertEqual([one["message"] for one in self.home.notifications[before:]], [f"turned {pose}" for pose in POSES])

    def test_angles_have_a_unit_a_precision_and_the_right_value(self):
        for pitch, roll in ((10, -20), (-15, 12), (0, 0)):
            self.board.change(force=tilted(pitch, roll))
            # Half a step of the ADXL345's 1/256 g is 0.1°, and an angle is published if it differs by 0.2°.
            self.home.wait_for(sensor__workbench_pitch=near(pitch, 0.5), sensor__workbench_roll=near(roll, 0.5))
        for entity in (PITCH, ROLL):
            self.assertEqual(self.home.attributes(entity)["unit_of_measurement"], "°")
            self.assertEqual(self.home.attributes(entity)["state_class"], "measurement")
        for key in ("pitch", "roll", "inclination", "angle"):
            self.assertEqual(self.entities()[key]["precision"], 1)

    def test_since_is_the_time_of_the_last_change(self):
        self.board.hold("portrait")
        self.wait_for_pose("portrait")
        begin = datetime.datetime.now(datetime.timezone.utc)
        self.board.hold("faceUp")
        self.wait_for_pose("faceUp")
        end = datetime.datetime.now(datetime.timezone.utc)
        since = datetime.datetime.fromisoformat(self.home.value("sensor.workbench_since"))
        # Whole seconds.
        self.assertLessEqual(begin - datetime.timedelta(seconds=1), since)
        self.assertLessEqual(since, end)

    def test_a_pose_that_is_not_known_is_unknown_but_not_trouble(self):
        mark = self.home.mark()
        # As if it accelerated upwards by 1 g all the time.
        self.board.change(force=(0, 0, 2))
        self.home.wait_for(sensor__workbench_pose="unknown")
        self.board.hold("faceUp")
        self.wait_for_pose("faceUp")
        self.assertEqual(self.home.since(mark, POSE), ["unknown", POSES["faceUp"]])
        self.assertNotIn("on", self.home.since(mark, TROUBLE))


class WithGyroscope(Device, Scene):
    """A board with an MPU-6050, and what only a gyroscope can report."""

    sensor, model = "mpu6050", "MPU-6050"
    more = {"temperature": ("sensor", "temperature", "diagnostic")}

    def test_the_temperature_is_that_of_the_die(self):
        self.home.wait_for(sensor__workbench_temperature=near(31, 0.1))
        self.assertEqual(self.home.attributes("sensor.workbench_temperature")["unit_of_measurement"], "°C")


if __name__ == "__main__":
    unittest.main()
