"""Compares the gyroscope fusion with other filters on trials with optical truth (Tests/Proofs/Fusion/Broad).

    fusion.py accuracy PLUMB        (the table of accuracy, on standard output)
    fusion.py count FILTER COUNT    (COUNT updates of one filter, for callgrind to count its instructions)
    fusion.py picture PLUMB         (the picture of docs/fusion.md, as SVG on standard output)

An error is the angle between the true and the estimated direction of up, over the samples that the data set marks as
movement. A bias is constant, the same for every filter, and within ±20 °/s on each axis. The filters have their
authors' recommended settings, and get the samples directly; Plumb gets them as a CSV file.
"""

import csv
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

TRIALS = sorted((pathlib.Path(__file__).parents[1] / "Fusion/Broad").glob("*.csv.gz"))
BIAS = 20


def trial(path):
    """Times, forces (g), rates (°/s), the true up and whether the board moves, for each sample."""
    with gzip.open(path, "rt", encoding="ascii", newline="") as file:
        rows = [[float(cell or "nan") for cell in row] for row in list(csv.reader(file))[1:]]
    table = numpy.array(rows)
    return table[:, 0], table[:, 1:4], table[:, 4:7], table[:, 7:10], table[:, 10] > 0


def of_vqf(name):
    def run(times, forces, rates):
        import vqf

        filter = getattr(vqf, name)(float(numpy.median(numpy.diff(times))))
        return ups(filter.updateBatch(contiguous(numpy.radians(rates)), contiguous(forces * 9.80665))["quat6D"])

    return run


def of_imufusion(times, forces, rates):
    import imufusion

    ahrs = imufusion.Ahrs()
    ahrs.set_sample_period(float(numpy.median(numpy.diff(times))))
    result = []
    for force, rate in zip(forces, rates):
        ahrs.update_no_magnetometer(rate, force)
        result.append(ahrs.get_quaternion())
    return ups(numpy.array(result))


def of_madgwick(times, forces, rates):
    from ahrs.filters import Madgwick

    # From the Earth's frame to the sensor's, as in AHRS; the same formula.
    filter = Madgwick(gyr=numpy.radians(rates), acc=forces, frequency=1 / float(numpy.median(numpy.diff(times))))
    return ups(filter.Q)


def of_plumb(plumb):
    def run(times, forces, rates):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("time_s,x_g,y_g,z_g,x_dps,y_dps,z_dps\n")
            for time, force, rate in zip(times, forces, rates):
                file.write(",".join(f"{number:.5f}" for number in (time, *force, *rate)) + "\n")
            file.flush()
            told = subprocess.run([plumb, "replay", file.name, "--samples", "--format", "json"],
                                  capture_output=True, text=True, check=True).stdout
        events = (json.loads(line) for line in told.splitlines())
        return numpy.array([event["up"] for event in events if event["event"] == "sample"])

    return run


def contiguous(array):
    return numpy.ascontiguousarray(array, dtype=float)


def ups(quaternions):
    """The direction of up in the sensor's frame, from quaternions from the sensor to a frame with its Z axis up."""
    w, x, y, z = quaternions.T
    return numpy.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 1)


def rms(found, true, counts):
    """The root mean square of the angle between the two, in degrees."""
    product = numpy.linalg.norm(numpy.cross(found, true), axis=1)
    angle = numpy.degrees(numpy.arctan2(product, (found * true).sum(1)))
    return float(numpy.sqrt(numpy.mean(numpy.square(angle[counts]))))


def errors(filter, bias):
    result = []
    for number, path in enumerate(TRIALS):
        times, forces, rates, true, moves = trial(path)
        added = numpy.random.default_rng(number + 1).uniform(-bias, bias, 3)
        result.append(rms(filter(times, forces, rates + added), true, moves & ~numpy.isnan(true[:, 0])))
    return result


def accuracy(plumb):
    filters = {"Plumb": of_plumb(plumb), "VQF": of_vqf("VQF"), "BasicVQF": of_vqf("BasicVQF"),
               "imufusion": of_imufusion, "Madgwick (AHRS)": of_madgwick}
    print("| filter | mean error | worst trial | the same with a bias | worst trial |\n|---|---:|---:|---:|---:|")
    kept = {}
    for name, filter in filters.items():
        try:
            plain, biased = errors(filter, 0), errors(filter, BIAS)
        except ImportError as error:
            print(f"fusion: {name} is not compared: {error}", file=sys.stderr)
            continue
        kept[name] = plain, biased
        cells = [numpy.mean(plain), max(plain), numpy.mean(biased), max(biased)]
        print(f"| {name} | " + " | ".join(f"{cell:.2f}°" for cell in cells) + " |", flush=True)
    plain, biased = kept["Plumb"]
    wrong = []
    if numpy.mean(plain) > 0.56 or max(plain) > 0.95:
        wrong.append("Plumb is less accurate than 0.56° in the mean or 0.95° in a trial")
    if max(abs(a - b) for a, b in zip(plain, biased)) > 0.05:
        wrong.append("a bias makes Plumb less accurate by more than 0.05°")
    if any(numpy.mean(plain) > numpy.mean(other[0]) for other in kept.values()):
        wrong.append("another filter is more accurate than Plumb")
    sys.exit("\n".join(wrong) or 0)


def count(name, number):
    times, forces, rates, _, _ = trial(TRIALS[0])
    rates, forces = contiguous(numpy.radians(rates)), contiguous(forces * 9.80665)
    import vqf

    getattr(vqf, name)(float(numpy.median(numpy.diff(times)))).updateBatch(rates[:number], forces[:number])


def picture(plumb):
    """Half a minute of fast translation: the error of up with the accelerometer alone, smoothed as `low-pass` does,
    and fused."""
    times, forces, rates, true, _ = trial(next(path for path in TRIALS if "fast_translation" in path.name))
    smoothed = numpy.array(forces)
    for index in range(1, len(smoothed)):
        elapsed = times[index] - times[index - 1]
        smoothed[index] = smoothed[index - 1] + elapsed / (elapsed + 0.2) * (forces[index] - smoothed[index - 1])
    shown = (times >= 60) & (times <= 90)
    width, height, most = 640, 200, 60.0
    lines = []
    for name, ups in (("low-pass", smoothed), ("fusion", of_plumb(plumb)(times, forces, rates))):
        angle = numpy.degrees(numpy.arctan2(numpy.linalg.norm(numpy.cross(ups, true), axis=1), (ups * true).sum(1)))
        points = [f"{40 + (time - 60) / 30 * width:.1f},{10 + height - min(error, most) / most * height:.1f}"
                  for time, error in list(zip(times[shown], angle[shown]))[::3] if not numpy.isnan(error)]
        lines.append(f'<polyline class="{name}" points="{" ".join(points)}"/>')
    grid = "".join(f'<line x1="40" x2="{40 + width}" y1="{10 + height - y / most * height:.1f}" y2="{10 + height - y / most * height:.1f}"/>'
                   f'<text x="34" y="{14 + height - y / most * height:.1f}" text-anchor="end">{y}°</text>' for y in (0, 20, 40, 60))
    grid += "".join(f'<text x="{40 + x / 30 * width:.1f}" y="{height + 28}" text-anchor="middle">{x} s</text>' for x in (0, 10, 20, 30))
    print(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 {height + 40}" role="img" aria-label="Error of the direction of up while a board is moved to and fro: up to 60 degrees and more with the accelerometer alone, about half a degree with fusion">
<style>
text {{ font: 12px system-ui, sans-serif; fill: #57606a }} line {{ stroke: #d0d7de }} polyline {{ fill: none; stroke-width: 1.5 }}
.low-pass {{ stroke: #bf8700 }} .fusion {{ stroke: #0969da; stroke-width: 2.5 }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #9198a1 }} line {{ stroke: #3d444d }} .low-pass {{ stroke: #d4a72c }} .fusion {{ stroke: #54aeff }} }}
</style>
{grid}
{lines[0]}
{lines[1]}
<text x="147" y="{height + 28}" text-anchor="middle" style="fill:#bf8700">— accelerometer alone</text><text x="573" y="{height + 28}" text-anchor="middle" style="fill:#0969da">— with fusion</text>
</svg>""")


if sys.argv[1] == "accuracy":
    accuracy(sys.argv[2])
elif sys.argv[1] == "picture":
    picture(sys.argv[2])
else:
    count(sys.argv[2], int(sys.argv[3]))
