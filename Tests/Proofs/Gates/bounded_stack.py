#!/usr/bin/env python3
"""Gate: the stack depth of every exported function is known, and small.

    Tests/Proofs/Gates/bounded_stack.py [TARGET]...

The depth at every instruction follows from the machine code: pushes and moves of the stack pointer along each path. A
function's depth is that of its deepest call, including the callee; helpers outside the core have theirs in
helpers.txt. Recursion fails. So does a call through a register, unless all functions whose address the caller takes
are known: on armv6m the compiler calls a repeatedly used function that way, to save bytes.
"""

import machine_code
from helpers import allowed
from stack import Frame

# The limit of a step, on a Cortex-M4.
LIMITS = {
    ("armv7em", "plumb_monitor_step"): 512,
    ("armv7em", "plumb_movement_step"): 1024,
    ("armv7em", "plumb_fusion_step"): 1024,
    ("armv7em", "plumb_monitor_step_fused"): 1024,
}


class Depths:
    """The worst-case depths of a core's functions, including the return addresses that calls push."""

    def __init__(self, core):
        self.core = core
        self.frames = {address: Frame(core, function) for address, function in core.functions.items()}
        self.complaints = []
        self.indirect = []
        self._known = {}
        self._next = {}

    def of(self, address, path=()):
        name = machine_code.plain(self.core.functions[address].name)
        if address in path:
            self.complaints.append(f"{self.core.target}: {name} calls itself")
            return 0
        if address not in self._known:
            frame = self.frames[address]
            self.complaints += [f"{self.core.target}: {name}: {line}" for line in frame.complaints]
            depths = [(frame.deepest, frame.deepest, "")]
            for call in frame.calls:
                for target in call.targets:
                    depths.append((call.depth + self._callee(target, name, (*path, address)), call.depth, target))
            if any(call.is_indirect for call in frame.calls):
                names = sorted({self._name(target) for call in frame.calls if call.is_indirect for target in call.targets})
                self.indirect.append((name, sum(call.is_indirect for call in frame.calls), " or ".join(names)))
            self._known[address], *self._next[address] = max(depths, key=lambda depth: depth[0])
        return self._known[address]

    def path(self, address):
        """The deepest path from `address`: each function with its own share."""
        share, target = self._next[address]
        here = f"{share} {self._name(address)}"
        if target == "":
            return here
        rest = f"{self._callee(target, '', ())} {target}" if isinstance(target, str) else self.path(target)
        return f"{here}, {rest}"

    def _name(self, target):
        return target if isinstance(target, str) else machine_code.plain(self.core.functions[target].name)

    def _callee(self, target, caller, path):
        if not isinstance(target, str):
            return self.of(target, path)
        if target not in allowed(self.core.target):
            self.complaints.append(f"{self.core.target}: {target}: helpers.txt does not tell its stack; {caller} calls it")
        return allowed(self.core.target).get(target, 0)


def check(cores):
    complaints, indirect = [], []
    figures = {}
    for core in cores:
        depths = Depths(core)
        addresses = {function.name: address for address, function in core.functions.items()}
        for name in machine_code.exports():
            depth = depths.of(addresses[name])
            figures[name, core.target] = depth
            limit = LIMITS.get((core.target, name))
            if limit is not None and depth > limit:
                complaints.append(
                    f"{core.target}: {name} takes {depth} bytes of stack, over {limit}: {depths.path(addresses[name])}")
        complaints += depths.complaints
        indirect += [(core.target, *row) for row in depths.indirect]
    targets = [core.target for core in cores]
    rows = [[name, *(figures[name, target] for target in targets)] for name in machine_code.exports()]
    machine_code.table(["bytes of stack, worst case", *targets], rows)
    if indirect:
        print("  calls through a register, and what they can reach:")
        machine_code.table(["target", "in", "calls", "of"], indirect)
    return list(dict.fromkeys(complaints))


if __name__ == "__main__":
    machine_code.main("bounded stack", check)
