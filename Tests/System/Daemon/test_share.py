"""The stream of plumbd: what its clients receive, what they may request, and what they cost."""

import errno
import json
import os
import re
import select
import signal
import socket
import stat
import tempfile
import unittest

from kernel import Kernel
from program import PATIENCE, Program, board, traced, wait_until
from sensors import ADXL345


class Client:
    """A client of a stream."""

    def __init__(self, address):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(address)
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def line(self):
        """The next object; None at the end."""
        while b"\n" not in self.rest:
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        assert len(line) < 1024, line
        return json.loads(line)

    def line_of(self, event):
        """The next object of this kind; skips those before it."""
        while True:
            line = self.line()
            assert line is not None, f"the stream ended before {event}"
            if line["event"] == event:
                return line

    def ask(self, request):
        self.socket.sendall((request if isinstance(request, str) else json.dumps(request)).encode() + b"\n")


class Shared(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "stream")

    def text(self, share="", **figures):
        return board(**figures) + f"[share]\nsocket = {self.path}\n{share}"

    def program(self, share="", sensor=None, **more):
        program = Program(Kernel({0x53: sensor or ADXL345()}), self.text(share), **more)
        self.addCleanup(program.__exit__)
        program.line_after("^pose: portrait$")
        return program

    def client(self, address=None):
        client = Client(address or self.path)
        self.addCleanup(client.socket.close)
        return client


class Objects(Shared):
    def test_hello_reports_what_is_known_and_events_follow(self):
        sensor = ADXL345()
        self.program(sensor=sensor)
        client = self.client()
        hello = client.line()
        self.assertEqual(
            [hello[key] for key in "event protocol sensor address bus code lines pose clients commands".split()],
            ["hello", 1, "adxl345", 0x53, "/dev/i2c-1", "leds", [1, 0, 0, 0, 0, 0], "portrait", 1, False])
        sensor.pose = "faceUp"
        pose = client.line_of("pose")
        self.assertEqual((pose["from"], pose["to"]), ("portrait", "faceUp"))
        self.assertEqual(self.client().line()["pose"], "faceUp")
        sensor.fault = errno.EREMOTEIO
        trouble = client.line_of("trouble")
        self.assertEqual((trouble["reason"], trouble["cause"]), ("fault", "noAcknowledge"))
        client.ask({"query": "read"})
        self.assertIn("no acknowledge", client.line_of("error")["detail"])
        sensor.fault = 0
        self.assertEqual(client.line_of("recovery")["cause"], "noAcknowledge")

    def test_samples_arrive_as_requested(self):
        self.program()
        client = self.client()
        client.ask({"samples": "all"})
        first, second = client.line_of("sample"), client.line_of("sample")
        self.assertGreater(second["t"], first["t"])
        client.ask({"samples": "raw"})
        self.assertAlmostEqual(client.line_of("raw")["y"], 1, delta=0.02)
        client.ask({"samples": 0})
        client.ask({"query": "read"})
        self.assertEqual(client.line_of("reading")["pose"], "portrait")
        client.ask({"counters": 0.1})
        counters = client.line_of("counters")
        self.assertEqual((counters["clients"], counters["missed"], counters["faults"]), (1, 0, 0))

    def test_a_query_is_answered_between_two_samples_that_are_far_apart(self):
        with Program(text=self.text(rate=1)) as program:
            program.line_after("^pose: portrait$")
            client = self.client()
            client.line_of("hello")
            before = program.kernel.targets[0x53].samples
            for _ in range(3):
                client.ask({"query": "read"})
                client.line_of("reading")
            # At most one extra sample per second, however often it is requested.
            self.assertLess(program.kernel.targets[0x53].samples - before, 8)

    def test_an_invalid_request_gets_an_error_and_changes_nothing(self):
        self.program()
        client = self.client()
        for request, words in [
            ("nonsense", "JSON object"),
            ({"samples": 1001}, "0 to 1000"),
            ({"frequency": 1}, "unknown request"),
            ("x" * 600, "511 bytes"),
            ({"command": "tare"}, "commands = yes"),
        ]:
            client.ask(request)
            self.assertIn(words, client.line_of("error")["detail"])
        client.ask({"query": "hello"})
        self.assertEqual(client.line_of("hello")["clients"], 1)

    def test_a_tare_makes_every_angle_zero_for_all_clients_and_untare_undoes_it(self):
        sensor = ADXL345()
        self.program("commands = yes\n", sensor=sensor)
        client, other = self.client(), self.client()
        for each in (client, other):
            self.assertIsNone(each.line_of("hello")["tare"])
        sensor.pose = "landscapeLeft"
        client.line_of("pose")
        client.ask({"command": "tare"})
        for each in (client, other):
            up = each.line_of("hello")["tare"]
            for value, expected in zip(up, (1, 0, 0)):
                self.assertAlmostEqual(value, expected, delta=0.02)
        self.assertEqual(client.line_of("done")["command"], "tare")
        client.ask({"samples": "all"})
        sample = client.line_of("sample")
        for angle in ("angle_deg", "pitch_deg", "roll_deg", "inclination_deg", "steering_deg"):
            self.assertAlmostEqual(sample[angle], 0, delta=2, msg=angle)
        self.assertEqual(sample["pose"], "landscapeLeft")
        self.assertAlmostEqual(sample["x"], 1, delta=0.02)
        client.ask({"samples": 0})
        client.ask({"command": "untare"})
        self.assertIsNone(client.line_of("hello")["tare"])
        self.assertEqual(client.line_of("done")["command"], "untare")
        client.ask({"query": "read"})
        self.assertAlmostEqual(client.line_of("reading")["angle_deg"], -90, delta=2)

    def test_a_tare_of_a_moving_board_is_rejected(self):
        class Shaken(ADXL345):
            @property
            def pose(self):
                return ("portrait", "faceUp")[self.samples // 20 % 2] if self.samples > 60 else "portrait"

            @pose.setter
            def pose(self, _):
                pass

        self.program("commands = yes\n", sensor=Shaken())
        client = self.client()
        client.ask({"command": "tare"})
        self.assertIn("hold it still", client.line_of("error")["detail"])
        client.ask({"query": "hello"})
        self.assertIsNone(client.line_of("hello")["tare"])

    def test_a_tare_in_the_board_file_applies_from_the_start_and_untare_restores_it(self):
        program = Program(
            Kernel({0x53: ADXL345()}), self.text("commands = yes\n") + "[tare]\nup = 0 0.8 0.6\n")
        self.addCleanup(program.__exit__)
        program.line_after("^pose: portrait$")
        client = self.client()
        self.assertEqual(client.line_of("hello")["tare"], [0, 0.8, 0.6])
        client.ask({"query": "read"})
        self.assertAlmostEqual(client.line_of("reading")["pitch_deg"], 36.87, delta=2)
        client.ask({"command": "tare"})
        self.assertAlmostEqual(client.line_of("hello")["tare"][1], 1, delta=0.02)
        client.line_of("done")
        client.ask({"command": "untare"})
        self.assertEqual(client.line_of("hello")["tare"], [0, 0.8, 0.6])

    def test_commands_if_the_board_file_allows_them(self):
        program = self.program("commands = yes\n")
        client = self.client()
        for command in ("tare", "reload"):
            client.ask({"command": command})
            self.assertEqual(client.line_of("done")["command"], command)
        program.line_after("has not changed")
        program.describe("nonsense")
        client.ask({"command": "reload"})
        self.assertIn("nonsense", client.line_of("error")["detail"])

    def test_clients_stay_after_a_reload_and_get_hello_again(self):
        sensors = {0x53: ADXL345(), 0x1D: ADXL345("faceUp")}
        with Program(Kernel(sensors), self.text("commands = yes\n")) as program:
            program.line_after("^pose: portrait$")
            client = self.client()
            first = client.line_of("hello")
            program.describe(self.text("commands = yes\n", address=0x1D))
            client.ask({"command": "reload"})
            client.line_of("done")
            again = client.line_of("hello")
            self.assertEqual((again["address"], again["owner"]), (0x1D, first["owner"]))
            self.assertEqual(client.line_of("pose")["to"], "faceUp")

    def test_bye_is_the_last_line(self):
        program = self.program()
        client = self.client()
        client.line_of("hello")
        self.assertEqual(program.stop(), 0)
        self.assertEqual(client.line_of("bye")["detail"], "plumbd was stopped")
        self.assertIsNone(client.line())
        self.assertFalse(os.path.exists(self.path))


class Sockets(Shared):
    def test_the_socket_is_for_owner_and_group(self):
        self.program(before=["sh", "-c", 'umask 0; exec "$@"', "sh"])
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o660)

    def test_the_socket_of_a_killed_owner_is_replaced(self):
        program = self.program()
        program.signal(signal.SIGKILL)
        program.end()
        self.assertTrue(os.path.exists(self.path))
        self.program()
        self.assertEqual(self.client().line()["event"], "hello")

    def test_a_second_owner_ends_with_a_message_and_leaves_the_first_alone(self):
        self.program()
        client = self.client()
        client.line_of("hello")
        with Program(text=self.text()) as second:
            self.assertEqual(second.end(), 69)
            self.assertIn("already shared", second.line(second.errors))
        self.assertEqual(self.client().line()["clients"], 2)

    def test_a_file_that_is_not_a_socket_stays(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("mine")
        with Program(text=self.text()) as program:
            self.assertEqual(program.end(), 69)
            self.assertIn("not a socket", program.line(program.errors))
        self.assertEqual(os.path.getsize(self.path), 4)

    def test_the_seventeenth_client_gets_bye_with_the_reason(self):
        self.program()
        clients = [self.client() for _ in range(16)]
        for client in clients:
            client.line_of("hello")
        last = self.client()
        self.assertIn("16", last.line_of("bye")["detail"])
        self.assertIsNone(last.line())
        clients[0].socket.close()

        def is_admitted():
            with Client(self.path) as client:
                return client.line()["event"] == "hello"
        wait_until(is_admitted, "a seat is free again", 0.02)

    def test_tcp_with_a_token(self):
        token = os.path.join(self.folder, "token")
        with open(token, "w", encoding="utf-8") as file:
            file.write("0123456789abcdef\n")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = probe.getsockname()
        self.program(f"tcp = localhost:{address[1]}\ntcp-token-file = {token}\n")
        right = self.client(address)
        right.ask({"token": "0123456789abcdef"})
        self.assertEqual(right.line()["event"], "hello")
        right.ask({"command": "tare"})
        self.assertIn("Unix socket", right.line_of("error")["detail"])
        wrong, missing = "token is wrong", "needs a token"
        for first, words in (({"token": "0123456789abcdeg"}, wrong), ({"token": "0123456789abcdef0"}, wrong),
                             ({"token": ""}, missing), ({"samples": 1}, missing), ("x", missing)):
            client = self.client(address)
            client.ask(first)
            self.assertIn(words, client.line()["detail"])
            self.assertIsNone(client.line())

    def test_other_computers_need_a_token(self):
        with Program(text=self.text("tcp = 0.0.0.0:17999\n")) as program:
            self.assertEqual(program.end(), 78)
            self.assertIn("token file", program.line(program.errors))

    def test_a_socket_of_the_service_manager_is_used_and_not_removed(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.path)
            listener.listen()
            start = (
                f"import os,sys; os.dup2({listener.fileno()}, 3); os.set_inheritable(3, True);"
                "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1'); os.execv(sys.argv[1], sys.argv[1:])")
            os.set_inheritable(listener.fileno(), True)
            with Program(text=board(), before=["python3", "-c", start]) as program:
                program.line_after("^pose: portrait$")
                client = self.client()
                self.assertEqual(client.line()["event"], "hello")
                self.assertEqual(program.stop(), 0)
                self.assertEqual(client.line_of("bye")["event"], "bye")
            self.assertTrue(os.path.exists(self.path))


class Costs(Shared):
    def count(self, requests):
        """How many system calls of each kind strace counts while clients that have sent `requests` read, by name."""
        log = os.path.join(self.folder, "strace")
        # -D makes the program our child and strace our grandchild.
        program = self.program(before=["strace", "-D", "-o", log])
        clients = [self.client() for _ in requests]
        for client, request in zip(clients, requests):
            client.line_of("hello")
            if request:
                client.ask(request)
        sensor = program.kernel.targets[0x53]
        enough = sensor.samples + 250
        while sensor.samples < enough:
            ready, _, _ = select.select([client.socket for client in clients], [], [], 0.01)
            for readable in ready:
                readable.recv(65536)
        self.assertEqual(program.stop(), 0)
        names = [found[1] for line in traced(log) if (found := re.match(r"(\w+)\(", line))]
        return {name: names.count(name) for name in set(names)}

    def test_without_clients_a_sample_costs_two_system_calls(self):
        calls = self.count([])
        samples = calls["ioctl"]
        self.assertGreater(samples, 200)
        self.assertLessEqual(sum(calls.values()), 2 * samples + 4, calls)

    def test_clients_that_want_no_samples_cost_nothing(self):
        calls = self.count([None] * 4)
        # The cost of connecting: wait, check readiness, accept, add, send hello, and check for more clients.
        self.assertLessEqual(sum(calls.values()), 2 * calls["ioctl"] + 4 * 8 + 8, calls)

    def test_a_sample_costs_one_more_system_call_for_each_client_that_wants_it(self):
        calls = self.count([{"samples": "all"}] * 3)
        samples = calls["ioctl"]
        self.assertLessEqual(calls["sendmsg"], 3 * samples + 3, calls)
        self.assertLessEqual(sum(calls.values()), (2 + 3) * samples + 3 * 12 + 8, calls)

    def test_memory_does_not_grow_with_clients_that_do_not_read(self):
        program = self.program()

        def resident():
            with open(f"/proc/{program.pid}/status", encoding="utf-8") as file:
                return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])
        clients = [self.client() for _ in range(16)]
        for client in clients:
            client.line_of("hello")
            client.ask({"samples": "all"})
        # About 300 bytes each: more than a socket and an outbox can hold.
        sensor = program.kernel.targets[0x53]
        enough = sensor.samples + 1_000
        wait_until(lambda: sensor.samples >= enough, "outboxes are full", 0.1)
        full = resident()
        self.assertLess(full, 1_500)
        files = len(os.listdir(f"/proc/{program.pid}/fd"))
        enough = sensor.samples + 300
        wait_until(lambda: sensor.samples >= enough, "samples go on", 0.1)
        self.assertEqual(resident(), full)
        self.assertEqual(len(os.listdir(f"/proc/{program.pid}/fd")), files)


if __name__ == "__main__":
    unittest.main()
