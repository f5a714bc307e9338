"""One step after another on one emulated board: what is done, what the pins show and when, and what the stream
reports."""

from __future__ import annotations

import math
import textwrap
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from emulator import Emulator, Failed, Pins
from remote import Broker, Remote, Run
from stream import PATIENCE, UNKNOWN, Account, Listener, is_shared

# The limit in the acceptance criteria of issue 6, in seconds of the emulated chip's own timer.
LINE_LIMIT = 0.5
TROUBLE_LIMIT = 1.0
RECOVERY_LIMIT = 1.0
# Our own limit: from the start of the program to the right line, including the sensor's reset and settling.
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
# The time between two readings of the pins, in seconds of the host: each halts the guest.
PAUSE = 0.003
# How often a measurement is repeated that a busy host spoilt.
MOST_TRIES = 20


class Trial:
    """The results for one board with one sensor.

    Without a `remote` no stream is read; `broker` is one on the host that the board reaches.
    """

    def __init__(
        self, emulator: Emulator, program: str, label: str, remote: Remote | None = None, broker: Broker | None = None
    ) -> None:
        self.emulator = emulator
        self._remote = remote
        self.broker = broker
        self.program = program
        self.shell = emulator.shell
        self.label = f"{emulator.machine.name}, {label}"
        self.failures: list[str] = []
        self.count = 0
        self._section = ""
        self._apart = -math.inf
        # The line of each pose on the board that the program read last.
        self.lines = LINES
        # The clients on the host: a new one for each run of the program, and the tool, if a step started it.
        self.listener: Listener | None = None
        self.tool: Run | None = None
        self._owner: object = None
        self._last_signal = ""

    def close(self) -> None:
        """Ends what is still running on the host."""
        for client in (self.listener, self.tool):
            if client is not None:
                client.close()

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """A group of steps; if one of them fails, the last output of the program is shown."""
        self._section = name
        before = len(self.failures)
        yield
        if len(self.failures) > before:
            print(f"      the program said last:\n{textwrap.indent(self.log(), ' ' * 8)}", flush=True)

    def report(self, what: str, passed: bool, detail: str = "") -> None:
        """Prints one line per step; failed steps are repeated at the end."""
        self.count += 1
        line = f"{self.label}  {self._section}: {what}{': ' if detail else ''}{detail}"
        print(f"{'ok  ' if passed else 'FAIL'}  {line}", flush=True)
        if not passed:
            self.failures.append(line)

    def equal(self, what: str, expected: object, found: object) -> None:
        self.report(what, expected == found, f"{found}" if expected == found else f"{found}, not {expected}")

    def says(self, what: str, text: str, words: Iterable[str]) -> None:
        """Whether a text contains all these words, in upper or lower case."""
        lacking = [word for word in words if word.lower() not in text.lower()]
        last = text.strip().splitlines()[-1] if text.strip() else "nothing"
        self.report(what, not lacking, f'says "{last}"' + (f", without {lacking}" if lacking else ""))

    # Actions

    def tell(self, *words: object) -> float:
        """Sends the sensor a command; returns when its registers changed.

        The guest reports that by its own clock, which runs as the chip's timer does, with an offset. Only a lower bound
        of the offset is known, and each command improves it: measured times are never too short.
        """
        before = self.emulator.now()
        changed = int(self.shell.must("bench tell " + " ".join(map(str, words)))) / 1e6
        self._apart = max(self._apart, before - changed)
        return changed + self._apart

    def hold(self, pose: str) -> float:
        return self.tell("force", *POSES[pose])

    def start(self, options: str = "", environment: str = "") -> float:
        """Starts the program; the shell has its process ID in $plumbd."""
        self.forget_stream()
        self.shell.must(f"{environment} {self.program} {options} >{LOG} 2>&1 & plumbd=$!")
        # The time after it: a process takes a while to begin under emulation, which is not our doing.
        return self.emulator.now()

    def signal(self, name: str) -> float:
        since = self.emulator.now()
        self._last_signal = name
        self.shell.must(f"kill -{name} $plumbd")
        return since

    def reload(self, lines: dict[str, int]) -> float:
        """Has the program read the board file again, which now has these lines; each client then gets a hello."""
        if self.listener is not None:
            self.listener.forget()
        since = self.signal("HUP")
        self.lines = lines
        return since

    def ended(self) -> int:
        """The exit code of the program, once it has ended."""
        return self.shell.run("wait $plumbd").code

    def stop(self) -> None:
        self.signal("TERM")
        self.ended()
        complaint = self._compare(DARK, None)
        self.report("stopped", complaint is None, complaint or "the stream says bye")

    def log(self) -> str:
        return self.shell.must(f"cat {LOG}")

    def said(self, word: str, times: int = 1, patience: float = PATIENCE) -> str:
        """What the program has printed, once it contains the word so often, or after a while: a sixth line of a kind
        waits ten seconds."""
        deadline = time.monotonic() + patience
        while True:
            text = self.log()
            if text.lower().count(word.lower()) >= times or time.monotonic() > deadline:
                return text

    # What the stream reports

    @property
    def remote(self) -> Remote:
        if self._remote is None:
            raise Failed("this board has no network")
        return self._remote

    def forget_stream(self) -> None:
        """The program restarts: there will be another stream."""
        if self.listener is not None:
            self.listener.close()
            self.listener = None

    def start_tool(self) -> None:
        """Starts `plumb run --from ssh:…` on the host; from now on it is compared too."""
        self.tool = self.remote.run_tool(POSES)

    def stop_tool(self) -> None:
        if self.tool is not None:
            self.equal("plumb run, then SIGINT: exit code", 0, self.tool.stop())
            self.tool = None

    def _compare(self, pins: Pins, meanwhile: Sequence[Pins] | None) -> str | None:
        """What the stream reports but these pins do not show; None if there is nothing.

        Until now it may only have reported what the lines were allowed to show.
        """
        if self._remote is None:
            return None
        if not pins:
            return self._compare_end()
        state = self._state(pins)
        if self.listener is None:
            self.listener = Listener(self.remote.path, POSES)
            hello = self.listener.hello or {}
            owner, levels = hello.get("owner"), [int(pose == hello["pose"]) for pose in POSES]
            if owner is None or owner == self._owner:
                return f"the hello of a new run is of {owner}"
            if hello["pose"] in POSES and hello["lines"] != levels:
                return f"its hello has the lines {hello['lines']}"
            self._owner = owner
        # While the program starts, the lines are dark.
        allowed = None if meanwhile is None else {self._state(found) for found in meanwhile} | {state}
        clients: list[Account] = [self.listener]
        if self.tool is not None:
            clients.append(self.tool)
        for client in clients:
            if not client.becomes(state):
                return f"{client.name} tells {client.state}" + (", and has ended" if client.is_over else "")
            passed = client.passed()
            if allowed is not None and client is self.listener and not allowed.issuperset(passed):
                return f"{client.name} has told {passed}"
        shown_now = self.look()[0]
        if shown_now != pins and (state != UNKNOWN or shown_now != DARK):
            return f"{self.listener.name} tells {state}, and the lines are {shown(shown_now)} now"
        return None

    def _compare_end(self) -> str | None:
        """The program has ended: so must its stream, and in an orderly way unless the program was killed."""
        if self.listener is None:
            return None
        if not self.listener.ends():
            return "the stream does not end"
        has_left = self.listener.goodbye is not None
        if has_left != (self._last_signal != "KILL"):
            return f"the stream ends {'with' if has_left else 'without'} a bye"
        return None

    def _state(self, pins: Pins) -> str:
        """What the stream reports when the lines are `pins`."""
        poses = [pose for pose, pin in self.lines.items() if pins == frozenset({pin})]
        return poses[0] if poses else UNKNOWN

    def reading(self) -> tuple[float, float, float]:
        """What the program reads, in g, once it has a pose."""
        if self.listener is None:
            self.listener = Listener(self.remote.path, POSES)
        deadline = time.monotonic() + PATIENCE
        while True:
            found = self.listener.read()
            if found["pose"] in POSES or time.monotonic() > deadline:
                return found["x"], found["y"], found["z"]

    def heard(self, what: str, *kinds: str) -> None:
        """Whether such events have arrived since the last call; ignores all others."""
        if self.listener is None:
            raise Failed("no stream was opened")
        found = self.listener.kinds(kinds)
        lacking = [kind for kind in kinds if kind not in found]
        self.report(f"{what}, the stream", not lacking, " ".join(found) + (f", without {lacking}" if lacking else ""))

    def nothing_lost(self) -> None:
        """Whether each event that the owner counted has arrived since the stream was opened."""
        if self.listener is None:
            raise Failed("no stream was opened")
        self.equal(f"events of the stream that are missing, of {self.listener.count}", 0, self.listener.lost())

    def shares_nothing(self, what: str) -> None:
        self.equal(f"{what}: shares a stream", False, is_shared(self.remote.path))

    # What the pins show

    def look(self, since: float = 0.0) -> tuple[Pins, float]:
        """The board's lines that are driven high, and the seconds from `since` to that moment."""
        pins, now = self.emulator.look()
        return pins & ALL, now - since

    def becomes(
        self,
        what: str,
        wanted: Pins,
        within: float,
        since: float,
        meanwhile: Sequence[Pins] | None = None,
        agrees: bool = True,
    ) -> None:
        """The lines become `wanted` within so many seconds and are one of `meanwhile` until then; the stream agrees.

        It does not if a board is dark because it sleeps: its pose is still known. A host that is too busy to look for a
        while sees the change late, so what counts is the last reading before it.
        """
        watch, before = Watch(meanwhile), 0.0
        while True:
            pins, now = self.look(since)
            if pins == wanted or before > within + 1.0:
                break
            watch.see(pins, now)
            before = now
            time.sleep(PAUSE)
        detail = f"{now:.3f} s, at most {within} s" if pins == wanted else f"{shown(pins)} after {now:.3f} s"
        passed = pins == wanted and before <= within and watch.stray is None
        complaint = self._compare(wanted, meanwhile) if pins == wanted and agrees else None
        detail += watch.remark + (f"; but {complaint}" if complaint else "")
        self.report(f"{what} {shown(wanted)}", passed and complaint is None, detail)

    def lit(self, pose: str, since: float, within: float = LINE_LIMIT, meanwhile: Sequence[Pins] | None = None) -> None:
        self.becomes(pose, line(pose), within, since, meanwhile)

    def stays(self, what: str, wanted: Pins, seconds: float) -> None:
        """The lines are `wanted`, and stay that way."""
        since = self.emulator.now()
        watch = Watch((wanted,))
        now = 0.0
        while now < seconds:
            pins, now = self.look(since)
            watch.see(pins, now)
            time.sleep(PAUSE)
        complaint = self._compare(wanted, (wanted,))
        detail = f"{seconds} s{watch.remark}" + (f"; but {complaint}" if complaint else "")
        self.report(f"{what} {shown(wanted)}", watch.stray is None and complaint is None, detail)

    def blinks(self, what: str, since: float, within: float = TROUBLE_LIMIT) -> None:
        """All lines are lit together within so many seconds, then blink four times a second; none is lit alone."""
        self.becomes(what, ALL, within, since)
        watch = Watch((ALL, DARK))
        for _ in range(MOST_TRIES):
            changes, pause = self._changes(watch)
            # A host that is too busy to look in every half period counts too few: try again.
            if pause < 0.1 or changes >= 9:
                break
        # 12 at 4 Hz; one more or less depending on the start, and a busy host may miss a pair.
        complaint = self._compare(ALL, (ALL, DARK))
        passed = 9 <= changes <= 13 and watch.stray is None and complaint is None
        detail = f"{changes} changes in 1.5 s{watch.remark}" + (f"; but {complaint}" if complaint else "")
        self.report(f"{what}, blinking fast", passed, detail)


    def _changes(self, watch: Watch) -> tuple[int, float]:
        """How often all lines change together within 1.5 s, and the longest pause between two readings."""
        since = self.emulator.now()
        changes, last, now, longest = 0, self.look()[0], 0.0, 0.0
        while now < 1.5:
            before = now
            pins, now = self.look(since)
            longest = max(longest, now - before)
            watch.see(pins, now)
            if pins in (ALL, DARK) and pins != last:
                changes, last = changes + 1, pins
            time.sleep(PAUSE)
        return changes, longest


class Watch:
    """Watches for line states that must not occur.

    Linux sets the lines of this chip one by one, microseconds apart. Anything shorter than a millisecond does not
    count.
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
