"""Scripts and Swift tests that do not end are ended with all their children, and named."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from processes import PATIENCE, is_alive, wait_until

HERE = pathlib.Path(__file__).resolve().parent

# Looks like a bundle of tests to swift_tests.py: it reports to the given file, and prints.
BUNDLE = """#!{python} -B
import json, os, subprocess, sys, time
events = open(sys.argv[sys.argv.index("--event-stream-output-path") + 1], "a", buffering=1)
def tell(record, **payload):
    events.write(json.dumps({{"version": 0, "kind": record, "payload": payload}}) + "\\n")
for name in ("quick", "endless", "other"):
    tell("test", kind="function", name=name + "()", id="SomeTests." + name, displayName="the " + name + " one ends")
tell("event", kind="runStarted")
for name in ("quick", "endless", "other"):
    tell("event", kind="testStarted", testID="SomeTests." + name)
for name in ("quick", "other"):
    tell("event", kind="testEnded", testID="SomeTests." + name)
print("printed", *sys.argv[1:4], flush=True)
{end}
"""
ENDLESS = """
child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
open({pids!r}, "w").write(f"{{os.getpid()}} {{child.pid}}\\n")
time.sleep(1000)
"""


class Limits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumb limits ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.pids = self.folder / "pids"

    def run_python(self, name, *words, **options):
        # With BRIEF, as in CI, only the last line would be shown.
        plain = {name: value for name, value in os.environ.items() if name != "BRIEF"}
        done = subprocess.run([sys.executable, "-B", HERE / name, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL, text=True, env=plain,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE, check=False, **options)
        return done

    def run_for(self, option, name, *words):
        """The same with a limit of seconds: two, or more if a busy computer has not started by then what should be
        ended."""
        for seconds in (2, 10, 50):
            done = self.run_python(name, option, seconds, *words)
            if self.pids.exists() and len(self.pids.read_text().split()) == 2 and "good.sh FAILED" not in done.stdout:
                break
            self.pids.unlink(missing_ok=True)
        return done, seconds

    def assert_all_ended(self):
        for pid in self.pids.read_text().split():
            self.assertFalse(is_alive(int(pid)), f"{pid} is left")

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path.name

    def bundle(self, end):
        return self.script("bundle", BUNDLE.format(python=sys.executable, end=end))

    def test_an_endless_script_is_ended_and_named(self):
        # Its child ignores the polite signal, and has its own session.
        endless = self.script("endless.sh", f"""echo begun
            setsid sh -c 'trap "" TERM; echo $$ >>pids; while :; do sleep 1; done' &
            (trap "" TERM; echo $$ >>pids; sleep 1000)
            echo never""")
        done, seconds = self.run_for("--limit", "side_by_side.py", endless, self.script("good.sh", "echo well"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"test: good.sh \(\d+ s\)\nwell\n")
        self.assertRegex(done.stdout, rf"test: endless.sh FAILED as it has not ended after {seconds} s \(\d+ s\)\nbegun\n")
        self.assertRegex(done.stdout, r"(?m)^test: took endless.sh \d+ s, good.sh \d+ s$")
        self.assertTrue(done.stdout.endswith("test: failed: endless.sh\n"))
        self.assertNotIn("never", done.stdout)
        self.assert_all_ended()

    def test_signals_that_a_shell_ignores_are_not_ignored_by_its_scripts(self):
        shown = self.script("shown.sh", "grep -E '^Sig(Blk|Ign)' /proc/self/status")

        def ignore():
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGUSR1))
        done = self.run_python("side_by_side.py", shown, preexec_fn=ignore)
        masks = [int(mask, 16) for mask in re.findall(r"^Sig(?:Blk|Ign):\t(\w+)$", done.stdout, re.MULTILINE)]
        # Only signals with names: the real-time ones belong to the C library.
        self.assertEqual([mask & 0x7FFFFFFF for mask in masks], [0, 0], done.stdout)

    def test_an_endless_swift_test_is_ended_and_named(self):
        done, seconds = self.run_for("--silence", "swift_tests.py", self.bundle(ENDLESS.format(pids=str(self.pids))), "--filter", "some")
        self.assertEqual(done.returncode, 1)
        self.assertIn("printed --testing-library swift-testing --filter\n", done.stdout)
        self.assertIn(f"swift: no test has begun or ended for {seconds} s\n", done.stdout)
        self.assertRegex(done.stdout, r"swift: has not ended: SomeTests: the endless one ends \(begun \d+ s ago\)\n$")
        self.assertNotIn("quick one", done.stdout)
        self.assert_all_ended()

    def test_all_swift_tests_have_a_limit(self):
        done, seconds = self.run_for("--limit", "swift_tests.py", self.bundle(ENDLESS.format(pids=str(self.pids))))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"swift: not all have ended after {seconds} s\nswift: has not ended: SomeTests: the endless one", done.stdout)
        self.assert_all_ended()

    def test_a_crash_is_named_and_the_code_of_a_failure_kept(self):
        done = self.run_python("swift_tests.py", self.bundle("os.abort()"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("swift: ended by SIGABRT in the middle\nswift: has not ended: SomeTests: the endless one", done.stdout)
        end = "tell('event', kind='testEnded', testID='SomeTests.endless')\nsys.exit({})"
        for code in (0, 1, 69):
            done = self.run_python("swift_tests.py", self.bundle(end.format(code)))
            self.assertEqual((done.returncode, "swift:" in done.stdout), (code, False), done.stdout)

    def test_when_stopped_it_reports_what_was_running(self):
        words = [sys.executable, "-B", HERE / "swift_tests.py", self.bundle(ENDLESS.format(pids=str(self.pids)))]
        with subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
            wait_until(lambda: self.pids.exists() and self.pids.read_text().endswith("\n"), "the tests have begun")
            os.kill(process.pid, signal.SIGTERM)
            printed = process.communicate(timeout=PATIENCE)[0]
        self.assertEqual(process.returncode, 1)
        self.assertRegex(printed, r"swift: stopped by SIGTERM after \d+ s\nswift: has not ended: SomeTests: the endless one")
        self.assert_all_ended()


if __name__ == "__main__":
    unittest.main()
