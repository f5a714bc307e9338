"""Runs scripts side by side, and shows what each printed, whole and in the given order.

    side_by_side.py [--jobs N] SCRIPT... [-- COMMAND...]

Scripts begin in the given order, at most N at a time (by default one more than there are cores). COMMAND, with a
script's name after it, runs it; `bash` where there is none.

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
from concurrent.futures import ThreadPoolExecutor


class Runner:
    """Starts scripts, and ends those that are under way when it is stopped itself."""

    def __init__(self, command):
        self.command = command
        self.lock = threading.Lock()
        self.running = set()
        self.is_stopped = False

    def run(self, script):
        """Runs one script to its end; returns its exit code, what it printed, and the seconds that it took."""
        begin = time.monotonic()
        with tempfile.TemporaryFile() as output:
            with self.lock:
                if self.is_stopped:
                    return None, b"", 0
                # A session of its own: its end takes along whatever it has started.
                process = subprocess.Popen(
                    [*self.command, *script.split()], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    start_new_session=True)
                self.running.add(process)
            code = process.wait()
            with self.lock:
                self.running.discard(process)
            output.seek(0)
            return code, output.read(), time.monotonic() - begin

    def stop(self):
        with self.lock:
            self.is_stopped = True
            for process in self.running:
                os.killpg(process.pid, signal.SIGTERM)


def main():
    words = sys.argv[1:]
    words, command = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, ["bash"])
    parser = argparse.ArgumentParser(description="Runs scripts side by side.")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)) + 1)
    parser.add_argument("scripts", nargs="+")
    chosen = parser.parse_args(words)
    runner = Runner(command)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    failed = []
    with ThreadPoolExecutor(max_workers=chosen.jobs) as pool:
        try:
            for script, ending in [(script, pool.submit(runner.run, script)) for script in chosen.scripts]:
                code, printed, seconds = ending.result()
                print(f"test: {script} ({seconds:.0f} s)", flush=True)
                sys.stdout.buffer.write(printed)
                sys.stdout.flush()
                if code != 0:
                    failed.append(script)
        except KeyboardInterrupt:
            runner.stop()
            sys.exit(130)
    if failed:
        sys.exit(f"test: failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
