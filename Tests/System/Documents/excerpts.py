"""Blocks that are excerpts of a file that is compiled and tested elsewhere."""

import os

SUFFIXES = (".swift", ".c", ".h", ".ini", ".py", ".sh", ".json", ".service", ".txt", ".md", ".cmake", "CMakeLists.txt")


def flat(text):
    """Without indentation, which may differ inside a string; with a line feed at both ends."""
    return "\n" + "\n".join(line.strip() for line in text.strip("\n").split("\n")) + "\n"


def sources(path):
    """The text of a file, or of all sources in a folder."""
    if os.path.isfile(path):
        found = [path]
    else:
        found = [
            os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names
            if "/.build" not in folder and name.endswith(SUFFIXES)]
    for name in sorted(found):
        with open(name, encoding="utf-8", errors="replace") as file:
            yield flat(file.read())


def check(project, block, marker):
    """Checks that the block appears verbatim in the file that the marker names."""
    path = os.path.join(project.root, marker.rest)
    if not os.path.exists(path):
        project.ledger.fault(block.place, f"there is no {marker.rest}")
        return
    text = flat(block.text)
    if len(text.strip()) < 8 or not any(text in source for source in sources(path)):
        project.ledger.fault(block.place, f"the block that begins here is not in {marker.rest}")
    else:
        project.ledger.count("blocks that are part of tested files")
