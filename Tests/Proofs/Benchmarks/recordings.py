#!/usr/bin/env python3
"""Measures how `plumb` reads recordings: processor time against `numpy.loadtxt` on the same file, and memory by
length.

    Tests/Proofs/Benchmarks/recordings.py PLUMB FOLDER        (run by recordings.sh, in the environment with numpy)

Each ratio is of two minima over several alternating repetitions in one run, so a busy computer slows both. Exit
codes: 0 all good; 1 over a limit.
"""

import math
import os
import random
import resource
import sys
import time

ROWS, REPETITIONS = 1_000_000, 5
# The limits, as a multiple of numpy.loadtxt, which only reads; memory in kB, and its growth with the number of rows.
LIMITS = {"replay": 1.6, "samples": 5.5, "plot": 2.2}
MEMORY, GROWTH = 24_000, 1_500


def write(path, rows):
    """A slowly turning board, with noise, at 100 Hz."""
    chance = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        file.write("time_s,x_g,y_g,z_g\n")
        for index in range(rows):
            turn, noise = index / 3000, [chance.gauss(0, 0.01) for _ in range(3)]
            x, y, z = math.sin(turn), math.cos(turn) * math.cos(turn / 7), math.cos(turn) * math.sin(turn / 7)
            file.write(f"{index / 100:.2f},{x + noise[0]:.6f},{y + noise[1]:.6f},{z + noise[2]:.6f}\n")


def run(arguments, source=None):
    """Processor time and peak memory of a process; its standard input is the file `source`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = os.fork()
    if child == 0:
        os.dup2(os.open(source or os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(arguments[0], arguments)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"bench: {' '.join(arguments)} failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, usage.ru_maxrss


def peak(arguments, source=None):
    """Peak memory in kB. A child starts with the memory of this process; a shell in between resets it."""
    return run(["/bin/sh", "-c", 'exec "$@"', "sh", *arguments], source)[1]


def main():
    plumb, folder = sys.argv[1:]
    long, short = os.path.join(folder, "long.csv"), os.path.join(folder, "short.csv")
    write(long, ROWS)
    write(short, ROWS // 10)
    picture = os.path.join(folder, "long.svg")
    commands = {
        "replay": [plumb, "replay", "FILE"],
        "samples": [plumb, "replay", "FILE", "--samples", "--format", "json"],
        "plot": [plumb, "plot", "FILE", "--force", "-o", picture],
    }

    def of(name, file):
        return [file if word == "FILE" else word for word in commands[name]]

    # Before numpy is loaded: a child's reported memory starts with the size of its parent.
    memory = {name: (peak(of(name, short)), peak(of(name, long))) for name in commands}
    memory["replay of standard input"] = (peak(of("replay", "-"), short), peak(of("replay", "-"), long))

    import numpy

    times = {name: math.inf for name in ["numpy", *commands]}
    for _ in range(REPETITIONS):
        start = time.process_time()
        numpy.loadtxt(long, delimiter=",", skiprows=1)
        times["numpy"] = min(times["numpy"], time.process_time() - start)
        for name in commands:
            times[name] = min(times[name], run(of(name, long))[0])

    failures = []
    print(f"numpy.loadtxt {numpy.__version__} of {ROWS} rows: {times['numpy']:.2f} s")
    for name, limit in LIMITS.items():
        ratio = times[name] / times["numpy"]
        print(f"{name}: {times[name]:.2f} s, {ratio:.2f} times that (at most {limit})")
        if ratio > limit:
            failures.append(f"{name} takes {ratio:.2f} times what numpy.loadtxt takes; at most {limit}")
    for name, (few, many) in memory.items():
        print(f"{name}: {few} kB for {ROWS // 10} rows, {many} kB for {ROWS}")
        if many > MEMORY or many > few + GROWTH:
            failures.append(f"{name} needs {many} kB for {ROWS} rows, {few} kB for a tenth of them")
    for failure in failures:
        print(f"bench: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
