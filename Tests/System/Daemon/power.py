"""What each way of taking samples costs: measures plumbd and compares the table of docs/power.md with the result, or
writes it.

    python3 Tests/System/Daemon/power.py [--update]        (run by `make power`)

Counts system calls under strace and clocks on an emulated bus, which are the same on fast and slow machines. A busy
machine takes samples late, which costs more, so the cheapest of several runs counts. Exit code 1 if a figure of the
page is off by more than a tenth and by more than one step of its last digit.
"""

import pathlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from costs import costs, costs_asleep, go_first
from program import Manager

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "power.md"
END = "<!-- end -->"
BEGIN = "<!-- measured: make power -->"
HEADING = ["sensor, samples a second, and how they are taken", "wake-ups a second", "system calls a second", "a sample",
           "bus, ms a second", "sensor alone"]
READY, BATCH = "data-ready = 4\n", "batch = 25\n"
# The sensor in words, arguments, and the typical current from the part's data sheet.
SENSORS = {
    "ADXL345": ("adxl345", {}, "140 µA"),
    "MPU-6050, force": ("mpu6050", {"is_fused": False}, "500 µA"),
    "MPU-6050, six values": ("mpu6050", {}, "3.8 mA"),
}
MODES = [
    ("ADXL345", 100, "by timer", "", True),
    ("ADXL345", 100, "`data-ready`", READY, True),
    ("ADXL345", 100, "`batch = 25`", BATCH, True),
    ("ADXL345", 100, "`batch = 25`, reads not joined", BATCH, False),
    ("ADXL345", 800, "by timer", "", True),
    ("ADXL345", 800, "`batch = 25`", BATCH, True),
    ("ADXL345", 800, "`batch = 25`, reads not joined", BATCH, False),
    ("MPU-6050, force", 100, "by timer", "", False),
    ("MPU-6050, force", 100, "`batch = 25`", BATCH, False),
    ("MPU-6050, six values", 100, "by timer", "", False),
    ("MPU-6050, six values", 100, "`data-ready`", READY, False),
    ("MPU-6050, six values", 100, "`batch = 25`", BATCH, False),
    ("MPU-6050, six values", 1000, "by timer", "", False),
    ("MPU-6050, six values", 1000, "`batch = 25`", BATCH, False),
]

BEGIN_ASLEEP = "<!-- measured asleep: make power -->"
HEADING_ASLEEP = ["asleep", "wake-ups a minute", "system calls a minute", "bus, ms a minute", "sensor alone"]
# Two checks, one and two minutes after falling asleep, plus half a minute for a busy machine.
MINUTES = 2.5
# The sensor, whether a service manager asks for keep-alives as the package's unit does, and the current asleep.
MODES_ASLEEP = [("adxl345", False, "40 µA"), ("mpu6050", False, "70 µA"), ("adxl345", True, "40 µA")]


def row_asleep(model, is_watched, current):
    with tempfile.TemporaryDirectory() as folder:
        manager = Manager(f"{folder}/notify")
        environment = {"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "10000000"} if is_watched else None
        cost = costs_asleep(model, 60 * MINUTES, environment)
        manager.socket.close()
    name = "ADXL345" if model == "adxl345" else "MPU-6050"
    looks = cost.calls.count("ioctl")
    if looks != int(MINUTES):
        raise SystemExit(f"power: {name}, asleep: {looks} looks in {MINUTES} minutes; the machine is too busy")
    # Whole minutes only: what follows the last check belongs to the next minute.
    last = max(index for index, call in enumerate(cost.calls) if call == "ioctl")
    calls = cost.calls[:last + 1]
    return [f"{name}{', watchdog of 10 s' if is_watched else ''}", f"{calls.count('epoll_pwait2') / looks:.0f}",
            f"{len(calls) / looks:.0f}", f"{cost.clocks / looks / 400:.2f}", current]


def row(name, rate, words, extra, joins):
    """A row of the table, measured over at least a thousand samples without a loss."""
    model, arguments, current = SENSORS[name]
    runs = []
    # By timer and by data-ready there should be one wait per sample, and a read of 32 edges at a time.
    while len(runs) < 6 and not (runs and runs[-1].lost == 0 and runs[-1].waits <= 1.01 * runs[-1].samples):
        runs.append(costs(model, extra, samples=max(1000, 4 * rate), joins=joins, rate=rate, error=0, **arguments))
    whole = [cost for cost in runs if cost.lost == 0]
    if not whole:
        raise SystemExit(f"power: {name}, {rate} Hz, {words}: samples were lost in each of six runs; the machine is too busy")
    cost = min(whole, key=lambda cost: len(cost.calls) / cost.samples)
    per_sample = len(cost.calls) / cost.samples
    return [f"{name}, {rate}, {words}", f"{rate * cost.waits / cost.samples:.0f}", f"{rate * per_sample:.0f}",
            f"{per_sample:.2f}", f"{rate * cost.clocks / cost.samples / 400:.0f}", current]


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def is_close(told, measured):
    """Whether two figures are within a tenth of each other, or within one step of the last digit."""
    if told == measured:
        return True
    step = 0.011 if "." in told else 1
    return abs(float(told) - float(measured)) <= max(step, 0.1 * float(measured))


def table_of(begin, text):
    """The text before the rows of a table on the page, the rows by name, and the text after."""
    before, rest = text.split(begin)
    table, after = rest.split(END, 1)
    return before + begin, {cells(line)[0]: cells(line) for line in table.splitlines() if line.startswith("|")}, END + after


def compared(heading, told, rows):
    """Prints the measured rows; returns them and the differences from the page."""
    found, wrong = [], []
    for measured in rows:
        print("  " + "  ".join(f"{cell:>6}" if index else f"{cell:<66}" for index, cell in enumerate(measured)), flush=True)
        found.append(measured)
        ours = told.get(measured[0], [])
        if len(ours) != len(heading) or ours[-1] != measured[-1] or not all(map(is_close, ours[1:-1], measured[1:-1])):
            wrong.append(f"power: docs/power.md says | {' | '.join(ours)} |, and it is | {' | '.join(measured)} |")
    return found, wrong


def main():
    go_first()
    wrong = []
    with ThreadPoolExecutor() as pool:
        asleep = [pool.submit(row_asleep, *mode) for mode in MODES_ASLEEP]
        for begin, heading, measured in (
                (BEGIN, HEADING, (row(*mode) for mode in MODES)),
                (BEGIN_ASLEEP, HEADING_ASLEEP, (one.result() for one in asleep))):
            before, told, after = table_of(begin, PAGE.read_text(encoding="utf-8"))
            rows, differences = compared(heading, told, measured)
            wrong += differences
            if "--update" in sys.argv:
                lines = [heading, ["---", *("--:" for _ in heading[1:])], *rows]
                table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
                PAGE.write_text(f"{before}\n\n{table}\n\n{after}", encoding="utf-8")
    if "--update" in sys.argv:
        return 0
    print("\n".join(wrong or ["power: docs/power.md says what is measured"]))
    return 1 if wrong else 0


sys.exit(main())
