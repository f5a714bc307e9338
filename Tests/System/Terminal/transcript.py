"""Prints everything that a program writes on its own terminal, and exits with its exit code.

    transcript.py COLUMNS WORDS PROGRAM ARGUMENT...

Types Ctrl-C once the program has written WORDS, unless these are empty.
"""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support" / "Python"))
from processes import PATIENCE
from terminal import Terminal

columns, words = int(sys.argv[1]), sys.argv[2].encode()
terminal = Terminal(24, columns)
job = terminal.start(sys.argv[3:])

written, is_typed = b"", not words
end = time.monotonic() + PATIENCE
while not (is_over := job.poll() is not None) and time.monotonic() < end:
    written += terminal.take(0.05)
    if not is_typed and words in written:
        is_typed = True
        terminal.type(b"\x03")
sys.stdout.buffer.write(written + terminal.drain())
sys.stdout.flush()
job.kill()
terminal.close()
sys.exit(job.returncode if is_over else f"it does not end: {sys.argv[3:]}")
