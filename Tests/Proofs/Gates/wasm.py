#!/usr/bin/env python3
"""Gate: WebAssembly of the core, and the module for browsers, import nothing, never grow their memory and compute in
integers; the core has no instruction that traps.

    Tests/Proofs/Gates/wasm.py
    Tests/Proofs/Gates/wasm.py --update       writes their sizes into docs/sizes.md, to be committed with their cause

What the gates of machine code are to the other targets: the modules are read byte by byte, because a disassembly is
text for people. `make core TARGETS=wasm32` and `make web` build them.

The module for browsers also reads lines and writes text, with checks of bounds that the compiler cannot prove away; how
many is in the table. One that fails would be an exception in JavaScript.
"""

import gzip
import re
import sys

import machine_code

# The modules: what they are called, where they are, and whether their functions may trap.
MODULES = (("core", "build/core/wasm32/plumb.wasm", False), ("browser", "build/web/plumb.wasm.gz", True))
# An unwinder's hook, which nothing calls and the linker keeps.
HOOK = "_swift_exceptionPersonality"
PAGE = machine_code.ROOT / "docs/sizes.md"
# The part of the page: what is between its heading and the next.
PART = re.compile(r"(?<=\n## WebAssembly\n).*?(?=\n## |\Z)", re.DOTALL)
TEXT = """
In bytes: the core with all functions of `plumb.h`, which exists for the gates, and the module for browsers of `make web`,
which has monitor, driver, emulated sensor, all words and the codec of the stream. Memory is fixed, and contains the stack. `make
gates` fails if a figure differs by more than 2 %; `Tests/Proofs/Gates/wasm.py --update` writes them.

"""
COLUMNS = ["module", "code", "constants", "memory", "file"]
# A figure may differ by this part of it.
MARGIN = 0.02
UNREACHABLE, MEMORY_GROW = 0x00, 0x40
# Loads, stores, constants, comparisons, arithmetic and conversions of f32 and f64.
FLOATING = {0x2A, 0x2B, 0x38, 0x39, 0x43, 0x44} | set(range(0x5B, 0x67)) | set(range(0x8B, 0xA7)) | set(range(0xA8, 0xAC)) | set(
    range(0xAE, 0xC0))
BLOCKS = {0x02, 0x03, 0x04}
# Instructions with one index (branch, call, local, global, table), and with an alignment and an offset.
INDEXED = {0x0C, 0x0D, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0xD0, 0xD2}
MEMORY = set(range(0x28, 0x3F))


class Reader:
    """Bytes of a module, read in order."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        """A LEB128 number; its sign does not matter here."""
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]


def sections(data):
    """The sections of a module: number and content."""
    if data[:8] != b"\0asm\1\0\0\0":
        raise machine_code.Refusal("not a WebAssembly module")
    reader = Reader(data, 8)
    while reader.at < len(data):
        kind = reader.byte()
        yield kind, reader.take(reader.number())


def instructions(body):
    """The opcodes of a function's body, whose prefixed ones are (0xFC, number)."""
    reader = Reader(body)
    for _ in range(reader.number()):
        reader.number()
        yield from locals_of(reader.byte())
    while reader.at < len(body):
        code = reader.byte()
        operands = 0
        if code in BLOCKS or code in INDEXED or code in (0x3F, 0x40, 0x41, 0x42):
            operands = 1
        elif code in MEMORY or code == 0x11:
            operands = 2
        elif code == 0x0E:
            operands = reader.number() + 1
        elif code == 0x1C:
            operands = reader.number()
        elif code == 0x43:
            reader.take(4)
        elif code == 0x44:
            reader.take(8)
        elif code == 0xFC:
            number = reader.number()
            # memory.init, memory.copy and table.* have two operands, memory.fill and *.drop one, the conversions none.
            operands = {8: 2, 9: 1, 10: 2, 11: 1, 12: 2, 13: 1, 14: 2, 15: 1, 16: 1, 17: 1}.get(number, 0)
            code = (0xFC, number)
        elif code >= 0xFB:
            raise machine_code.Refusal(f"opcode {code:#x} is not expected")
        for _ in range(operands):
            reader.number()
        yield code


def locals_of(kind):
    """A local variable of a floating-point type counts as an instruction of it."""
    return {0x7D: [0x43], 0x7C: [0x44]}.get(kind, [])


def is_floating(code):
    return code in FLOATING if isinstance(code, int) else code[0] == 0xFC and code[1] < 8


def names(content):
    """The names of the functions in the section `name`, by number."""
    reader, found = Reader(content), {}
    if reader.take(reader.number()) != b"name":
        return found
    while reader.at < len(content):
        kind, size = reader.byte(), reader.number()
        part = Reader(reader.take(size))
        if kind == 1:
            for _ in range(part.number()):
                number = part.number()
                found[number] = part.take(part.number()).decode()
    return found


def check(title, path, may_trap, rows, sizes):
    file = data = (machine_code.ROOT / path).read_bytes()
    data = gzip.decompress(data) if path.endswith(".gz") else data
    imports, memories, bodies, known, lengths = 0, [], [], {}, {}
    for kind, content in sections(data):
        reader = Reader(content)
        lengths[kind] = len(content)
        if kind == 0:
            known |= names(content)
        elif kind == 2:
            imports = reader.number()
        elif kind == 5:
            for _ in range(reader.number()):
                flags, least = reader.byte(), reader.number()
                memories.append((least, reader.number() if flags & 1 else None))
        elif kind == 10:
            bodies = [reader.take(reader.number()) for _ in range(reader.number())]
    counts = {"instructions": 0, "floating": 0, "grows": 0, "traps": 0}
    complaints = [f"{title}: {imports} imports"] if imports else []
    if any(least != most for least, most in memories):
        complaints.append(f"{title}: the memory may grow")
    for number, body in enumerate(bodies):
        name = machine_code.plain(known.get(imports + number, f"function {number}"))
        found = list(instructions(body))
        floating = sum(map(is_floating, found))
        grows, trapping = found.count(MEMORY_GROW), found.count(UNREACHABLE)
        for key, count in zip(counts, (len(found), floating, grows, trapping)):
            counts[key] += count
        complaints += [f"{title}: {name} computes with floating point ({floating})"] * (floating > 0)
        complaints += [f"{title}: {name} grows the memory"] * (grows > 0)
        if trapping > 0 and not may_trap and name != HOOK:
            complaints.append(f"{title}: {name} may trap ({trapping})")
    rows.append([title, len(bodies), *counts.values(), imports, *(least for least, _ in memories)])
    sizes.append([title, lengths[10], lengths[11], sum(least for least, _ in memories) * 65536, len(file)])
    return complaints


def check_sizes(sizes):
    """What differs between docs/sizes.md and `sizes`; with --update, nothing: the page is written."""
    lines = [COLUMNS, ["---", *("--:" for _ in COLUMNS[1:])], *sizes]
    part = TEXT + "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)
    page = PAGE.read_text()
    if "--update" in sys.argv[1:]:
        PAGE.write_text(PART.sub(lambda _: part, page, count=1))
        return []
    stated = [line.strip("| ").split(" | ") for line in PART.search(page)[0].splitlines() if re.match(r"\| \w+ \| \d", line)]
    if [row[0] for row in stated] != [row[0] for row in sizes]:
        return ["docs/sizes.md does not list the modules: --update writes it"]
    return [
        f"{row[0]}: {column} is {found}, and {said} in docs/sizes.md: --update writes it"
        for row, words in zip(sizes, stated) for column, found, said in zip(COLUMNS[1:], row[1:], words[1:])
        if abs(found - int(said)) > MARGIN * int(said)]


def main():
    print("gate: WebAssembly")
    rows, sizes, complaints = [], [], []
    try:
        for title, path, may_trap in MODULES:
            if not (machine_code.ROOT / path).exists():
                raise machine_code.Refusal(f"{path} is not there: make core TARGETS=wasm32 and make web")
            complaints += check(title, path, may_trap, rows, sizes)
        complaints += check_sizes(sizes)
        machine_code.table(
            ["module", "functions", "instructions", "floating", "memory.grow", "traps", "imports", "pages"], rows)
    except machine_code.Refusal as refusal:
        complaints.append(str(refusal))
    sys.stdout.flush()
    for complaint in complaints:
        print(f"gate: WebAssembly: {complaint}", file=sys.stderr)
    if complaints:
        sys.exit(1)
    print("gate: WebAssembly: passed\n")


main()
