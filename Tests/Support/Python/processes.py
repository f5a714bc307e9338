"""Shared by the tests of programs: paths, timeouts, and what a process has used so far."""

import os
import pathlib
import signal
import socket
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PLUMB = pathlib.Path(os.environ.get("PLUMB", ROOT / "build" / "plumb")).resolve()

# The longest wait for anything, in s. It ends a hang and measures no speed: a busy computer may take its time.
PATIENCE = 120

# The longest path of a temporary folder: each test has a folder in it with sockets, whose paths have at most 108
# bytes (unix(7)). And LD_PRELOAD is split at blanks and colons.
LONGEST_TEMPORARY = 40
if len(tempfile.gettempdir()) > LONGEST_TEMPORARY or set(tempfile.gettempdir()) & set(" :"):
    tempfile.tempdir = "/tmp"


def take_signals_back():
    """Undoes what `nohup` or a shell's background job does to a program and all its children: these signals are
    ignored, or blocked.

    Programs started from here get them as from a user's shell. This one itself survives a hang-up if it was ignored.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        # A child process inherits ignored signals, and no handler.
        signal.signal(signal.SIGHUP, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def plain_environment(**other):
    """An environment that is the same on every computer, except for `other`; None removes a variable."""
    variables = {
        "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TERM": "xterm", "LANG": "C.UTF-8",
        # A crash does not start the toolchain's backtracer, which takes half a minute.
        "SWIFT_BACKTRACE": "enable=no", "PLUMB_BOARDS": str(ROOT / "boards"), "PLUMB_STREAM": "none", "PLUMB_BOARD": "none", **other}
    # For `make coverage`: where the counters go.
    if "LLVM_PROFILE_FILE" in os.environ:
        variables["LLVM_PROFILE_FILE"] = os.environ["LLVM_PROFILE_FILE"]
    return {name: value for name, value in variables.items() if value is not None}


def wait_until(condition, what, pause=0.02, patience=PATIENCE):
    """Waits until `condition()` is true, and returns its value. `what` is the missing event for the error."""
    end = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {patience} s: {what}")
        time.sleep(pause)
    return value


def listens(path):
    """Whether a program listens at a Unix socket, whose file exists a moment earlier."""
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        # Number, references, protocol, flags (this one is __SO_ACCEPTCON of linux/net.h), type, state, inode, path.
        return any(line.endswith(f" {path}\n") and line.split()[3] == "00010000" for line in file)


def accepts(port):
    """Whether a program listens at a TCP port of this computer."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def link(path):
    """The target of a link; empty if it is gone, as a descriptor in /proc can be right after it was listed."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


def status(pid):
    """The fields of /proc/PID/stat from the state on."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rsplit(")", 1)[1].split()


def tree(pid):
    """A process, its descendants, and all processes in their sessions, as numbers."""
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
    """Ends a child and its descendants: politely, and after `patience` seconds in any case. `wait` is the child's own
    method."""
    family = tree(pid)
    for number in (signal.SIGTERM, signal.SIGKILL):
        family |= tree(pid)
        for member in family:
            try:
                os.kill(member, number)
                # A stopped process takes no other signal.
                os.kill(member, signal.SIGCONT)
            except (ProcessLookupError, PermissionError):
                pass
        # Even a killed process ends only once it has had the processor for a moment.
        end = time.monotonic() + patience
        while time.monotonic() < end and any(map(is_alive, family)):
            time.sleep(0.05)
    wait()


def is_alive(pid):
    """Whether a process is still running; a zombie is not."""
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
    """The processor time of a process, in s."""
    fields = status(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid):
    """The memory that a process uses."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def queueing(pid):
    """How long the threads of a process have waited for a processor, in s (sched-stats.rst, /proc/PID/schedstat)."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[1])
    return total / 1e9


def stolen():
    """How long the host kept this virtual machine from running, in s; 0 on a real machine."""
    with open("/proc/stat", encoding="ascii") as file:
        return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


# Where a program under test writes without waiting for a disk that others are busy with; None for the usual folder.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None


def major_faults(pid):
    """How often a process has waited for memory that had to be read from a disk: code, too, may be evicted."""
    return int(status(pid)[9])


def waiting_for_disk():
    """How long at least one program has waited for a disk, in s (psi.rst); 0 where Linux does not count it."""
    try:
        with open("/proc/pressure/io", encoding="ascii") as file:
            return int(file.readline().rpartition("=")[2]) / 1e6
    except OSError:
        return 0.0
