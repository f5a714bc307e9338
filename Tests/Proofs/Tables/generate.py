#!/usr/bin/env python3
"""Writes the tables of Sources/Core/FixedPoint and Sources/Core/Vibration: Tests/Proofs/Tables/generate.py, from the
root of the repository.

Needs mpmath. In its Swift file each table is between the line that declares it and the next line that is "]". The
tests of both modules check every entry against their own model, so they need neither this script nor mpmath.
"""

import pathlib
import re
import textwrap

from mpmath import acos, atan, cos, lu_solve, matrix, mp, mpf, nint, pi, sin, sqrt

mp.dps = 50
HALF = mpf(1) / 2
SOURCES = pathlib.Path(__file__).resolve().parents[3] / "Sources" / "Core"


def polynomial(function, degree, start, end):
    """The coefficients, lowest first, of the polynomial that meets `function` at the Chebyshev nodes of
    start...end."""
    count = degree + 1
    nodes = [(start + end - (end - start) * cos(pi * (2 * j + 1) / (2 * count))) / 2 for j in range(count)]
    powers = matrix([[node**power for power in range(count)] for node in nodes])
    return list(lu_solve(powers, matrix([function(node) for node in nodes])))


def scaled(value, bits, bias=0):
    """`value` in units of 2^-bits plus `bias` units, rounded to nearest."""
    return int(nint(value * 2**bits + bias))


def write(file, name, rows, to_a_line, folder="FixedPoint"):
    """Writes `rows` into the table `name` of `file`, with `to_a_line` rows per line, or as many entries as fit."""
    path = SOURCES / folder / file
    entries = [[format(v, "_") for v in row] for row in rows]
    if to_a_line is None:
        lines = textwrap.wrap(", ".join(sum(entries, [])), width=117)
    else:
        starts = range(0, len(rows), to_a_line)
        lines = [", ".join(sum(entries[i : i + to_a_line], [])) + "," for i in starts]
    body = "".join(f"  {line}\n" for line in lines).rstrip(",\n") + ",\n"
    declaration = rf"(let {name}: InlineArray<{sum(map(len, rows))}, U?Int(?:\d\d)?> = \[\n)[^\]]*\]"
    text, count = re.subn(declaration, lambda m: m.group(1) + body + "]", path.read_text())
    assert count == 1, f"{name} not found in {file}"
    path.write_text(text)


def turn(angle):
    """`angle` in units of 2^-32 turn."""
    return angle / (2 * pi) * 2**32


def arc_tangent():
    rows = []
    for k in range(64):
        c = polynomial(lambda t: turn(atan((k + HALF + t) / 64)) - k * 2**23, 3, -HALF, HALF)
        rows.append([scaled(c[3], 8), scaled(c[2], 7, HALF), scaled(c[1], 6, HALF), scaled(c[0], 5, 16 + HALF)])
    write("ArcTangent.swift", "arcTangents", rows, 2)


def reciprocals():
    rows = []
    for k in range(128):
        # The line whose product with h differs from 1 by as much at both ends of the segment as in its middle.
        start, end = 1 + mpf(k) / 128, 1 + mpf(k + 1) / 128
        line = 2 / ((start + end) / 4 + start * end / (start + end))
        rows.append([scaled(line, 29), scaled(line / (start + end), 30)])
    write("ArcTangent.swift", "reciprocals", rows, 3)


def arc_ratio(s):
    """acos(s) / sqrt(1 - s) in turns, and its limit at 1."""
    return (sqrt(mpf(2)) if s == 1 else acos(s) / sqrt(1 - s)) / (2 * pi)


def columns(rows):
    """Rows of coefficients, lowest degree first, as columns, highest first."""
    return [list(column) for column in zip(*rows)][::-1]


def arc_sine():
    rows = []
    for k in range(64, 256):
        start, end = mpf(k) / 64, mpf(k + 1) / 64
        fall = 1 / sqrt(start) - 1 / sqrt(end)
        furthest = (2 * 64 * fall) ** (-mpf(2) / 3)
        distance = 1 / sqrt(start) - 64 * fall * (furthest - start) - 1 / sqrt(furthest)
        first = min(int(nint((1 / sqrt(start) - distance / 2) * 2**19)), 2**19 - 1)
        rows.append([first * 4096 + scaled(fall, 19)])
    write("ArcSine.swift", "inverseRoots", rows, None)
    rows = []
    for k in range(16):
        c = polynomial(lambda t: 1 - 4 * arc_ratio((k + HALF + t) / 16), 4, -HALF, HALF)
        rows.append([scaled(c[0], 34, 3)] + [scaled(c[n], 34, HALF) for n in (1, 2, 3)] + [scaled(c[4], 34)])
    write("ArcSine.swift", "arcRatios", columns(rows), None)


def sines():
    middles = [scaled(sin(pi / 2 * (k + HALF) / 64), 32) for k in range(64)]
    write("SinCos.swift", "middleSines", [middles], None)


def quarter_cosines():
    write("Cosines.swift", "quarterCosines", [[scaled(cos(2 * pi * k / 1024), 30) for k in range(257)]], None, "Vibration")


def joined(function, nodes):
    """The coefficients, lowest first, of the polynomial that meets `function` at `nodes` of 0...1."""
    powers = matrix([[node**power for power in range(len(nodes))] for node in nodes])
    return list(lu_solve(powers, matrix([function(node) for node in nodes])))


CUBIC = [mpf(0), (1 - 1 / sqrt(mpf(5))) / 2, (1 + 1 / sqrt(mpf(5))) / 2, mpf(1)]
PARABOLA = [mpf(0), HALF, mpf(1)]


def cubic(entries, place):
    """The value that SampleArcs.swift computes from a row, degrees 3 to 0, at `place`: floors of products, as
    there."""
    term = entries[0]
    for entry in entries[1:]:
        term = (term * place >> 32) + entry
    return term


def quarter_rows(function):
    """Cubics on 32 segments of u in 0...1, exact at the last place of each and at the very first."""
    rows, last = [], 2**32 - 2**10
    for k in range(32):
        c = joined(lambda t: function((k + t) / 32), CUBIC)
        row = [scaled(c[3], 0), scaled(c[2], 0, HALF), scaled(c[1], 0, HALF), scaled(c[0], 0, HALF)]
        row[3] += int(nint(function(mpf(k + 1) / 32))) - cubic(row, last)
        if k == 0:
            row[3] = int(nint(function(mpf(0))))
            while cubic(row, last) != int(nint(function(mpf(1) / 32))):
                row[2] += 1 if cubic(row, last) < int(nint(function(mpf(1) / 32))) else -1
        rows.append(row)
    return rows


def quarters():
    angles = quarter_rows(lambda u: turn(pi / 2 if u == 1 else atan(u / (1 - u))))
    lengths = []
    for k in range(32):
        length = lambda t: 2**30 * sqrt(((k + t) / 32) ** 2 + (1 - (k + t) / 32) ** 2)
        c = joined(length, PARABOLA) if k in (0, 31) else polynomial(length, 2, mpf(0), mpf(1))
        lengths.append([scaled(c[2], 0), scaled(c[1], 0, HALF), scaled(c[0], 0, HALF), 0])
    lengths[0][2] = 2**30
    write("SampleArcs.swift", "quarterRows", [angle + length for angle, length in zip(angles, lengths)], 1)


def arc_cosine_q16():
    rows = [[0] * 4] * 8
    for k in range(8, 32):
        c = polynomial(lambda t: sqrt((k + t) / 8), 3, mpf(0), mpf(1))
        rows.append([scaled(c[3], 31), scaled(c[2], 31, HALF), scaled(c[1], 31, HALF), scaled(c[0], 31, HALF)])
    rows[8][3] = 2**31
    rows = [row[:3] + [row[3] - 2**32 if row[3] >= 2**31 else row[3]] for row in rows]
    write("SampleArcs.swift", "arcCosineQ16Roots", rows, 2)
    rows = []
    for k in range(16):
        ratio = lambda t: 2**33 * arc_ratio((k + t) / 16)
        c = joined(ratio, PARABOLA) if k == 0 else polynomial(ratio, 2, mpf(0), mpf(1))
        rows.append([scaled(c[2], 0), scaled(-c[1], 0, HALF), scaled(c[0], 0, HALF), 0])
    rows[0][2] = -(2**31)
    write("SampleArcs.swift", "arcCosineQ16Ratios", rows, 2)


arc_tangent()
reciprocals()
arc_sine()
sines()
quarters()
arc_cosine_q16()
quarter_cosines()
