"""The core as machine code, for the gates to examine.

A program that references every function of plumb.h is linked from libplumb.a with --gc-sections for each target, like
a firmware or a daemon, but without a C library: its functions stay undefined and visible. The program is disassembled
with the tools of the Swift toolchain, and split into functions and instructions.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HEADERS = [
    ROOT / "Sources/Core/CoreABI/include" / name
    for name in ("plumb.h", "plumb_fusion.h", "plumb_movement.h", "plumb_rest.h", "plumb_taps.h", "plumb_tare.h",
                 "plumb_vibration.h")
]
TARGETS = ["x86_64-linux", "aarch64", "armv6", "armv7em", "armv6m", "riscv32"]
# Labels that the assembler creates within functions: mapping symbols ($x, $t, $d) and local ones.
LABEL = re.compile(r"^(\$[adtx]\b|\.L)")
# Relocations of a word that holds an address, as opposed to those in a call or jump.
ADDRESS = {"R_ARM_REL32", "R_ARM_ABS32", "R_X86_64_64", "R_X86_64_32S", "R_AARCH64_ABS64", "R_RISCV_32"}


class Refusal(Exception):
    """Why a gate fails, or cannot run."""


@cache
def tool(name):
    """The path of a tool that comes with the Swift compiler, whatever else is installed."""
    swift = shutil.which(os.environ.get("SWIFT", "swift"))
    swiftc = os.environ.get("SWIFTC") or (swift and str(Path(swift).parent / "swiftc"))
    if not swiftc or shutil.which(swiftc) is None:
        raise Refusal("swiftc is not on the PATH")
    # The compiler reports its location even if called through a proxy or link: its resources are in usr/lib/swift.
    resources = json.loads(output(swiftc, "-print-target-info"))["paths"]["runtimeResourcePath"]
    return str(Path(resources).parent.parent / "bin" / name)


def output(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Refusal(f"{' '.join(map(str, command))}:\n{result.stderr}")
    return result.stdout


def exports():
    """The functions that plumb.h declares, by their linked names: without the inline ones, which call others."""
    text = re.sub(r"^static inline .*", "", declarations(), flags=re.M)
    return sorted(set(re.findall(r"\b(plumb_[a-z0-9_]+)\(", text)))


def declarations():
    """The text of plumb.h and of its includes."""
    return "".join(header.read_text() for header in HEADERS)


def plain(name):
    """A Swift symbol demangled; others unchanged."""
    return PLAIN.setdefault(name, demangled(name))


PLAIN = {}


def demangled(name):
    if not name.startswith("$e"):
        return name
    text = output(tool("swift-demangle"), "-simplified", "-compact", name).strip()
    return re.sub(r" in _[0-9A-F]{32}|^(function signature specialization <.*?> of |static )", "", text)


@dataclass
class Instruction:
    address: int
    mnemonic: str
    operands: str
    # The undefined symbol in a relocation, which is a function outside the core.
    external: str | None = None

    def __str__(self):
        return f"{self.mnemonic} {self.operands}".strip()

    @cached_property
    def destination(self):
        """The address in a direct branch or call, or None."""
        found = re.search(r"(?:^|[\s,])(0x[0-9a-f]+)(?: <|$)", self.operands)
        return int(found.group(1), 16) if found else None


@dataclass
class Function:
    name: str
    address: int
    size: int
    instructions: list = field(default_factory=list)
    # Functions whose address it takes: addresses, or names for those outside the core.
    references: set = field(default_factory=set)


class Core:
    """The linked core of one target: everything reached by all functions of plumb.h, or by those named."""

    def __init__(self, target, functions=None, name="core"):
        self.target = target
        functions = functions or exports()
        folder = ROOT / "build/core" / target
        self.library = folder / "libplumb.a"
        if not self.library.exists():
            raise Refusal(f"{self.library.relative_to(ROOT)} is not there: make core")
        self.program = folder / f"{name}.elf"
        output(
            tool("ld.lld"), "--gc-sections", "--emit-relocs", "--unresolved-symbols=ignore-all", "-e", functions[0],
            *(f"--undefined={function}" for function in functions), str(self.library), "-o", str(self.program))

    @cached_property
    def symbols(self):
        """Every symbol as (type letter, name): U is undefined."""
        lines = output(tool("llvm-nm"), str(self.program)).splitlines()
        found = [re.match(r"^[0-9a-f ]*\s([A-Za-z]) (.*)$", line) for line in lines]
        return [(match.group(1), match.group(2)) for match in found if match and not LABEL.match(match.group(2))]

    @cached_property
    def undefined(self):
        return sorted(name for kind, name in self.symbols if kind in "Uw")

    @cached_property
    def functions(self):
        """All functions by address, with their instructions."""
        result = {}
        for line in output(tool("llvm-objdump"), "-t", str(self.program)).splitlines():
            match = re.match(r"^([0-9a-f]+) .{5} F (\S+)\s+([0-9a-f]+) (?:\.hidden |\.protected )?(.+)$", line)
            if match and int(match.group(3), 16) > 0:
                address = int(match.group(1), 16) & ~1 if self.target.startswith("arm") else int(match.group(1), 16)
                result[address] = Function(match.group(4), address, int(match.group(3), 16))
        self._disassemble(result)
        return result

    def _disassemble(self, functions):
        undefined = set(self.undefined)
        named = {function.name: address for address, function in functions.items()}
        text = output(tool("llvm-objdump"), "-d", "-r", "--no-show-raw-insn", str(self.program))
        current, stray = None, []
        for line in text.splitlines():
            relocation = re.match(r"^\s+([0-9a-f]+):\s+(R_\S+)\s+(.+?)(?:[-+]0x[0-9a-f]+)?\s*$", line)
            instruction = re.match(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*?)\s*(?:[@#;]\s.*)?$", line)
            if relocation:
                kind, symbol = relocation.group(2), relocation.group(3)
                owner = self._owner(functions, current, int(relocation.group(1), 16))
                if owner and kind in ADDRESS and (symbol in named or symbol in undefined):
                    owner.references.add(named.get(symbol, symbol))
                elif owner and owner.instructions and symbol in undefined:
                    owner.instructions[-1].external = symbol
            elif instruction and not instruction.group(2).startswith("."):
                if re.match(r"^[0-9a-f]{2}$", instruction.group(2)):
                    continue  # data in the text: a literal pool or a table, printed as bytes
                address = int(instruction.group(1), 16)
                current = self._owner(functions, current, address)
                if current is None:
                    stray.append(line.strip())
                else:
                    current.instructions.append(Instruction(address, instruction.group(2), instruction.group(3)))
        self._refuse_stray(stray)

    @staticmethod
    def _owner(functions, likely, address):
        """The function that contains `address`, with `likely` tried first."""
        if likely and likely.address <= address < likely.address + likely.size:
            return likely
        return next((f for f in functions.values() if f.address <= address < f.address + f.size), None)

    def _refuse_stray(self, stray):
        # Between functions there is only padding, for which lld uses instructions that trap (bmi is d4d4).
        odd = [line for line in stray if not re.search(r":\s+(nop|int3|udf|trap|bmi|andeq|brk|unimp)", line)]
        if odd:
            raise Refusal(f"{self.target}: machine code outside of every function: {odd[:3]}")


def table(heading, rows):
    """Rows of text in columns, the first one left-aligned and numbers right-aligned."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [heading, *rows]) for i in range(len(heading))]
    for row in [heading, *rows]:
        cells = [c.rjust(w) if rows and re.match(r"^-?\d+$", rows[0][i]) else c.ljust(w)
                 for i, (c, w) in enumerate(zip(row, widths))]
        print("  " + "  ".join(cells).rstrip())


def main(gate, check):
    """Runs `check` on the targets of the command line, or all, and reports failures in words."""
    targets = sys.argv[1:] or TARGETS
    try:
        unknown = [name for name in targets if name not in TARGETS]
        if unknown:
            raise Refusal(f"no target {unknown[0]}; there are: {' '.join(TARGETS)}")
        print(f"gate: {gate}")
        complaints = check([Core(target) for target in targets])
    except Refusal as refusal:
        complaints = [str(refusal)]
    sys.stdout.flush()
    for complaint in complaints:
        print(f"gate: {gate}: {complaint}", file=sys.stderr)
    if complaints:
        sys.exit(1)
    print(f"gate: {gate}: passed\n")
