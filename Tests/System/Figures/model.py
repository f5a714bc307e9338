#!/usr/bin/env python3
"""Replays generated motions, and judges every sample and event by an independent model in floating point.

    Tests/System/Figures/model.py [--seed N] [--rounds N] [TOOL]

TOOL is build/plumb by default. Each seed generates different motions; a round is half an hour of them. Standard library
only.
"""

import argparse
import glob
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import formulas
from motions import Motion, all_motions
from referee import Referee

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Judgement:
    """The largest deviation of each kind."""

    def __init__(self):
        self.worst, self.count, self.wrong = {}, {}, []
        self.steps_beyond = 0

    def note(self, key, value):
        self.worst[key] = max(self.worst.get(key, 0.0), value)
        self.count[key] = self.count.get(key, 0) + 1

    def near(self, motion, time, key, difference, limit=0.01):
        self.note(key, difference)
        if difference > limit:
            self.wrong.append(f"{motion.name}: {key} at {time / 1e6:.3f} s is {difference:.5f}° off")


def replayed(tool, motion, folder):
    """The objects that the tool writes for a motion."""
    path = pathlib.Path(folder) / "motion.csv"
    path.write_text(motion.csv())
    done = subprocess.run(
        [tool, "replay", path, "--samples", "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{motion.name}: exit {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def fine(force):
    """Rounded to the resolution of the tool's force, 2^-16 g."""
    return tuple(round(c * 65536) / 65536 for c in force)


class Session:
    """One motion, what the tool reports about it, and what the models compute."""

    def __init__(self, motion, judgement):
        self.motion, self.judgement = motion, judgement
        self.referee, self.filter = Referee(motion), formulas.LowPass()
        self.scroll, self.rotation = formulas.Scroll(), formulas.Rotation()
        self.shakes, self.turns = [], False
        times = [row[0] for row in motion.rows]
        self.slack = max((b - a for a, b in zip(times, times[1:]) if b - a <= 1_000_000), default=0) / 1e6

    def run(self, objects, tells_movement):
        index = 0
        start = self.motion.rows[0][0]
        for entry in objects:
            kind = entry["event"]
            if kind == "sample":
                self.sample(entry, index, start, tells_movement)
                index += 1
            elif kind == "pose":
                self.angles(entry, self.motion.rows[index][2], self.motion.rows[index][0])
                self.at(index, entry, start)
                self.referee.event(index, entry["from"], entry["to"])
                self.rotation.pose(entry["to"])
            elif kind == "trouble":
                self.referee.lost(index, entry["reason"])
            elif kind == "shake":
                self.shakes.append(entry["t"] + start / 1e6)
            elif kind == "rotation":
                self.rotation.compare(entry["t"] + start / 1e6, entry, self.slack)
        if index != len(self.motion.rows):
            self.judgement.wrong.append(f"{self.motion.name}: {index} samples of {len(self.motion.rows)}")
        after = self.referee.finish()
        if after is not None:
            self.judgement.note("quarter turn (s)", after)
        if tells_movement:
            self.judge_shakes()
            self.judgement.wrong += [f"{self.motion.name}: rotation: {words}" for words in self.rotation.wrong]
        self.judgement.note("changes of pose", len(self.referee.changes))
        self.judgement.wrong += self.referee.wrong

    def at(self, index, entry, start):
        if abs(entry["t"] + start / 1e6 - self.motion.rows[index][0] / 1e6) > 1e-7:
            self.judgement.wrong.append(f"{self.motion.name}: sample {index} is told at {entry['t']}")

    def angles(self, entry, force, time):
        for key, (value, length) in formulas.angles(force).items():
            # If the force has less than 0.1 g in the plane of an angle, the angle is null.
            if entry.get(key) is None:
                if key in entry and length >= 0.1 + 1e-4:
                    self.judgement.wrong.append(f"{self.motion.name}: {key} at {time / 1e6:.3f} s is null")
            elif length >= 0.07:
                self.judgement.near(self.motion, time, key, abs(formulas.wrapped(entry[key] - value)))

    def sample(self, entry, index, start, tells_movement):
        time, _, force = self.motion.rows[index]
        self.at(index, entry, start)
        for key, value in zip("xyz", force):
            if abs(entry[key] - value) > 1e-5:
                self.judgement.wrong.append(f"{self.motion.name}: {key} of sample {index} is {entry[key]}, not {value}")
        self.angles(entry, force, time)
        self.steer(entry, self.filter.step(time / 1e6, force), time)
        if "scroll" in entry:
            found = entry["scroll"]
            found = list(found.values()) if isinstance(found, dict) else found
            for value, expected in zip(found, self.scroll.step(time, fine(force))):
                self.judgement.near(self.motion, time, "scroll", abs(value - expected), 1e-4)
        if tells_movement:
            self.rotation.settled(time / 1e6, self.slack)
        self.referee.sample(index, entry["pose"])

    def steer(self, entry, gravity, time):
        """Where an arc sine is steep, allows for half a unit of the force's resolution in addition to 0.01°."""
        value = formulas.steering(gravity)
        difference = abs(entry["steering_deg"] - value)
        unit = 0.5 / 65536
        steep = max(
            abs(formulas.steering((0, gravity[1] + dy, gravity[2] + dz)) - value)
            for dy in (-unit, unit) for dz in (-unit, unit))
        steep_at_flat = abs(gravity[2]) > 1 - 2 * unit
        if abs(entry["steering_deg"]) > 90:
            self.judgement.wrong.append(f"{self.motion.name}: steering at {time / 1e6:.3f} s is beyond 90°")
        if not steep_at_flat:
            key = "steering_deg" if steep <= 0.01 else "steering_deg where steep"
            self.judgement.near(self.motion, time, key, difference, 0.01 if steep <= 0.01 else 0.01 + steep)

    def judge_shakes(self):
        expected, told = self.motion.shake, self.shakes
        if expected is False and told:
            self.judgement.wrong.append(f"{self.motion.name}: a shake is told at {told}")
        elif expected:
            if len(told) != 1 or not expected[0] <= told[0] <= expected[0] + 1:
                self.judgement.wrong.append(f"{self.motion.name}: from {expected[0]} s, shakes are told at {told}")
            else:
                self.judgement.note("shake (s)", told[0] - expected[0])


def recorded():
    """The recordings; none of them contains a shake."""
    for path in sorted(glob.glob(str(ROOT / "Tests/Programs/EndToEnd/Recordings/*.csv"))):
        motion = Motion(pathlib.Path(path).stem, None, noise=0, smooth=False, shake=False)
        for line in pathlib.Path(path).read_text().splitlines()[1:]:
            time, *force = (float(field) for field in line.split(","))
            motion.rows.append((round(time * 1e6), tuple(force), tuple(force)))
        yield motion


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--rounds", type=int, default=1)
    arguments.add_argument("tool", nargs="?", default=ROOT / "build/plumb")
    given = arguments.parse_args()
    judgement, samples, motions = Judgement(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        sessions = []
        for motion in [*recorded(), *all_motions(random.Random(given.seed), given.rounds)]:
            objects = replayed(given.tool, motion, folder)
            sessions.append((motion, objects))
        # A tool that reports shakes and rotations at all must report the right ones.
        tells_movement = any(e["event"] in ("shake", "rotation") for _, objects in sessions for e in objects)
        for motion, objects in sessions:
            Session(motion, judgement).run(objects, tells_movement)
            samples, motions = samples + len(motion.rows), motions + 1
    print(f"model: seed {given.seed}: {motions} motions, {samples} samples, shakes and rotations: {tells_movement}")
    for key in sorted(judgement.worst):
        print(f"  {key:26} {judgement.count[key]:8} times, at most {judgement.worst[key]:.6f}")
    for words in judgement.wrong[:40]:
        print(f"model: {words}", file=sys.stderr)
    if judgement.wrong:
        print(f"model: {len(judgement.wrong)} found wrong", file=sys.stderr)
    return 1 if judgement.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
