#!/usr/bin/env python3
"""Checks that a sensor is in its own folders and in the tables: counts the files in Sources, outside its driver's and
its emulator's folder, with code that names it; and that both folders have tests.

    Tests/Proofs/Gates/sensors.py [ROOT]

Prints each sensor with more than three such files, and each folder without tests, and fails if there is one. Comments
do not count.
"""

import pathlib
import re
import sys

MOST = 3
# Two sensors have uses beside the tables, so they have limits of their own. A change may lower these.
OLDER = {
    "ADXL345": 11,  # what a board has unless it says otherwise; `plumb selftest` takes its supply voltage
    "MPU6050": 13,  # what IIO and browsers present themselves as; the ICM-20948 has its registers in part
}
COMMENT = re.compile(r"//.*")
# Where the tests of a driver and of an emulator are.
TESTS = ("Tests/Core/Sensors", "Tests/Emulation/Emulation")


def reach(root):
    """For each sensor, the files outside its folders that name its driver, its emulator or its case."""
    sources = root / "Sources"
    sensors = sorted(traits.parent.name for traits in sources.glob("Core/Sensors/*/*Traits.swift"))
    code = {
        path.relative_to(root): COMMENT.sub("", path.read_text(encoding="utf-8"))
        for kind in ("*.swift", "*.c", "*.h") for path in sources.rglob(kind)
    }
    for sensor in sensors:
        name = re.compile(rf"\b(?:Emulated)?{sensor}\b|\.{sensor.lower()}\b")
        yield sensor, sorted(path for path, text in code.items() if sensor not in path.parts and name.search(text))


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[3])
    sensors = dict(reach(root))
    if not OLDER.keys() <= sensors.keys():
        sys.exit(f"{root}: found no driver of {' or '.join(OLDER.keys() - sensors.keys())}")
    wide = {sensor: files for sensor, files in sensors.items() if len(files) > OLDER.get(sensor, MOST)}
    for sensor, files in wide.items():
        print(f"{sensor} is named in {len(files)} files of Sources outside its folders, "
              f"at most {OLDER.get(sensor, MOST)} are allowed: {', '.join(map(str, files))}")
    untested = [f"{folder}/{sensor}" for sensor in sensors for folder in TESTS
                if not any((root / folder / sensor).glob("*Tests.swift"))]
    for folder in untested:
        print(f"{folder} has no tests: what is special to the sensor is tested there")
    return 1 if wide or untested else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
