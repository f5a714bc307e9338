"""One step after another on one emulated board: what is done, what the pins show, and when."""

from __future__ import annotations

import math
import textwrap
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from emulator import Emulator, Pins

# The acceptance of issue 6, in seconds of the emulated chip's own timer.
LINE_LIMIT = 0.5
TROUBLE_LIMIT = 1.0
RECOVERY_LIMIT = 1.0
# Our own: from the start of the program to the right line, the part's reset and settling included.
START_LIMIT = 1.5

POSES = {
    "portrait": (0, 1000, 0),
    "portraitUpsideDown": (0, -1000, 0),
    "landscapeLeft": (1000, 0, 0),
    "landscapeRight": (-1000, 0, 0),
    "faceUp": (0, 0, 1000),
    "faceDown": (0, 0, -1000),
}
LINES = dict(zip(POSES, (17, 27, 22, 23, 24, 25)))
ALL: Pins = frozenset(LINES.values())
DARK: Pins = frozenset()

LOG = "/tmp/plumbd.log"
# Between two looks at the pins, in seconds of the host: each look holds the guest up.
PAUSE = 0.002


class Trial:
    """What is found on one board with one sensor."""

    def __init__(self, emulator: Emulator, program: str, label: str) -> None:
        self.emulator = emulator
        self.program = program
        self.shell = emulator.shell
        self.label = f"{emulator.machine.name}, {label}"
        self.failures: list[str] = []
        self.count = 0
        self._section = ""
        self._apart = -math.inf

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """What belongs together; where something in it fails, what the program said last is told."""
        self._section = name
        before = len(self.failures)
        yield
        if len(self.failures) > before:
            print(f"      the program said last:\n{textwrap.indent(self.log(), ' ' * 8)}", flush=True)

    def report(self, what: str, passed: bool, detail: str = "") -> None:
        """One line a step; a step that failed is told again at the end."""
        self.count += 1
        line = f"{self.label}  {self._section}: {what}{': ' if detail else ''}{detail}"
        print(f"{'ok  ' if passed else 'FAIL'}  {line}", flush=True)
        if not passed:
            self.failures.append(line)

    def equal(self, what: str, expected: object, found: object) -> None:
        self.report(what, expected == found, f"{found}" if expected == found else f"{found}, not {expected}")

    def says(self, what: str, text: str, words: Iterable[str]) -> None:
        """Whether a text has all these words in it, in whatever case."""
        lacking = [word for word in words if word.lower() not in text.lower()]
        last = text.strip().splitlines()[-1] if text.strip() else "nothing"
        self.report(what, not lacking, f'says "{last}"' + (f", without {lacking}" if lacking else ""))

    # What is done

    def tell(self, *words: object) -> float:
        """Tells the part something; returns when its registers changed.

        The guest tells that by its own clock, which runs as the chip's timer does, some time apart. How far apart is
        known from below only, by each telling better: what has been measured is never shorter than it was.
        """
        before = self.emulator.now()
        changed = int(self.shell.must("bench tell " + " ".join(map(str, words)))) / 1e6
        self._apart = max(self._apart, before - changed)
        return changed + self._apart

    def hold(self, pose: str) -> float:
        return self.tell("force", *POSES[pose])

    def start(self, options: str = "", environment: str = "") -> float:
        """Starts the program; the shell keeps its process id in $plumbd."""
        self.shell.must(f"{environment} {self.program} {options} >{LOG} 2>&1 & plumbd=$!")
        # The time after it: a process takes a while to begin under emulation, and that is no merit or fault of ours.
        return self.emulator.now()

    def signal(self, name: str) -> float:
        since = self.emulator.now()
        self.shell.must(f"kill -{name} $plumbd")
        return since

    def ended(self) -> int:
        """The exit code of the program, once it has ended."""
        return self.shell.run("wait $plumbd").code

    def stop(self) -> None:
        self.signal("TERM")
        self.ended()

    def log(self) -> str:
        return self.shell.must(f"cat {LOG}")

    def said(self, word: str, patience: float = 15.0) -> str:
        """What the program has said, once the word is in it, or after a while: a sixth line of a kind waits ten seconds."""
        deadline = time.monotonic() + patience
        while True:
            text = self.log()
            if word.lower() in text.lower() or time.monotonic() > deadline:
                return text

    # What the pins show

    def look(self, since: float = 0.0) -> tuple[Pins, float]:
        """Which of the board's lines are driven high, and the seconds from `since` to then."""
        pins, now = self.emulator.look()
        return pins & ALL, now - since

    def becomes(
        self, what: str, wanted: Pins, within: float, since: float, meanwhile: Sequence[Pins] | None = None
    ) -> None:
        """The lines become `wanted` within so many seconds, and are one of `meanwhile` until then."""
        watch = Watch(meanwhile)
        while True:
            pins, now = self.look(since)
            if pins == wanted or now > within + 1.0:
                break
            watch.see(pins, now)
            time.sleep(PAUSE)
        detail = f"{now:.3f} s, at most {within} s" if pins == wanted else f"{shown(pins)} after {now:.3f} s"
        passed = pins == wanted and now <= within and watch.stray is None
        self.report(f"{what} {shown(wanted)}", passed, detail + watch.remark)

    def lit(self, pose: str, since: float, within: float = LINE_LIMIT, meanwhile: Sequence[Pins] | None = None) -> None:
        self.becomes(pose, line(pose), within, since, meanwhile)

    def stays(self, what: str, wanted: Pins, seconds: float) -> None:
        """The lines are `wanted`, and stay so."""
        since = self.emulator.now()
        watch = Watch((wanted,))
        now = 0.0
        while now < seconds:
            pins, now = self.look(since)
            watch.see(pins, now)
            time.sleep(PAUSE)
        self.report(f"{what} {shown(wanted)}", watch.stray is None, f"{seconds} s{watch.remark}")

    def blinks(self, what: str, since: float, within: float = TROUBLE_LIMIT) -> None:
        """All lines are lit together within so many seconds, then blink four times a second, and no line is alone."""
        self.becomes(what, ALL, within, since)
        since = self.emulator.now()
        watch = Watch((ALL, DARK))
        changes, last, now = 0, ALL, 0.0
        while now < 1.5:
            pins, now = self.look(since)
            watch.see(pins, now)
            if pins in (ALL, DARK) and pins != last:
                changes, last = changes + 1, pins
            time.sleep(PAUSE)
        # 12 at 4 Hz; one more or less for where it begins, and a busy host may miss a pair.
        passed = 9 <= changes <= 13 and watch.stray is None
        self.report(f"{what}, blinking fast", passed, f"{changes} changes in 1.5 s{watch.remark}")


class Watch:
    """Looks out for lines that must not be seen.

    Linux sets the lines of this chip one by one, microseconds apart. What lasts less than a millisecond does not count.
    """

    def __init__(self, allowed: Sequence[Pins] | None) -> None:
        self._allowed = allowed
        self._seen: tuple[Pins, float] | None = None
        self.stray: Pins | None = None

    def see(self, pins: Pins, now: float) -> None:
        if self._allowed is None or pins in self._allowed:
            self._seen = None
        elif self._seen is None or self._seen[0] != pins:
            self._seen = (pins, now)
        elif now - self._seen[1] > 0.001:
            self.stray = pins

    @property
    def remark(self) -> str:
        return "" if self.stray is None else f", but {shown(self.stray)} in between"


def line(pose: str) -> Pins:
    return frozenset({LINES[pose]})


def shown(pins: Pins) -> str:
    if not pins:
        return "dark"
    return "all lit" if pins == ALL else "GPIO" + "+".join(map(str, sorted(pins)))
