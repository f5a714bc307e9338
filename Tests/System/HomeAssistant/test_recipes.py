"""The recipes of docs/examples/home-assistant, unchanged, in a Home Assistant with a suitable board."""

import math
import unittest

from scene import Scene
from setting import pause, tilted


class Caravan(Scene):
    """caravan-level.yaml."""

    name, recipes = "Caravan", ("caravan-level.yaml",)

    def setUp(self):
        super().setUp()
        # One degree is more than one step of the sensor plus one of the publisher.
        self.home.call("input_number.set_value", entity_id="input_number.caravan_tolerance", value=1)

    def number(self, entity):
        return float(self.home.value("sensor.caravan_" + entity))

    def wait_for_advice(self, wheel, nose):
        """Waits until each part of the advice begins with these words; "" means that the part is absent."""
        def is_it(value):
            parts = [] if value in (None, "level", "unavailable") else value.split(", ")
            wanted = [one for one in (wheel, nose) if one]
            return value not in (None, "unavailable") and len(parts) == len(wanted) and all(
                part.startswith(one) for part, one in zip(parts, wanted))
        self.home.wait_for(sensor__caravan_advice=is_it)

    def test_the_advice_says_which_wheel_and_how_much(self):
        self.home.call("input_number.set_value", entity_id="input_number.caravan_track", value=1800)
        self.home.call("input_number.set_value", entity_id="input_number.caravan_wheelbase", value=5000)
        self.wait_for_advice("", "")
        for nose, side, wheel_advice, nose_advice in (
            (0, 3, "raise the right wheel by ", ""), (0, -3, "raise the left wheel by ", ""),
            (4, 0, "", "lower the nose by "), (-4, 0, "", "raise the nose by "),
            (-2.5, 5, "raise the right wheel by ", "raise the nose by "),
        ):
            with self.subTest(nose=nose, side=side):
                self.board.change(force=tilted(nose, side))
                self.wait_for_advice(wheel_advice, nose_advice)
                # Within half a degree, because of the steps of the sensor and the publisher.
                self.home.wait(lambda n=nose, s=side: (
                    abs(self.number("nose_slope") - n) <= 0.5 and abs(self.number("side_slope") - s) <= 0.5),
                    "both slopes are right")
                self.home.wait(lambda: (
                    self.number("wheel_height")
                    == round(math.sin(math.radians(self.number("side_slope"))) * 1800)
                    and self.number("nose_height")
                    == round(-math.sin(math.radians(self.number("nose_slope"))) * 5000)), "both heights belong to the slopes")
        heights = [str(abs(round(self.number(name)))) for name in ("wheel_height", "nose_height")]
        self.home.wait_for(sensor__caravan_advice=(
            f"raise the right wheel by {heights[0]} mm, raise the nose by {heights[1]} mm"))

    def test_it_notifies_once_when_it_is_level_if_asked_to(self):
        self.board.change(force=tilted(0, 4))
        self.wait_for_advice("raise the right wheel by ", "")
        # Not requested.
        self.board.hold("faceUp")
        self.wait_for_advice("", "")
        pause(4)
        self.assertEqual(self.home.notifications, [])
        self.board.change(force=tilted(0, 4))
        self.wait_for_advice("raise the right wheel by ", "")
        self.home.call("input_boolean.turn_on", entity_id="input_boolean.caravan_levelling")
        self.board.hold("faceUp")
        self.home.wait_for(input_boolean__caravan_levelling="off")
        self.assertEqual(self.home.notifications, [{"title": "Caravan", "message": "It is level."}])

    def test_what_counts_as_level_can_be_set_and_survives_a_restart(self):
        self.board.change(force=tilted(6, -5))
        self.wait_for_advice("raise the left wheel by ", "lower the nose by ")
        self.home.wait(lambda: abs(self.number("nose_slope") - 6) <= 0.5 and abs(self.number("side_slope") + 5) <= 0.5,
                       "the slopes")
        self.home.call("script.caravan_is_level_now")
        self.wait_for_advice("", "")
        self.home.restart()
        self.wait_for_advice("", "")
        self.board.hold("faceUp")
        # The tolerance is that of the file again.
        self.wait_for_advice("raise the right wheel by ", "raise the nose by ")

    def test_a_sensor_with_a_fault_gives_no_advice(self):
        self.wait_for_advice("", "")
        self.board.change(fault=True)
        self.home.wait_for(**{f"sensor__caravan_{name}": "unavailable" for name in (
            "advice", "wheel_height", "nose_height", "side_slope", "nose_slope")})
        self.board.change(fault=False)
        self.wait_for_advice("", "")


class WashingMachine(Scene):
    """washing-machine.yaml, with seconds in place of minutes."""

    name, recipes = "Washing machine", ("washing-machine.yaml",)
    section = "[vibration]\nbusy-time = 2\nquiet-time = 4\n"
    DONE = {"title": "Washing machine", "message": "It is done."}
    EVENT = "event.washing_machine_event"

    def run_machine(self):
        mark = self.home.mark()
        self.board.change(running=True)
        self.wait_for_event("busy", mark)

    def wait_for_event(self, kind, mark):
        self.home.wait(
            lambda: [one for one in self.home.events(mark, self.EVENT) if one["event_type"] == kind], f"an event {kind}")

    def test_it_notifies_once_when_the_machine_is_done(self):
        self.run_machine()
        self.assertEqual(self.home.notifications, [])
        self.board.change(running=False)
        self.home.wait(lambda: self.home.notifications, "it says that it is done")
        # It is not running; a door slams.
        self.board.change(running=True)
        pause(0.5)
        self.board.change(running=False)
        pause(7)
        self.assertEqual(self.home.notifications, [self.DONE])

    def test_a_pause_shorter_than_the_quiet_time_is_not_the_end(self):
        self.run_machine()
        self.board.change(running=False)
        pause(1)
        self.board.change(running=True)
        pause(6)
        self.assertEqual(self.home.notifications, [])

    def test_a_sensor_that_is_lost_does_not_mean_done_and_a_restart_forgets_nothing(self):
        self.run_machine()
        self.board.change(fault=True)
        self.home.wait_for(sensor__washing_machine_pose="unknown")
        pause(6)
        self.publisher.stop()
        self.home.wait_for(sensor__washing_machine_pose="unavailable")
        self.assertEqual(self.home.notifications, [])
        self.home.restart()
        self.publisher.start()
        self.board.change(fault=False)
        self.wait_for_pose("faceUp")
        self.assertEqual(self.home.notifications, [])
        self.board.change(running=False)
        self.home.wait(lambda: self.home.notifications, "it says that it is done")
        # The last event reappears after the device was gone: it is not reported again.
        self.publisher.stop()
        self.home.wait_for(sensor__washing_machine_pose="unavailable")
        self.publisher.start()
        self.wait_for_pose("faceUp")
        pause(2)
        self.assertEqual(self.home.notifications, [self.DONE])


if __name__ == "__main__":
    unittest.main()
