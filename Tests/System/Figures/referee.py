"""The rules of poses as an observer knows them, in floating point: judges what a tool reports, sample by sample.

Written from the rules in prose: a pose in the plane is left when the device angle is more than 60° from it, a face is
entered at 25° of inclination and left at 40°, and nothing is decided outside 0.6 to 1.4 g. A rival must have held for
40 ms, in which the excess beyond the boundary (g) times its time (s) outweighs the shortfall. The first sample gives a
pose at once.
"""

import math

CENTRES = {"portrait": 0, "portraitUpsideDown": 180, "landscapeLeft": -90, "landscapeRight": 90}
NAMES = [*CENTRES, "faceUp", "faceDown"]
DWELL = 0.04


def sine(degrees):
    return math.sin(math.radians(degrees))


def offset(device, pose):
    """The distance of a device angle from the centre of a pose in the plane, 0 to 180°."""
    return abs(math.remainder(device - CENTRES[pose], 360))


class Attitude:
    """A force in terms of the rules."""

    def __init__(self, force):
        x, y, z = force
        self.length = math.sqrt(x * x + y * y + z * z)
        self.in_plane = math.hypot(x, y)
        self.device = math.degrees(math.atan2(-x, y))
        self.inclination = math.degrees(math.atan2(self.in_plane, z))

    def is_gated(self, slack=0.0):
        return not 0.6 - slack <= self.length <= 1.4 + slack

    def from_face(self, face):
        return self.inclination if face == "faceUp" else 180 - self.inclination

    def entry(self, face, angle=25):
        """How far inside the entry cone of a face, in g."""
        return self.length * sine(angle - self.from_face(face))

    def left(self, pose):
        """How far beyond the boundary of a pose, in g."""
        if pose not in CENTRES:
            return self.length * sine(self.from_face(pose) - 40)
        return self.in_plane * sine(min(150, offset(self.device, pose)) - 60)

    @property
    def near(self):
        """The face on the side of the force."""
        return "faceUp" if self.inclination <= 90 else "faceDown"

    def against(self, pose):
        """How far beyond the boundary of a pose or inside the cone of another face, in g."""
        return self.left(pose) if pose == self.near else max(self.left(pose), self.entry(self.near))

    def claim(self, settled, rival, entry_angle=25):
        """How far past the boundary from `settled` to `rival`, in g; negative if not past it."""
        near = self.near
        if rival not in CENTRES:
            return self.entry(rival, entry_angle) if rival == near else -self.length
        beside = self.in_plane * sine(60 - min(150, offset(self.device, rival)))
        claim = min(self.left(settled), -self.entry(near, entry_angle))
        return min(claim, beside) if beside < 0 else claim

    def first(self):
        """The poses that the first sample may give; a face only if the force is clearly inside it."""
        found = {pose for pose in CENTRES if offset(self.device, pose) <= 45.01}
        inside = self.from_face(self.near)
        if inside < 25:
            found = found | {self.near} if inside > 20 else {self.near}
        return found


class Referee:
    """Follows what the tool reports about one motion and collects what no observer may accept."""

    def __init__(self, motion):
        self.motion = motion
        self.measured = [Attitude(row[2]) for row in motion.rows]
        self.clean = [Attitude(row[1]) for row in motion.rows]
        self.times = [row[0] / 1e6 for row in motion.rows]
        self.pose, self.since = None, 0
        self.changes, self.wrong = [], []
        self.overdue = {}

    def complain(self, index, words):
        self.wrong.append(f"{self.motion.name}: at {self.times[index]:.3f} s: {words}")

    def event(self, index, left, entered):
        """A change of pose at a sample."""
        measured = self.measured[index]
        if left != (self.pose or "unknown"):
            self.complain(index, f"leaves {left}, but it was {self.pose}")
        if entered not in NAMES or entered == self.pose:
            self.complain(index, f"enters {entered} from {self.pose}")
            return
        if measured.is_gated(1e-4):
            self.complain(index, f"enters {entered} at {measured.length:.3f} g")
        if self.pose is None:
            if entered not in measured.first():
                self.complain(index, f"begins with {entered} at {measured.device:.1f}°, {measured.inclination:.1f}°")
        else:
            self.judge(index, entered)
        self.changes.append((self.times[index], self.pose, entered))
        self.pose, self.since, self.overdue = entered, index, {}

    def judge(self, index, entered):
        """Whether `entered` has held for the dwell, against the pose before."""
        # Of the two entry angles that a face may have, the one that favours the entered pose.
        entry_angle = 21.875 if entered in CENTRES else 25
        claim = self.measured[index].claim(self.pose, entered, entry_angle)
        if claim < -1e-4:
            self.complain(index, f"{self.pose} to {entered} {-claim:.4f} g short of the boundary")
        if not self.has_held(index, entered, entry_angle):
            self.complain(index, f"{self.pose} to {entered} without dwell")
        if self.motion.smooth:
            slack = 0.004 + self.motion.noise
            for back in range(index, self.since, -1):
                if self.times[index] - self.times[back] > DWELL - 1e-6:
                    break
                short = self.clean[back].claim(self.pose, entered, entry_angle)
                if short < -slack:
                    self.complain(index, f"{self.pose} to {entered}, whose region the board was {-short:.3f} g outside")
                    break

    def has_held(self, index, entered, entry_angle):
        """Whether a rival has held for the dwell, on balance; or at all, if the pose has clearly been left for four
        dwells."""
        gathered, left, was_inside = 0.0, 0.0, False
        for back in range(index, self.since, -1):
            attitude, age = self.measured[back], self.times[index] - self.times[back]
            if attitude.is_gated(-1e-4):
                return False
            claim = attitude.claim(self.pose, entered, entry_angle)
            if age >= DWELL - 1e-6 and claim > -1e-4:
                if gathered > 0:
                    return True
                was_inside = True
            span = self.times[back] - self.times[back - 1]
            gathered += claim * span
            left += attitude.against(self.pose) * span
            if was_inside and left >= 0.01 and age > 4 * DWELL - span:
                return True
        return False

    def agrees(self, index):
        """Whether a sample confirms the pose with certainty."""
        attitude = self.measured[index]
        return (
            self.pose is not None and not attitude.is_gated(-1e-4) and attitude.left(self.pose) < -1e-4
            and all(attitude.entry(face) < -1e-4 for face in ("faceUp", "faceDown") if face != self.pose))

    def lost(self, index, reason):
        """The pose becomes unknown."""
        if reason in ("freeFall", "accelerating", "ambiguous"):
            length = self.measured[index].length
            allowed = {"freeFall": (0, 0.6), "accelerating": (1.4, 99), "ambiguous": (0.6, 1.4)}[reason]
            if not allowed[0] - 1e-4 <= length <= allowed[1] + 1e-4:
                self.complain(index, f"{reason} at {length:.3f} g")
            agreed = [back for back in range(self.since, index) if self.agrees(back)]
            if agreed and self.times[index] - self.times[agreed[-1]] <= 1 - 1e-6:
                self.complain(index, f"{reason} only {self.times[index] - self.times[agreed[-1]]:.3f} s after a good sample")
        elif reason == "stale":
            if self.times[index] - self.times[index - 1] <= 1:
                self.complain(index, "stale without a pause")
        else:
            self.complain(index, f"{reason}, for which there is no cause")
        self.pose, self.since, self.overdue = None, index, {}

    def sample(self, index, pose):
        """The pose that the tool reports after a sample, once all events of that sample are reported."""
        if pose != (self.pose or "unknown"):
            self.complain(index, f"the sample says {pose}, the events {self.pose}")
        measured = self.measured[index]
        if self.pose is None:
            if not measured.is_gated(1e-4) and index != self.since:
                self.complain(index, f"no pose at {measured.length:.3f} g")
            return
        if not self.motion.smooth:
            return
        # The tool must have accepted a rival that was far enough beyond the boundary for long enough. A face may
        # require an eighth more.
        clean, now = self.clean[index], self.times[index]
        for rival in NAMES:
            if rival == self.pose:
                continue
            claim = clean.claim(self.pose, rival, 25 if rival in CENTRES else 21.875)
            for least, time in ((0.25, 0.09), (0.1, 0.19), (0.05, 0.4 + 8 * self.motion.noise)):
                if claim < least + self.motion.noise / 4:
                    self.overdue.pop((rival, least), None)
                    continue
                since = self.overdue.setdefault((rival, least), now)
                if now - since > time + 2 / self.motion.rate * (1 + self.motion.jitter):
                    self.complain(index, f"still {self.pose}, {claim:.2f} g into {rival} for {now - since:.2f} s")
                    self.overdue[(rival, least)] = math.inf

    def finish(self):
        """Checks that are possible only at the end."""
        turn = self.motion.turn
        if turn is None:
            return None
        after = [time - turn for time, _, _ in self.changes if time > turn]
        if len(after) != 1 or after[0] > 0.30:
            self.wrong.append(f"{self.motion.name}: a quarter turn is reported {after} s after its start")
            return None
        return after[0]
