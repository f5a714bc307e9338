"""Runs scripts side by side, and shows the whole output of each as soon as it ends, with that of failed ones last.

    side_by_side.py [--jobs N] [--limit SECONDS] [--patient SCRIPT]... SCRIPT... [-- COMMAND...]

Scripts start in the given order, at most N at a time (by default one more than there are cores). A patient one starts
at once, and uses only the processor time that the others leave. COMMAND, followed by a script's name, runs it; the
default is `bash`. A script that has not ended after SECONDS (by default an hour) fails, and is ended with all its
children. The last line gives the time of each. With BRIEF=1 in the environment, scripts that succeeded show only
their last line.

Exit codes: 0 all ended with 0; 1 some did not, and the last line names them.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

from processes import end_tree, take_signals_back

# Leaves the processor to others: within a session, and between sessions if Linux shares it between them. A shell does
# it, because Python must not do anything itself between fork and exec while it has threads.
PATIENTLY = ["sh", "-c", '{ echo 19 >/proc/self/autogroup; } 2>/dev/null; exec nice -n 19 "$@"', "patiently"]


class Runner:
    """Starts scripts; ends those that take too long, and all that are running when it is stopped itself."""

    def __init__(self, command, limit):
        self.command, self.limit = command, limit
        self.lock = threading.Lock()
        self.running = set()
        self.is_stopped = False

    def run(self, script, is_patient=False):
        """Runs one script to its end; returns how it failed or None, its output, and its time in seconds."""
        begin = time.monotonic()
        with tempfile.TemporaryFile() as output:
            with self.lock:
                if self.is_stopped:
                    return "not begun", b"", 0
                # Its own session, so ending it ends all that it has started.
                process = subprocess.Popen(
                    [*(PATIENTLY if is_patient else []), *self.command, *script.split()], stdin=subprocess.DEVNULL,
                    stdout=output, stderr=output, start_new_session=True)
                self.running.add(process)
            try:
                code = process.wait(self.limit)
                failure = f"with exit code {code}" if code else None
            except subprocess.TimeoutExpired:
                failure = f"as it has not ended after {self.limit:g} s"
                end_tree(process.pid, process.wait)
            with self.lock:
                self.running.discard(process)
            output.seek(0)
            return failure, output.read(), time.monotonic() - begin

    def stop(self):
        with self.lock:
            self.is_stopped = True
            running = list(self.running)
        for process in running:
            end_tree(process.pid, process.wait)


def main():
    words = sys.argv[1:]
    words, command = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, ["bash"])
    parser = argparse.ArgumentParser(description="Runs scripts side by side.")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)) + 1)
    parser.add_argument("--limit", type=float, default=3600)
    parser.add_argument("--patient", action="append", default=[])
    parser.add_argument("scripts", nargs="+")
    chosen = parser.parse_args(words)
    is_brief = os.environ.get("BRIEF") == "1"
    runner = Runner(command, chosen.limit)
    take_signals_back()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    failed, took = [], []
    with ThreadPoolExecutor(chosen.jobs) as pool, ThreadPoolExecutor(len(chosen.patient) or 1) as patient:
        endings = {patient.submit(runner.run, script, is_patient=True): script for script in chosen.patient}
        endings |= {pool.submit(runner.run, script): script for script in chosen.scripts}
        try:
            for ending in as_completed(endings):
                script, (failure, printed, seconds) = endings[ending], ending.result()
                took.append((seconds, script))
                if failure is None:
                    show(f"test: {script} ({seconds:.0f} s)", last_lines(printed, 1) if is_brief else printed)
                else:
                    failed.append(script)
                    show(f"test: {script} FAILED ({seconds:.0f} s); its last lines, and all of it at the end:", last_lines(printed, 5))
        except KeyboardInterrupt:
            runner.stop()
            sys.exit(130)
    for ending, script in endings.items():
        if script in failed:
            failure, printed, seconds = ending.result()
            show(f"test: {script} FAILED {failure} ({seconds:.0f} s)", printed)
    print("test: took", ", ".join(f"{script} {seconds:.0f} s" for seconds, script in sorted(took, reverse=True)), flush=True)
    if failed:
        sys.exit(f"test: failed: {', '.join(failed)}")


def last_lines(printed, count):
    return b"".join(printed.splitlines(keepends=True)[-count:])


def show(heading, printed):
    print(heading, flush=True)
    sys.stdout.buffer.write(printed)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
