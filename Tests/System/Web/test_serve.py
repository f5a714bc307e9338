"""What `plumb serve` shows to viewers, from whom it requires a token, and how it ends.

    PLUMB=build/plumb python3 Tests/System/Web/test_serve.py
"""
import itertools
import math
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import qr
from serve import PATIENCE, PLUMB, Serve, Viewer, despite_stalls, kinds, machine_board, wait_until
from terminal import Terminal

FUSED = str(pathlib.Path(__file__).resolve().parents[3] / "boards" / "emulated-mpu6050.ini")


class Looking(unittest.TestCase):
    def test_a_viewer_gets_figures_the_past_and_events(self):
        with Serve("--motion", "tumble") as served, Viewer(served) as viewer:
            begin = time.monotonic()
            events = viewer.events_until(lambda found: len(lit_frames(found)) > 45)
            seconds, count = time.monotonic() - begin, kinds(events).count("frame")
            events += viewer.events_until(lambda found: "portraitUpsideDown" in poses(events + found))
            self.assertEqual(viewer.status, 200)
            self.assertEqual(viewer.fields["content-type"], "text/event-stream; charset=utf-8")
            self.assertEqual(kinds(events)[0], "hello")
            hello = events[0][2]
            self.assertEqual([lamp["pose"] for lamp in hello["lamps"]], [0, 1, 2, 3, 4, 5])
            # Twenty a second, and no more.
            self.assertLess(count, seconds * 26)
            for frame in lit_frames(events):
                self.assertLess(abs((frame["x"] ** 2 + frame["y"] ** 2 + frame["z"] ** 2) ** 0.5 - 1), 0.1)
                self.assertEqual(sum(frame["lit"]), 1)
                self.assertEqual(frame["lit"][frame["number"]], 1)
            notes = [(number, data) for kind, number, data in events if kind == "note"]
            self.assertEqual(poses(events)[:3], ["portrait", "landscapeLeft", "portraitUpsideDown"])
            self.assertEqual([number.split("-")[1] for number, _ in notes], [str(i) for i in range(len(notes))])

    def test_the_past_has_no_gap_and_keeps_extremes(self):
        with Serve("--motion", "shake") as served:
            # Two seconds at 100 Hz: on a busy machine the first sample may belong to a later slice than the first.
            wait_until(lambda: served.state()["counters"]["samples"] > 200, "there is a past")
            with Viewer(served) as viewer:
                # Twenty frames a second could miss the peaks of 5 Hz with 1.5 g; the slices do not.
                events = viewer.events_until(lambda found: any((row[2] or 0) > 1400 for row in rows(found))
                                             and kinds(found).count("frame") > 30)
            slices = {row[0]: row for row in rows(events)}
            self.assertEqual(sorted(slices), list(range(min(slices), max(slices) + 1)))
            self.assertGreaterEqual(len(rows(events[:1])), 20)
            self.assertGreater(max(row[2] for row in slices.values() if row[2] is not None), 1400)

    def test_a_viewer_that_reconnects_misses_no_event(self):
        despite_stalls(self.has_reconnected)

    def has_reconnected(self):
        """Whether there was an outage while no viewer was connected; none of its events may then be missing."""
        with Serve("--motion", "tumble") as served:
            with Viewer(served) as viewer:
                found = viewer.events_until(lambda found: "note" in kinds(found))
                first = [number for kind, number, _ in found if kind == "note"]
            if not served.notices_outage():
                return False
            with Viewer(served, last=first[-1]) as viewer:
                found = viewer.events_until(lambda found: "recovery" in [data.get("event") for _, _, data in found])
                then = [(number, data) for kind, number, data in found if kind == "note"]
            begin = int(first[-1].split("-")[1]) + 1
            self.assertEqual([int(number.split("-")[1]) for number, _ in then], list(range(begin, begin + len(then))))
            self.assertIn("trouble", [data["event"] for _, data in then])
            return True
            self.assertIn("recovery", [data["event"] for _, data in then])

    def test_one_moment_is_an_object(self):
        with Serve("--motion", "landscapeRight") as served:
            state = served.settled("landscapeRight")
            self.assertEqual((state["pose"], state["leds"]), ("landscapeRight", [0, 0, 0, 1, 0, 0]))
            self.assertLess(abs(state["x"] + 1), 0.05)
            self.assertLess(abs(state["angle_deg"] - 90), 2)
            self.assertEqual(state["events"][0]["to"], "landscapeRight")

    def test_figures_of_the_gyroscope_are_null_without_one(self):
        names = ["up", "heading_deg", "rate_dps", "still", "certainty", "bias_dps", "temperature_c", "clipped_samples"]
        with Serve("--motion", "hold") as served:
            self.assertEqual({name: served.state()[name] for name in names}, dict.fromkeys(names))
        with Serve("--board", FUSED, "--motion", "turntable") as served:
            wait_until(lambda: served.state()["certainty"] == "starting", "it starts")
            wait_until(lambda: served.state()["certainty"] == "still", "it is at rest")
            state = served.state()
            self.assertIs(state["still"], True)
            self.assertAlmostEqual(sum(value * value for value in state["up"]), 1, places=4)
            # What the emulated gyroscope reads at rest.
            for found, real in zip(state["bias_dps"], [2.7, -0.6, 1.8]):
                self.assertAlmostEqual(found, real, delta=0.3)
            self.assertTrue(20 < state["temperature_c"] < 40)
            self.assertEqual(state["clipped_samples"], 0)
            before = state["attitude"]
            wait_until(lambda: abs(served.state()["heading_deg"]) > 10, "it has turned")
            state = served.state()
            self.assertEqual((state["certainty"], state["still"]), ("moving", False))
            # The picture turns about the vertical, as the board does; gravity alone would not show that.
            angle = math.radians(state["heading_deg"])
            self.assertLess(abs(math.hypot(*state["rate_dps"]) - 5), 1)
            for old, new in zip(before, state["attitude"]):
                self.assertAlmostEqual(new[1], old[1], delta=0.02)
                self.assertAlmostEqual(new[0], math.cos(angle) * old[0] + math.sin(angle) * old[2], delta=0.03)

    def test_vibration_is_shown_if_it_is_watched(self):
        with Serve("--motion", "machine") as served:
            self.assertIsNone(served.state()["vibration"])
        with tempfile.TemporaryDirectory() as folder:
            with Serve("--board", machine_board(folder), "--motion", "machine") as served:
                # A busy machine may lose samples, and what was measured with them, before the next request.
                vibration = wait_until(lambda: (found := served.state()["vibration"]) and found.get("bands") and found,
                                       "a second has passed", 0.1)
                self.assertEqual([band["band"] for band in vibration["bands"]], ["1 to 10 Hz", "10 to 40 Hz"])
                self.assertGreater(vibration["rms_g"], 0)
                for band in vibration["bands"]:
                    # A band is measured in windowed blocks, the whole in all samples.
                    self.assertTrue(0 <= band["rms_g"] <= 1.01 * vibration["rms_g"] + 1e-4, vibration)

    def test_events_go_to_standard_output_too(self):
        with Serve("--motion", "portrait") as served:
            samples = served.settled("portrait")["counters"]["samples"]
            code, _, lines, errors = served.stop()
            self.assertEqual((code, errors), (0, ""))
            self.assertEqual([line["event"] for line in lines if line["event"] != "rotation"], ["pose", "summary"])
            self.assertGreaterEqual(lines[-1]["samples"], samples)


class Tokens(unittest.TestCase):
    def test_other_addresses_require_the_token_in_the_url(self):
        with Serve("--motion", "hold", listen="0.0.0.0:0") as served:
            served.host = "127.0.0.1"
            self.assertRegex(served.query, r"^\?token=[a-z]{4}(-[a-z]{4}){3}$")
            for path in ["/", "/events", "/state.json", "/nix"]:
                for query in ["", "?token=", "?token=" + "0" * 32, served.query[:-1], served.query + "0"]:
                    self.assertEqual(served.ask(path + query)[0], 401, path + query)
            self.assertEqual(served.ask("/" + served.query, host="raspberrypi.local")[0], 200)
            token = served.query.split("=")[1]
            self.assertEqual(served.ask("/state.json", fields=f"Authorization: Bearer {token}\r\n")[0], 200)
            self.assertNotIn(token, served.ask("/" + served.query)[2])
            with Viewer(served) as viewer:
                self.assertEqual(kinds(viewer.events_until(kinds))[0], "hello")
            _, _, lines, errors = served.stop()
            self.assertNotIn(token, repr(lines) + errors)

    def test_a_terminal_gets_the_address_as_a_qr_code(self):
        for more, listen in [({}, "0.0.0.0:0"), ({"NO_COLOR": "1"}, "0.0.0.0:0"), ({}, "127.0.0.1:0"),
                             ({"LC_ALL": "C"}, "0.0.0.0:0")]:
            environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "", **more}
            terminal = Terminal(60, 100)
            self.addCleanup(terminal.close)
            data, end = b"", time.monotonic() + PATIENCE
            process = terminal.start([PLUMB, "serve", "--motion", "hold", "--listen", listen], env=environment)
            while b"Ctrl-C" not in data and time.monotonic() < end:
                data += terminal.take(0.1)
            os.kill(process.pid, signal.SIGINT)
            self.assertEqual(process.wait(), 0)
            lines = data.decode().split("\r\n")
            drawn = [line for line in lines if re.search("[█▀▄]", line)]
            if listen.startswith("127") or "LC_ALL" in more:
                self.assertEqual(drawn, [], more)
                continue
            # Black and white whatever the colours of the terminal.
            self.assertEqual([bool(re.fullmatch("\x1b\\[97;40m.*\x1b\\[0m", line)) for line in drawn],
                             [not more] * len(drawn))
            self.assertIn("  " + qr.text([re.sub("\x1b\\[[0-9;]*m", "", line) for line in drawn]), lines)

    def test_guesses_are_limited_and_viewers_stay(self):
        with Serve("--motion", "hold", listen="0.0.0.0:0") as served, Viewer(served) as viewer:
            self.assertEqual(kinds(viewer.events_until(kinds))[0], "hello")
            codes = [served.ask("/?token=" + "a" * 19)[0] for _ in range(100)]
            self.assertEqual(set(codes[:60]), {401})
            self.assertIn(429, codes)
            self.assertEqual(served.ask("/")[0], 401)
            status, fields, body = served.ask("/" + served.query)
            self.assertEqual((status, fields["retry-after"]), (429, "60"))
            self.assertIn("Too many wrong tokens", body)
            self.assertIn("frame", kinds(viewer.events_until(lambda found: "frame" in kinds(found))))

    def test_a_rejected_browser_gets_a_page_and_a_rejected_script_a_line(self):
        with Serve("--motion", "hold", listen="0.0.0.0:0") as served:
            _, fields, body = served.ask("/", fields="Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n")
            self.assertEqual(fields["content-type"], "text/html; charset=utf-8")
            self.assertIn("width=device-width", body)
            self.assertIn("The token is missing or wrong", body)
            _, fields, body = served.ask("/", fields="Accept: */*\r\n")
            self.assertEqual(fields["content-type"], "text/plain; charset=utf-8")
            self.assertEqual(body.count("\n"), 1)

    def test_the_token_can_come_from_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".token") as file:
            file.write("  not-a-secret_0123456789\n")
            file.flush()
            with Serve("--motion", "hold", "--token-file", file.name) as served:
                self.assertEqual(served.query, "?token=not-a-secret_0123456789")
                self.assertEqual(served.ask("/")[0], 401)
                self.assertEqual(served.ask("/" + served.query)[0], 200)


    def test_a_file_without_a_valid_token_is_rejected(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in [("short", "0123456789abcde\n"), ("empty", ""), ("second", "\n0123456789abcdef\n"),
                               ("long", "a" * 129 + "\n"), ("endless", "a" * 5000), ("sign", "0123456789abcde!\n")]:
                with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                    file.write(text)
            for path in ["short", "empty", "second", "long", "endless", "sign", ".", "/dev/zero", "/dev/null"]:
                path = os.path.join(folder, path)
                code, words = ended("--token-file", path)
                self.assertEqual(code, 65, path)
                reason = "a directory, not a token file" if os.path.isdir(path) else "no token"
                self.assertIn(f"{path}: {reason}", words)
            self.assertEqual(ended("--token-file", "-")[0], 65)
            code, words = ended("--token-file", "/nowhere/token")
            self.assertEqual(code, 66)
            self.assertIn("no such token file", words)

    def test_the_token_can_come_from_a_pipe_and_waiting_for_it_can_be_stopped(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "token")
            os.mkfifo(path)
            with subprocess.Popen([PLUMB, "serve", "--listen", "0", "--token-file", path], stderr=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL) as waiting:
                with self.assertRaises(subprocess.TimeoutExpired):
                    waiting.wait(0.5)
                waiting.send_signal(signal.SIGINT)
                self.assertEqual(waiting.wait(PATIENCE), -signal.SIGINT)
                self.assertEqual(waiting.stderr.read(), b"")
            writer = threading.Thread(target=lambda: pathlib.Path(path).write_text("0123456789abcdef", encoding="ascii"))
            writer.start()
            with Serve("--motion", "hold", "--token-file", path) as served:
                self.assertEqual(served.query, "?token=0123456789abcdef")
            writer.join()


def lit_frames(events):
    """The frames from the first one with a known pose."""
    frames = [data for kind, _, data in events if kind == "frame"]
    return list(itertools.dropwhile(lambda frame: not sum(frame["lit"]), frames))


def rows(events):
    """The rows of the past in events."""
    return [row for _, _, data in events for row in data.get("slices", [])]


def poses(events):
    """The poses in events, in order."""
    return [data["to"] for kind, _, data in events if kind == "note" and data["event"] == "pose"]


def ended(*arguments, output=subprocess.PIPE):
    """The exit code and output of a start that fails."""
    done = subprocess.run([PLUMB, "serve", *arguments], stdin=subprocess.DEVNULL, stdout=output,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stderr


class Ends(unittest.TestCase):
    def test_its_messages_fit_into_80_columns(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("0123456789abcdef" * 2)
            file.flush()
            for arguments in [("127.0.0.1:0",), ("0.0.0.0:0",), ("127.0.0.1:0", "--token-file", file.name)]:
                with subprocess.Popen([PLUMB, "serve", "--listen", *arguments], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, text=True) as process:
                    lines = [process.stdout.readline()]
                    while lines[-1] and "Stop with Ctrl-C." not in lines[-1]:
                        lines.append(process.stdout.readline())
                    process.send_signal(signal.SIGINT)
                    lines += process.stdout.readlines()
                self.assertEqual(process.returncode, 0)
                self.assertIn("Stop with Ctrl-C.", "".join(lines))
                # A command to copy is one line, however long this machine's name is.
                for line in lines:
                    self.assertLess(len(line) if "ssh -N" not in line else 0, 82, line)

    def test_a_full_disk_behind_standard_output_is_reported(self):
        for form in ["text", "json"]:
            with open("/dev/full", "w", encoding="ascii") as full:
                code, words = ended("--listen", "0", "--format", form, output=full)
            self.assertEqual(code, 73)
            self.assertIn("cannot be written", words)
        text = subprocess.run([PLUMB, "serve", "--help"], capture_output=True, text=True, check=True).stdout
        self.assertIn(" 73 output", " ".join(text.split()))

    def test_each_failure_has_its_code_and_message(self):
        for text in ["nonsense", "127.0.0.1:99999", "127.0.0.1:-1", "256.0.0.1:80", "::1:80", "[::1", "", "localhost:", "evil.example:80"]:
            code, words = ended("--listen", text)
            self.assertEqual(code, 64, text)
            self.assertIn("--listen", words)
        with Serve("--motion", "hold") as served:
            code, words = ended("--listen", f"127.0.0.1:{served.port}")
            self.assertEqual(code, 69)
            self.assertIn("in use", words)
        code, words = ended("--listen", "192.0.2.1:0")
        self.assertEqual(code, 69)
        self.assertIn("no address 192.0.2.1", words)
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
            file.write("[i2c]\nbus = nonsense\n")
            file.flush()
            self.assertEqual(ended("--board", file.name)[0], 78)

    def test_a_low_port_needs_rights(self):
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as file:
            limit = int(file.read())
        if limit < 2:
            self.skipTest("every port is free for all here")
        command = [os.path.abspath(PLUMB), "serve", "--listen", "127.0.0.1:1"]
        if os.geteuid() == 0:
            command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--clear-groups", "--reuid=65534"] + command
            if subprocess.run([*command[:-3], "--version"], capture_output=True, check=False).returncode != 0:
                self.skipTest("somebody else may not run the program here")
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("root rights", done.stderr)

    def test_stop_signals_end_it_at_once_whoever_is_watching(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            with Serve("--motion", "hold") as served:
                viewers = [Viewer(served) for _ in range(10)]
                silent = [served.connect() for _ in range(5)]
                for viewer in viewers[1:]:
                    self.assertTrue(viewer.events_until(lambda found: found), "somebody sees nothing")
                code, seconds, lines, _ = served.stop(number)
                self.assertEqual(code, 0)
                # Some hundredths, or what a busy machine takes; but less than the 10 s that a silent connection has.
                self.assertLess(seconds, 8)
                self.assertEqual(lines[-1]["event"], "summary")
                self.assertEqual(viewers[1].events(PATIENCE)[-1][0], "bye")
                for other in viewers + silent:
                    other.close()

    def test_it_ends_when_the_reader_of_standard_output_goes_away(self):
        with subprocess.Popen([PLUMB, "serve", "--listen", "0", "--format", "json", "--motion", "tumble"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            try:
                self.assertEqual(process.wait(PATIENCE), 0)
            finally:
                process.kill()
            self.assertEqual(process.stderr.read(), b"")


if __name__ == "__main__":
    unittest.main()
