#!/usr/bin/env python3
"""Gate: no instruction of the linked core uses a floating-point or vector register, and no helper does so for it.

    Tests/Proofs/Gates/no_float.py [TARGET]...

Stricter than "no floating-point arithmetic": not even copies through vector registers, so that the core runs in an
interrupt handler or a kernel that has not saved them, and on a processor without them.
"""

import re

import machine_code

REGISTER = {
    "x86_64-linux": r"%[xyz]mm\d|%mm\d|%st\b",
    "aarch64": r"\b[bhsdqv]\d+\b(?!\s*>)",
    "armv6": r"\b[sdq]\d+\b",
    "armv7em": r"\b[sdq]\d+\b",
    "armv6m": r"\b[sdq]\d+\b",
    "riscv32": r"\bf[ats]\d+\b",
}
MNEMONIC = {
    "x86_64-linux": r"^(f(ld|st|add|sub|mul|div|com|ucom|ild|ist|abs|chs)|cvt|v?(add|sub|mul|div|sqrt)[sp][sd]$)",
    "aarch64": r"^(f(add|sub|mul|div|mov|cvt|cmp|neg|abs|sqrt|m)|[su]cvtf)",
    "armv6": r"^v[a-z]+\.|^v(ldr|str|ldm|stm|push|pop|mov|mrs|msr)",
    "armv7em": r"^v[a-z]+\.|^v(ldr|str|ldm|stm|push|pop|mov|mrs|msr)",
    "armv6m": r"^v[a-z]+\.|^v(ldr|str|ldm|stm|push|pop|mov|mrs|msr)",
    "riscv32": r"^f(l[wd]|s[wd]|add|sub|mul|div|mv|cvt|sgn|eq|lt|le|sqrt|m|nm)\b|^f[a-z]+\.[sd]",
}
# libgcc's and compiler-rt's arithmetic for float and double.
HELPER = re.compile(r"^__aeabi_(f|d|cf|cd|i2f|i2d|ui2|l2f|l2d|ul2)|^__[a-z]*([sd]f|[tx]f)[23]?$|^__float|^__fix|^f?mod?f?$")


def check(cores):
    rows, complaints = [], []
    for core in cores:
        register, mnemonic = re.compile(REGISTER[core.target]), re.compile(MNEMONIC[core.target])
        count = found = 0
        for function in core.functions.values():
            for instruction in function.instructions:
                count += 1
                operands = re.sub(r"<[^>]*>", "", instruction.operands)
                if mnemonic.search(instruction.mnemonic) or register.search(operands):
                    found += 1
                    complaints.append(f"{core.target}: {machine_code.plain(function.name)}: {instruction}")
        helpers = [name for name in core.undefined if HELPER.search(name)]
        complaints += [f"{core.target}: {name} is called" for name in helpers]
        rows.append([core.target, count, found, len(helpers)])
    machine_code.table(["target", "instructions", "floating", "helpers"], rows)
    return complaints


machine_code.main("no float", check)
