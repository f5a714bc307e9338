"""What points.py finds in a piece of Swift, how weave.py changes it, and how mutate.py judges the result."""

import collections
import contextlib
import io
import sys
import unittest

from mutate import in_turn, names, report, too_little, twins_of
from points import points_of
from weave import Mutant, declarations, symbol, woven

TEXT = """
extension Pose where Self: Equatable & Sendable {
  @inlinable static func < (a: Pose, b: Pose) -> Bool { a.raw < b.raw }
  // a + b is no code, nor is "a + b".
  func step(_ a: Int32, _ b: InlineArray<6, UInt8>) -> Int32 {
    #if _pointerBitWidth(_32)
      return a &* 3
    #endif
    if a == 7, let c = next { count &+= 1 }
    guard case .known(let pose) = state, !isLost else { return max(a, 0x1F) }
    switch a {
    case 0...5: forget(pose)
    default: total = a > 1_024 ? "x + y" : tuple.0
    }
    for index in 0..<a { add(index) }
    return -a
  }
}
@section(".rodata") let table: InlineArray<3, UInt8> = [1, 2, 3]
"""

FOUND = [
    (3, "operator", "<", ("<=", ">=")),
    (9, "condition", "a == 7", ("true", "false")),
    (9, "operator", "==", ("!=",)),
    (9, "constant", "7", ("8", "6")),
    (9, "statement", "count &+= 1", ("nothing",)),
    (9, "assignment", "&+=", ("&-=",)),
    (9, "constant", "1", ("2", "0")),
    (10, "condition", "!isLost", ("true", "false")),
    (10, "prefix", "!", ("nothing",)),
    (10, "extreme", "max(", ("min",)),
    (10, "constant", "0x1F", tuple(f"0x{0x1F ^ 1 << bit:X}" for bit in range(8))),
    (13, "condition", "a > 1_024", ("true", "false")),
    (13, "operator", ">", (">=", "<=")),
    (13, "constant", "1_024", ("1152", "896")),
    (15, "constant", "0", ("1",)),
    (15, "operator", "..<", ("..< one less",)),
    (16, "prefix", "-", ("nothing",)),
]


class Points(unittest.TestCase):
    def test_every_computation_is_found_and_nothing_else(self):
        found = [(point.line, point.kind, point.original, point.changes) for point in points_of("x", TEXT)]
        self.assertEqual(found, FOUND)

    def test_a_change_keeps_its_name_when_its_line_moves(self):
        above, below = points_of("x", TEXT), points_of("x", "\n\n" + TEXT)
        self.assertEqual(*({names(p, p.changes[0], twins_of(points)) for p in points} for points in (above, below)))

    def test_each_change_has_a_unique_name_and_one_that_it_shares_with_its_twins(self):
        points = [point for point in points_of("x", "struct S {\n  let a = 7 + 7\n  let b = 8\n}\n") if point.kind == "constant"]
        found = [names(point, "9", twins_of(points)) for point in points]
        both = "x ¦ let a = 7 + 7 ¦ 7 -> 9"
        self.assertEqual(found[:2], [(f"{both}, 1 of 2", both), (f"{both}, 2 of 2", both)])
        self.assertEqual(found[2], ("x ¦ let b = 8 ¦ 8 -> 9",) * 2)


class Weaving(unittest.TestCase):
    def test_each_change_is_an_alternative_and_lines_keep_their_numbers(self):
        points = points_of("Sources/Core/X/x.swift", TEXT)
        mutants = [Mutant(number, point, point.changes[0], ("",)) for number, point in enumerate(points, start=1)]
        lines = woven(TEXT, mutants).split("\n")
        self.assertEqual(len(lines), len(TEXT.split("\n")))
        self.assertEqual(lines[2].count("@inlinable"), 0)
        expected = (
            f"    if mutantForced(2, a {symbol(3)} mutantPick(4, 7, 8), true), let c = next "
            f"{{ if mutantLives(5) {{ count {symbol(6)} mutantPick(7, 1, 2) }} }}"
        )
        self.assertEqual(lines[8], expected)
        text = declarations(mutants, [])
        for mutant in mutants:
            owned = mutant.point.kind in ("operator", "assignment", "prefix")
            self.assertEqual(f"mutant_is({mutant.number}) " in text, owned, mutant.point)


class Drawing(unittest.TestCase):
    def test_with_each_the_first_changes_are_as_many_of_each_module_that_has_so_many(self):
        files = {"Sensors": 9, "Monitor": 2, "Gestures": 4}
        points = {module: points_of(f"Sources/Core/{module}/x.swift", "struct S {\n" + "  let a = 7\n" * many + "}\n") for module, many in files.items()}
        order = [(module, point) for module, found in points.items() for point in found]
        drawn, count = in_turn(order, 3)
        self.assertEqual(sorted(map(id, drawn)), sorted(map(id, order)))
        self.assertEqual(count, 8)
        self.assertEqual(collections.Counter(module for module, _ in drawn[:count]), {"Sensors": 3, "Monitor": 2, "Gestures": 3})


class Judging(unittest.TestCase):
    def table(self, **rows):
        """For each module named, how many changes failed a test, survived, and are equivalent."""
        table = collections.defaultdict(collections.Counter)
        for module, (failed, survived, equivalent) in rows.items():
            for row in (module, "all"):
                table[row].update({"failed": failed, "survived": survived, "equivalent": equivalent, "not compiled": 7})
        return table

    def test_at_least_95_percent_in_all_and_92_in_each_module_must_be_noticed(self):
        self.assertEqual(too_little(self.table()), [])
        self.assertEqual(too_little(self.table(Sensors=(92, 8, 0), Monitor=(98, 2, 50))), [])
        found = too_little(self.table(Sensors=(91, 9, 0), Monitor=(299, 1, 0)))
        self.assertEqual(found, ["Sensors: 91.0 % of 100 noticed, 92 % asked for"])
        found = too_little(self.table(Sensors=(94, 6, 0), Monitor=(95, 5, 0)))
        self.assertEqual(found, ["all: 94.5 % of 200 noticed, 95 % asked for"])

    def test_modules_with_fewer_than_ten_changes_and_equivalent_changes_do_not_count(self):
        self.assertEqual(too_little(self.table(Sensors=(8, 1, 5), Monitor=(100, 0, 0))), [])
        found = too_little(self.table(Sensors=(9, 1, 5), Monitor=(100, 0, 0)))
        self.assertEqual(found, ["Sensors: 90.0 % of 10 noticed, 92 % asked for"])

    def test_unknown_survivors_are_errors_except_in_a_fresh_draw_and_known_ones_that_are_noticed_always_are(self):
        points = points_of("Sources/Core/Sensors/x.swift", "struct S {\n" + "  let a = 7\n" * 40 + "}\n")
        mutants = [Mutant(n, point, "8", (f"change {n}",)) for n, point in enumerate(points, start=1)]
        for survivor, known, passes, passes_fresh in [
            (None, None, True, True),
            ("change 3", None, False, True),
            ("change 3", "change 3", True, True),
            (None, "change 3", False, False),
        ]:
            results = {m.key: ("survived" if m.key == survivor else "failed: a test", "a test") for m in mutants}
            for fresh, expected in [(False, passes), (True, passes_fresh)]:
                with contextlib.redirect_stdout(io.StringIO()):
                    found = report(mutants, [], len(points), results, {known: "a reason"}, fresh)
                self.assertEqual(found, expected, (survivor, known, fresh))


if __name__ == "__main__":
    sys.exit(unittest.main())
