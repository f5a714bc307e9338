"""Markdown pages as a test sees them: code blocks with their markers, headings, links, and words set as code."""

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*([\w+-]*)\s*$")
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)\S")
MARKER = re.compile(r"<!--\s*(examples?):\s*(.*?)\s*-->", re.DOTALL)
KNOWN = (
    "continues", "given", "output", "numbers differ", "exits", "in", "compiled only", "drawing", "as", "not run",
    "inside a function", "elsewhere")


@dataclass
class Marker:
    """A comment `<!-- example: WORD REST -->` at a line of a page."""

    word: str
    rest: str
    line: int


@dataclass
class Block:
    """A code block; `line` is the number of its first line of text, counted from 1."""

    page: str
    line: int
    language: str
    text: str
    markers: list = field(default_factory=list)
    is_fenced: bool = True

    def marker(self, word):
        """The marker with this word, or None."""
        return next((marker for marker in self.markers if marker.word == word), None)

    @property
    def place(self):
        return f"{self.page}:{self.line}"

    @property
    def lines(self):
        return self.text.split("\n")


@dataclass
class Page:
    """A page: its blocks in order, and `prose`, its text line by line with every block blanked out."""

    path: str
    blocks: list = field(default_factory=list)
    prose: list = field(default_factory=list)
    complaints: list = field(default_factory=list)
    elsewhere: list = field(default_factory=list)


def parse_marker(text, line):
    """The marker in a comment's text, or None if it is unknown."""
    for word in KNOWN:
        match = re.match(re.escape(word) + r"(?![\w-])[:,]?[ \t]*(.*)", text, re.DOTALL)
        if match:
            rest = match[1]
            return Marker(word, rest.lstrip("\n") if word == "given" else rest.strip(), line)
    return None


def indent(line):
    return len(line) - len(line.lstrip(" "))


class Reader:
    """Reads one page. Knows enough of CommonMark to distinguish code from text: fences, indented blocks, list items."""

    def __init__(self, path, text):
        self.page = Page(path)
        self.lines = text.split("\n")
        self.at = 0
        self.pending = []  # markers since the last paragraph
        self.everywhere = None  # the marker `examples: in`
        self.offsets = []  # where the text of each enclosing list item begins
        self.is_after_gap = True  # an indented block can begin only after a gap

    def read(self):
        while self.at < len(self.lines):
            line = self.lines[self.at]
            fence = FENCE.match(line)
            if fence:
                self.fenced(fence)
            elif line.lstrip().startswith("<!--"):
                self.comment()
            elif not line.strip():
                self.take_prose(line)
                self.is_after_gap = True
            elif self.is_after_gap and self.is_indented_code(line):
                self.indented()
            else:
                self.paragraph(line)
        for marker in self.pending:
            self.complain(marker.line, "no code block follows this marker")
        return self.page

    def complain(self, line, words):
        self.page.complaints.append((f"{self.page.path}:{line}", words))

    def take_prose(self, line):
        self.page.prose.append(line)
        self.at += 1

    def paragraph(self, line):
        for marker in self.pending:
            self.complain(marker.line, "text stands between this marker and its code block")
        self.pending = []
        if line.lstrip().startswith(("```", "~~~")):
            self.complain(self.at + 1, "a fence has a language and nothing else behind it")
        item = ITEM.match(line)
        if item:
            while self.offsets and len(item[1]) < self.offsets[-1]:
                self.offsets.pop()
            self.offsets.append(item.end() - 1)
        self.is_after_gap = line.startswith("#")
        self.take_prose(line)

    def is_indented_code(self, line):
        if ITEM.match(line) and self.offsets and indent(line) < self.offsets[-1] + 4:
            return False
        while self.offsets and indent(line) < self.offsets[-1]:
            self.offsets.pop()
        return indent(line) >= (self.offsets[-1] if self.offsets else 0) + 4

    def comment(self):
        first = self.at
        text = self.lines[self.at]
        while "-->" not in text and self.at + 1 < len(self.lines):
            self.at += 1
            text += "\n" + self.lines[self.at]
        for _ in range(first, self.at + 1):
            self.page.prose.append("")
        self.at += 1
        self.is_after_gap = True
        match = MARKER.search(text)
        if not match:
            return
        marker = parse_marker(match[2], first + 1)
        if marker is None:
            self.complain(first + 1, f'nobody knows the marker "{match[2].splitlines()[0]}"')
        elif match[1] == "examples":
            if marker.word == "in":
                self.everywhere = marker
            elif marker.word == "elsewhere":
                self.page.elsewhere.append(marker.rest)
            else:
                self.complain(first + 1, "of a whole page only `examples: in` and `examples: elsewhere` can be said")
        else:
            self.pending.append(marker)

    def fenced(self, fence):
        margin, tick, language = len(fence[1]), fence[2], fence[3].lower()
        start = self.at
        self.page.prose.append("")
        self.at += 1
        text = []
        while self.at < len(self.lines) and self.lines[self.at].strip() != tick:
            line = self.lines[self.at]
            text.append(line[margin:] if not line[:margin].strip() else line)
            self.page.prose.append("")
            self.at += 1
        if self.at == len(self.lines):
            self.complain(start + 1, "a block has no end")
        else:
            self.page.prose.append("")
            self.at += 1
        self.keep(start + 2, language, text, True)

    def indented(self):
        start = self.at
        margin = (self.offsets[-1] if self.offsets else 0) + 4
        text = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and indent(line) < margin:
                break
            text.append(line[margin:])
            self.page.prose.append("")
            self.at += 1
        while text and not text[-1].strip():
            text.pop()
        language = "console" if any(line.startswith("$ ") for line in text) else "sh"
        self.keep(start + 1, language, text, False)

    def keep(self, line, language, text, is_fenced):
        block = Block(self.page.path, line, language, "\n".join(text), self.pending, is_fenced)
        told = block.marker("as")
        if told:
            block.language = told.rest
        if self.everywhere and not block.markers and block.language in ("swift", "c", "text"):
            block.markers = [self.everywhere]
        self.page.blocks.append(block)
        self.pending = []
        self.is_after_gap = True


def read(path, text):
    """The page with this text."""
    return Reader(path, text).read()


def anchors(page):
    """The anchors of a page's headings, as GitHub generates them."""
    found = set()
    for line in page.prose:
        match = re.match(r"#{1,6}\s+(.*?)\s*#*\s*$", line)
        if not match:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1]).lower()
        anchor = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        number, name = 0, anchor
        while name in found:
            number += 1
            name = f"{anchor}-{number}"
        found.add(name)
    return found
