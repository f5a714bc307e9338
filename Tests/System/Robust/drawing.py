"""A call of plumb on a terminal, and what is wrong with the terminal afterwards."""

from harness import Scratch, plain_environment
from processes import PATIENCE
from terminal import Terminal

# Starts and ends drawing: the alternate screen, and showing the cursor again.
BEGIN, END = b"\x1b[?1049h", b"\x1b[?1049l"


class Drawing(Terminal):
    """A program on a terminal that it controls, in its own folder."""

    def __init__(self, words, folder, rows=24, columns=80, **variables):
        super().__init__(rows, columns)
        self.process = self.start(words, cwd=folder, env=plain_environment(**variables))

    def read(self, until=None, seconds=PATIENCE, is_over=None):
        return super().read(until, seconds, is_over or (lambda: until is not None and self.process.poll() is not None))

    def end(self):
        """Reads until the program ends. Returns its exit code, or None if it does not end; the rest is in `unread`."""
        super().read(is_over=lambda: self.process.poll() is not None)
        code = self.process.poll()
        self.kill()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.kill()
        super().close()

    def complaint(self, code, codes):
        """What is wrong with the exit code, or with the terminal after the program; None if nothing is."""
        if code not in codes:
            return f"it ended with {code}, not {codes}: {self.unread[-500:]!r}"
        return None if self.has_modes_back() else "the modes of the terminal are not what they were"


def watching(call, size=(24, 80), **variables):
    """A terminal on which drawing has begun."""
    scratch = Scratch()
    drawing = Drawing(scratch.words(call), scratch.folder, *size, **variables)
    return scratch, drawing, drawing.read(BEGIN)
