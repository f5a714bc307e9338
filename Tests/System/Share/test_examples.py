"""The example clients of docs/examples/stream: with an owner, with one that is killed, and with a server of odd bytes.

    PLUMB=build/plumb python3 -m unittest -v test_examples
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from owner import TOKEN, Owner, free_port
from client import Client
from processes import PATIENCE, ROOT, plain_environment, take_signals_back, wait_until
from sensors import POSES

sys.path.insert(0, str(ROOT / "Tests" / "System" / "Documents"))
from programs import Compiler
from programs import compiler as swift_compiler

# Where the release build is.
RELEASE = (ROOT / os.environ.get("SCRATCH", ".build") / "release").resolve()
EXAMPLES = ROOT / "docs" / "examples" / "stream"
STRICT = ("-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-O1", "-fsanitize=address,undefined")
GONE = "unknown: the owner is gone; trying again"
LATE = "unknown: no recent sample"

take_signals_back()


class Listener:
    """A running example client. Use it in a `with` statement."""

    def __init__(self, command, address, *more):
        self.name = command[-1]
        self.lines, self.errors = [], []
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [*command, address, *more], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=plain_environment(), start_new_session=True)
        self.threads = [threading.Thread(target=self.gather, args=pair, daemon=True) for pair in
                        ((self.process.stdout, self.lines), (self.process.stderr, self.errors))]
        for thread in self.threads:
            thread.start()

    @staticmethod
    def gather(stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))

    def wait_for(self, condition, what):
        def is_so():
            if self.process.poll() is not None:
                raise AssertionError(f"{self.name} ended with {self.process.returncode}: {self.errors}")
            return condition(self.lines)
        try:
            wait_until(is_so, what)
        except AssertionError as error:
            raise AssertionError(f"{self.name}: {error}; it printed {self.lines}, {self.errors}") from None

    def end(self):
        """Ends it and everything that it started, as Ctrl-C does; returns its exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        code = self.process.wait(PATIENCE)
        for thread in self.threads:
            thread.join()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()


class Peer:
    """A server that sends what the test wants. Its clients get one script each, in order, and are then disconnected."""

    def __init__(self, path, *scripts):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen()
        self.scripts = scripts
        self.received = []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        for number, script in enumerate(self.scripts):
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                try:
                    for piece in script:
                        connection.sendall(piece)
                except OSError:
                    pass  # the client has closed the connection
                if number == len(self.scripts) - 1:
                    self.ended.wait()

    def close(self):
        self.ended.set()
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()


def text_of(*objects):
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in objects)


def hello(pose="portrait"):
    return {"event": "hello", "protocol": 1, "plumb": "0.2.0", "owner": "1-2", "t": 1.5, "pose": pose, "events": 0, "counters": {}}


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory(prefix="plumb-share-")
        cls.addClassCleanup(work.cleanup)
        cls.folder = pathlib.Path(work.name)
        listen = cls.folder / "listen"
        subprocess.run(["gcc", *STRICT, EXAMPLES / "listen.c", "-o", listen], check=True)
        # The words of each before the path of a socket.
        cls.commands = {
            ("python3", "-B", str(EXAMPLES / "listen.py")): "unix:",
            (str(listen),): "unix:",
            ("sh", str(EXAMPLES / "listen.sh")): "UNIX-CONNECT:",
        }
        cls.swift = (cls.built_swift(),)

    @classmethod
    def built_swift(cls):
        """The example in Swift, linked with the results of the build; `make examples` builds it as a package."""
        compiler = Compiler(ROOT, RELEASE, None)
        cls.addClassCleanup(shutil.rmtree, compiler.work)
        program = cls.folder / "Listen"
        subprocess.run(
            [swift_compiler(), "-swift-version", "6", "-warnings-as-errors", "-I", RELEASE / "Modules",
             *compiler.maps(), "-module-name", "Listen", EXAMPLES / "Sources" / "Listen" / "main.swift", compiler.archive,
             "-lgpiod", "-li2c", "-linih", "-o", program], check=True)
        return str(program)

    def listeners(self, path):
        """One of each, listening to an owner."""
        found = [Listener(command, before + path) for command, before in [*self.commands.items(), (self.swift, "unix:")]]
        for listener in found:
            self.addCleanup(listener.__exit__)
        return found

    def follows(self, lines):
        """Whether poses come in the order in which host.py turns the board, without repetition. On a busy computer
        samples can be late: then the pose is unknown, and any may follow."""
        cycle = list(POSES)
        return all(
            LATE in (one, other) and one != other or cycle[(cycle.index(one) + 1) % len(cycle)] == other
            for one, other in zip(lines, lines[1:]))

    def test_they_print_each_pose_once(self):
        for kind in ("plumb", "plumbd"):
            with Owner(kind) as owner:
                owner.await_socket()
                # Before the first pose, the hello reports that there is none yet.
                with Client(owner.address) as client:
                    client.until("pose")
                for listener in self.listeners(owner.path):
                    listener.wait_for(lambda lines: sum(one != LATE for one in lines) >= 8, "eight poses come")
                    self.assertTrue(self.follows(listener.lines), (listener.name, listener.lines))
                    # The signal kills a shell, jq and socat.
                    self.assertIn(listener.end(), (0, -signal.SIGINT, 130))

    def test_they_report_that_the_owner_is_gone_and_reconnect(self):
        with Owner("plumb") as owner:
            owner.await_socket()
            listeners = self.listeners(owner.path)
            for listener in listeners:
                listener.wait_for(lambda lines: lines and lines[-1] in POSES, "a pose comes")
            owner.stop(signal.SIGKILL)
            for listener in listeners:
                listener.wait_for(lambda lines: lines[-1] == GONE, "it says so")
            owner.start()
            owner.await_socket()
            for listener in listeners:
                listener.wait_for(lambda lines: lines[-1] in POSES, "a pose comes again")
            self.assertEqual(owner.stop(), 0)
            for listener in listeners:
                listener.wait_for(lambda lines: any(line.startswith("the owner says: ") for line in lines), "goodbye comes")
                listener.wait_for(lambda lines: lines[-1] == GONE, "it says so")

    def test_two_of_them_support_tokens(self):
        port = free_port()
        with Owner("plumb", tcp=f"127.0.0.1:{port}", token=TOKEN) as owner:
            owner.await_socket()
            wrong = self.folder / "wrong"
            wrong.write_text("no-token-of-these-tests\n")
            for command in [command for command, before in self.commands.items() if before == "unix:"]:
                with Listener(command, f"tcp:127.0.0.1:{port}", owner.token_file) as listener:
                    listener.wait_for(lambda lines: lines and lines[-1] in POSES, "a pose comes")
                with Listener(command, f"tcp:127.0.0.1:{port}", str(wrong)) as listener:
                    listener.wait_for(lambda lines: GONE in lines, "it is not let in")
                    self.assertRegex(listener.lines[0], "^error: ")

    def test_they_print_what_they_know_and_ignore_the_rest(self):
        script = text_of(
            hello("notYetSampled"), {"event": "pose", "t": 1, "from": "unknown", "to": "faceUp", "x": {"to": "y", "a": [1, {"to": 2}]}},
            {"t": 2, "event": "trouble", "reason": "fault", "detail": "no \"acknowledge\" from 0x53: check Größe, \\ and /."},
            {"x": "\"event\":\"pose\",\"to\":\"faceDown\"", "event": "sample"}, {"event": "a-later-kind", "to": "faceDown"},
            {"t": 3, "event": "recovery", "outage_s": 1.5, "detail": "it"}, {"t": 4, "event": "shake"}, {"t": 5, "event": "shake"},
            {"event": "missed", "count": 12}, {"detail": "so it is", "event": "error"},
            {"event": "rotation", "phase": "willRotate", "from": "portrait", "to": "portraitUpsideDown"},
            {"event": "pose", "t": 6, "to": "landscapeLeft", "detail": "x" * 900})
        wanted = [
            "unknown: notYetSampled", "faceUp", "unknown: no \"acknowledge\" from 0x53: check Größe, \\ and /.", "recovered: it",
            "shaken", "shaken", "missed: 12", "error: so it is", "landscapeLeft"]
        for name, pieces in {"whole": [script], "byte by byte": [bytes([byte]) for byte in script]}.items():
            for command, before in self.commands.items():
                with self.subTest(name, command=command[-1]):
                    path = str(self.folder / f"peer-{name}-{len(command)}")
                    peer = Peer(path, pieces)
                    self.addCleanup(peer.close)
                    with Listener(command, before + path) as listener:
                        listener.wait_for(lambda lines: lines and lines[-1] == wanted[-1], "all of it is printed")
                        self.assertEqual(listener.lines, wanted)

    def test_they_survive_input_that_no_owner_sends(self):
        good = text_of(hello("faceDown"))
        bad = {
            "nothing": b"", "half a line": text_of(hello())[:40], "no JSON": b"hello\n" * 3, "not an object": b"[]\n17\nnull\n",
            "an endless line": b"x" * 1_000_000, "an endless string": b'{"event":"' + b"x" * 1_000_000, "zeros": b"\0" * 5000,
            "no UTF-8": b'{"event":"shake\xff"}\n{"\xc3(":1}\n', "depth": b"[" * 900 + b"\n" + b'{"a":' * 180 + b"\n",
            "only beginnings": b'{"event"\n{"event":\n{"event":"\n{"event":"pose\\\n{"event":"pose","to"\n{"event":"pose","to":\n{\n"\n\\\n',
            "huge numbers": b'{"event":"missed","count":' + b"9" * 900 + b"}\n", "wrong types": b'{"event":{"a":1}}\n{"event":"pose","to":[1,2]}\n',
        }
        listeners = []
        for number, (name, text) in enumerate(bad.items()):
            for command, before in self.commands.items():
                path = str(self.folder / f"bad-{number}-{len(command)}")
                peer = Peer(path, [text], [good])
                self.addCleanup(peer.close)
                listeners.append((name, Listener(command, before + path)))
                self.addCleanup(listeners[-1][1].__exit__)
        for name, listener in listeners:
            with self.subTest(name, client=listener.name):
                # Some end the connection and report it on standard error, others ignore it; all recover.
                listener.wait_for(lambda lines: lines and lines[-1] == "faceDown", "the pose after it comes")
                self.assertNotRegex("".join(listener.errors), "Sanitizer|runtime error|Traceback")

    def test_the_one_in_swift_reports_a_missing_owner(self):
        for address, code in {"unix:/nonexistent": 69, "nonsense": 64}.items():
            done = subprocess.run([*self.swift, address], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertRegex(done.stderr, "^Listen: ")

    def test_wrong_usage(self):
        for command, before in {**self.commands, self.swift: ""}.items():
            cases = [["a", "b", "c", "d"]]
            if before == "unix:":
                cases += [["x"], ["unix:"], ["tcp:"], ["tcp:host"], ["http:a:1"]]
                missing = subprocess.run([*command, "unix:/x", "/nonexistent"], capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(missing.returncode, 66, missing.stderr)
            for arguments in cases:
                done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual((done.returncode, done.stdout), (64, ""), (command, arguments))
                self.assertIn("usage: listen", done.stderr.lower())


if __name__ == "__main__":
    unittest.main()
