"""Runs the examples in `--help` like those of a page."""

import glob
import os
import re
import shutil
from functools import partial

import commands
from pages import Block, Marker
from sandbox import Sandbox
from shell import Shell


# These examples show an error.
CODES = {"plumb selftest --defect": 69, "plumb status": 69, "plumb publish --settings": 69}

# Desktop programs.
DESKTOP = ("playerctl", "notify-send")


def examples(discussion):
    """The commands after `EXAMPLE:` and `EXAMPLES:` in a command's help."""
    found = []
    for paragraph in re.split(r"\n\s*\n", discussion):
        single = re.match(r"\s*EXAMPLE: (.*)", paragraph, re.DOTALL)
        if single:
            found.append(" ".join(single[1].split()))
        elif re.match(r"\s*EXAMPLES:\n", paragraph):
            found += [re.split(r"\s{2,}", line.strip())[0] for line in paragraph.strip().split("\n")[1:] if line.strip()]
    return found


def furnish(project, sandbox, command):
    """Creates what the examples assume: the recordings that they read, and the user's own board files."""
    words = commands.split(command)
    made = {after for option, after in zip(words, words[1:]) if option in ("-o", "--csv")}
    for word, before in zip(words[1:], words):
        path = os.path.join(sandbox.clone, word)
        if os.path.exists(path):
            continue
        if word.endswith(".csv") and word not in made:
            recordings = glob.glob(os.path.join(project.root, "Tests/Programs/EndToEnd/Recordings/*.csv"))
            with open(min(recordings), encoding="utf-8") as file:
                rows = file.readlines()
            # In real time the first five seconds, not all 49.
            sandbox.write(word, "".join(rows[:250] if "realtime" in words else rows))
        elif before == "--board" and not os.path.exists(os.path.join(sandbox.clone, "boards", word + ".ini")):
            # Calibrating a gyroscope needs a board with one.
            board = "emulated-mpu6050" if "--turns" in words else "emulated-uncalibrated"
            shutil.copy(os.path.join(project.root, f"boards/{board}.ini"), path)
            if {"vibration", "busy", "quiet"} & set(words):
                with open(path, "a", encoding="utf-8") as file:
                    file.write("[vibration]\n")
        elif before == "--settings":
            # For a broker that does not listen.
            sandbox.write(word, "[broker]\nhost = 127.0.0.1\nport = 1\n")
        elif before == "--password-file":
            sandbox.write(word, "secret\n")


def tasks(project):
    """The tasks that run each example of `plumb` and its commands."""
    made = [partial(formats, project)]
    for name, command in [("", project.parser.root), *project.parser.commands.items()]:
        place = f"plumb {name} --help".replace("  ", " ")
        found = examples(command.get("discussion", ""))
        if not found:
            project.ledger.fault(place, "shows no example")
        made += [partial(run, project, place, example) for example in found]
    return made


def formats(project):
    """README names the commands that have no `--format`."""
    sentence = re.search(r"all but (.+?)\s+have `--format json`", project.text("README.md"))
    named = set(re.findall(r"`([a-z]+)`", sentence[1])) if sentence else set()
    real = {name for name in project.parser.commands if "--format" not in project.parser.options(name)}
    if named != real:
        project.ledger.fault("README.md", f"names {sorted(named)} as commands without --format; there are {sorted(real)}")
    project.ledger.count("lists of commands compared")


def run(project, place, example):
    """One example, in its own sandbox."""
    sandbox = Sandbox(project)
    shell = Shell(project, sandbox)
    try:
        if "ssh:" in example:
            project.ledger.tell("not run, because it needs another computer; make test-pi has one", place, example)
            return
        if "serial:" in example:
            project.ledger.tell("not run, because it needs a Pico; Tests/System/Share/test_serial.py stands in for one", place, example)
            return
        if any(f" {program}" in example and not shutil.which(program) for program in DESKTOP):
            project.ledger.tell("not run, because it needs a desktop; Tests/System/Scripts/on.sh stands in for one", place, example)
            return
        furnish(project, sandbox, example)
        if example.startswith("curl "):
            if not shutil.which("curl"):
                project.ledger.tell("not run, because curl is not installed", place, example)
                return
            # It connects to the `plumb serve` of the lines above it.
            if not shell.command(place, "plumb serve >/dev/null 2>&1 &", None):
                return
            example += " --retry 9 --retry-connrefused"
        if re.match("plumb (calibrate|mount) ", example) and "--speed" not in example:
            # In real time a busy machine takes samples late, and a turn with a gap does not count.
            example += " --speed fast"
        code = next((code for begin, code in CODES.items() if example.startswith(begin)), 0)
        shell.command(place, example, Block(place, 0, "sh", example, [Marker("exits", str(code), 0)]))
    finally:
        sandbox.end()
