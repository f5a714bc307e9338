#!/usr/bin/env python3
"""Finds file names and type names used by two modules: a search for a name must find one.

    Tests/Proofs/Gates/names.py [ROOT]

Prints each twin with its places, and fails if there is one. A folder of one program or module counts as one; private
types and extensions do not count.
"""

import collections
import pathlib
import re
import sys

TYPE = re.compile(
    r"^(?:@\w+(?:\([^)]*\))? )*(?:public |package |internal |final |indirect )*(?:struct|class|enum|actor|protocol|typealias) (\w+)",
    re.MULTILINE)
# Folders that are separate modules inside another.
INNER = tuple(f"Sources/Programs/plumb/{folder}" for folder in (
    "Commands/Measuring", "Commands/SettingUp", "Commands/Watching", "Inputs", "Output", "Recordings", "Views")) + (
    "Tests/Proofs/Fuzz/Targets", "Tests/Proofs/Fuzz/Replay")


def module(path):
    """The folder of a file's module: Sources/LAYER/MODULE, and likewise for tests."""
    name = path.as_posix()
    inner = next((one for one in INNER if name.startswith(one + "/")), None)
    return inner or "/".join(path.parts[:2 if path.parts[:2] == ("Tests", "Support") else 3])


def twins(root):
    """Names that occur in several modules, with their locations: `file NAME` and `type NAME`."""
    places = collections.defaultdict(dict)
    for folder in ("Sources", "Tests"):
        for file in sorted((root / folder).rglob("*.swift")):
            path = file.relative_to(root)
            places["file " + path.name].setdefault(module(path), path)
            for name in TYPE.findall(file.read_text(encoding="utf-8")):
                places["type " + name].setdefault(module(path), path)
    return {name: list(found.values()) for name, found in places.items() if len(found) > 1}


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[3])
    found = twins(root)
    for name in sorted(found):
        print(f"{found[name][-1]}: {name} is also in {', '.join(str(path) for path in found[name][:-1])}: name each for what it does")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
