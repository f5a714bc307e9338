"""Checks the bridge's error messages for invalid settings, and that it leaves everything else alone."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bridge import Bus, Sensor
from report import Report

PROGRAM = "the bridge"
SENSORS = [Sensor("adxl345", 0x53, (0.0, 0.0, 1.0))]
GET = ("i2cget", "-y", "1", "0x53", "0x00")


def judge(report: Report, library: Path) -> None:
    with Bus(library, SENSORS) as bus:
        refusals(report, bus)
        elsewhere = bus.run(
            "i2cget", "-y", "7", "0x53", "0x00", environment={"PLUMB_BRIDGE_PATH": "/dev/i2c-3:/dev/i2c-7"}
        )
        report.value(PROGRAM, "another path", "0xe5", elsewhere.stdout.strip())
        ordinary(report, bus)
    restarted(report, library)


def refusals(report: Report, bus: Bus) -> None:
    """Each invalid value is rejected with a message that names it."""
    cases = (
        ("an unknown part", {"PLUMB_BRIDGE": "adxl346@0x53=0,0,1"}, '"adxl346" is not a part that can be emulated'),
        ("a bad address", {"PLUMB_BRIDGE": "adxl345@0x78=0,0,1"}, '"0x78" is not an address'),
        ("a bad force", {"PLUMB_BRIDGE": "adxl345@0x53=0,0"}, '"0,0" is not three numbers'),
        ("an unknown adapter", {"PLUMB_BRIDGE_ADAPTER": "i801"}, '"i801" cannot be emulated'),
        ("one address twice", {"PLUMB_BRIDGE": f"{SENSORS[0]}; {SENSORS[0]}"}, "has the address of another sensor"),
        ("a journal in no folder", {"PLUMB_BRIDGE_JOURNAL": "/nowhere/journal"}, "cannot be opened: No such file"),
    )
    for what, environment, words in cases:
        done = bus.run(*GET, environment=environment)
        found = words if words in done.stderr and done.returncode != 0 else f"{done.returncode}: {done.stderr}"
        report.value(PROGRAM, what, words, found)


def restarted(report: Report, library: Path) -> None:
    """A journal of other sensors, or an edited one, does not belong to this bus."""
    with Bus(library, SENSORS) as bus:
        bus.run(*GET)
        done = bus.run(*GET, environment={"PLUMB_BRIDGE": "adxl345@0x53=0,1,0"})
        report.value(PROGRAM, "a journal of other sensors", True, "that is not this bus" in done.stderr)
        bus.journal.write_text(bus.journal.read_text().replace("E5", "E6"))
        done = bus.run(*GET)
        report.value(PROGRAM, "a journal that was edited", True, "but repeating it gives" in done.stderr)
        report.value(PROGRAM, "a journal that was edited: exit code", 2, done.returncode)


def ordinary(report: Report, bus: Bus) -> None:
    """A shell and its children write, append, read and look for files as usual."""
    script = "printf one >f; printf two >>f; cat f | tee g | cat - f; test -e g && test ! -e h && printf ' and none'"
    with tempfile.TemporaryDirectory() as folder:
        done = bus.run("sh", "-c", f"cd '{folder}' && {script}")
    report.value(PROGRAM, "a shell with ordinary files", "onetwoonetwo and none", done.stdout)
