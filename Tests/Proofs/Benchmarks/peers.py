"""Calls a widely used library, for callgrind to count the cost of one of its functions.

    peers.py WORK COUNT

WORK is a name in `works`. Makes COUNT calls, on the samples of a recording or on pseudo-random numbers.
"""

import csv
import pathlib
import random
import sys

import numpy

RECORDING = pathlib.Path(__file__).parent / "../../Programs/EndToEnd/Recordings/wrist-abduction.csv"
PERIOD = 0.02


def forces():
    """The recording's specific forces in g."""
    with RECORDING.open(encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file))
    return [numpy.array([float(row[axis]) for axis in ("x_g", "y_g", "z_g")]) for row in rows]


def samples(count):
    """`count` samples: the recording, over and over."""
    recorded = forces()
    return [recorded[index % len(recorded)] for index in range(count)]


def words(count):
    """`count` 32-bit numbers, with small ones as frequent as large ones."""
    source = random.Random(1)
    return [source.randrange(-(2**31), 2**31) >> source.randrange(32) for _ in range(count)]


def imufusion_update(count):
    """Fusion's filter, with the sensor at rest: one update gives a quaternion."""
    import imufusion

    ahrs = imufusion.Ahrs()
    ahrs.set_sample_period(PERIOD)
    still = numpy.zeros(3)
    for force in samples(count):
        ahrs.update_no_magnetometer(still, force)


def ahrs_tilt(count):
    """AHRS's tilt: one sample gives a quaternion from roll and pitch."""
    from ahrs.filters import Tilt

    tilt = Tilt()
    for force in samples(count):
        tilt.estimate(force)


def ahrs_madgwick(count):
    """AHRS's Madgwick filter: one update gives a quaternion."""
    from ahrs.filters import Madgwick

    madgwick = Madgwick(Dt=PERIOD)
    quaternion = numpy.array([1.0, 0.0, 0.0, 0.0])
    rates = numpy.full(3, 1e-3)
    for force in samples(count):
        quaternion = madgwick.updateIMU(quaternion, rates, force)


def cmsis(function, arguments):
    """One of CMSIS-DSP's fixed-point functions, compiled for this computer."""

    def work(count):
        import cmsisdsp

        call = getattr(cmsisdsp, function)
        numbers = words(arguments * count)
        for index in range(count):
            call(*numbers[arguments * index : arguments * (index + 1)])

    return work


def cmsis_sqrt(count):
    """CMSIS-DSP's square root, of non-negative Q1.31 numbers."""
    import cmsisdsp

    for number in words(count):
        cmsisdsp.arm_sqrt_q31(number & 0x7FFFFFFF)


works = {
    "imufusion": imufusion_update,
    "ahrs_tilt": ahrs_tilt,
    "ahrs_madgwick": ahrs_madgwick,
    "cmsis_atan2": cmsis("arm_atan2_q31", 2),
    "cmsis_sqrt": cmsis_sqrt,
    "cmsis_sin": cmsis("arm_sin_q31", 1),
    "cmsis_cos": cmsis("arm_cos_q31", 1),
}

works[sys.argv[1]](int(sys.argv[2]))
