"""The connection to an owner, with a clock that the test sets: nothing here waits for time to pass.

    python3 -m unittest -v test_link
"""

import os
import pathlib
import random
import socket
import sys
import tracemalloc
import unittest
from unittest import mock

import support
from support import GOOD, HELLO, Client, Listener
from plumb.lines import parse

SSH = str(pathlib.Path(__file__).resolve().parents[1] / "Share" / "fake_ssh.py")


class Links(unittest.TestCase):
    def opened(self):
        """A client that has its hello, and the other end."""
        listener = Listener(self)
        client = Client(self, listener.address)
        self.assertIsNone(client.next())
        end = listener.accept()
        end.sendall(GOOD)
        self.assertEqual(client.settled(), [parse(HELLO)])
        return client, end, listener

    def test_lines_arrive_whole_and_in_order_however_they_are_split(self):
        client, end, _ = self.opened()
        lines = [b'{"t":%d,"event":"shake"}\n' % number for number in range(20)]
        found = []
        for byte in b"".join(lines):
            end.sendall(bytes([byte]))
            found += client.settled() if byte == 10 else client.all()
        self.assertEqual(found, [parse(line) for line in lines])

    def test_after_64_lines_there_is_nothing_once_without_a_wait(self):
        client, end, _ = self.opened()
        end.sendall(b'{"event":"x"}\n' * 200)
        self.assertEqual(len(client.settled()), 64)
        self.assertEqual(client.wait(), 0)
        self.assertEqual([len(client.all()) for _ in range(3)], [64, 64, 8])
        self.assertGreater(client.wait(), 0)

    def test_a_line_of_1024_bytes_is_accepted_and_a_longer_one_ends_the_connection(self):
        for size, is_accepted in ((1024, True), (1025, False)):
            client, end, _ = self.opened()
            end.sendall(b'{"a":"' + b"x" * (size - 9) + b'"}\n')
            found, = client.settled()
            if is_accepted:
                self.assertIn("a", found)
            else:
                self.assertRegex(found, "^lost: the owner at unix:.* sent a line of more than 1024 bytes$")
                self.assertEqual(client.link.fileno(), -1)

    def test_a_line_without_an_end_is_given_up_at_1024_bytes_in_little_memory(self):
        client, end, _ = self.opened()
        end.settimeout(0.2)
        tracemalloc.start()
        found = []
        try:
            for _ in range(1000):
                end.sendall(b"x" * 65536)
                found += client.all()
        except OSError:
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertRegex(found[0], "more than 1024 bytes")
        # Two pieces of the test are 128 KiB.
        self.assertLess(peak, 400_000)

    def test_the_rest_of_a_line_does_not_get_into_the_next_connection(self):
        client, end, listener = self.opened()
        end.sendall(b'{"t":1,"event":"sha')
        end.close()
        self.assertRegex(client.settled()[-1], "^lost: the owner at .* is gone: it has closed the connection")
        self.assertIsNone(client.next_try())
        listener.accept().sendall(GOOD)
        self.assertEqual(client.settled(), [parse(HELLO)])

    def test_what_is_not_json_ends_an_open_connection(self):
        for line, words in {b"garbage": "not JSON", b'{"a":NaN}': "NaN is not JSON", b"[" * 800: "nested", b"7": "not an object"}.items():
            client, end, _ = self.opened()
            end.sendall(line + b"\n")
            self.assertRegex(client.settled()[0], f"^lost: the owner at .* sent a line that is no object of a stream: .*{words}")

    def test_an_end_without_a_hello_of_this_protocol_is_given_up_with_the_reason(self):
        for text, words in {
                b"HTTP/1.1 400 Bad Request\r\n\r\n": "is not the owner of a sensor: its first line is no object of a stream: it is not JSON",
                b"\n": "is not the owner of a sensor", b"[1]\n": "it is not an object", b'{"t":1,"event":"shake"}\n': "it did not begin with a hello", b"{}\n": "did not begin",
                GOOD.replace(b'protocol":1', b'protocol":2'): r"\(plumb 0.1.0\) speaks protocol 2, and this program protocol 1: update the older of the two$",
                b'{"event":"hello"}\n': "its hello does not name a protocol", b'{"event":"hello","protocol":true}\n': "does not name a protocol",
                b'{"event":"hello","protocol":' + b"9" * 900 + b"}\n": "speaks protocol 99999999999999999999, and", b"x" * 5000: "sent a line of more than 1024 bytes",
                b'{"event":"bye","detail":"16 clients"}\n': "refuses: 16 clients", b'{"event":"error","detail":"wrong token"}\n': "refuses: wrong token",
                b'{"event":"error","detail":"a\\u001b[2J\\nb\\u007f"}\n': r"refuses: a\?\[2J\?b\?$", b'{"event":"error"}\n': "refuses and gives no reason",
                b'{"event":"error","needs":"token","detail":"d"}\n': 'needs a token: pass it as Board', b"": "the connection was closed at once", b'{"event":"hel': "was closed at once"}.items():
            with self.subTest(text[:50]):
                listener = Listener(self)
                client = Client(self, listener.address)
                self.assertIsNone(client.next())
                end = listener.accept()
                end.sendall(text)
                end.close()
                found = client.settled()
                self.assertEqual(len(found), 1)
                self.assertRegex(found[0], "^lost: ")
                self.assertRegex(found[0], words)
                self.assertIn(listener.address, found[0])

    def test_a_missing_hello_ends_the_connection_after_12_s(self):
        listener = Listener(self)
        client = Client(self, listener.address)
        self.assertIsNone(client.next())
        self.assertEqual(client.wait(), 12)
        client.now += 11.9
        self.assertIsNone(client.next())
        client.now += 0.1
        self.assertRegex(client.next(), "^lost: the owner at unix:.* does not respond$")

    def test_the_pauses_between_tries_double_up_to_half_a_minute(self):
        client = Client(self, f"unix:{support.short_folder(self)}/none")
        self.assertRegex(client.next(), "^lost: no owner offers a stream at unix:.*/none: there is no such socket$")
        for wait in (0.5, 1, 2, 4, 8, 16, 30, 30):
            self.assertAlmostEqual(client.wait(), wait)
            client.now += wait - 0.01
            self.assertIsNone(client.next())
            client.now += 0.02
            self.assertRegex(client.next(), "^lost: ")
        chance = random.Random(1)
        client.link._chance = chance.random
        for _ in range(50):
            client.next_try()
            self.assertTrue(22.5 <= client.wait() <= 37.5, client.wait())

    def test_after_a_good_connection_the_first_pause_is_short_again_and_after_others_it_is_not(self):
        listener = Listener(self)
        client = Client(self, listener.address)
        for seconds, wait in ((1, 0.5), (1, 1), (1, 2), (6, 0.5), (1, 1)):
            client.next_try()
            end = listener.accept()
            end.sendall(GOOD)
            self.assertEqual(client.settled(), [parse(HELLO)])
            client.now += seconds
            end.close()
            self.assertRegex(client.settled()[0], "^lost: ")
            self.assertAlmostEqual(client.wait(), wait)

    def test_a_silent_owner_is_asked_after_2_s_and_lost_3_s_later(self):
        client, end, _ = self.opened()
        self.assertIsNone(client.next())
        self.assertEqual(client.wait(), 2)
        client.now += 2
        self.assertIsNone(client.next())
        self.assertEqual(end.recv(100), b'{"query":"hello"}\n')
        end.sendall(GOOD)
        self.assertEqual(client.settled(), [parse(HELLO)])
        client.now += 2
        self.assertIsNone(client.next())
        # This program was stopped meanwhile: counted from the question.
        client.now += 2.9
        end.sendall(b'{"event":')
        self.assertIsNone(client.next())
        client.now += 0.1
        self.assertRegex(client.next(), "^lost: nothing came from the owner at .* for 5 s$")

    def test_requests_are_sent_whole_or_not_at_all(self):
        client, end, _ = self.opened()
        self.assertTrue(client.link.send(b'{"samples":10}'))
        self.assertEqual(end.recv(100), b'{"samples":10}\n')
        sent = 0
        while client.link.send(b"x" * 100):
            sent += 1
        self.assertTrue(client.link.waits_to_write)
        data = b""
        while len(data) < sent * 101:
            data += end.recv(65536)
            client.next()
        self.assertEqual(data, (b"x" * 100 + b"\n") * sent)
        client.link.end()
        self.assertFalse(client.link.send(b"x"))
        self.assertIsNone(client.next())
        self.assertIsNone(client.wait())

    def test_what_is_no_socket_has_its_error(self):
        folder = support.short_folder(self)
        pathlib.Path(folder, "file").touch()
        packets = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(packets.close)
        packets.bind(folder + "/packets")
        for name, words in {"file": "no program listens there", "file/s": "there is no such socket", "packets": "is not the socket of a stream"}.items():
            self.assertRegex(Client(self, f"unix:{folder}/{name}").next(), f"^lost: .*{words}$")

    def test_an_end_that_no_longer_listens_keeps_nothing_busy(self):
        client, end, _ = self.opened()
        end.shutdown(socket.SHUT_RD)
        client.link.send(b'{"query":"read"}')
        self.assertFalse(client.link.waits_to_write)
        end.sendall(b'{"t":1,"event":"shake"}\n')
        self.assertEqual([one["event"] for one in client.settled()], ["shake"])

    # TCP.

    def test_over_tcp_the_token_is_the_first_line_and_without_one_an_empty_one(self):
        for token in ("a-token", None):
            listener = Listener(self, socket.AF_INET)
            client = Client(self, listener.address, token)
            client.next()
            end = listener.accept()
            end.sendall(GOOD)
            self.assertEqual(client.settled(), [parse(HELLO)])
            self.assertEqual(end.recv(100), b'{"token": "%s"}\n' % (token or "").encode())

    def test_a_token_that_is_on_its_way_is_not_missing_and_one_that_is_missing_is(self):
        listener = Listener(self, socket.AF_INET)
        client = Client(self, listener.address, "a-token")
        client.next()
        end = listener.accept()
        need = b'{"event":"error","needs":"token","detail":"d"}\n'
        end.sendall(need + GOOD)
        self.assertEqual(client.settled(), [parse(HELLO)])
        listener = Listener(self, socket.AF_INET)
        client = Client(self, listener.address, "a-token")
        client.next()
        listener.accept().sendall(need + need)
        self.assertRegex(client.settled()[0], "needs a token")
        listener = Listener(self, socket.AF_INET)
        client = Client(self, listener.address, None)
        client.next()
        listener.accept().sendall(need)
        self.assertEqual(client.settled()[0], f'lost: the owner at {listener.address} needs a token: pass it as '
                                              f'Board("{listener.address}", token=…)')

    def test_a_port_without_a_listener_and_an_unknown_host_have_their_errors(self):
        listener = Listener(self, socket.AF_INET)
        address = listener.address
        listener.socket.close()
        client = Client(self, address)
        found = client.next() or client.settled()[0]
        self.assertEqual(found, f"lost: no owner offers a stream at {address}: no program listens there")
        self.assertRegex(Client(self, "tcp:host..example:1").next(), "^lost: tcp:host..example:1: ")

    # ssh.

    def test_ssh_is_started_with_a_list_of_arguments_and_ended(self):
        folder = support.short_folder(self)
        program = pathlib.Path(folder, "ssh")
        program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{folder}/words\nexec {sys.executable} -B {SSH} "$@"\n')
        program.chmod(0o755)
        listener = Listener(self)
        with mock.patch.dict(os.environ, {"PLUMB_SSH": str(program), "XDG_RUNTIME_DIR": folder}):
            client = Client(self, f"ssh:pi:{listener.path}")
            self.assertIsNone(client.next())
            process, near = client.link._tunnel._process, client.link._tunnel.path
            support.wait_until(lambda: os.path.exists(near) or process.poll() is not None, "ssh listens")
            client.now += 0.05
            while client.link.fileno() < 0:
                self.assertIsNone(client.next())
                client.now += 0.05
            listener.accept().sendall(GOOD)
            self.assertEqual(client.settled(), [parse(HELLO)])
            client.link.end()
        self.assertIsNotNone(process.poll())
        self.assertFalse(os.path.exists(os.path.dirname(near)))
        words = pathlib.Path(folder, "words").read_text().splitlines()
        self.assertEqual(words[:4], ["-N", "-T", "-o", "ExitOnForwardFailure=yes"])
        self.assertEqual(words[-3:], ["-L", f"{near}:{listener.path}", "pi"])

    def test_ssh_that_fails_is_reported_in_its_words(self):
        folder = support.short_folder(self)
        program = pathlib.Path(folder, "ssh")
        program.write_text("#!/bin/sh\necho 'ssh: Could not resolve \033[2J hostname $(touch x)' >&2\nexit 255\n")
        program.chmod(0o755)
        for name, words in ((str(program), r"^lost: ssh to nowhere: ssh: Could not resolve \?\[2J hostname \$\(touch x\)$"),
                            (folder + "/none", "^lost: .*/none cannot be started: ")):
            with mock.patch.dict(os.environ, {"PLUMB_SSH": name}):
                client = Client(self, "ssh:nowhere")
                found = client.next()
                while found is None:
                    client.link._tunnel._process.wait()
                    found = client.next_try()
                self.assertRegex(found, words)
        self.assertEqual(os.listdir(folder), ["ssh"])


class SerialLinks(unittest.TestCase):
    def line(self):
        master, slave = os.openpty()
        self.addCleanup(os.close, master)
        path = os.ttyname(slave)
        self.addCleanup(os.close, slave)
        return master, path

    def test_a_client_ends_the_requests_before_it_and_begins_with_the_first_whole_hello(self):
        master, path = self.line()
        client = Client(self, f"serial:{path}")
        self.assertIsNone(client.next())
        wanted, heard = b'\n{"samples":0}\n{"counters":0}\n{"query":"hello"}\n', b""
        while len(heard) < len(wanted):
            heard += os.read(master, 200)
            self.assertIsNone(client.next())
        self.assertEqual(heard, wanted)
        os.write(master, b'lf a line"}\n\xff\n{"event":"bye"}\n{"t":1,"event":"shake"}\n' + b"x" * 1500 + b"\n" + GOOD)
        found = client.settled()
        while not found:
            found = client.settled()
        self.assertEqual(found, [parse(HELLO)])
        os.write(master, b'{"event":"bye","detail":"it ends"}\n')
        self.assertRegex(client.settled()[0], "^lost: the owner at serial:.* has ended: it ends$")

    def test_a_hello_that_half_a_line_has_hidden_is_asked_for_again(self):
        master, path = self.line()
        client = Client(self, f"serial:{path}")
        self.assertIsNone(client.next())
        os.write(master, b'{"event":"sam' + GOOD)
        heard = b""
        for count in range(2, 5):
            self.assertEqual(client.wait(), 3)
            client.now += 3
            self.assertIsNone(client.next())
            while heard.count(b'{"query":"hello"}\n') < count:
                heard += os.read(master, 200)
        os.write(master, GOOD)
        found = client.settled()
        while not found:
            found = client.settled()
        self.assertEqual(found, [parse(HELLO)])

    def test_a_board_that_does_not_answer_is_given_up(self):
        _, path = self.line()
        client = Client(self, f"serial:{path}")
        self.assertIsNone(client.next())
        client.now += 12
        self.assertRegex(client.next(), r"^lost: nothing at serial:.* responds as a board with Plumb's firmware")

    def test_a_device_is_for_one_program_alone(self):
        _, path = self.line()
        first, second = Client(self, f"serial:{path}"), Client(self, f"serial:{path}")
        self.assertIsNone(first.next())
        self.assertRegex(second.next(), "^lost: the board at serial:.* is in use by another program$")
        first.link.end()
        self.assertIsNone(second.next_try())

    def test_the_only_board_is_found_and_of_several_none_is_taken(self):
        folder = support.short_folder(self)
        with mock.patch.dict(os.environ, {"PLUMB_SERIAL": folder}):
            client = Client(self, "serial:auto")
            self.assertRegex(client.next(), "^lost: no board at serial:auto: is it plugged in, ")
            _, path = self.line()
            for name in ("usb-Other_x", "usb-Plumb_a"):
                os.symlink(path, os.path.join(folder, name))
            self.assertIsNone(client.next_try())
            os.symlink(path, os.path.join(folder, "usb-Plumb_b"))
            self.assertEqual(Client(self, "serial:auto").next(), "lost: serial:auto needs the only board, and there are several; name one of "
                                                                 f"them: serial:{folder}/usb-Plumb_a, serial:{folder}/usb-Plumb_b")

    def test_what_is_no_serial_device_is_left_alone(self):
        for path in ("/dev/null", __file__):
            self.assertEqual(Client(self, f"serial:{path}").next(), f"lost: serial:{path} is not a serial device")
        self.assertRegex(Client(self, "serial:/nonexistent").next(), "^lost: no board at serial:/nonexistent")

    def test_on_a_system_without_terminals_the_error_says_so(self):
        with mock.patch.object(sys, "platform", "win32"):
            self.assertRegex(Client(self, "serial:auto").next(), "^lost: serial:auto needs Linux or macOS: ")
            for address in ("unix:/s", "ssh:pi"):
                self.assertRegex(Client(self, address).next(), f"^lost: this system has no Unix sockets, which {address} needs: use a tcp: ")


if __name__ == "__main__":
    unittest.main()
