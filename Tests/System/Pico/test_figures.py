"""Whether the firmware costs what docs/sizes.md says: flash, RAM, stack, instructions and cycles.

    test_figures.py [TEST]...
    test_figures.py --update       writes that part of the page, to be committed with the change that caused it
"""

import sys
import unittest

from rig import FIRMWARE, RigTest, symbols
from pico import PROJECT, Pico

sys.path.insert(0, str(PROJECT / "Tests" / "Proofs" / "Gates"))
from firmware import HEADING, MARGIN, PAGE, committed, flash

COLUMNS = ["sensor", "flash", "static RAM", "stack", "instructions a sample", "cycles a sample", "awake"]
TEXT = """
Of `make pico`, in bytes; flash is what the UF2 contains. Stack is the most that a second of samples and every request on
the UART have taken in the emulator. Instructions and cycles are those of the processor for a sample of 100 a second without a
client: conversion, pose, gestures and lines, but not the wait for the bus. Awake is the part of the time, in ‰, for
which the processor does not sleep, with that wait. `make test-pico` fails if a figure differs by more than 2 %, and `make
gates` if flash does, or if more than 100 KB of flash or 24 KB of RAM are taken;
`Tests/System/Pico/pico.sh test_figures.py --update` writes them.

"""
REQUESTS = ('{"query":"hello"}', '{"query":"board"}', '{"query":"read"}', '{"samples":"all"}', '{"samples":"raw"}',
            '{"counters":1}', '{"command":"tare"}', '{"samples":0}', "{")


def executed(pico, samples):
    """The instructions and cycles for so many samples, and the nanoseconds that passed."""
    core, clock, bus = pico.chip.core, pico.clock, pico.bus
    end, begun = bus.number + samples, clock.nanos
    instructions = cycles = 0
    while bus.number < end:
        if core.waiting:
            clock.tick(clock.nanos_to_next_alarm)
        else:
            spent = core.execute_instruction()
            clock.tick(spent * 8)
            instructions, cycles = instructions + 1, cycles + spent
    return instructions, cycles, clock.nanos - begun


def figures(name, uf2):
    own = symbols(name)
    pico = Pico(uf2, name, has_usb=False, is_timed=False)
    pico.run(0.5)
    first, taken = pico.bus.number, pico.part.samples(pico.bus.now)
    pico.run(0.3)
    # Some parts take more than one transaction for a sample.
    each = (pico.bus.number - first) / (pico.part.samples(pico.bus.now) - taken)
    samples = 20
    instructions, cycles, _ = executed(pico, round(samples * each))
    timed = Pico(uf2, name, has_usb=False)
    timed.run(0.5)
    timed.bus.skips_polls = False
    _, awake, nanos = executed(timed, round(20 * each))
    timed.bus.skips_polls = True
    for request in REQUESTS:
        timed.type(b"\n" + request.encode() + b"\n")
        timed.run(0.1)
    return [flash(uf2), own["cpico_bss_end"] - own["cpico_stack"], timed.stack(own)[0], round(instructions / samples),
            round(cycles / samples), round(1000 * awake * 8 / nanos)]


def table(rows):
    lines = [COLUMNS, ["---", *("--:" for _ in COLUMNS[1:])], *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


class Figures(RigTest):
    def test_the_page_has_the_figures_of_every_firmware(self):
        before = committed()
        self.assertEqual(sorted(before), sorted(FIRMWARE))
        for name, uf2 in FIRMWARE.items():
            for what, now, then in zip(COLUMNS[1:], figures(name, uf2), before[name], strict=True):
                with self.subTest(name=name, what=what):
                    self.assertLessEqual(abs(now - then), max(1, MARGIN * then), f"{now}, not {then}")


def update():
    rows = [[name, *figures(name, uf2)] for name, uf2 in FIRMWARE.items()]
    PAGE.write_text(PAGE.read_text().partition(HEADING)[0] + HEADING + TEXT + table(rows))
    print(table(rows), end="")


if __name__ == "__main__":
    update() if sys.argv[1:] == ["--update"] else unittest.main()
