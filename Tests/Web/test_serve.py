"""What `plumb serve` says to those who look, and that nobody who looks, or does worse, keeps the loop waiting.

    PLUMB=build/plumb python3 Tests/Web/test_serve.py
"""
import os
import signal
import subprocess
import tempfile
import time
import unittest

from serve import Serve, Viewer, received

# A loop that has to share its cores with other tests may miss a few samples.
RATE, SLACK = 100, 0.8


class Looking(unittest.TestCase):
    def test_a_viewer_gets_figures_past_and_events(self):
        with Serve("--motion", "tumble") as served, Viewer(served) as viewer:
            events = viewer.events(4)
            self.assertEqual(viewer.status, 200)
            self.assertEqual(viewer.fields["content-type"], "text/event-stream; charset=utf-8")
            kinds = [kind for kind, _, _ in events]
            self.assertEqual(kinds[0], "hello")
            hello = events[0][2]
            self.assertEqual([lamp["pose"] for lamp in hello["lamps"]], [0, 1, 2, 3, 4, 5])
            frames = [data for kind, _, data in events if kind == "frame"]
            self.assertGreater(len(frames), 4 * 12)
            self.assertLess(len(frames), 4 * 26)
            for frame in frames[3:]:
                self.assertLess(abs((frame["x"] ** 2 + frame["y"] ** 2 + frame["z"] ** 2) ** 0.5 - 1), 0.1)
                self.assertEqual(sum(frame["lit"]), 1)
                self.assertEqual(frame["lit"][frame["number"]], 1)
            notes = [(number, data) for kind, number, data in events if kind == "note"]
            self.assertEqual([data["to"] for _, data in notes if data["event"] == "pose"][:3],
                             ["portrait", "landscapeLeft", "portraitUpsideDown"])
            self.assertEqual([number.split("-")[1] for number, _ in notes], [str(i) for i in range(len(notes))])

    def test_the_past_has_no_gap_and_keeps_extremes(self):
        with Serve("--motion", "shake") as served:
            time.sleep(3)
            with Viewer(served) as viewer:
                events = viewer.events(2)
            slices = {}
            for _, _, data in events:
                for row in data.get("slices", []):
                    slices[row[0]] = row
            self.assertEqual(sorted(slices), list(range(min(slices), max(slices) + 1)))
            self.assertEqual(min(slices), 0)
            # Twenty frames a second could miss the peaks of 5 Hz with 1.5 g; the slices do not.
            self.assertGreater(max(row[2] for row in slices.values() if row[2] is not None), 1400)

    def test_who_comes_back_misses_no_event(self):
        with Serve("--motion", "tumble") as served:
            with Viewer(served) as viewer:
                first = [number for kind, number, _ in viewer.events(2.5) if kind == "note"]
            time.sleep(4.5)
            with Viewer(served, last=first[-1]) as viewer:
                then = [(number, data) for kind, number, data in viewer.events(1) if kind == "note"]
            begin = int(first[-1].split("-")[1]) + 1
            self.assertEqual([int(number.split("-")[1]) for number, _ in then], list(range(begin, begin + len(then))))
            self.assertIn("trouble", [data["event"] for _, data in then])
            self.assertIn("recovery", [data["event"] for _, data in then])

    def test_one_moment_is_an_object(self):
        with Serve("--motion", "landscapeRight") as served:
            time.sleep(1)
            state = served.state()
            self.assertEqual((state["pose"], state["leds"]), ("landscapeRight", [0, 0, 0, 1, 0, 0]))
            self.assertLess(abs(state["x"] + 1), 0.05)
            self.assertLess(abs(state["angle_deg"] - 90), 2)
            self.assertEqual(state["events"][0]["to"], "landscapeRight")
            self.assertGreater(state["counters"]["samples"], 50)

    def test_events_go_to_standard_output_too(self):
        with Serve("--motion", "portrait") as served:
            time.sleep(0.7)
            code, _, lines, errors = served.stop()
            self.assertEqual((code, errors), (0, ""))
            self.assertEqual([line["event"] for line in lines if line["event"] != "rotation"], ["pose", "summary"])
            self.assertGreater(lines[-1]["samples"], 40)


class Crowd(unittest.TestCase):
    def test_fifty_viewers_and_one_that_never_reads_cost_the_loop_nothing(self):
        with Serve("--motion", "hold") as served:
            deaf = served.connect()
            deaf.sendall(f"GET /events HTTP/1.1\r\nHost: {served.host}:{served.port}\r\n\r\n".encode())
            viewers = [Viewer(served) for _ in range(50)]
            for viewer in viewers:
                viewer.events(0.02)
            memory, samples, begin = served.memory(), served.state()["counters"]["samples"], time.monotonic()
            counts = [0] * len(viewers)
            while time.monotonic() - begin < 6:
                for index, viewer in enumerate(viewers):
                    counts[index] += sum(kind == "frame" for kind, _, _ in viewer.events(0.005))
            seconds = time.monotonic() - begin
            rate = (served.state()["counters"]["samples"] - samples) / seconds
            self.assertGreater(rate, RATE * SLACK)
            self.assertGreater(min(counts), 6 * 4)
            self.assertLess(served.memory() - memory, 8 << 20)
            deaf.close()
            for viewer in viewers:
                viewer.close()

    def test_a_viewer_that_never_reads_is_let_go(self):
        with Serve("--motion", "hold") as served:
            deaf = served.connect(30)
            deaf.setsockopt(1, 8, 4096)  # SOL_SOCKET, SO_RCVBUF
            deaf.sendall(f"GET /events HTTP/1.1\r\nHost: {served.host}:{served.port}\r\n\r\n".encode())
            for wanted in [1, 0]:
                end = time.monotonic() + 60
                while self.connections(served) != wanted and time.monotonic() < end:
                    time.sleep(0.1)
                self.assertEqual(self.connections(served), wanted)
            deaf.close()

    def test_too_many_viewers_are_told_so_and_others_still_served(self):
        with Serve("--motion", "hold") as served:
            viewers = [Viewer(served) for _ in range(100)]
            for viewer in viewers:
                viewer.events(0.02)
            self.assertTrue(all(viewer.status == 200 for viewer in viewers))
            self.assertEqual(served.ask("/events")[0], 503)
            self.assertEqual(served.ask("/state.json")[0], 200)
            viewers[0].close()
            time.sleep(0.3)
            with Viewer(served) as late:
                late.events(0.5)
                self.assertEqual(late.status, 200)
            for viewer in viewers:
                viewer.close()

    @staticmethod
    def connections(served):
        folder = f"/proc/{served.process.pid}/fd"
        names = [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]
        return sum(name.startswith("socket:") for name in names) - 1


class Strangers(unittest.TestCase):
    """Requests that are none, and connections that do not ask."""

    def setUp(self):
        self.served = Serve("--motion", "hold")
        self.addCleanup(self.served.__exit__)

    def status(self, data):
        answer = self.served.say(data)
        return int(answer.split(b" ")[1]) if answer.startswith(b"HTTP/1.1 ") else answer

    def test_each_bad_request_gets_its_code(self):
        host = f"Host: 127.0.0.1:{self.served.port}\r\n".encode()
        cases = [
            (b"GET / HTTP/1.1\r\n" + host + b"\r\n", 200),
            (b"GET / HTTP/1.0\r\n" + host + b"\r\n", 200),
            (b"\r\nGET / HTTP/1.1\n" + host + b"\n", 200),
            (b"GET / HTTP/1.1\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n" + host + host + b"\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n" + host + b" folded\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n" + host + b"X: a\x00b\r\n\r\n", 400),
            (b"GET  / HTTP/1.1\r\n" + host + b"\r\n", 400),
            (b"GET http://localhost/ HTTP/1.1\r\n" + host + b"\r\n", 400),
            (b"GET / HTTP/2.0\r\n" + host + b"\r\n", 505),
            (b"GET /\r\n\r\n", 400),
            (b"\x16\x03\x01\x02\x00\x01\x00", 400),
            (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n", 431),
            (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 3000 + b"\r\n", 431),
            (b"GET /nix HTTP/1.1\r\n" + host + b"\r\n", 404),
            (b"GET /../etc/passwd HTTP/1.1\r\n" + host + b"\r\n", 404),
            (b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 5\r\n\r\nhello", 405),
            (b"OPTIONS /events HTTP/1.1\r\n" + host + b"\r\n", 405),
        ]
        for data, code in cases:
            with self.subTest(data[:60]):
                self.assertEqual(self.status(data), code)
        self.assertEqual(self.served.ask("/", "PUT")[1]["allow"], "GET, HEAD")

    def test_head_has_the_head_alone(self):
        for path in ["/", "/state.json", "/events"]:
            status, fields, body = self.served.ask(path, "HEAD")
            self.assertEqual((status, body), (200, ""), path)
            self.assertEqual("content-length" in fields, path != "/events")

    def test_other_names_are_refused_on_a_loopback_address(self):
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:9000", "[::1]:7586"]:
            self.assertEqual(self.served.ask(host=host)[0], 200, host)
        for host in ["evil.example", "evil.example:7586", "localhost.evil.example", "127.0.0.1.evil.example", "localhost:x",
                     "[::1].evil.example", "localhost@evil.example", "192.168.0.1"]:
            self.assertEqual(self.served.ask(host=host)[0], 403, host)

    def test_the_page_is_one_piece_that_may_ask_nobody_else(self):
        _, first, page = self.served.ask()
        _, second, _ = self.served.ask()
        policy = first["content-security-policy"]
        for part in ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]:
            self.assertIn(part, policy)
        self.assertNotIn("unsafe", policy)
        nonce = policy.split("'nonce-")[1].split("'")[0]
        self.assertEqual(page.count(f'nonce="{nonce}"'), 2)
        self.assertNotIn(nonce, second["content-security-policy"])
        for mark in ["NONCE", "/*STYLE*/", "/*SCRIPT*/", "<script src", "<link rel=\"stylesheet", "@import", "innerHTML", "style=\""]:
            self.assertNotIn(mark, page)
        self.assertEqual((first["x-content-type-options"], first["referrer-policy"]), ("nosniff", "no-referrer"))
        self.assertNotIn("access-control-allow-origin", first)

    def test_garbage_and_endless_heads_cost_little(self):
        memory = self.served.memory()
        for _ in range(20):
            with self.served.connect() as connection:
                try:
                    for _ in range(100):
                        connection.sendall(os.urandom(1) + b"x" * 65535)
                except OSError:
                    pass
        self.assertLess(self.served.memory() - memory, 8 << 20)
        self.assertEqual(self.served.ask()[0], 200)

    def test_connections_that_never_ask_make_room_and_are_ended(self):
        silent = [self.served.connect(20) for _ in range(300)]
        for connection in silent[::2]:
            connection.sendall(b"GET / HT")
        self.assertEqual(self.served.ask()[0], 200)
        begin = time.monotonic()
        answer = received(silent[-2])
        self.assertTrue(answer.startswith(b"HTTP/1.1 408 "), answer[:40])
        self.assertLess(time.monotonic() - begin, 13)
        rate = self.served.state()["counters"]["samples"] / self.served.state()["t"]
        self.assertGreater(rate, RATE * SLACK)
        for connection in silent:
            connection.close()

    def test_who_says_all_and_closes_that_side_still_gets_the_answer(self):
        with self.served.connect() as connection:
            connection.sendall(f"GET /state.json HTTP/1.1\r\nHost: localhost:{self.served.port}\r\n\r\n".encode())
            connection.shutdown(1)
            self.assertIn(b'"pose"', received(connection))


class Tokens(unittest.TestCase):
    def test_other_addresses_need_the_token_that_the_url_has(self):
        with Serve("--motion", "hold", listen="0.0.0.0:0") as served:
            served.host = "127.0.0.1"
            self.assertRegex(served.query, r"^\?token=[0-9a-f]{32}$")
            for path in ["/", "/events", "/state.json", "/nix"]:
                for query in ["", "?token=", "?token=" + "0" * 32, served.query[:-1], served.query + "0"]:
                    self.assertEqual(served.ask(path + query)[0], 401, path + query)
            self.assertEqual(served.ask("/" + served.query, host="raspberrypi.local")[0], 200)
            token = served.query.split("=")[1]
            self.assertEqual(served.ask("/state.json", fields=f"Authorization: Bearer {token}\r\n")[0], 200)
            self.assertNotIn(token, served.ask("/" + served.query)[2])
            with Viewer(served) as viewer:
                self.assertEqual(viewer.events(0.5)[0][0], "hello")
            _, _, lines, errors = served.stop()
            self.assertNotIn(token, repr(lines) + errors)

    def test_a_file_gives_the_token(self):
        with tempfile.NamedTemporaryFile("w", suffix=".token") as file:
            file.write("  not-a-secret_0123456789\n")
            file.flush()
            with Serve("--motion", "hold", "--token-file", file.name) as served:
                self.assertEqual(served.query, "?token=not-a-secret_0123456789")
                self.assertEqual(served.ask("/")[0], 401)
                self.assertEqual(served.ask("/" + served.query)[0], 200)


class Ends(unittest.TestCase):
    def code(self, *arguments):
        program = os.environ.get("PLUMB", "build/plumb")
        done = subprocess.run([program, "serve", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=20, check=False)
        return done.returncode, done.stderr

    def test_each_failure_has_its_code_and_words(self):
        for text in ["nonsense", "127.0.0.1:99999", "127.0.0.1:-1", "256.0.0.1:80", "::1:80", "[::1", "", "localhost:", "evil.example:80"]:
            code, words = self.code("--listen", text)
            self.assertEqual(code, 64, text)
            self.assertIn("--listen", words)
        with Serve("--motion", "hold") as served:
            code, words = self.code("--listen", f"127.0.0.1:{served.port}")
            self.assertEqual(code, 69)
            self.assertIn("in use", words)
        code, words = self.code("--listen", "192.0.2.1:0")
        self.assertEqual(code, 69)
        self.assertIn("no address 192.0.2.1", words)
        code, _ = self.code("--token-file", "/nowhere/token")
        self.assertEqual(code, 66)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("short\n")
            file.flush()
            code, words = self.code("--token-file", file.name)
            self.assertEqual(code, 65)
            self.assertIn("no token", words)
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
            file.write("[i2c]\nbus = nonsense\n")
            file.flush()
            self.assertEqual(self.code("--board", file.name)[0], 78)

    def test_a_low_port_needs_rights(self):
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as file:
            limit = int(file.read())
        if limit < 2:
            self.skipTest("every port is free for all here")
        program = os.path.abspath(os.environ.get("PLUMB", "build/plumb"))
        command = [program, "serve", "--listen", "127.0.0.1:1"]
        if os.geteuid() == 0:
            command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--clear-groups", "--reuid=65534"] + command
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("root rights", done.stderr)

    def test_stop_signals_end_it_at_once_whoever_looks(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            with Serve("--motion", "hold") as served:
                viewers = [Viewer(served) for _ in range(10)]
                silent = [served.connect() for _ in range(5)]
                for viewer in viewers[1:]:
                    viewer.events(0.1)
                served.process.send_signal(number)
                code, seconds, lines, _ = served.stop(number)
                self.assertEqual(code, 0)
                self.assertLess(seconds, 1)
                self.assertEqual(lines[-1]["event"], "summary")
                self.assertEqual(viewers[1].events(1)[-1][0], "bye")
                for other in viewers + silent:
                    other.close()

    def test_a_reader_of_standard_output_that_goes_ends_it(self):
        program = os.environ.get("PLUMB", "build/plumb")
        with subprocess.Popen([program, "serve", "--listen", "0", "--format", "json", "--motion", "tumble"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            try:
                self.assertEqual(process.wait(15), 0)
            finally:
                process.kill()
            self.assertEqual(process.stderr.read(), b"")


if __name__ == "__main__":
    unittest.main()
