"""Compares freshly measured tables with those of docs/numerics.md.

    check.py TABLE...       (the files that the page's marks name, such as build/bench/table.md)

Results from recordings must be the same everywhere. Instruction counts are the same with the same compilers: if the
page names other compilers, they are not compared, and a note says so. The costs of libm and of other libraries depend
on the processor, and are not compared.

Exit code 1 if the page differs; `make numerics` writes the measured values into it.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/numerics.md"
SWIFT = (os.environ.get("SWIFT", "swift"), "Swift", r"Swift version ([0-9.]+)")
ARM = ("arm-none-eabi-gcc", "arm-none-eabi-gcc", r"\) ([0-9.]+)")
# For each table, the columns compared (None: all), and the compilers that they depend on.
TABLES = {
    "build/bench/table.md": ([0, 1], [SWIFT]),
    "build/bench/agreement.md": (None, []),
    "build/microcontroller/counts.md": (None, [SWIFT, ARM]),
    "build/microcontroller/replay.md": (None, []),
}


def rows(text, columns):
    """The rows of a table, or the whole numbers of a sentence, by their first cell."""
    found = {}
    for line in text.strip().splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found[cells[0]] = cells if columns is None else [cells[column] for column in columns]
        elif line:
            # The difference between the angles depends on libm.
            found["numbers"] = re.findall(r"(?<![\d.])\d+(?![\d.]*°)(?!\.\d)", line)
    return found


def version(command, name, pattern):
    told = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    return f"{name} {re.search(pattern, told)[1]}"


def differences(table):
    """The values on the page that differ from the measured ones, in words."""
    columns, compilers = TABLES[table]
    text = PAGE.read_text()
    here = [version(*compiler) for compiler in compilers]
    others = [one for one in here if not re.search(rf"{re.escape(one)}(?![\d.]*\d)", text)]
    if others:
        print(f"{table} is not compared: docs/numerics.md does not name {' and '.join(others)}")
        return []
    block = re.search(rf"<!-- measured: {re.escape(table)} -->\n(.*?)<!-- end -->", text, re.DOTALL)
    page, measured = rows(block[1] if block else "", columns), rows((ROOT / table).read_text(), columns)
    return [f"docs/numerics.md, {table}: {name}: {page.get(name)} instead of {measured.get(name)}"
            for name in {**page, **measured} if page.get(name) != measured.get(name)]


found = [difference for table in sys.argv[1:] for difference in differences(table)]
if found:
    sys.exit("\n".join([*found, "`make numerics` writes what was measured."]))
