"""What plumbd costs on a sensor of sensors.py: waits, system calls and bus time."""

import contextlib
import os
import re
import signal
import tempfile
import time
from dataclasses import dataclass

from sensors import WaitingADXL345, WaitingMPU6050
from gpio import Chip, Pulses
from kernel import Kernel
from program import Program, board, traced, wait_until

ADDRESSES = {"adxl345": 0x53, "mpu6050": 0x68}


def go_first(first=True):
    """Gives this process priority where that is allowed: it emulates the sensors, which must not be late."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO if first else os.SCHED_OTHER, os.sched_param(5 if first else 0))


def board_of(model, extra="", rate=100, is_fused=True):
    """A board file for one of the sensors; `is_fused` is whether the gyroscope of an MPU-6050 is used."""
    text = board(address=ADDRESSES[model], rate=rate, extra=extra).replace("model = adxl345", f"model = {model}")
    return text + (f"[filter]\ngravity = {'fusion' if is_fused else 'low-pass'}\n" if model == "mpu6050" else "")


class Bench:
    """plumbd on a board with such a sensor, whose oscillator runs `error` too fast; `extra` are lines of its section,
    `more` are other sections. A data-ready pin stays silent unless it `rises`."""

    def __init__(self, model, extra="batch = 25\n", more="", joins=True, rate=100, pose="portrait", error=0.01, is_fused=True,
                 rises=True, **arguments):
        self.sensor = (WaitingADXL345 if model == "adxl345" else WaitingMPU6050)(pose, error)
        self.kernel = Kernel({ADDRESSES[model]: self.sensor})
        self.kernel.joins = joins
        self.pulses = None
        if "data-ready" in extra:
            self.kernel.chip = Chip()
        if rises and self.kernel.chip:
            self.pulses = Pulses(self.kernel.chip, 1 / rate)
        self.program = Program(self.kernel, board_of(model, extra, rate, is_fused) + more, **arguments)

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.program.__exit__(*arguments)
        if self.pulses:
            self.pulses.end()
        elif self.kernel.chip:
            self.kernel.chip.close()

    def wait_for(self, samples):
        enough = self.sensor.samples + samples
        wait_until(lambda: self.sensor.samples >= enough, f"{samples} samples", 0.02)

    def counters(self):
        """Samples and lost samples so far, and the line that reports them."""
        self.program.signal(signal.SIGUSR1)
        return told(self.program.line_after("^counters"))


def told(line):
    """Samples and lost samples as the line of counters reports them, and the line."""
    counts = [re.search(rf"(\d+) {words}", line) for words in ("samples?", "lost samples?")]
    return *(int(count[1]) if count else 0 for count in counts), line


@dataclass
class Cost:
    """The cost of that many samples."""

    samples: int
    lost: int
    calls: list  # the names of the system calls
    clocks: int  # of the bus

    @property
    def waits(self):
        return self.calls.count("epoll_pwait2")


def costs(model, extra, samples=1000, **arguments):
    """Lets plumbd take that many samples, or a few more, from the first pose on, and counts."""
    with tempfile.NamedTemporaryFile() as log:
        with Bench(model, extra, before=["strace", "-D", "-o", log.name], **arguments) as bench:
            bench.program.line_after("^pose: portrait$")
            clocks = bench.kernel.clocks
            bench.wait_for(samples)
            bench.program.signal(signal.SIGTERM)
            taken, lost, _ = told(bench.program.line_after("^counters"))
            assert bench.program.end() == 0
            clocks = bench.kernel.clocks - clocks
        return Cost(taken, lost, [line.split("(")[0] for line in traced(log.name)], clocks)


def costs_asleep(model, seconds, environment=None):
    """The same for a board that sleeps for that many seconds."""
    with tempfile.NamedTemporaryFile() as log:
        arguments = {"before": ["strace", "-D", "-o", log.name], "environment": environment, "rises": False}
        with Bench(model, "data-ready = 4\n", "[power]\nstill = 1\n", **arguments) as bench:
            bench.program.line_after("^asleep")
            clocks = bench.kernel.clocks
            time.sleep(seconds)
            clocks = bench.kernel.clocks - clocks
            assert bench.program.stop() == 0
        calls = [line.split("(")[0] for line in traced(log.name, after="asleep") if not line.startswith("---")]
        # SIGTERM ended the last wait.
        return Cost(0, 0, calls[:-1] if calls[-1] == "epoll_pwait2" else calls, clocks)
