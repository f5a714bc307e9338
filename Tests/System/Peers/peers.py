"""Runs third-party programs on emulated sensors and compares what they report with the values of the sensors.

    peers.py BRIDGE OUT

Prints a table (complete in OUT/table.txt) and exits with 1 if anything was unexpected.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from collections.abc import Sequence

import bridge_alone
import i2c_tools
from bridge import Bus, Sensor, Vector
from readings import Reading, received
from report import Report

# What the first two and the other two sensors of a kind show, per bus: the six poses, arbitrary positions, and more than
# most ranges cover.
FORCES: Sequence[tuple[Vector, Vector, Vector, Vector]] = (
    ((0.1, -0.2, 0.95), (0.0, 0.0, 1.0), (0.5, -0.25, 0.83), (0.0, 1.0, 0.0)),
    ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)),
    ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    ((0.0, 0.0, -1.0), (-0.577, 0.577, -0.578), (0.0, 0.0, -1.0), (-0.05, -0.995, 0.087)),
    ((3.7, -7.2, 15.5), (-1.99, 1.99, 0.003), (-3.7, 7.2, -15.5), (1.99, -1.99, 0.0001)),
)
TURN: Vector = (10.0, -20.0, 123.4)
TEMPERATURE = 31.5

SMBUS2, ADAFRUIT = "sensors_by_smbus2.py", "sensors_by_adafruit.py"
RASPBERRYPI = "sensors_by_mpu6050_raspberrypi.py"
# On every bus of `sensors`, and of `others`.
LIBRARIES = (
    ("smbus2", SMBUS2, "adxl345"),
    ("smbus2", SMBUS2, "mpu6050"),
    ("adafruit-adxl34x", ADAFRUIT, "adxl345"),
    ("adafruit-mpu6050", ADAFRUIT, "mpu6050"),
    ("mpu6050-raspberrypi", RASPBERRYPI, "mpu6050"),
    ("adafruit-lis3dh", ADAFRUIT, "lis3dh"),
    ("adafruit-lsm6ds", ADAFRUIT, "lsm6ds"),
)
OTHERS = (("adafruit-lsm9ds1", ADAFRUIT, "lsm9ds1"), ("adafruit-icm20x", ADAFRUIT, "icm20948"))
# Once.
SPECIAL = (
    ("smbus2", SMBUS2, "offsets"),
    ("smbus2", SMBUS2, "nobody"),
    ("smbus2", SMBUS2, "threads"),
    ("adafruit-adxl34x", ADAFRUIT, "adxl345_left_in_10_bits"),
    ("adafruit", ADAFRUIT, "nobody"),
    ("mpu6050-raspberrypi", RASPBERRYPI, "nobody"),
    ("the bridge", "manners.py", "requests"),
    ("the bridge", "manners.py", "transactions"),
    ("the bridge", "manners.py", "files"),
    ("the bridge", "manners.py", "processes"),
)


def sensors(forces: Sequence[Vector]) -> list[Sensor]:
    return [
        Sensor("adxl345", 0x53, forces[0]),
        Sensor("adxl345", 0x1D, forces[1]),
        Sensor("mpu6050", 0x68, forces[2], TURN, TEMPERATURE),
        Sensor("mpu6050", 0x69, forces[3], TURN, TEMPERATURE),
        Sensor("lis3dh", 0x18, forces[2]),
        Sensor("lis3dh", 0x19, forces[3]),
        Sensor("lsm6ds", 0x6A, forces[2], TURN, TEMPERATURE),
        Sensor("lsm6ds33", 0x6B, forces[3], TURN, TEMPERATURE),
    ]


def others(forces: Sequence[Vector]) -> list[Sensor]:
    """At addresses of `sensors`."""
    return [
        Sensor("lsm9ds1", 0x6A, forces[2], TURN, TEMPERATURE),
        Sensor("lsm9ds1", 0x6B, forces[3], TURN, TEMPERATURE),
        Sensor("icm20948", 0x69, forces[2], TURN, TEMPERATURE),
    ]


def clipped(values: Sequence[float], reading: Reading) -> list[float]:
    """What the sensor can show of `values` in its configured range."""
    return [max(-reading.limit, min(reading.limit - reading.resolution, value)) for value in values]


def ask(report: Report, bus: Bus, program: str, script: str, work: str) -> None:
    """Runs a script that uses a library on `bus`, and judges what it reports."""
    told = {sensor.address: sensor for sensor in bus.sensors}
    try:
        items = received(bus.ask(script, work))
    except RuntimeError as error:
        report.value(program, work, "an answer", "none")
        print(error, file=sys.stderr)
        return
    for item in items:
        if isinstance(item, Reading):
            sensor = told[item.address]
            values = {"force": sensor.force, "turn": sensor.turn, "temperature": (sensor.temperature,)}
            expected = clipped(values[item.quantity], item)
            report.vector(
                program, item.what, expected, item.found, item.resolution, item.scale, item.offset, item.remark
            )
        else:
            report.value(program, item.what, item.told, item.found, item.remark)


def path_reset(report: Report, bus: Bus) -> None:
    """Looks in the journal for how Adafruit's library writes SIGNAL_PATH_RESET (0x68), whose bits are 2:0."""
    written = [line for line in bus.journal.read_text().splitlines() if "S | 68+W | 68 " in line and "Sr" not in line]
    found = written[0].split("|")[2].strip() if written else "nothing"
    remark = "library sets bits 5:3, which reset nothing"
    report.value("adafruit-mpu6050", "MPU-6050 0x68 SIGNAL_PATH_RESET written", "68 38", found, remark)


def run(report: Report, library: Path) -> None:
    with Bus(library, sensors(FORCES[0])) as bus:
        i2c_tools.detect(report, bus)
        i2c_tools.missing(report, bus)
        for sensor in bus.sensors:
            if judge := {"adxl345": i2c_tools.adxl345, "mpu6050": i2c_tools.mpu6050}.get(sensor.part):
                judge(report, bus, sensor.address, sensor.force)
    for index, forces in enumerate(FORCES):
        report.is_brief = index > 0
        works = [(sensors, *row) for row in LIBRARIES] + [(others, *row) for row in OTHERS]
        for parts, program, script, work in works:
            before = len(report.rows)
            with Bus(library, parts(forces)) as bus:
                ask(report, bus, program, script, work)
                if program == "adafruit-mpu6050":
                    path_reset(report, bus)
            if report.is_brief:
                report.summarise(program, f"{work}, forces {index + 1} of {len(FORCES)}", report.rows[before:])
    report.is_brief = False
    for program, script, work in SPECIAL:
        with Bus(library, sensors(FORCES[0])) as bus:
            ask(report, bus, program, script, work)
    with Bus(library, [Sensor("mpu6500", 0x68, FORCES[0][2], TURN, TEMPERATURE)]) as bus:
        ask(report, bus, "adafruit-mpu6050", ADAFRUIT, "mpu6500")
        ask(report, bus, "mpu6050-raspberrypi", RASPBERRYPI, "mpu6500")
    bridge_alone.judge(report, library)


def main() -> int:
    library, out = Path(sys.argv[1]), Path(sys.argv[2])
    names = ("adxl34x", "mpu6050", "lis3dh", "lsm6ds", "lsm9ds1", "icm20x")
    adafruit = [f"adafruit-circuitpython-{name}" for name in names]
    packages = ("smbus2", *adafruit, "mpu6050-raspberrypi")
    print("peers: " + ", ".join([i2c_tools.version()] + [f"{name} {version(name)}" for name in packages]))
    report = Report(out / "table.txt")
    run(report, library)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
