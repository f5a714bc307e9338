"""Six poses on six pins, and the same events as `plumb replay` finds in the same samples.

    test_poses.py [TEST]...      (PLUMB=build/plumb)
"""

import json
import os
import subprocess
import tempfile
import unittest

from rig import FIRMWARE, PINS, RigTest
from pico import POSES, PROJECT, Pico

PLUMB = os.environ.get("PLUMB", str(PROJECT / "build" / "plumb"))
SAMPLE_PERIOD = 0.01
# What a clock ends, not a sample: on a Pico at that time, in a replay with the next sample.
BY_CLOCK = ("secondHalf", "didRotate")


def replayed(raws):
    """The events that `plumb replay` finds in these samples."""
    has_rotation = "rotation_dps" in raws[0]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("time_s,x_g,y_g,z_g" + (",x_dps,y_dps,z_dps" if has_rotation else "") + "\n")
        for raw in raws:
            row = [raw["t"], raw["x"], raw["y"], raw["z"], *raw.get("rotation_dps", [])]
            file.write(",".join(f"{value:.6f}" for value in row) + "\n")
        file.flush()
        words = [PLUMB, "replay", file.name, "--format", "json"]
        done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=120)
    return [event for event in map(json.loads, done.stdout.splitlines()) if event["event"] != "summary"]


class Poses(RigTest):
    def test_six_poses_light_six_pins_with_the_events_of_a_replay(self):
        # One with and one without a gyroscope: the core is the same for all.
        for name in ("adxl345", "mpu6050"):
            with self.subTest(name):
                self.compare(name, FIRMWARE[name])

    def compare(self, name, uf2):
        pico = Pico(uf2, name, has_usb=False, is_timed=False)
        pico.watch(*PINS.values())
        # Before the first sample: the filters of both begin with it.
        pico.run(0.004)
        pico.type(b'\n{"samples":"raw"}\n')
        for pose in POSES:
            pico.hold(pose, 0.3 if pico.shown[-1:] and pico.shown[-1][1] else 0)
            since = pico.seconds
            self.assertTrue(pico.run(2, until=lambda: pico.high(*PINS.values()) == [PINS[pose]]), (pose, pico.shown))
            pico.run(max(0, since + 1.3 - pico.seconds))
            self.assertEqual(pico.high(*PINS.values()), [PINS[pose]])
        shown = [[*pins] for _, pins in pico.shown if pins]
        self.assertEqual(shown, [[PINS[pose]] for pose in POSES])
        self.assertEqual(self.hello(pico)["counters"]["late_samples"], 0)

        objects = [found for _, found in pico.serial.objects()]
        raws = [found for found in objects if found.get("event") == "raw"]
        ours = [found for found in objects if found.get("event") not in ("raw", "hello")]
        theirs = replayed(raws)
        self.assertEqual(len([event for event in ours if event["event"] == "pose"]), len(POSES))
        start = raws[0]["t"]
        for our, their in zip(ours, theirs, strict=True):
            late = their.pop("t") + start - our.pop("t")
            self.assertEqual(our, their)
            # Times are in microseconds, and the replay's are rounded down twice.
            most = SAMPLE_PERIOD if our.get("phase") in BY_CLOCK else 0
            self.assertTrue(-3e-6 <= late <= most + 3e-6, (our, late))


if __name__ == "__main__":
    unittest.main()
