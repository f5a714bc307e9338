#!/usr/bin/env python3
"""Gate: the linked core has the sizes in docs/sizes.md.

    Tests/Proofs/Gates/size.py [TARGET]...
    Tests/Proofs/Gates/size.py --update       writes docs/sizes.md, to be committed with the change that caused it

With the Swift that the page names its sizes must match to the byte; with another one code, read-only data and RAM may
each grow by 2 %. On the smallest target the monitor has absolute limits of flash and of RAM.
"""

import difflib
import os
import re
import sys

import machine_code
from bounded_stack import Depths

FILE = machine_code.ROOT / "docs/sizes.md"
COLUMNS = ["target", "code", "constants", "flash", "static RAM", "a monitor"]
# Parts of the core that a firmware may use alone: their functions, and the limits of the smallest microcontroller:
# bytes of flash, and of RAM for static data and one of each state.
PARTS = {
    "the monitor alone": (r"plumb_(monitor|config)_(?!.*fused)", {"armv6m": (8192, 512)}),
    "monitor and movement": (r"plumb_(monitor|config|movement)_(?!.*fused)", {"armv6m": (16384, 1024)}),
    "monitor and fusion": (
        r"plumb_(monitor_(?!step$)|config_|fusion_(?!step$|heading$))", {"armv6m": (14336, 768)}),
}
# The flash, in bytes, that monitor and fusion may take in addition to the monitor alone.
MOST_FOR_FUSION = {"armv6m": 6144}
# Where the part of the page begins that wasm.py and Tests/System/Pico/test_figures.py write.
OTHERS = "\n## WebAssembly\n"
TEXT = """# What the core costs

Flash, constants, RAM and stack of the C library on each target.

## All functions

In bytes, for all functions of `plumb.h`, linked with `--gc-sections`, without the C library's and the compiler's helpers that
[helpers.txt](../Tests/Proofs/Gates/helpers.txt) lists. Measured with {swift}. `python3 Tests/Proofs/Gates/size.py --update` writes this
page; `make gates` fails if a figure differs with that version, or if code, constants or RAM grow by more than 2 % with another.

{sizes}

Flash is code and constants. A monitor is `sizeof(plumb_monitor_t)`, in memory that the caller provides.

## The monitor alone

For a program that uses the functions `plumb_monitor_*` and `plumb_config_default`: filters, all angles, steering, poses and
events. `make gates` fails if armv6m takes more than 8192 bytes of flash or 512 of RAM.

{monitors}

## Monitor and movement

The same with `plumb_movement_*`, that is, with shakes, scrolling and interface rotation; the last column is both states.
`make gates` fails if armv6m takes more than 16384 bytes of flash or 1024 of RAM.

{movements}

## Monitor and fusion

A monitor of six values: `plumb_monitor_step_fused` in the place of `plumb_monitor_step`, `plumb_config_fused` and
`plumb_fusion_*` but for `plumb_fusion_step`, which the monitor's step replaces, and `plumb_fusion_heading`, which brings the
arc tangent with its tables of 2 KB. The last column is both states. `make gates` fails if armv6m
takes more than 6144 bytes of flash beyond the monitor alone, or more than 14336 in all, or 768 of RAM.

{fusions}

## Stack

The most stack, in bytes, that each function takes with everything it calls, including helpers. `Tests/Proofs/Gates/bounded_stack.py`
computes it from the call graph of the machine code.

{stacks}
"""


def sizes(core, states=("MONITOR",)):
    """The row of `core`: bytes by kind; the last column is the sum of `states`."""
    text = constants = static = 0
    for line in machine_code.output(machine_code.tool("llvm-objdump"), "-h", str(core.program)).splitlines():
        match = re.match(r"^\s*\d+ (\S+)\s+([0-9a-f]+) [0-9a-f]+\s+(TEXT|DATA|BSS)?", line)
        if not match or not match[3] or match[1].startswith((".eh_frame", ".ARM.exidx", ".ARM.extab")):
            continue
        size = int(match[2], 16)
        if match[3] == "TEXT":
            text += size
        elif re.match(r"\.rodata", match[1]):
            constants += size
        else:
            static += size
    state = sum(int(re.search(rf"#define PLUMB_{name}_SIZE (\d+)", machine_code.declarations())[1]) for name in states)
    return [text, constants, text + constants, static, state]


def part(name, target):
    """That part of the core, linked for `target`."""
    wanted = [function for function in machine_code.exports() if re.match(PARTS[name][0], function)]
    return machine_code.Core(target, wanted, name.split()[-1])


def part_rows(name, targets):
    states = ["MONITOR", *(word.upper() for word in ("movement", "fusion") if word in name)]
    return [[target, *sizes(part(name, target), states)] for target in targets]


def committed(number):
    """The table of that part of docs/sizes.md, by target; empty if there is none."""
    parts = FILE.read_text().split("## ") if FILE.exists() else []
    text = parts[number] if number < len(parts) else ""
    rows = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in text.splitlines() if line.startswith("|")]
    return {row[0]: [int(cell) for cell in row[1:]] for row in rows if len(row) == len(COLUMNS) and row[1].isdigit()}


def markdown(heading, rows):
    lines = [heading, ["---", *("--:" for _ in heading[1:])], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def swift():
    """The version of Swift in use."""
    told = machine_code.output(os.environ.get("SWIFT", "swift"), "--version")
    return f"Swift {re.search(r'Swift version ([0-9.]+)', told)[1]}"


def page(cores):
    """The text of docs/sizes.md, newly measured."""
    depths = {}
    for core in cores:
        addresses = {function.name: address for address, function in core.functions.items()}
        found = Depths(core)
        depths[core.target] = {name: found.of(addresses[name]) for name in machine_code.exports()}
    stacks = [[f"`{name}`", *(depths[core.target][name] for core in cores)] for name in machine_code.exports()]
    return TEXT.format(
        swift=swift(),
        sizes=markdown(COLUMNS, [[core.target, *sizes(core)] for core in cores]),
        monitors=markdown(COLUMNS, part_rows("the monitor alone", [core.target for core in cores])),
        fusions=markdown(COLUMNS, part_rows("monitor and fusion", [core.target for core in cores])),
        movements=markdown(COLUMNS, part_rows("monitor and movement", [core.target for core in cores])),
        stacks=markdown(["function", *(core.target for core in cores)], stacks)) + "".join(
            FILE.read_text().partition(OTHERS)[1:])


def check_page(cores):
    """The differences between docs/sizes.md and the measurement, in words."""
    if [core.target for core in cores] != list(machine_code.TARGETS):
        return []
    text = FILE.read_text()
    if f"Measured with {swift()}." not in text:
        print(f"  docs/sizes.md was measured with another version than {swift()}: only growth is judged")
        return []
    lines = difflib.unified_diff(text.splitlines(), page(cores).splitlines(), "docs/sizes.md", "measured", n=0, lineterm="")
    differences = [line for line in lines if not line.startswith("@@")]
    return differences and ["docs/sizes.md is not what is measured; `python3 Tests/Proofs/Gates/size.py --update` writes it:",
                            *differences]


def largest(core):
    """The largest functions, in words."""
    ranking = sorted(core.functions.values(), key=lambda function: -function.size)[:6]
    return ", ".join(f"{function.size} {machine_code.plain(function.name)}" for function in ranking)


def grown(name, row, before):
    """What grew by more than 2 % since `before`, in words."""
    if before is None:
        return [f"{name}: docs/sizes.md does not tell its size"]
    return [f"{name}: {what} grew from {then} to {now} bytes, by more than 2 %"
            for what, now, then in zip(COLUMNS[1:], row, before) if now > then * 1.02]


def check_part(name, number, targets):
    """The errors in the sizes of that part; prints them."""
    complaints, before, rows = [], committed(number), part_rows(name, targets)
    for target, *row in rows:
        complaints += grown(f"{target}, {name}", row, before.get(target))
        if target not in PARTS[name][1]:
            continue
        (most_flash, most_ram), flash, ram = PARTS[name][1][target], row[2], row[3] + row[4]
        if flash > most_flash:
            complaints.append(f"{target}: {flash} bytes of flash for {name}, over {most_flash}: " + largest(part(name, target)))
        if ram > most_ram:
            complaints.append(f"{target}: {ram} bytes of RAM for {name}, over {most_ram}")
    print(f"  {name}:")
    machine_code.table(COLUMNS, rows)
    return complaints


def check_fusion(targets):
    """The errors in the fusion's share on top of the monitor; prints it."""
    complaints = []
    for target in (target for target in targets if target in MOST_FOR_FUSION):
        with_fusion, alone = (sizes(part(name, target))[2] for name in ("monitor and fusion", "the monitor alone"))
        print(f"  {target}: the fusion adds {with_fusion - alone} bytes of flash to the monitor alone")
        if with_fusion - alone > MOST_FOR_FUSION[target]:
            complaints.append(f"{target}: the fusion adds {with_fusion - alone} bytes of flash to the monitor alone, "
                              f"over {MOST_FOR_FUSION[target]}")
    return complaints


def check(cores):
    complaints, before = [], committed(1)
    rows = [[core.target, *sizes(core)] for core in cores]
    for row in rows:
        complaints += grown(row[0], row[1:], before.get(row[0]))
    machine_code.table(COLUMNS, rows)
    for number, name in enumerate(PARTS, 2):
        complaints += check_part(name, number, [core.target for core in cores])
    return complaints + check_fusion([core.target for core in cores]) + check_page(cores)


if "--update" in sys.argv:
    FILE.write_text(page([machine_code.Core(target) for target in machine_code.TARGETS]))
else:
    machine_code.main("size", check)
