"""What a terminal shows after a program has sent it the codes of Sources/PlumbTool/Views/Terminal."""

import codecs
import re
from dataclasses import dataclass

# A control sequence, or one character; at the end of what has come, perhaps the beginning of a sequence.
TOKEN = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|(\x1b\[?[?0-9;]*)\Z|(.)", re.DOTALL)


@dataclass(frozen=True)
class Style:
    """How a character is drawn: a colour from 0 to 7, or None for the terminal's own."""

    colour: int | None = None
    bold: bool = False
    dim: bool = False
    inverse: bool = False


class Screen:
    """A grid of (character, style), and a cursor."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [[(" ", Style())] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.style = Style()
        self.is_whole = False
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._rest = ""

    def feed(self, data):
        """Takes what a program sent; is_whole tells afterwards whether it ended with a whole frame."""
        text, self._rest = self._rest + self._decode(data), ""
        for token in TOKEN.finditer(text):
            numbers, final, cut, character = token.groups()
            if cut is not None:
                self._rest = cut
            elif final:
                self._control(numbers, final)
            else:
                self._put(character)

    def _control(self, numbers, final):
        values = [int(number) for number in numbers.strip("?").split(";") if number]
        if final == "H":
            self.row, self.column = (values[0] - 1, values[1] - 1) if values else (0, 0)
        elif final == "J":
            self.cells = [[(" ", Style())] * self.columns for _ in range(self.rows)]
        elif final == "m":
            self._dress(values or [0])
        elif numbers == "?2026":
            self.is_whole = final == "l"

    def _dress(self, values):
        for value in values:
            old = self.style
            if value == 0:
                self.style = Style()
            elif 30 <= value <= 37:
                self.style = Style(value - 30, old.bold, old.dim, old.inverse)
            else:
                self.style = Style(old.colour, old.bold or value == 1, old.dim or value == 2, old.inverse or value == 7)

    def _put(self, character):
        if character >= " " and self.row < self.rows and self.column < self.columns:
            self.cells[self.row][self.column] = (character, self.style)
            self.column += 1
