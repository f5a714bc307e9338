"""Motions of a board, generated from a seed: none is a recording, and each seed gives different ones.

A motion is a list of rows (time in µs, specific force without noise, measured force), with forces in g in the board's
frame, and what an observer may expect of it.
"""

import math

POSES = {
    "portrait": (0, 1, 0),
    "portraitUpsideDown": (0, -1, 0),
    "landscapeLeft": (1, 0, 0),
    "landscapeRight": (-1, 0, 0),
    "faceUp": (0, 0, 1),
    "faceDown": (0, 0, -1),
}


def held(angle, tilt):
    """A board rotated by `angle` in its own plane and leaning back by `tilt`, in degrees."""
    a, t = math.radians(angle), math.radians(tilt)
    return (-math.sin(a) * math.cos(t), math.cos(a) * math.cos(t), math.sin(t))


def unit(vector):
    length = math.sqrt(sum(c * c for c in vector))
    return tuple(c / length for c in vector)


def direction(random):
    """Uniform over the sphere."""
    return unit([random.gauss(0, 1) for _ in range(3)])


def between(a, b, part):
    """The direction at fraction `part` of the great circle from `a` to `b`, which must not be opposite."""
    angle = math.acos(max(-1, min(1, sum(p * q for p, q in zip(a, b)))))
    if angle < 1e-9:
        return a
    one, other = math.sin((1 - part) * angle) / math.sin(angle), math.sin(part * angle) / math.sin(angle)
    return tuple(one * p + other * q for p, q in zip(a, b))


class Motion:
    """Rows and expectations: `smooth` where the force is gravity alone; `shake` is (start, end) of a shaking that must
    be reported once, False if none may be reported, None if either is right; `turn` is the start of a quarter turn."""

    def __init__(self, name, random, rate=50, noise=0.03, smooth=True, shake=None, jitter=0.0):
        self.name, self.random, self.rate, self.noise = name, random, rate, noise
        self.smooth, self.shake, self.turn, self.jitter = smooth, shake, None, jitter
        self.rows, self.time = [], 0.0
        self.last = None

    def play(self, duration, force):
        """Continues for `duration` s with `force`, a function of the time from now."""
        start = self.time
        while self.time < start + duration - 1e-9:
            clean = force(self.time - start)
            # The sensor's own resolution, and that of a file with six decimals.
            measured = tuple(round(c + self.random.gauss(0, self.noise), 6) for c in clean)
            self.rows.append((round(self.time * 1e6), clean, measured))
            self.time += (1 + self.jitter * self.random.uniform(-1, 1)) / self.rate
        return self

    def hold(self, duration, where):
        self.last = where
        return self.play(duration, lambda _: where)

    def turn_to(self, where, duration, eased=True):
        """Along the great circle."""
        start = self.last
        self.last = where

        def force(time):
            part = min(1, time / duration)
            return between(start, where, (1 - math.cos(math.pi * part)) / 2 if eased else part)

        return self.play(duration, force)

    def csv(self):
        lines = ["time_s,x_g,y_g,z_g"]
        for time, _, (x, y, z) in self.rows:
            lines.append(f"{time / 1e6:.6f},{x:.6f},{y:.6f},{z:.6f}")
        return "\n".join(lines) + "\n"


def added(a, b, factor=1.0):
    return tuple(p + factor * q for p, q in zip(a, b))


def wander(random, rate, noise, jitter=0.0):
    """From direction to direction, quickly and slowly, with rests; near boundaries as often as elsewhere."""
    motion = Motion(f"wander {rate} Hz σ {noise}", random, rate, noise, jitter=jitter)
    motion.hold(0.5, direction(random))
    for _ in range(24):
        where = random.choice(
            [
                direction(random),
                random.choice(list(POSES.values())),
                held(random.uniform(-180, 180), random.choice([-1, 1]) * (90 - random.uniform(20, 45))),
                held(90 * random.randrange(4) + random.choice([-1, 1]) * random.uniform(28, 62), random.uniform(-64, 64)),
            ]
        )
        if sum(p * q for p, q in zip(motion.last, where)) < -0.999:
            continue
        motion.turn_to(where, random.uniform(0.15, 2))
        motion.hold(random.uniform(0.05, 1.5), where)
    return motion


def quarter(random, noise):
    """The turn of the published figures: 90° in 0.3 s at 20° of tilt, beginning between two samples."""
    motion = Motion("quarter turn", random, 50, noise)
    start, sign = 90 * random.randrange(4), random.choice([-1, 1])
    motion.turn = 0.6 + random.uniform(0, 0.02)
    motion.play(
        1.4, lambda time: held(start + sign * 90 * max(0, min(1, (time - motion.turn) / 0.3)), 20))
    return motion


def shaken(random, pose, along):
    """3 to 6 Hz, 1.5 g or more, for two seconds."""
    hertz, peak, phase = random.uniform(3, 6), random.uniform(1.5, 3), random.uniform(0, 2 * math.pi)
    motion = Motion(f"shake {pose} {hertz:.1f} Hz {peak:.1f} g", random, random.choice([50, 100]), 0.03, smooth=False)
    rest = POSES[pose]
    motion.hold(1, rest)
    motion.shake = (motion.time, motion.time + 2)
    motion.play(2, lambda time: added(rest, along, peak * math.sin(2 * math.pi * hertz * time + phase)))
    return motion.hold(1.5, rest)


def walk(random, pose):
    """2 steps a second, 0.4 g, with a harmonic as in a heel strike, swaying by a few degrees."""
    motion = Motion(f"walk {pose}", random, 50, 0.03, smooth=False, shake=False)
    rest, along, phase = POSES[pose], direction(random), random.uniform(0, 6)
    side = direction(random)

    def force(time):
        step = 0.4 * math.sin(2 * math.pi * 2 * time + phase) + 0.1 * math.sin(2 * math.pi * 4 * time)
        return added(unit(added(rest, side, 0.1 * math.sin(2 * math.pi * time))), along, step)

    return motion.play(10, force)


def knock(random, pose):
    """One blow of 10 to 30 ms that rings at 30 Hz or more and dies out within 0.1 s."""
    motion = Motion(f"knock {pose}", random, random.choice([50, 100, 200]), 0.02, smooth=False, shake=False)
    rest, along = POSES[pose], direction(random)
    peak, width, ring = random.uniform(2, 8), random.uniform(0.01, 0.03), random.uniform(30, 60)

    def force(time):
        if time < width:
            return added(rest, along, peak * math.sin(math.pi * time / width))
        time -= width
        return added(rest, along, -0.4 * peak * math.exp(-time / 0.03) * math.sin(2 * math.pi * ring * time))

    return motion.hold(1, rest).play(0.5, force).hold(1.5, rest)


def fall(random, pose, duration):
    """Released, weightless while tumbling, caught with a blow, and at rest in another position."""
    motion = Motion(f"fall {duration} s", random, 100, 0.02, smooth=False, shake=False)
    after = direction(random)
    motion.hold(1, POSES[pose])
    motion.play(duration, lambda _: (0.0, 0.0, 0.0))
    peak = random.uniform(2, 6)
    motion.play(0.04, lambda time: tuple(c * (1 + peak * math.sin(math.pi * time / 0.04)) for c in after))
    return motion.hold(1.5, after)


def half_turn(random):
    """180° in 0.5 s, in the plane or about another axis."""
    motion = Motion("half turn", random, 50, 0.03, shake=False)
    start = 90 * random.randrange(4)
    rest, across = held(start, random.uniform(-30, 30)), direction(random)
    across = unit(added(across, rest, -sum(p * q for p, q in zip(across, rest))))
    if random.random() < 0.5:
        across = held(start + 90, 0)
    motion.hold(1, rest)

    def force(time):
        part = (1 - math.cos(math.pi * min(1, time / 0.5))) / 2
        return added(tuple(c * math.cos(math.pi * part) for c in rest), across, math.sin(math.pi * part))

    return motion.play(0.5, force).play(1.5, lambda _: tuple(-c for c in rest))


def paused(random):
    """A rest, a pause of more than a second, another pose; then a sample of exactly zero."""
    motion = Motion("pause", random, 50, 0.01, smooth=False, shake=False)
    motion.hold(1, POSES["portrait"])
    motion.time += random.uniform(1.2, 4)
    motion.hold(1, POSES["faceDown"])
    motion.rows.append((round(motion.time * 1e6), (0, 0, 0), (0, 0, 0)))
    motion.time += 0.02
    return motion.hold(1, held(30, 40))


def all_motions(random, rounds):
    """Every kind, `rounds` times."""
    poses = list(POSES)
    for _ in range(rounds):
        for rate in (25, 50, 100, 200):
            for noise in (0, 0.01, 0.03):
                yield wander(random, rate, noise, jitter=random.choice([0, 0, 0.4]))
        for _ in range(12):
            yield quarter(random, 0.03)
        for pose in poses:
            for along in ((1, 0, 0), (0, 1, 0), (0, 0, 1), direction(random), direction(random)):
                yield shaken(random, pose, along)
            yield walk(random, pose)
            yield knock(random, pose)
        for duration in (0.3, 0.6, 1.5):
            yield fall(random, random.choice(poses), duration)
        for _ in range(4):
            yield half_turn(random)
        yield paused(random)
