"""A small terminal: takes the bytes of a program in and knows what would be seen. What it does not know it tells."""

import codecs
import re

CSI = re.compile(r"\x1b\[([?>]?)([0-9;]*)([@-~])")


class Screen:
    def __init__(self, columns: int, rows: int):
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.pending = ""
        self.unknown: list[str] = []
        self.private = {"25": True, "7": True, "1049": False, "2026": False}
        self.colours = 0
        self.updates = 0
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cells, self.main = self.empty(), self.empty()
        self.column = self.row = 0
        self.saved = (0, 0)

    def empty(self) -> list[list[str]]:
        return [[" "] * self.columns for _ in range(self.rows)]

    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def modes(self) -> dict[str, bool]:
        """What a program must leave as it was: cursor shown, lines wrapped, the main screen, no update held back."""
        return {
            "cursor": self.private["25"],
            "wraps": self.private["7"],
            "other_screen": self.private["1049"],
            "held": self.private["2026"],
        }

    def feed(self, data: bytes) -> None:
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
                # A cancel ends a code that was begun.
                if "\x18" not in self.pending:
                    return
                self.pending = self.pending[self.pending.index("\x18") :]
                continue
            self.pending = self.pending[1:]
            self.put(first)

    def put(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            if self.row >= self.rows:
                self.row = self.rows - 1
                self.cells = self.cells[1:] + [[" "] * self.columns]
        elif character >= " ":
            if self.column >= self.columns:
                if not self.private["7"]:
                    return
                self.put("\r")
                self.put("\n")
            # What was meant for a larger window is lost, as on any terminal.
            if self.row < self.rows:
                self.cells[self.row][self.column] = character
            self.column += 1
        elif character not in "\x18\x07\x00":
            self.unknown.append(repr(character))

    def control(self, kind: str, parameters: str, final: str) -> None:
        values = parameters.split(";")
        if kind == "?" and final in "hl" and parameters in self.private:
            if parameters == "1049" and self.private["1049"] != (final == "h"):
                if final == "h":
                    self.main, self.cells, self.saved = self.cells, self.empty(), (self.row, self.column)
                else:
                    self.cells, (self.row, self.column) = self.main, self.saved
            self.updates += parameters == "2026" and final == "h"
            self.private[parameters] = final == "h"
        elif not kind and final == "H":
            numbers = [int(value or 1) for value in values] + [1]
            self.row, self.column = numbers[0] - 1, numbers[1] - 1
            self.row, self.column = min(self.row, self.rows - 1), min(self.column, self.columns - 1)
        elif not kind and final == "J" and parameters == "2":
            self.cells = self.empty()
        elif not kind and final == "m":
            self.colours += any(30 <= int(value or 0) <= 49 for value in values)
        else:
            self.unknown.append(f"{kind}{parameters}{final}")
