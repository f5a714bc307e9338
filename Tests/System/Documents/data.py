"""Board files and JSON on a page."""

import configparser
import json
import os
import subprocess
import tempfile

# A section of a page with this key stands for the whole section; any other is merged into the existing one.
FIRST_KEYS = {"i2c": "bus", "sensor": "model", "lines": "code", "emulation": "seed"}


def parser():
    made = configparser.ConfigParser(
        interpolation=None, inline_comment_prefixes=("#", ";"), comment_prefixes=("#", ";"), delimiters=("=",),
        strict=True)
    made.optionxform = str
    return made


def merged(fragment, base):
    """The text of a whole board file: `base`, overridden by `fragment`."""
    new, whole = parser(), parser()
    new.read_string(fragment)
    whole.read_string(base)
    for section in new.sections():
        if not whole.has_section(section):
            whole.add_section(section)
        if FIRST_KEYS.get(section) in new[section]:
            whole.remove_section(section)
            whole.add_section(section)
        for key, value in new[section].items():
            whole[section][key] = value
    return "".join(
        f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in whole[section].items())
        for section in whole.sections())


def check_board(project, block):
    """A board file, or part of one, that `plumb boards` must be able to read."""
    given = block.marker("given")
    text = (given.rest + "\n" if given else "") + block.text
    name = "emulated" if "[emulation]" in text else "raspberry-pi-adxl345"
    with open(os.path.join(project.root, "boards", f"{name}.ini"), encoding="utf-8") as file:
        base = file.read()
    try:
        whole = merged(text, base)
    except configparser.Error as error:
        project.ledger.fault(block.place, f"is no board file: {error}")
        return
    with tempfile.TemporaryDirectory(prefix="plumb-documents-") as folder:
        path = os.path.join(folder, "board.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write(whole)
        result = subprocess.run([project.plumb, "boards", path], capture_output=True, text=True, check=False)
    if result.returncode == 0:
        project.ledger.count("board files read")
    else:
        project.ledger.fault(block.place, f"plumb refuses this: {result.stderr.strip()}")


def check_json(project, block):
    """One value, or one per line."""
    try:
        json.loads(block.text)
    except ValueError:
        try:
            for line in block.lines:
                if line.strip():
                    json.loads(line)
        except ValueError as error:
            project.ledger.fault(block.place, f"is no JSON: {error}")
            return
    project.ledger.count("JSON blocks parsed")
