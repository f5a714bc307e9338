"""What the test knows about each command of plumb: a call that ends, and one that runs until stopped.

A command that is not in the table fails the test, so a new one must get its row. BOARD, RECORDING and OUTPUT stand for
files: a valid board file, a valid recording, and a file that does not exist yet, unless a case replaces it.
"""

import dataclasses

BOARD, RECORDING, OUTPUT, TOKEN = "{board}", "{recording}", "{output}", "{token}"

# Exit codes, with the meanings given in docs/output.md.
FINE, USAGE, DATA, NO_INPUT, UNAVAILABLE, CANNOT_CREATE, NO_PERMISSION, BAD_BOARD = 0, 64, 65, 66, 69, 73, 77, 78


@dataclasses.dataclass(frozen=True)
class Command:
    """One row: calls of a command."""

    # Ends on its own within a moment, with one of the codes.
    short: str
    codes: tuple = (FINE,)
    # Runs for ten seconds at least; "" if no call does.
    long: str = ""
    # What it prints once it is running.
    sign: str = ""
    # Whether the long call has something to clean up when it is stopped; otherwise the signal may kill it.
    tidies: bool = True
    # Whether the long call may leave OUTPUT behind, with what it recorded so far.
    keeps: bool = False
    # Writes enough to notice a reader that closes its end; if "", `short` is used.
    much: str = ""
    # Draws on a terminal only.
    draws: bool = False


COMMANDS = {
    "interface": Command(f"interface --board {BOARD} --speed fast"),
    "run": Command(
        f"run --board {BOARD} --speed fast", long=f"run --board {BOARD} --duration 60", sign="Emulated",
        much="run --speed fast --samples"),
    "watch": Command(f"watch --board {BOARD}", codes=(USAGE,), draws=True),
    "serve": Command(
        f"serve --board {BOARD} --listen 192.0.2.1:1 --token-file {TOKEN}", codes=(UNAVAILABLE,),
        long=f"serve --board {BOARD} --listen 0", sign="http"),
    "read": Command(f"read --board {BOARD} --average 100"),
    "replay": Command(
        f"replay {RECORDING}", long="replay -", tidies=False, much=f"replay {RECORDING} --samples"),
    "record": Command(
        f"record -o {OUTPUT} --board {BOARD} --speed fast --duration 5",
        long=f"record -o {OUTPUT} --board {BOARD} --duration 60", keeps=True,
        much="record -o - --speed fast --motion tumble"),
    "plot": Command(f"plot {RECORDING} -o {OUTPUT}", long=f"plot - -o {OUTPUT}", tidies=False),
    "vibration": Command(
        f"vibration {RECORDING} -o {OUTPUT}", long=f"vibration --board {BOARD} --duration 60", sign="RMS",
        much="vibration --speed fast --motion driven --format json"),
    "probe": Command(f"probe --board {BOARD}"),
    "calibrate": Command(
        f"calibrate --board {BOARD} --speed fast", long=f"calibrate --board {BOARD} --motion hold", sign="Hold"),
    "mount": Command(
        f"mount --board {BOARD} --speed fast", long=f"mount --board {BOARD} --motion tumble", sign="Hold"),
    "tare": Command(f"tare --board {BOARD} --speed fast"),
    "level": Command(
        f"level --board {BOARD} --once", long=f"level --board {BOARD} --follow", sign="nose"),
    "boards": Command(f"boards {BOARD}", much="boards"),
    # The valid board file is not that of a Pico.
    "pico": Command(f"pico {BOARD}", codes=(BAD_BOARD,)),
    "wiring": Command(f"wiring --board {BOARD} --format svg -o {OUTPUT}", much=f"wiring --board {BOARD}"),
    "doctor": Command(f"doctor --board {BOARD}"),
    "selftest": Command(f"selftest --board {BOARD}"),
    "on": Command(
        f"on portrait --now --once --board {BOARD} -- true", long=f"on faceDown --board {BOARD} --duration 60 -- true",
        sign="emulated"),
    "status": Command("status --from unix:/nowhere/stream", codes=(UNAVAILABLE,)),
    "publish": Command("publish --broker 127.0.0.1:1 --from unix:/nowhere/stream", codes=(UNAVAILABLE,)),
    "desktop": Command("desktop --wheel --from unix:/nowhere/stream", codes=(UNAVAILABLE,)),
}
