#!/usr/bin/env python3
"""Gate: nothing in the linked core allocates, counts references, compares Unicode or prints.

    Tests/Proofs/Gates/no_heap.py [TARGET]...

The only undefined symbols are those of helpers.txt, and no symbol of a Swift runtime remains.
"""

import re

import machine_code
from helpers import allowed

# Parts of names with which the C library and the Swift runtime allocate, count, handle Unicode and print.
FORBIDDEN = re.compile(
    r"malloc|calloc|realloc|free$|memalign|swift_(slow)?(alloc|dealloc|retain|release|once|init|get|deleted|unexpected)|"
    r"_?swift_stdlib|[Uu]nicode|print|putchar|puts|write$|abort|_Unwind|__stack_chk|__atomic")


def check(cores):
    rows, complaints = [], []
    for core in cores:
        defined = [name for kind, name in core.symbols if kind not in "Uw"]
        for name in sorted(name for name in defined if FORBIDDEN.search(name) and not name.startswith("$e")):
            complaints.append(f"{core.target}: {name} is in the linked core")
        for name in core.undefined:
            if name not in allowed(core.target):
                complaints.append(f"{core.target}: {name} is undefined, and not among helpers.txt's for this target")
        functions = len(core.functions)
        rows.append([core.target, functions, len(core.undefined), " ".join(core.undefined)])
    machine_code.table(["target", "functions", "undefined", "which"], rows)
    return complaints


machine_code.main("no heap", check)
