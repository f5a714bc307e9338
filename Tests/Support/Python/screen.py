"""What a terminal shows for the bytes that a program sends: characters, their style, and what was not understood."""

import codecs
import re
from dataclasses import dataclass, replace

CSI = re.compile(r"\x1b\[([?>]?)([0-9;]*)([@-~])")


@dataclass(frozen=True)
class Style:
    """How a character is drawn: a colour from 0 to 7, or None for the terminal's own."""

    colour: int | None = None
    bold: bool = False
    dim: bool = False
    inverse: bool = False


class Screen:
    """A grid of (character, style), a cursor, and the private modes that are set."""

    def __init__(self, columns, rows):
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.pending = ""
        self.unknown = []
        self.private = {"25": True, "7": True, "1049": False, "2026": False, "1000": False, "1006": False}
        self.style = Style()
        self.colours = 0
        self.updates = 0
        # Frames that began with an empty screen.
        self.redraws = 0
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells, self.main = self.empty(), self.empty()
        self.column = self.row = 0
        self.saved = (0, 0)

    def empty_row(self):
        return [(" ", Style())] * self.columns

    def empty(self):
        return [self.empty_row() for _ in range(self.rows)]

    def text(self):
        return "\n".join("".join(character for character, _ in row).rstrip() for row in self.cells)

    def modes(self):
        """The state that a program must restore: cursor shown, lines wrapped, main screen, no update held back, the
        mouse left to the terminal."""
        return {
            "cursor": self.private["25"],
            "wraps": self.private["7"],
            "other_screen": self.private["1049"],
            "held": self.private["2026"],
            "mouse": self.private["1000"] or self.private["1006"],
        }

    @property
    def is_whole(self):
        """Whether a frame was drawn and none is in progress."""
        return self.updates > 0 and not self.private["2026"]

    def feed(self, data):
        self.pending += self.decoder.decode(data)
        while self.pending:
            first = self.pending[0]
            if first == "\x1b":
                match = CSI.match(self.pending)
                if match:
                    self.control(*match.groups())
                    self.pending = self.pending[match.end() :]
                    continue
                if len(self.pending) > 20:
                    self.unknown.append(repr(self.pending[:8]))
                    self.pending = self.pending[1:]
                    continue
                # A cancel ends an unfinished code.
                if "\x18" not in self.pending:
                    return
                self.pending = self.pending[self.pending.index("\x18") :]
                continue
            self.pending = self.pending[1:]
            self.put(first)

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            if self.row >= self.rows:
                self.row = self.rows - 1
                self.cells = self.cells[1:] + [self.empty_row()]
        elif character >= " ":
            if self.column >= self.columns:
                if not self.private["7"]:
                    return
                self.put("\r")
                self.put("\n")
            # Output for a larger window is lost, as on any terminal.
            if self.row < self.rows:
                self.cells[self.row][self.column] = (character, self.style)
            self.column += 1
        elif character not in "\x18\x07\x00":
            self.unknown.append(repr(character))

    def control(self, kind, parameters, final):
        if kind == "?" and final in "hl" and parameters in self.private:
            if parameters == "1049" and self.private["1049"] != (final == "h"):
                if final == "h":
                    self.main, self.cells, self.saved = self.cells, self.empty(), (self.row, self.column)
                else:
                    self.cells, (self.row, self.column) = self.main, self.saved
            self.updates += parameters == "2026" and final == "h"
            self.private[parameters] = final == "h"
            return
        values = [int(value or 0) for value in parameters.split(";")]
        if not kind and final == "H":
            row, column = (max(1, value) for value in (*values, 1)[:2])
            self.row, self.column = min(row, self.rows) - 1, min(column, self.columns) - 1
        elif not kind and final == "J" and parameters == "2":
            self.redraws += self.private["2026"]
            self.cells = self.empty()
        elif not kind and final == "m":
            self.colours += any(30 <= value <= 49 for value in values)
            for value in values:
                self.dress(value)
        else:
            self.unknown.append(f"{kind}{parameters}{final}")

    def dress(self, value):
        if value == 0:
            self.style = Style()
        elif 30 <= value <= 37:
            self.style = replace(self.style, colour=value - 30)
        elif value in (1, 2, 7):
            self.style = replace(self.style, **{{1: "bold", 2: "dim", 7: "inverse"}[value]: True})
