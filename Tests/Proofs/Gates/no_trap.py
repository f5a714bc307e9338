#!/usr/bin/env python3
"""Gate: the linked core has no instruction that stops the program.

    Tests/Proofs/Gates/no_trap.py [TARGET]...

Swift traps if arithmetic overflows, an index is out of bounds or an optional is empty. -Ounchecked is not used here:
if this gate finds a trap, the compiler cannot prove from the source that it is unreachable.
"""

import re
from collections import Counter

import machine_code

TRAP = {
    "x86_64-linux": r"^(ud[012]|int3|hlt|int)$",
    "aarch64": r"^(brk|udf|hlt|hvc|svc)$",
    "armv6": r"^(trap|udf|bkpt|svc)",
    "armv7em": r"^(trap|udf|bkpt|svc)",
    "armv6m": r"^(trap|udf|bkpt|svc)",
    "riscv32": r"^(unimp|c\.unimp|ebreak|c\.ebreak|ecall)$",
}


def check(cores):
    rows, complaints = [], []
    for core in cores:
        trap, found = re.compile(TRAP[core.target]), Counter()
        for function in core.functions.values():
            for instruction in function.instructions:
                if trap.search(instruction.mnemonic):
                    found[function.name] += 1
        rows.append([core.target, len(core.functions), found.total()])
        for name, count in sorted(found.items()):
            complaints.append(f"{core.target}: {count} in {machine_code.plain(name)}")
    machine_code.table(["target", "functions", "traps"], rows)
    return complaints


machine_code.main("no trap", check)
