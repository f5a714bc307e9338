"""What the tests of programs share: where things are, how long to wait, and what a process has used so far."""

import os
import pathlib
import signal
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PLUMB = pathlib.Path(os.environ.get("PLUMB", ROOT / "build" / "plumb")).resolve()

# The longest wait for anything, s. It ends a hang and measures no speed: a busy machine may take its time.
PATIENCE = 120


def take_signals_back():
    """Undoes what a shell does to a program in its background, and that program to all it starts: ignoring these."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def plain_environment(**other):
    """An environment that is the same on every machine, but for `other`; None removes a variable."""
    variables = {
        "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TERM": "xterm", "LANG": "C.UTF-8",
        # A crash does not start the backtracer of a toolchain, which takes half a minute.
        "SWIFT_BACKTRACE": "enable=no", "PLUMB_BOARDS": str(ROOT / "boards"), "PLUMB_STREAM": "none", **other}
    # Of `make coverage`: where counters go.
    if "LLVM_PROFILE_FILE" in os.environ:
        variables["LLVM_PROFILE_FILE"] = os.environ["LLVM_PROFILE_FILE"]
    return {name: value for name, value in variables.items() if value is not None}


def wait_until(condition, what, pause=0.02, patience=PATIENCE):
    """Waits until `condition()` is true, and returns its value. `what` says in the error what did not happen."""
    end = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {patience} s: {what}")
        time.sleep(pause)
    return value


def link(path):
    """Where a link leads; empty where it is gone, as a descriptor in /proc may be that was listed just now."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


def status(pid):
    """The fields of /proc/PID/stat from the state on."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rsplit(")", 1)[1].split()


def cpu_seconds(pid):
    """The processor time of a process, s."""
    fields = status(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid):
    """The memory that a process has in use."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def queueing(pid):
    """How long the threads of a process have waited for a processor, s (sched-stats.rst, /proc/PID/schedstat)."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[1])
    return total / 1e9


def stolen():
    """How long this machine was kept from running by the one that emulates it, s; 0 where it is real."""
    with open("/proc/stat", encoding="ascii") as file:
        return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")
