"""Counts what was done with the examples, and collects what was wrong."""

import threading
from collections import Counter


class Ledger:
    """Counts by kind, reasons and complaints; thread-safe."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = Counter()
        self.told = []  # (kind, place, words): what the reader of the result should know
        self.faults = []  # (place, words)

    def count(self, kind, number=1):
        with self.lock:
            self.counts[kind] += number

    def tell(self, kind, place, words):
        """Counts something that proves less than it seems to, and reports it at the end."""
        with self.lock:
            self.counts[kind] += 1
            self.told.append((kind, place, words))

    def fault(self, place, words):
        with self.lock:
            self.faults.append((place, words))

    def summary(self):
        lines = []
        for kind in sorted({kind for kind, _, _ in self.told}):
            lines.append(f"documents: {kind}:")
            lines += [f"  {place}: {words}" for told, place, words in sorted(self.told) if told == kind]
        lines += [f"documents: {place}: {words}" for place, words in sorted(self.faults)]
        total = ", ".join(f"{number} {kind}" for kind, number in sorted(self.counts.items()))
        return "\n".join([*lines, f"documents: {total or 'nothing found'}; {len(self.faults)} wrong"])
