"""Compares the tables of docs/output.md with the objects that the commands print with --format json."""

import json
import os
import re

import commands
from sandbox import Sandbox

PAGE = "docs/output.md"

# The commands of the first table.
WATCHERS = ("run", "interface", "replay", "serve")

# Together they produce every event that is possible without hardware.
COMMANDS = (
    "plumb interface --speed fast --format json --samples --relative-to portrait --content 640x4000 --viewport 320x240",
    "plumb run --speed fast --format json --motion shake --duration 5",
    "plumb run --speed fast --format json --samples --board emulated-mpu6050",
    "plumb run --speed fast --format json --board emulated-binary",
    "plumb run --speed fast --format json --board emulated-one-hot",
    "plumb run --speed fast --format json --motion hold --duration 2 --show shake,rotation",
    "plumb run --speed fast --format json --board machine.ini --motion machine --show vibration",
    "plumb run --speed fast --format json --motion knocks --show tap,freeFall",
    "plumb run --speed fast --format json --motion free-fall --show freeFall --board emulated-mpu6050",
    "plumb replay recording.csv --format json",
    "plumb serve --format json --listen 127.0.0.1:0",
    "plumb record --speed fast --format json -o another.csv",
    "plumb plot recording.csv --format json -o recording.svg",
    "plumb vibration --speed fast --format json --busy 0.1 --busy-time 3 --quiet-time 1",
    "plumb vibration recording.csv --format json",
    "plumb read --format json --relative-to portrait",
    "plumb read --format json --motion free-fall",
    "plumb probe --format json",
    "plumb boards --format json",
    "plumb boards emulated --format json",
    "plumb wiring --format json",
    "plumb doctor --format json",
    "plumb mount --format json --speed fast --board mounted.ini",
    "plumb calibrate --format json --speed fast --board calibrated.ini",
    "plumb tare --format json --speed fast --board mounted.ini",
    "plumb level --format json --once --wheelbase 3500 --track 1850",
    "plumb selftest --format json --board raspberry-pi-adxl345",
)


def documented(text):
    """The fields that the tables name, by command and event: the names set as code in a row. A table describes the
    commands named in the text between it and the table before it; the first one describes those that watch."""
    found, about, between, is_table = {}, WATCHERS, "", False
    for line in text.split("\n"):
        if not line.startswith("|"):
            is_table, between = False, between + line + "\n"
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "event":
            named = set(re.findall(r"`plumb ([a-z]+)", between)) - set(WATCHERS)
            is_table, about, between = True, named if found else WATCHERS, ""
        elif is_table and not cells[0].startswith("---"):
            names = set(re.findall(r"`([a-z_]+)`", cells[1]))
            for event in re.findall(r"`([a-zA-Z-]+)`", re.sub(r"\(.*?\)", "", cells[0])):
                for command in about:
                    found.setdefault((command, event), set()).update(names)
    return found


def prepare(project):
    """A sandbox with the files that the commands read."""
    sandbox = Sandbox(project)
    for name, base in (("mounted.ini", "emulated"), ("calibrated.ini", "emulated-uncalibrated")):
        with open(os.path.join(project.root, "boards", f"{base}.ini"), encoding="utf-8") as file:
            sandbox.write(name, file.read())
    with open(os.path.join(project.root, "boards", "emulated.ini"), encoding="utf-8") as file:
        sandbox.write("machine.ini", file.read() + "[vibration]\nbusy-time = 2\nquiet-time = 1\n")
    sandbox.run("plumb record --speed fast -o recording.csv")
    return sandbox


def printed(project, ledger):
    """The fields that the commands print, by command and event, and the line that printed each."""
    sandbox = prepare(project)
    found = {}
    try:
        for command in COMMANDS:
            words = commands.split(command)
            if words[1] not in project.parser.commands:
                ledger.fault("Tests/System/Documents/fields.py", f"there is no `{command}`")
                continue
            on_hardware = commands.is_on_hardware(words, lambda _: "")
            _, text = sandbox.run(command, interrupt=commands.has_no_end(words, on_hardware), needs_bus=on_hardware)
            objects = [line for line in text.split("\n") if line.startswith("{")]
            if not objects:
                ledger.fault(PAGE, f"`{command}` prints no object: {text.strip()[:200]}")
            for line in objects:
                value = json.loads(line)
                for key in value:
                    found.setdefault((words[1], value.get("event", "(no event)")), {}).setdefault(key, command)
    finally:
        sandbox.end()
    return found


def check(project):
    """Checks that every printed event and field is in a table for its command."""
    ledger = project.ledger
    told = documented(project.text(PAGE))
    there = printed(project, ledger)
    for (name, event), fields in there.items():
        if (name, event) not in told:
            ledger.fault(PAGE, f'no table about `plumb {name}` has its event "{event}" (fields: {", ".join(fields)})')
            continue
        for field, command in fields.items():
            if field != "event" and field not in told[name, event]:
                ledger.fault(PAGE, f'the field "{field}" of "{event}" is in no table; `{command}` prints it')
            else:
                ledger.count("fields of JSON compared")
    silent = {event for _, event in told} - {event for _, event in there}
    ledger.tell("events of JSON that nothing here brings", PAGE, ", ".join(sorted(silent)) or "none")
