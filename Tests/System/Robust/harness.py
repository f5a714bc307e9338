"""Calls plumb in its own folder and judges the result."""

import concurrent.futures
import dataclasses
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from cases import BOARD, COMMANDS, OUTPUT, RECORDING, TOKEN

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support" / "Python"))
from processes import PATIENCE, PLUMB, ROOT, plain_environment, take_signals_back

CRASHES = {-s for s in (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGTRAP)}
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
NEW = "new.svg"

take_signals_back()


@dataclasses.dataclass
class Outcome:
    """The result of one call."""

    call: str
    code: int
    out: bytes
    err: bytes
    # What is new or changed in the folder: names and contents.
    left: dict

    def __str__(self):
        return f"{self.call}: code {self.code}, left {sorted(self.left)}\n{self.out[-300:]!r}\n{self.err[-1000:]!r}"


class Scratch:
    """A folder with valid files for one call."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plumb-robust-"))
        # Accessible to other users, too.
        self.folder.chmod(0o777)
        self.files = {OUTPUT: NEW, BOARD: "good.ini", RECORDING: "good.csv", TOKEN: "token"}
        shutil.copy(ROOT / "boards" / "emulated.ini", self.folder / "good.ini")
        (self.folder / "token").write_text("0123456789abcdefgh\n")
        lines = [f"{i / 100:.2f},{i % 7 / 1000},{1 - i % 5 / 1000},0.01\n" for i in range(3000)]
        (self.folder / "good.csv").write_text("time_s,x_g,y_g,z_g\n" + "".join(lines))
        self.before = self.contents()

    def words(self, call):
        """The words of a call, with files substituted."""
        return [str(PLUMB), *(str(self.files.get(word, word)) for word in call.split())]

    def contents(self):
        """The contents of the folder; only the name for anything that is not a readable file."""
        found = {}
        for path in self.folder.rglob("*"):
            readable = path.is_file() and not path.is_symlink() and os.access(path, os.R_OK)
            found[path.name] = path.read_bytes() if readable else None
        return found

    def changed(self):
        return {name: text for name, text in self.contents().items()
                if name not in self.before or self.before[name] != text}

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def spoil(self, word, kind):
        """Puts a bad file of that kind in place of a word."""
        path = self.folder / f"bad-{kind}"
        if kind == "directory":
            path.mkdir()
        elif kind == "garbage":
            path.write_bytes(random.Random(7).randbytes(50_000))
        elif kind == "huge line":
            path.write_bytes(b"x" * 3_000_000)
        elif kind == "no line feed":
            path.write_bytes(b"time_s,x_g,y_g,z_g")
        elif kind == "garbage after the beginning":
            path.write_bytes(b"time_s,x_g,y_g,z_g\n0,0,1,0\n[i2c]\nbus = \xff\xfe\n" + bytes(range(256)) * 4)
        elif kind == "below a file":
            path = self.folder / "good.csv" / "below"
        elif kind == "loop":
            path.symlink_to(path)
        elif kind == "endless":
            path = pathlib.Path("/dev/zero")
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind in ("empty", "forbidden"):
            path.touch(0o000 if kind == "forbidden" else 0o644)
        self.files[word] = path
        self.before = self.contents()


def run(call, scratch=None, within=None, before=(), **options):
    """Runs a call to its end. `within` is called with the process while it runs; `before` are words to put before the
    call."""
    scratch = scratch or Scratch()
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    options.setdefault("env", plain_environment())
    process = subprocess.Popen([*before, *scratch.words(call)], cwd=scratch.folder, **options)
    try:
        if within:
            within(process)
        # Reads the rest of the pipes; closes a standard input that was kept open.
        out, err = process.communicate(timeout=PATIENCE)
        code = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        code, err = None, (err or b"") + b" (it hung)"
    outcome = Outcome(call, code, out or b"", err or b"", scratch.changed())
    scratch.remove()
    return outcome


def verdict(name, outcome, codes, left=(), says=True):
    """What is wrong with an outcome, or None. `left` is what it may leave behind; `says`, whether it must give a
    reason."""
    problem = None
    if outcome.code in CRASHES or b"Fatal error" in outcome.err or b"Crash" in outcome.err:
        problem = "it crashed"
    elif outcome.code is None:
        problem = "it hung"
    elif outcome.code not in codes:
        problem = f"it did not end with {' or '.join(map(str, codes))}"
    elif not set(outcome.left) <= set(left):
        problem = "it left a file, or changed one"
    elif says and outcome.code > 0 and not outcome.err.startswith((b"plumb: ", b"Error: ")):
        problem = "it does not say why"
    return problem and f"{name}: {problem}: {outcome}"


def written(row):
    """The files that the short call of a row writes when it succeeds."""
    changes_board = row.short.startswith(("calibrate ", "mount ", "tare "))
    return [NEW] if OUTPUT in row.short.split() else ["good.ini"] if changes_board else []


def rows(wanted):
    """The names and matching rows of the table; never empty."""
    found = [(name, row) for name, row in COMMANDS.items() if wanted(row)]
    assert found, "no command in the table is of that kind"
    return found


class Judging(unittest.TestCase):
    """A test whose cases run four at a time."""

    maxDiff = None

    def judge(self, function, cases):
        """Calls `function` with each case; it returns what is wrong, or None."""
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            problems = [problem for problem in pool.map(lambda case: function(*case), cases) if problem]
        if problems:
            self.fail(f"{len(problems)} of {len(cases)}\n\n" + "\n\n".join(problems))
