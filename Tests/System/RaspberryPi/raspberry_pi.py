"""Boots the emulated Raspberry Pis one after another, and runs all steps on each.

    raspberry_pi.py --cache FOLDER --programs FOLDER --bench FOLDER --plumb FILE [--machine pi3|zero]... [--only WORDS]

`--only "kernel drivers"` runs only the steps whose lines begin with those words, after the machine.

Exit codes: 0 all passed; 1 a step failed; 69 the emulator or the guest lacks something that the test relies on.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import archive
import input_devices
import publishing
from devicetree import with_sensor
from emulator import Emulator, Failed
from input_devices import walk_inputs
from kernel_drivers import PEERS, walk_drivers
from machines import MACHINES, Machine
from publishing import Broker
from remote import Remote
from steps import SENSORS, walk, walk_lines
from trial import Trial

HERE = Path(__file__).parent
# As `make pi` names them: with libgpiod 2 and with libgpiod 1.
PROGRAMS = ("plumbd", "plumbd-libgpiod1")
# The bus on the header, in the device tree.
HEADER_BUS = "i2c@7e804000"
RULES = HERE.parents[2] / "packaging" / "plumb-desktop" / "60-plumb-desktop.rules"
SWITCH = "pca9548,bus=i2c-bus.1,address=0x70"


def files(machine: Machine, boot: Path, programs: Path, bench: Path) -> dict[str, Path | bytes]:
    found: dict[str, Path | bytes] = {
        "init": HERE / "guest" / "init",
        "bin/busybox": boot / "busybox",
        "bin/bench": bench,
    }
    for name in PROGRAMS:
        found[f"bin/{name}"] = programs / machine.programs / name
    for module in boot.glob("*.ko"):
        found[f"modules/{module.name}"] = module
    if machine.has_drivers:
        found |= {f"drivers/{file.name}": file for file in (boot / "drivers").iterdir()}
        found |= input_devices.files(boot / "judges", programs / machine.programs, bench.parent, RULES)
    return found


def devices(machine: Machine) -> list[str]:
    """A switch on the header's bus, with a register file for each sensor behind its first channel."""
    sizes = {peer.address: peer.size for peer in PEERS} if machine.has_drivers else {}
    sizes |= {sensor.address: 256 for sensor in SENSORS}
    return [SWITCH] + [f"at24c-eeprom,bus=i2c.0,address={place:#x},rom-size={size}" for place, size in sizes.items()]


def device_tree(machine: Machine, boot: Path) -> bytes:
    """Debian's own, with the parts whose drivers want to find them there."""
    tree = (boot / machine.device_tree).read_bytes()
    for peer in PEERS if machine.has_drivers else ():
        if peer.bind:
            tree = with_sensor(tree, HEADER_BUS, f"adi,{peer.driver}", peer.address)
    return tree


def trials(
    emulator: Emulator, remote: Remote, broker: Broker | None
) -> Iterator[tuple[Trial, Callable[[Trial], None]]]:
    """All steps with each sensor; those that concern lines also with the other generation of libgpiod; those with input
    devices; and those with the kernel's drivers, which stay loaded."""
    first, other = PROGRAMS
    for sensor in SENSORS:
        yield Trial(emulator, first, sensor.model, remote, broker), partial(walk, sensor=sensor)
    old = Trial(emulator, other, f"{SENSORS[0].model}, libgpiod 1", remote)
    yield old, partial(walk_lines, sensor=SENSORS[0])
    if emulator.machine.has_drivers:
        yield Trial(emulator, first, "input devices", remote), walk_inputs
        yield Trial(emulator, first, "kernel drivers", remote), walk_drivers


def run(
    machine: Machine, boot: Path, programs: Path, bench: Path, plumb: Path, only: str
) -> tuple[int, list[str]]:
    """Boots one board and runs all steps; returns how many there were, and those that failed."""
    began = time.monotonic()
    count, failures = 0, []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="plumb-pi-")))
        packed = folder / "initrd"
        remote = Remote(folder, plumb)
        content = files(machine, boot, programs, bench) | remote.files(boot)
        broker, way = None, None
        if machine.publishes:
            broker = stack.enter_context(publishing.broker())
            content |= publishing.files(broker, programs / machine.programs)
            way = (broker.address, broker.tls_port)
        archive.write(packed, content)
        tree = folder / machine.device_tree
        tree.write_bytes(device_tree(machine, boot))
        with Emulator(machine, folder, boot, packed, devices(machine), way, tree) as emulator:
            try:
                emulator.shell.wait_until_up()
                kernel = emulator.shell.must("uname -srm")
                print(f"\n{machine.name}: {kernel}, up after {time.monotonic() - began:.1f} s", flush=True)
                remote.open(emulator)
                print(f"{machine.name}: sshd after {time.monotonic() - began:.1f} s", flush=True)
                for trial, steps in trials(emulator, remote, broker):
                    if only not in trial.label:
                        continue
                    try:
                        steps(trial)
                    finally:
                        trial.close()
                        count += trial.count
                        failures += trial.failures
            except Failed as error:
                print(emulator.log(), file=sys.stderr)
                raise Failed(f"{machine.name}: {error}") from error
            finally:
                remote.close()
    print(f"{machine.name}: {count} steps in {time.monotonic() - began:.0f} s, {len(failures)} failed", flush=True)
    return count, failures


def stop(number: int, _: object) -> None:
    """Ends by an exception, so that everything that was started ends too."""
    raise SystemExit(128 + number)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--plumb", type=Path, required=True)
    parser.add_argument("--machine", action="append", choices=sorted(MACHINES))
    parser.add_argument("--only", default="", metavar="WORDS", help="the sensors whose lines have these words")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
    began = time.monotonic()
    count, failures = 0, []
    try:
        for name in options.machine or MACHINES:
            machine = MACHINES[name]
            boot = options.cache / machine.architecture / "boot"
            bench = options.bench / machine.architecture / "bench"
            steps, failed = run(machine, boot, options.programs, bench, options.plumb.resolve(), options.only)
            count, failures = count + steps, failures + failed
    except Failed as error:
        print(f"test-pi: {error}", file=sys.stderr)
        return 69
    except KeyboardInterrupt:
        print("test-pi: stopped", file=sys.stderr)
        return 130
    print()
    for failure in failures:
        print(f"test-pi: failed: {failure}")
    print(f"test-pi: {count - len(failures)} passed, {len(failures)} failed, {time.monotonic() - began:.0f} s")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
