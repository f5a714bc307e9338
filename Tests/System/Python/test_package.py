"""The package as a user has it: its types, its wheel in a fresh virtual environment, and the examples of the guide.

    PLUMB=build/plumb build/python-venv/bin/python -m unittest -v test_package
"""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
import unittest
import zipfile
from unittest import mock

import support
from plumb import Board
from processes import PATIENCE, plain_environment, wait_until
from scripted_owner import ScriptedOwner
from support import PACKAGE, ROOT, short_folder
from test_owners import Owner

EXAMPLES = ROOT / "docs" / "examples" / "python"
BUILT = ROOT / "build" / "python"
PAGE = ROOT / "docs" / "using-from-python.md"
# What a program with a mistake must get from a type checker.
MISTAKES = '''
from plumb import Board, PoseEvent
board = Board("unix:/s")
board.wait_for("facedown")
board.pose + 1
for event in board:
    event.to
    if isinstance(event, PoseEvent):
        event.to == "faceDown"
board.when_shake = 3
'''


class Types(unittest.TestCase):
    def mypy(self, *words):
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir", short_folder(self), *map(str, words)], capture_output=True,
            text=True, cwd=PACKAGE, env={**plain_environment(), "MYPYPATH": str(PACKAGE)}, timeout=PATIENCE)
        return done.returncode, done.stdout

    def test_the_package_and_its_examples_are_typed_on_linux_and_macos(self):
        scripts = [path for path in sorted(EXAMPLES.glob("*.py")) if "from gpiozero" not in path.read_text()]
        for words in (["plumb", *scripts], ["--platform", "darwin", "plumb"]):
            code, output = self.mypy(*words)
            self.assertEqual((code, output[:8]), (0, "Success:"), output)

    def test_a_program_with_mistakes_is_found_out(self):
        program = pathlib.Path(short_folder(self), "program.py")
        program.write_text(MISTAKES)
        code, output = self.mypy(program)
        self.assertEqual((code, sorted({int(line) for line in re.findall(r"program\.py:(\d+): error", output)})), (1, [4, 5, 7, 10]), output)


class Wheel(unittest.TestCase):
    def test_the_wheel_has_the_package_and_the_license(self):
        wheel, = BUILT.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
        package = {f"plumb/{path.name}" for path in PACKAGE.glob("plumb/*") if path.suffix in (".py", ".typed")}
        self.assertEqual(names & {name for name in names if name.startswith("plumb/")}, package | ({"plumb/py.typed"} & names))
        self.assertIn("plumb/py.typed", names)
        self.assertTrue(any(name.endswith("/LICENSE") for name in names), names)
        self.assertIn("Requires-Python: >=3.9\n", metadata)
        self.assertNotIn("Requires-Dist", metadata)

    def test_the_same_sources_give_the_same_bytes(self):
        folder = short_folder(self)
        shutil.copytree(ROOT / "clients", f"{folder}/a/clients", ignore=shutil.ignore_patterns("__pycache__", ".mypy_cache"))
        for name in ("scripts/wheel.sh", "scripts/pypi.py", "LICENSE", "Sources/Linux/Text/Release.swift"):
            pathlib.Path(folder, "a", name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, f"{folder}/a/{name}")
        os.mkdir(f"{folder}/a/build")
        os.symlink(ROOT / "build" / "wheel-venv", f"{folder}/a/build/wheel-venv")
        sums = []
        for name, mask in (("one", 0o022), ("two", 0o077)):
            subprocess.run(["bash", f"{folder}/a/scripts/wheel.sh", f"{folder}/{name}"], check=True, stdout=subprocess.DEVNULL, umask=mask,
                           env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "TZ": name, "PYTHONHASHSEED": str(mask)})
            sums.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in pathlib.Path(folder, name).iterdir()})
        self.assertEqual(sums[0], sums[1])
        self.assertEqual(len(sums[0]), 2)

    def test_the_three_lines_from_a_fresh_environment(self):
        folder = short_folder(self)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder + "/v"], check=True)
        python = folder + "/v/bin/python"
        place = subprocess.check_output([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True).strip()
        wheel, = BUILT.glob("*.whl")
        # By the pip of this environment, which needs no network for it.
        subprocess.run([sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "install", "--no-index", "--no-deps", "--no-compile",
                        "--target", place, str(wheel)], check=True)
        owner = Owner(self, "--motion", "tumble")
        lines = f"from plumb import Board\n\nfor event in Board({owner.address!r}):\n    print(event, flush=True)\n"
        with subprocess.Popen([python, "-B", "-I", "-c", lines], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder) as process:
            self.assertRegex(process.stdout.readline(), r"^ +[0-9.]+  \w+")
            process.kill()
            process.communicate()
        owner.stop()
        # The events that `plumb run --from` prints, with the installed package.
        test = "test_owners.Owners.test_the_events_are_those_of_the_tool_through_poses_trouble_and_recovery"
        done = subprocess.run([python, "-B", "-W", "error", "-m", "unittest", test], capture_output=True, text=True, timeout=PATIENCE,
                              cwd=pathlib.Path(__file__).parent, env={**os.environ, "PLUMB_INSTALLED": place})
        self.assertEqual(done.returncode, 0, done.stderr)


class Packages(unittest.TestCase):
    def samples(self):
        owner = support.entered(self, ScriptedOwner(gyroscope=True))
        with Board(owner.address, rate=200) as board:
            return board.record(count=6)

    def test_samples_as_an_array_of_numpy(self):
        samples = self.samples()
        array = samples.to_numpy()
        self.assertEqual((array.shape, array.dtype.name), ((6, 4), "float64"))
        self.assertEqual(array[:, 1:].tolist(), [[0, 0, 1]] * 6)
        self.assertEqual(samples.to_numpy("pitch_deg").shape, (6, 1))
        self.assertEqual(samples[:0].to_numpy().shape, (0, 4))

    def test_samples_as_a_frame_of_pandas(self):
        samples = self.samples()
        frame = samples.to_pandas()
        self.assertEqual((len(frame), frame.index.name), (6, "t"))
        self.assertLessEqual({"x", "pose", "pitch_deg", "up_x", "up_z", "scroll_y", "still", "heading_deg"}, set(frame.columns))
        self.assertNotIn("gravity_x", frame.columns)
        self.assertTrue(frame["certainty"].isna().all())
        self.assertEqual((frame["up_z"].sum(), frame["pose"].iloc[0], frame["heading_deg"].mean()), (6, "faceUp", 12.5))
        self.assertEqual(samples[:0].to_pandas()[["x", "pitch_deg", "pose"]].shape, (0, 3))


class Examples(unittest.TestCase):
    """The programs and the notebook of docs/examples/python, with an owner that the test plays."""

    def setUp(self):
        self.owner = support.entered(self, ScriptedOwner(pose="portrait"))
        support.entered(self, mock.patch.dict(os.environ, {"PLUMB_STREAM": self.owner.address, "GPIOZERO_PIN_FACTORY": "mock"}))

    def test_leds_with_gpiozero(self):
        from gpiozero import Device
        with mock.patch("signal.pause"):
            program = runpy.run_path(str(EXAMPLES / "leds.py"), run_name="__main__")
        self.addCleanup(Device.pin_factory.reset)
        self.addCleanup(program["board"].close)

        def lit():
            return {name for name, led in program["leds"].items() if led.is_lit}
        self.assertEqual(lit(), {"portrait"})
        self.owner.turn("faceDown")
        wait_until(lambda: lit() == {"faceDown"}, "the LED follows")
        self.owner.fail()
        wait_until(lambda: lit() == set(), "no LED shows an old pose")
        self.owner.recover("faceUp")
        wait_until(lambda: lit() == {"faceUp"}, "an LED is lit again")

    def test_tilt_with_pandas(self):
        folder = short_folder(self)
        with mock.patch.object(sys, "argv", ["tilt.py", "0.2", folder + "/tilt.csv"]), contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(str(EXAMPLES / "tilt.py"), run_name="__main__")
        lines = pathlib.Path(folder, "tilt.csv").read_text().splitlines()
        self.assertRegex(lines[0], "^t,.*pitch_deg")
        self.assertGreater(len(lines), 2)

    def test_asyncio(self):
        with subprocess.Popen([sys.executable, "-B", EXAMPLES / "two_boards.py", self.owner.address, self.owner.address], stdout=subprocess.PIPE,
                              text=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)}) as process:
            lines = sorted(process.stdout.readline() for _ in range(2))
            process.kill()
        self.assertEqual(lines, [f"{self.owner.address}: portrait\n"] * 2)

    def test_the_notebook(self):
        notebook = json.loads((EXAMPLES / "board.ipynb").read_text())
        self.assertEqual((notebook["nbformat"], {cell["cell_type"] for cell in notebook["cells"]}), (4, {"code", "markdown"}))
        space = {}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))
                exec(compile("".join(cell["source"]), "board.ipynb", "exec"), space)
        self.assertGreater(len(space["frame"]), 1)

    def test_the_page_shows_the_examples_word_for_word(self):
        page = PAGE.read_text()
        for name in ("leds.py", "tilt.py", "two_boards.py"):
            text = (EXAMPLES / name).read_text()
            self.assertIn(text[text.index("import"):].strip(), page, name)


if __name__ == "__main__":
    unittest.main()
