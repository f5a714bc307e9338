"""`plumb serve` with many viewers, slow ones, and invalid requests: none of them keeps the loop waiting.

    PLUMB=build/plumb python3 Tests/System/Web/test_crowd.py
"""
import os
import time
import unittest

from serve import Serve, Viewer, kinds, received, wait_until


def samples(*served):
    """The number of samples that each has taken."""
    return [one.state()["counters"]["samples"] for one in served]


class Crowd(unittest.TestCase):
    def test_fifty_viewers_and_one_that_never_reads_cost_the_loop_nothing(self):
        # Other load on this machine costs a loop without viewers as much.
        with Serve("--motion", "hold") as served, Serve("--motion", "hold") as alone:
            deaf = served.connect()
            deaf.sendall(f"GET /events HTTP/1.1\r\nHost: {served.host}:{served.port}\r\n\r\n".encode())
            viewers = [Viewer(served) for _ in range(50)]
            for viewer in viewers:
                viewer.events(0.02)
            memory, before, begin = served.memory(), [s.state()["counters"] for s in (served, alone)], time.monotonic()
            counts = [0] * len(viewers)
            while time.monotonic() - begin < 8:
                for index, viewer in enumerate(viewers):
                    counts[index] += sum(kind == "frame" for kind, _, _ in viewer.events(0.005))
            after = [s.state()["counters"] for s in (served, alone)]
            seconds = time.monotonic() - begin
            taken, late = ([then[key] - now[key] for now, then in zip(before, after)] for key in ("samples", "late_samples"))
            print(f"{seconds:.1f} s with 51 viewers: {taken[0]} samples, {late[0]} late; alone {taken[1]}, {late[1]}")
            self.assertGreater(taken[0], taken[1] * 0.78)
            self.assertLessEqual(late[0], late[1] + taken[0] * 0.02)
            # Each gets its frames, however few there are in all on a busy machine.
            self.assertGreater(min(counts), max(counts) / 2)
            self.assertLess(served.memory() - memory, 8 << 20)
            deaf.close()
            for viewer in viewers:
                viewer.close()

    def test_a_viewer_that_never_reads_is_disconnected(self):
        with Serve("--motion", "hold") as served:
            deaf = served.connect(30)
            deaf.setsockopt(1, 8, 4096)  # SOL_SOCKET, SO_RCVBUF
            deaf.sendall(f"GET /events HTTP/1.1\r\nHost: {served.host}:{served.port}\r\n\r\n".encode())
            for wanted in [1, 0]:
                wait_until(lambda: served.connections() == wanted, f"{wanted} connections", 0.1)
            deaf.close()

    def test_too_many_viewers_are_turned_away_and_other_requests_still_answered(self):
        with Serve("--motion", "hold") as served:
            viewers = [Viewer(served) for _ in range(100)]
            for viewer in viewers:
                viewer.events_until(kinds)
            self.assertTrue(all(viewer.status == 200 for viewer in viewers))
            self.assertEqual(served.ask("/events")[0], 503)
            self.assertEqual(served.ask("/state.json")[0], 200)
            viewers[0].close()
            wait_until(lambda: served.connections() < 100, "the first connection ends")
            with Viewer(served) as late:
                late.events_until(kinds)
                self.assertEqual(late.status, 200)
            for viewer in viewers:
                viewer.close()


class Strangers(unittest.TestCase):
    """Invalid requests, and connections that send no request."""

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

    def test_head_returns_only_the_head(self):
        for path in ["/", "/state.json", "/events"]:
            status, fields, body = self.served.ask(path, "HEAD")
            self.assertEqual((status, body), (200, ""), path)
            self.assertEqual("content-length" in fields, path != "/events")

    def test_other_names_are_rejected_on_a_loopback_address(self):
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:9000", "[::1]:7586"]:
            self.assertEqual(self.served.ask(host=host)[0], 200, host)
        for host in ["evil.example", "evil.example:7586", "localhost.evil.example", "127.0.0.1.evil.example", "localhost:x",
                     "[::1].evil.example", "localhost@evil.example", "192.168.0.1"]:
            self.assertEqual(self.served.ask(host=host)[0], 403, host)

    def test_requests_from_pages_of_other_sites_are_rejected(self):
        for path in ["/", "/state.json", "/events", "/nix"]:
            for method in ["GET", "HEAD", "POST"]:
                self.assertEqual(self.served.ask(path, method, fields="Sec-Fetch-Site: cross-site\r\n")[0], 403, path)
        self.assertIn("address bar", self.served.ask(fields="Sec-Fetch-Site: cross-site\r\n")[2])
        for site in ["none", "same-origin", "same-site"]:
            self.assertEqual(self.served.ask(fields=f"Sec-Fetch-Site: {site}\r\n")[0], 200, site)

    def test_the_page_is_one_piece_and_may_contact_no_one_else(self):
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

    def test_connections_that_request_nothing_make_room_and_are_closed(self):
        alone = Serve("--motion", "hold")
        self.addCleanup(alone.__exit__)
        before = samples(self.served, alone)
        silent = [self.served.connect() for _ in range(300)]
        for connection in silent[::2]:
            connection.sendall(b"GET / HT")
        self.assertEqual(self.served.ask()[0], 200)
        answer = received(silent[-2])
        self.assertTrue(answer.startswith(b"HTTP/1.1 408 "), answer[:40])
        # Nearly as many samples as a loop without requests takes meanwhile: on a busy machine both lose some.
        taken = [then - now for now, then in zip(before, samples(self.served, alone))]
        self.assertGreater(taken[0], taken[1] * 0.7)
        for connection in silent:
            connection.close()

    def test_a_client_that_closes_its_sending_side_still_gets_the_answer(self):
        with self.served.connect() as connection:
            connection.sendall(f"GET /state.json HTTP/1.1\r\nHost: localhost:{self.served.port}\r\n\r\n".encode())
            connection.shutdown(1)
            self.assertIn(b'"pose"', received(connection))


if __name__ == "__main__":
    unittest.main()
