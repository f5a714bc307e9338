"""The published formulas in floating point: angles, steering, scrolling by tilt, and the phases of a rotation."""

import math


def wrapped(degrees):
    return math.remainder(degrees, 360)


class LowPass:
    """First order, by the time between samples; restarts after a long gap, time running backwards, or no force at
    all."""

    def __init__(self, constant=0.2, longest=1.0):
        self.constant, self.longest, self.last, self.state = constant, longest, None, None

    def step(self, time, force):
        if force == (0, 0, 0):
            self.last = None
            return force
        if self.last is None or not 0 <= time - self.last <= self.longest:
            self.state = force
        else:
            k = (time - self.last) / (time - self.last + self.constant)
            self.state = tuple(old + k * (new - old) for old, new in zip(self.state, force))
        self.last = time
        return self.state


def steering(gravity):
    """180 asin(ay) / (pi - 2 |asin(az)|) in degrees; 0 when lying flat."""
    ay, az = (-max(-1.0, min(1.0, c)) for c in gravity[1:])
    if abs(az) == 1:
        return 0.0
    return max(-90.0, min(90.0, 180 * math.asin(ay) / (math.pi - 2 * abs(math.asin(az)))))


def angles(force):
    """Each angle in degrees, with the length of the part of the force that determines it."""
    x, y, z = force
    level = math.degrees(math.atan2(-y, x)) + 90
    return {
        "angle_deg": (math.degrees(math.pi / 2 - math.atan2(y, -x)), math.hypot(x, y)),
        "level_deg": (level, math.hypot(x, y)),
        "pitch_deg": (math.degrees(math.atan2(y, math.hypot(x, z))), math.sqrt(x * x + y * y + z * z)),
        "roll_deg": (math.degrees(math.atan2(-x, z)), math.hypot(x, z)),
        "inclination_deg": (math.degrees(math.atan2(math.hypot(x, y), z)), math.sqrt(x * x + y * y + z * z)),
    }


def sign(value):
    return (value > 0) - (value < 0)


class Scroll:
    """The published recipe, applied to every sample; positions move every 30 ms of real time."""

    def __init__(self, interval=30_000, viscosity=0.005, longest=1_000_000):
        self.interval, self.viscosity, self.longest = interval, viscosity, longest
        self.position, self.last = [0.0, 0.0], None
        self.settle()

    def settle(self):
        self.speed, self.acceleration = [0.0, 0.0], [0.005, 0.005]

    def tick(self):
        self.position = [max(0.0, min(1.0, p + v)) for p, v in zip(self.position, self.speed)]
        self.next += self.interval

    def step(self, time, force):
        """`time` in whole µs; a = -force."""
        if self.last is None or not 0 <= time - self.last <= self.longest:
            self.settle()
            self.next = time + self.interval
        self.last = time
        while self.next < time:
            self.tick()
        ax, az = -force[0], -force[2]
        for axis, value in enumerate((-ax, (az + 0.5) * 2)):
            if sign(-self.speed[axis]) == sign(value):
                self.acceleration[axis] = (abs(self.acceleration[axis]) + self.viscosity) * sign(self.acceleration[axis])
            self.speed[axis] = -self.acceleration[axis] * value
        if self.next == time:
            self.tick()
        return self.position


INTERFACE = {
    "portrait": "portrait",
    "portraitUpsideDown": "portraitUpsideDown",
    "landscapeLeft": "landscapeRight",
    "landscapeRight": "landscapeLeft",
}


class Rotation:
    """The phases as they must be: `told` takes the phases that the tool reports, `pose` the poses that they follow."""

    def __init__(self, duration=0.3):
        self.duration, self.shown, self.phase, self.wrong = duration, "portrait", None, []
        self.start, self.wanted = 0.0, "portrait"

    def pose(self, pose):
        self.wanted = INTERFACE.get(pose, self.wanted)

    def compare(self, time, event, slack):
        """`slack` is the longest time between two samples."""
        phase, before = event["phase"], self.phase
        allowed = {
            "willRotate": (None,), "firstHalf": ("willRotate",), "redirected": ("firstHalf", "redirected"),
            "secondHalf": ("firstHalf", "redirected"), "didRotate": ("secondHalf",)}
        if before not in allowed.get(phase, ()):
            self.wrong.append(f"{phase} at {time:.3f} s after {before}")
        late = time - self.start - {"secondHalf": self.duration / 2, "didRotate": self.duration}.get(phase, 0)
        if phase in ("secondHalf", "didRotate") and not -1e-5 <= late <= slack + 1e-5:
            self.wrong.append(f"{phase} at {time:.3f} s, {late:.3f} s late")
        if phase == "willRotate":
            self.start, self.to = time, event.get("to", self.wanted)
            if event.get("from", self.shown) != self.shown or self.to != self.wanted or self.to == self.shown:
                self.wrong.append(f"{event} at {time:.3f} s with {self.shown} shown and {self.wanted} wanted")
        elif phase == "redirected":
            self.to = event.get("to", self.wanted)
            if self.to != self.wanted:
                self.wrong.append(f"{event} at {time:.3f} s with {self.wanted} wanted")
        elif phase == "didRotate":
            if event.get("from", self.shown) != self.shown:
                self.wrong.append(f"{event} at {time:.3f} s with {self.shown} shown")
            self.shown = self.to
        self.phase = None if phase == "didRotate" else phase

    def settled(self, time, slack):
        """Nothing may be outstanding for longer than a sample."""
        if self.phase is None and self.shown != self.wanted:
            self.wrong.append(f"{self.wanted} is wanted at {time:.3f} s, {self.shown} shown, and nothing turns")
        if self.phase is not None and time - self.start > self.duration + slack + 1e-5:
            self.wrong.append(f"{self.phase} for {time - self.start:.3f} s at {time:.3f} s")
            self.phase = None
