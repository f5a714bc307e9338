"""One function's use of the stack, derived from its machine code."""

from dataclasses import dataclass

from flow import classify

PADDING = ("nop", "mov r8, r8")


@dataclass
class Call:
    # Bytes on the stack at the call.
    depth: int
    # Addresses of functions in the core, or names of helpers outside it.
    targets: list
    is_indirect: bool = False


class Frame:
    """The depths of `function` in `core`: its own maximum, and that at each of its calls."""

    def __init__(self, core, function):
        self.core, self.function = core, function
        # On x86-64 a call pushes the return address; elsewhere the function saves it.
        self.start = 8 if core.target == "x86_64-linux" else 0
        self.deepest, self.calls, self.complaints = self.start, [], []
        self._done = set()
        self._index = {i.address: n for n, i in enumerate(function.instructions)}
        self._walk()

    def _walk(self):
        instructions, depths, tables = self.function.instructions, {}, []
        work = [(0, self.start)]
        while work:
            n, depth = work.pop()
            if depths.setdefault(n, depth) != depth:
                self.complaints.append(f"two depths at {instructions[n]}: {depths[n]} and {depth}")
            elif (n, depth) not in self._done:
                self._done.add((n, depth))
                work += self._step(n, depth, tables)
            if not work and tables:
                # No readable branch leads to the cases of a jump table: they begin at the depth of the jump.
                work += [(rest, max(tables)) for rest in range(len(instructions)) if rest not in depths][:1]
        unreached = [i for n, i in enumerate(instructions) if n not in depths]
        if any(classify(self.core.target, i)[0] != "stop" and not str(i).startswith(PADDING) for i in unreached):
            self.complaints.append(f"nothing leads to {unreached[0]}")

    def _step(self, n, depth, tables):
        """Records the effect of instruction `n` at `depth`; returns its successors, with their depths."""
        i = self.function.instructions[n]
        kind, value = classify(self.core.target, i)
        after = [(n + 1, depth)] if n + 1 < len(self.function.instructions) else []
        if kind == "stop":
            return []
        if kind == "return":
            return after if value else []
        if kind == "plain":
            if value is None:
                self.complaints.append(f"the stack pointer is moved in a way not understood: {i}")
                return []
            self.deepest = max(self.deepest, depth + value)
            return [(m, depth + value) for m, _ in after]
        inside = self._index.get(value) if i.external is None else None
        # Beyond the range of a jump, Thumb-1 jumps within a function by a call instruction.
        if kind == "call" and not inside:
            self._call(i, value, depth)
            return after
        if kind == "branch":
            if inside is None:
                self._call(i, value, depth)
                return after
            return [(inside, depth), *after]
        if inside is not None:
            return [(inside, depth)]
        if kind == "table" or (value is None and i.external is None and not self.function.references):
            tables.append(depth)
        else:
            # A tail call: the callee returns to the caller's caller, and needs no return address of its own.
            self._call(i, value, depth - self.start)
        return []

    def _call(self, i, address, depth):
        if i.external:
            self.calls.append(Call(depth, [i.external]))
        elif address in self.core.functions:
            self.calls.append(Call(depth, [address]))
        elif address is None and self.function.references:
            self.calls.append(Call(depth, sorted(self.function.references), True))
        else:
            self.complaints.append(f"a call of nobody knows what: {i}")
