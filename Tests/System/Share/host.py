"""Hosts an owner: starts it on a bus that kernel.py answers for, whose board is turned every half second.

    host.py LOG COMMAND...

Runs as a separate process, so that no attacker keeps the bus waiting. Prints the owner's process ID and, when it ends,
its exit code. The owner's output goes to the file LOG. When standard input ends, so does the owner. A line in it, a
number, is the error (errno) of each transfer from then on; 0 for none.
"""

import os
import pathlib
import signal
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Daemon"))
from kernel import Kernel
from sensors import ADXL345, POSES

# Samples in each pose.
PERIOD = 50


class Turning(ADXL345):
    """A sensor on a board that is turned to the next pose every PERIOD samples."""

    def prepare(self, register):
        self.pose = list(POSES)[self.samples // PERIOD % len(POSES)]
        super().prepare(register)


def serve(targets, obey, log, *command):
    """Serves a bus with `targets` to an owner; `obey` gets each line of standard input."""
    with open(log, "ab") as file:
        pid = Kernel(targets).start(command, stdout=file.fileno(), stderr=file.fileno())
    print(pid, flush=True)

    has_ended = threading.Event()

    def end_with_standard_input():
        for line in sys.stdin:
            obey(line)
        if not has_ended.is_set():
            os.kill(pid, signal.SIGKILL)

    threading.Thread(target=end_with_standard_input, daemon=True).start()
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    # Until it is waited for, no other process can have its ID.
    has_ended.set()
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    # The thread is still waiting.
    os._exit(0)


if __name__ == "__main__":
    sensor = Turning()
    serve({0x53: sensor}, lambda line: setattr(sensor, "fault", int(line)), *sys.argv[1:])
