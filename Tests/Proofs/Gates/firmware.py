"""Gate: the firmware of `make pico` takes the flash and RAM that docs/sizes.md says, and no more than Plumb allows it.

Stack, instructions and cycles stand in the same table; they need an emulated Pico, and `make test-pico` compares them.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FIRMWARE = ROOT / "build" / "pico"
PAGE = ROOT / "docs" / "sizes.md"
HEADING = "\n## The firmware of a Pico\n"
# A figure may differ by this part of it, and a change that is larger is to be committed.
MARGIN = 0.02
# Bytes. The linker has the same limits.
FLASH, RAM = 100 * 1024, 24 * 1024


def flash(uf2):
    """The bytes of the blocks, without padding at the end."""
    data = uf2.read_bytes()
    blocks = [data[start:start + 512] for start in range(0, len(data), 512)]
    return sum(int.from_bytes(block[16:20], "little") for block in blocks)


def committed():
    """What the page says of each sensor: flash, static RAM, stack and so on."""
    lines = PAGE.read_text(encoding="utf-8").partition(HEADING)[2].splitlines()
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines if line[:1] == "|"]
    return {row[0]: [int(cell) for cell in row[1:]] for row in rows if row[1].isdigit()}


def complaints(stated):
    built = {re.sub("^plumb-", "", path.stem): flash(path) for path in sorted(FIRMWARE.glob("plumb-*.uf2"))}
    for name in sorted(stated.keys() | built.keys()):
        if name not in built:
            yield f"{FIRMWARE} has none for {name}: make pico"
        elif name not in stated:
            yield f"{PAGE} has no row for {name}: Tests/System/Pico/pico.sh test_figures.py --update writes it"
        else:
            now, (then, ram, stack, *_) = built[name], stated[name]
            print(f"{name:10} {now} bytes of flash, {ram} of static RAM, {stack} of stack")
            if abs(now - then) > MARGIN * then:
                yield f"{name}: flash is {now}, and {then} in {PAGE}: Tests/System/Pico/pico.sh test_figures.py --update"
            if now > FLASH:
                yield f"{name}: flash is {now}: the limit is {FLASH}"
            if ram + stack > RAM:
                yield f"{name}: RAM is {ram + stack}: the limit is {RAM}"


def main():
    print("gate: firmware of a Pico")
    found = list(complaints(committed()))
    sys.stdout.flush()
    for complaint in found:
        print(f"gate: firmware of a Pico: {complaint}", file=sys.stderr)
    if found:
        sys.exit(1)
    print("gate: firmware of a Pico: passed\n")


if __name__ == "__main__":
    main()
