"""Finds what can be changed in a Swift file: operators, constants, conditions, statements.

It reads tokens, not a syntax tree, and relies on the formatter's style: an operator between two operands has a space
on both sides, except `..<`. False points do not compile, and are dropped and counted.
"""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ ]*\#(?:if|elseif|else|endif)\b[^\n]*)
  | (?P<string>\"\"\".*?\"\"\"|"(?:\\.|[^"\\\n])*")
  | (?P<newline>\n)
  | (?P<space>[ \t]+)
  | (?P<number>0[xb][0-9A-Fa-f_]+|[0-9][0-9_]*(?:\.[0-9]+)?)
  | (?P<word>[@$\#]?[A-Za-z_`][A-Za-z_0-9`]*|\$[0-9]+)
  | (?P<operator>[-+*/%<>=!&|^~?.]+)
  | (?P<mark>.)
    """,
    re.X | re.S | re.M,
)

# The replacements of each operator; the first letter of `kind` in `weave.py` selects how.
OPERATORS = {
    "&+": ["&-"], "&-": ["&+"], "&*": ["&+"], "+": ["-"], "-": ["+"], "*": ["first operand"], "/": ["first operand"],
    "%": ["/"], "&<<": ["&>>"], "&>>": ["&<<"], "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "..<": ["..< one less"],
}  # fmt: skip
ASSIGNMENTS = {
    "&+=": ["&-="], "&-=": ["&+="], "&*=": ["&+="], "+=": ["-="], "-=": ["+="], "&<<=": ["&>>="], "&>>=": ["&<<="],
    "&=": ["|="], "|=": ["&="], "^=": ["|="],
}  # fmt: skip
PREFIXES = {"!": ["nothing"], "-": ["nothing"]}

# Conditions of `#if` as they are on the host that runs the tests; for others both branches are left alone.
HOST = {
    "_pointerBitWidth(_64)": True,
    "_pointerBitWidth(_32)": False,
    "_pointerBitWidth(_32) && _endian(little)": False,
    "SCARCE_FLASH": False,
    "!SCARCE_FLASH": True,
    "compiler(>=6.3)": True,
}

KEYWORDS = set(
    """case default let var func init return guard if else for while repeat switch do catch throw break continue import
    extension struct enum protocol class typealias public package internal private fileprivate static mutating subscript
    deinit defer where in discard""".split()
)
# Between these words and `{` or the end of the line there are names and types, and nothing computed.
DECLARATIONS = {"extension", "struct", "enum", "protocol", "class", "typealias", "import", "where", "associatedtype"}


@dataclass(frozen=True)
class Point:
    """A place that can be changed. `begin` and `end` are offsets in the text of the file."""

    file: str
    line: int
    begin: int
    end: int
    kind: str
    original: str
    changes: tuple
    code: str

    @property
    def module(self):
        """The module of a file Sources/LAYER/MODULE/…."""
        return self.file.split("/")[2]

    @property
    def name(self):
        """The file without its layer: the random draw uses it, so that it stays the same if a module changes its
        layer."""
        return "/".join(part for place, part in enumerate(self.file.split("/")) if place != 1)


class Token:
    def __init__(self, match):
        self.kind = match.lastgroup
        self.text = match.group()
        self.begin = match.start()
        self.end = match.end()
        self.depth = 0
        self.is_skipped = False
        self.before = self.after = None


def tokens_of(text):
    """All tokens except spaces and comments, each with its bracket depth and its neighbours."""
    tokens, depth, states = [], 0, []
    for match in TOKEN.finditer(text):
        token = Token(match)
        if token.kind in ("space", "comment"):
            continue
        if token.kind == "directive":
            follow(token.text.strip(), states)
            continue
        if token.text in (")", "]", "}"):
            depth -= 1
        token.depth = depth
        if token.text in ("(", "[", "{"):
            depth += 1
        token.is_skipped = not all(states)
        tokens.append(token)
    return tokens


def follow(directive, states):
    """Takes a directive: `states` has for each open `#if` whether its present branch is compiled."""
    word, _, condition = directive.partition(" ")
    if word == "#if":
        states.append(HOST.get(condition))
    elif word == "#endif":
        states.pop()
    else:
        states[-1] = not states[-1] if word == "#else" and states[-1] is not None else None


def points_of(file, text):
    """The points of a file, in order."""
    scan = Scan(file, text)
    return sorted(scan.points(), key=lambda point: (point.begin, -point.end))


class Scan:
    def __init__(self, file, text):
        self.file = file
        self.text = text
        self.all = tokens_of(text)
        self.skip_types()
        self.tokens = [token for token in self.all if token.kind != "newline"]
        self.starts = [0] + [match.end() for match in re.finditer("\n", text)]

    def skip_types(self):
        """Marks patterns, types and tables of constants, which are not computed."""
        tokens = self.all
        for index, token in enumerate(tokens):
            if token.text == "case":
                self.skip(index, self.end_of_case(index))
            elif token.text in DECLARATIONS and tokens[index - 1].text != ".":
                self.skip(index, self.find(index, lambda other: other.text == "{" or other.kind == "newline"))
            elif token.text == "@section":
                begin = self.find(index, lambda other: other.text == "=")
                depth = tokens[begin].depth
                self.skip(index, self.find(begin + 1, lambda other: other.text == "]" and other.depth == depth))

    def find(self, index, is_end):
        while index < len(self.all) and not is_end(self.all[index]):
            index += 1
        return index

    def skip(self, begin, end):
        for token in self.all[begin:end]:
            token.is_skipped = True

    def end_of_case(self, index):
        """The end of the pattern or the declaration that begins with `case`."""
        tokens, depth = self.all, self.all[index].depth
        inline = index > 0 and tokens[index - 1].text in ("if", "guard", "while", "for", ",")
        for position in range(index + 1, len(tokens)):
            token = tokens[position]
            if token.depth > depth:
                continue
            if inline and token.text in ("=", "in"):
                return position
            if not inline and token.text == ":":
                return position
            if not inline and token.kind == "newline" and tokens[position - 1].text != ",":
                return position
        return len(tokens)

    def points(self):
        tokens = self.tokens
        for index, token in enumerate(tokens):
            if token.is_skipped:
                continue
            before = tokens[index - 1] if index > 0 else None
            after = tokens[index + 1] if index + 1 < len(tokens) else None
            if token.kind == "operator":
                yield from self.operator(token, before, after)
                if token.text == "?" and self.is_spaced(token):
                    yield from self.ternary(index)
            elif token.kind == "number":
                yield from self.constant(token, before, after)
            elif token.text in ("true", "false"):
                yield self.point(token.begin, token.end, "constant", ["false" if token.text == "true" else "true"])
            elif token.text in ("min", "max") and after.text == "(" and before.text not in (".", "func"):
                yield self.point(token.begin, after.end, "extreme", ["max" if token.text == "min" else "min"])
            if token.text in ("if", "guard", "while") and before.text != "#":
                yield from self.conditions(index)
        yield from self.statements()

    def point(self, begin, end, kind, changes):
        line = next(i for i in range(len(self.starts), 0, -1) if self.starts[i - 1] <= begin)
        stop = self.starts[line] - 1 if line < len(self.starts) else len(self.text)
        code = " ".join(self.text[self.starts[line - 1] : stop].split())
        return Point(self.file, line, begin, end, kind, self.text[begin:end], tuple(changes), code)

    def is_spaced(self, token):
        around = self.text[token.begin - 1 : token.begin] + self.text[token.end : token.end + 1]
        return all(character in " \n" for character in around)

    def operator(self, token, before, after):
        text = token.text
        if before is None or before.text == "func":
            return
        if text in OPERATORS and (self.is_spaced(token) or text == "..<"):
            kind = "nil" if after.text == "nil" else "operator"
            yield self.point(token.begin, token.end, kind, OPERATORS[text])
        elif text in ASSIGNMENTS and self.is_spaced(token):
            yield self.point(token.begin, token.end, "assignment", ASSIGNMENTS[text])
        elif text in PREFIXES and self.text[token.begin - 1] in " ([\n" and self.text[token.end] not in " \n":
            yield self.point(token.begin, token.end, "prefix", PREFIXES[text])

    def constant(self, token, before, after):
        # After `<` without a space it is a type argument; after `repeating:` an initial value of an array.
        if before.text.endswith(".") or (before.text == "<" and before.end == token.begin):
            return
        if before.text == "," and after.text == "," and before.depth == token.depth and self.is_table(token):
            return
        if after.text == "of" or (before.text == ":" and self.text[: before.begin].endswith("repeating")):
            return
        yield self.point(token.begin, token.end, "constant", changed_constants(token.text))

    def is_table(self, token):
        """Whether the line of a constant has only constants."""
        line = self.text.rfind("\n", 0, token.begin) + 1
        return re.fullmatch(r"[-0-9A-Fa-fxb_, ]{40,}", self.text[line : self.text.index("\n", line)]) is not None

    def conditions(self, index):
        """The conditions of `if`, `guard` and `while`, each separately, without patterns and bindings."""
        tokens, depth = self.tokens, self.tokens[index].depth
        first = index + 1
        for position in range(index + 1, len(tokens)):
            token = tokens[position]
            if token.depth != depth:
                continue
            is_last = token.text in ("{", "else")
            if is_last or token.text == ",":
                if tokens[first].text not in ("let", "var", "case", "#available") and position > first:
                    yield self.point(tokens[first].begin, tokens[position - 1].end, "condition", ["true", "false"])
                first = position + 1
            if is_last:
                return

    def ternary(self, index):
        """The expression before the `?` at `index`."""
        tokens, depth = self.tokens, self.tokens[index].depth
        first = index
        while first > 0:
            token = tokens[first - 1]
            if token.depth < depth or (token.depth == depth and self.ends_backwards(token)):
                break
            first -= 1
        if first < index and not tokens[first].is_skipped:
            yield self.point(tokens[first].begin, tokens[index - 1].end, "condition", ["true", "false"])

    def ends_backwards(self, token):
        if token.text in ("(", "[", "{", ",", "return", "=", ":", "?", "in", "->", ";") or token.text in ASSIGNMENTS:
            return True
        return token.text == "}"

    def statements(self):
        """Assignments and calls on one line, or alone between braces on one line."""
        for begin, end in self.lines():
            words = self.tokens[begin:end]
            # `if … { statement }`: the statement in the braces.
            if words[-1].text == "}" and words[0].text in ("if", "else", "defer", "}"):
                opened = max((i for i in range(len(words) - 1) if words[i].text == "{"), default=None)
                if opened is None or opened + 1 >= len(words) - 1:
                    continue
                words = words[opened + 1 : -1]
            if self.is_statement(words):
                yield self.point(words[0].begin, words[-1].end, "statement", ["nothing"])

    def lines(self):
        """The lines that are one statement, as ranges of `tokens`."""
        index, begin = 0, 0
        for token in self.all:
            if token.kind != "newline":
                index += 1
                continue
            if begin < index:
                yield begin, index
            begin = index

    def is_statement(self, words):
        first, last = words[0], words[-1]
        if first.is_skipped or first.kind not in ("word", "mark") or first.text in KEYWORDS or first.text[0] in "@#.}{":
            return False
        if first.kind == "mark" and first.text != "(":
            return False
        # An initialiser must set each property, so these cannot be left out.
        if first.text == "self" and words[1].text == ".":
            return False
        if any(word.text in ("{", "}", ":") and word.depth == first.depth for word in words):
            return False
        if first.depth != last.depth or self.parenthesis_around(first):
            return False
        position = self.tokens.index(last)
        following = self.tokens[position + 1]
        if following.kind == "operator" and following.text not in ("-", "!", "&"):
            return False
        if last.kind == "operator" or last.text in (",", "(", "["):
            return False
        assigns = any(word.text == "=" or word.text in ASSIGNMENTS for word in words if word.depth == first.depth)
        preceding = self.tokens[self.tokens.index(first) - 1]
        if preceding.kind == "operator" or preceding.text in (",", "(", "[", "return", "in"):
            return False
        is_only = preceding.text == "{" and following.text == "}"
        is_call = last.text == ")" and (not is_only or first.text == "try")
        return (assigns and words[0].text != "_") or is_call

    def parenthesis_around(self, token):
        """Whether the innermost open bracket at `token` is not a brace."""
        for other in reversed(self.tokens[: self.tokens.index(token)]):
            if other.depth == token.depth - 1 and other.text in ("(", "[", "{"):
                return other.text != "{"
        return True


def changed_constants(text):
    """The replacements of a constant: up to 255 one more or less, above that an eighth more or less; for a mask, with
    one other bit."""
    if "." in text:
        return []
    digits = text.replace("_", "")
    value = int(digits, 0)
    if digits[:2] in ("0x", "0b"):
        width = (len(digits) - 2) * (4 if digits[1] == "x" else 1)
        return [f"0x{value ^ (1 << bit):X}" for bit in range(width)]
    step = 1 if value < 256 else value // 8
    return [str(value + step)] + ([str(value - step)] if value > 0 else [])
