"""Weaves changes into the text of a module: each is an alternative that is taken if its number is chosen.

An operator is replaced by a custom one with the same precedence, so nothing needs to know where its operands end.
"""

import re

DIGITS = "÷×±§¶†‡•"

PRECEDENCES = {
    "Addition": ["&+", "&-", "+", "-", "|", "^"],
    "Multiplication": ["&*", "*", "/", "%", "&"],
    "BitwiseShift": ["&<<", "&>>", "<<", ">>"],
    "Comparison": ["<", "<=", ">", ">=", "==", "!="],
    "LogicalConjunction": ["&&"],
    "LogicalDisjunction": ["||"],
    "RangeFormation": ["..<"],
}  # fmt: skip

# Helpers for all mutants of a module.
HELPERS = """
internal import Mutants

@usableFromInline @inline(__always) func mutantPick<T>(_ number: Int32, _ original: T, _ change: T) -> T {
  mutant_is(number) ? change : original
}
@usableFromInline @inline(__always) func mutantLeast<T: Comparable>(_ number: Int32, _ a: T, _ b: T) -> T {
  mutant_is(number) ? max(a, b) : min(a, b)
}
@usableFromInline @inline(__always) func mutantGreatest<T: Comparable>(_ number: Int32, _ a: T, _ b: T) -> T {
  mutant_is(number) ? min(a, b) : max(a, b)
}
@usableFromInline @inline(__always) func mutantForced(_ number: Int32, _ condition: Bool, _ value: Bool) -> Bool {
  mutant_is(number) ? value : condition
}
@usableFromInline @inline(__always) func mutantLives(_ number: Int32) -> Bool { !mutant_is(number) }
"""


class Mutant:
    """One change of one point."""

    def __init__(self, number, point, change, names):
        self.number = number
        self.point = point
        self.change = change
        self.names = names
        self.key = names[0]


def woven(text, mutants):
    """The text of a file with its mutants; line numbers stay the same."""
    edits = []
    for mutant in mutants:
        point, number = mutant.point, mutant.number
        length = point.end - point.begin
        around = {
            "condition": ("mutantForced(%d, " % number, ", %s)" % mutant.change),
            "statement": ("if mutantLives(%d) { " % number, " }"),
        }.get(point.kind)
        if around:
            # Of several that begin at one place the longest opens first; of those that end there it closes last.
            edits.append((point.begin, 1, -length, point.begin, around[0]))
            edits.append((point.end, 0, length, point.end, around[1]))
            continue
        if point.kind == "constant":
            new = f"mutantPick({number}, {point.original}, {mutant.change})"
        elif point.kind == "extreme":
            new = f"mutant{'Least' if point.original.startswith('min') else 'Greatest'}({number}, "
        else:
            new = symbol(number)
        edits.append((point.begin, 2, 0, point.end, new))
    parts, position = [], 0
    for begin, _, _, end, new in sorted(edits):
        parts += [text[position:begin], new]
        position = end
    # Inlinable code may not use internal symbols, which mutants are. Nor may a section hold something that is not
    # constant.
    return re.sub(r"@(inlinable|usableFromInline|frozen|section\(.*?\))", "", "".join(parts) + text[position:])


def symbol(number):
    """An operator for this mutant only."""
    return "×" + "".join(DIGITS[(number >> shift) & 7] for shift in (12, 9, 6, 3, 0))


def declarations(mutants, imports):
    """The Swift file with the operators of a module's mutants."""
    lines = [f"public import {module}" for module in imports]
    lines += [HELPERS]
    for mutant in mutants:
        point = mutant.point
        if point.kind in ("operator", "nil"):
            group = next(name for name, texts in PRECEDENCES.items() if point.original in texts)
            lines += [f"infix operator {symbol(mutant.number)} : {group}Precedence"]
            lines += OPERATIONS[point.kind](mutant)
        elif point.kind == "assignment":
            lines += [f"infix operator {symbol(mutant.number)} : AssignmentPrecedence"]
            lines += assignments(mutant)
        elif point.kind == "prefix":
            lines += [f"prefix operator {symbol(mutant.number)}"]
            lines += prefixes(mutant)
    return "\n".join(lines) + "\n"


def function(mutant, generics, left, right, result, original, change):
    return (
        f"@usableFromInline @inline(__always) func {symbol(mutant.number)}{generics}(_ a: {left}, _ b: {right}) -> {result} "
        f"{{ mutant_is({mutant.number}) ? {change} : {original} }}"
    )


def binaries(mutant):
    text, change = mutant.point.original, mutant.change
    changed = {"first operand": "a", "..< one less": "a ..< max(a, b &- 1)"}.get(change, f"a {change} b")

    def same(constraint, result="T", before=f"a {text} b", after=changed):
        return function(mutant, f"<T: {constraint}>", "T", "T", result, before, after)

    if text in ("&&", "||"):
        closure = "@autoclosure () throws -> Bool"
        return [
            f"@usableFromInline @inline(__always) func {symbol(mutant.number)}(_ a: Bool, _ b: {closure}) rethrows -> Bool "
            f"{{ mutant_is({mutant.number}) ? try a {change} b() : try a {text} b() }}"
        ]
    if text in ("==", "!="):
        return [same("Equatable", "Bool")]
    if text in ("<", "<=", ">", ">="):
        return [same("Comparable", "Bool")]
    if text == "..<":
        return [same("FixedWidthInteger", "Range<T>")]
    if text in ("&<<", "&>>", "<<", ">>"):
        mixed = "<T: FixedWidthInteger, U: BinaryInteger>"
        return [same("FixedWidthInteger"), function(mutant, mixed, "T", "U", "T", f"a {text} b", changed)]
    if text in ("+", "-"):
        spans = ("Microseconds", "Microseconds", "Microseconds"), ("Instant", "Microseconds", "Instant")
        found = [same("FixedWidthInteger")]
        for left, right, result in (*spans, ("BinaryAngle", "BinaryAngle", "BinaryAngle")):
            found += [function(mutant, "", left, right, result, f"a {text} b", changed)]
        if text == "-":
            found += [function(mutant, "", "Instant", "Instant", "Microseconds", "a - b", "b - a")]
        return found
    if text == "*":
        span = function(mutant, "", "Microseconds", "Int64", "Microseconds", "a * b", "a")
        return [same("FixedWidthInteger"), span]
    if text in ("&", "|", "^") and change in ("&", "|", "^"):
        return [same("BinaryInteger")]
    return [same("FixedWidthInteger")]


def comparisons_with_nil(mutant):
    text = mutant.point.original
    if text == "==" or text == "!=":
        nothing = "_OptionalNilComparisonType"
        return [function(mutant, "<T>", "T?", nothing, "Bool", f"a {text} nil", f"a {mutant.change} nil")]
    return binaries(mutant)


OPERATIONS = {"operator": binaries, "nil": comparisons_with_nil}


def assignments(mutant):
    text, change, name = mutant.point.original, mutant.change, symbol(mutant.number)
    body = f"{{ if mutant_is({mutant.number}) {{ a {change} b }} else {{ a {text} b }} }}"
    return [f"@usableFromInline @inline(__always) func {name}<T: FixedWidthInteger>(_ a: inout T, _ b: T) {body}"]


def prefixes(mutant):
    name, number = symbol(mutant.number), mutant.number
    kinds = [("", "Bool")] if mutant.point.original == "!" else [("<T: SignedNumeric>", "T"), ("", "BinaryAngle")]
    return [
        f"@usableFromInline @inline(__always) prefix func {name}{generics}(_ a: {kind}) -> {kind} "
        f"{{ mutant_is({number}) ? a : {mutant.point.original}a }}"
        for generics, kind in kinds
    ]
