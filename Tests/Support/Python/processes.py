"""What the tests of programs share: where things are, how long to wait, and what a process has used so far."""

import os
import pathlib
import signal
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PLUMB = pathlib.Path(os.environ.get("PLUMB", ROOT / "build" / "plumb")).resolve()

# The longest wait for anything, s. It ends a hang and measures no speed: a busy machine may take its time.
PATIENCE = 120

# The longest path of a temporary folder: below it are sockets, whose paths have 108 bytes at most (unix(7)), in folders of a test's
# own. And LD_PRELOAD is split at blanks and colons.
LONGEST_TEMPORARY = 40
if len(tempfile.gettempdir()) > LONGEST_TEMPORARY or set(tempfile.gettempdir()) & set(" :"):
    tempfile.tempdir = "/tmp"


def take_signals_back():
    """Undoes what `nohup` or a shell's background does to a program, and it to all it starts: these are ignored, or blocked.

    What this program starts has them as a user's shell gives them. Itself it goes on through a hang-up that was ignored.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        # A program that is started keeps what is ignored, and no handler.
        signal.signal(signal.SIGHUP, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def plain_environment(**other):
    """An environment that is the same on every machine, but for `other`; None removes a variable."""
    variables = {
        "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TERM": "xterm", "LANG": "C.UTF-8",
        # A crash does not start the backtracer of a toolchain, which takes half a minute.
        "SWIFT_BACKTRACE": "enable=no", "PLUMB_BOARDS": str(ROOT / "boards"), "PLUMB_STREAM": "none", "PLUMB_BOARD": "none", **other}
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


def listens(path):
    """Whether a program listens at a Unix socket. Its file is there a moment before."""
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        # Number, references, protocol, flags, of which this one is __SO_ACCEPTCON of linux/net.h; type, state, inode, path.
        return any(line.endswith(f" {path}\n") and line.split()[3] == "00010000" for line in file)


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


def tree(pid):
    """A process, what it has started, and what these have, and all in their sessions: numbers."""
    parents, sessions = {}, {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = status(name)
            except OSError:
                continue
            parents[int(name)], sessions[int(name)] = int(fields[1]), int(fields[3])
    found = {pid}
    while more := {other for other in parents if parents[other] in found or sessions[other] in found} - found:
        found |= more
    return found


def end_tree(pid, wait, patience=10):
    """Ends a child and all that it has started: politely, and after `patience` seconds in any case. `wait` is the child's own."""
    family = tree(pid)
    for number in (signal.SIGTERM, signal.SIGKILL):
        family |= tree(pid)
        for member in family:
            try:
                os.kill(member, number)
                # One that is stopped takes no other signal.
                os.kill(member, signal.SIGCONT)
            except (ProcessLookupError, PermissionError):
                pass
        # Also one that is killed has ended when it had the processor for a moment.
        end = time.monotonic() + patience
        while time.monotonic() < end and any(map(is_alive, family)):
            time.sleep(0.05)
    wait()


def is_alive(pid):
    """Whether a process has not ended; one whose end nobody has read yet has."""
    try:
        return status(pid)[0] not in "ZX"
    except OSError:
        return False


def catches(pid, number):
    """Whether a process handles a signal itself (proc_pid_status(5), SigCgt)."""
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        caught = next(line.split()[1] for line in file if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (number - 1) & 1)


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
