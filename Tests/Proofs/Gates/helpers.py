"""Reads helpers.txt: the functions outside the core that its machine code may call."""

from functools import cache
from pathlib import Path


@cache
def allowed(target):
    """The helpers of `target`, each with its most bytes of stack."""
    result = {}
    for line in (Path(__file__).parent / "helpers.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if len(words) >= 3 and words[0] == target:
            result[words[1]] = int(words[2])
    return result
