"""A system bus of a test's own, Debian's dbus-daemon, and clients of it: byte for byte, so that a test can also send what
no library would.

    with Bus() as bus, bus.client() as client:
        print(client.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames"))

The wire format is that of the D-Bus specification.
"""

import getpass
import itertools
import os
import pathlib
import re
import select
import socket
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support" / "Python"))
from processes import PATIENCE, ROOT, listens, plain_environment, wait_until

POLICY = ROOT / "packaging" / "plumb-desktop" / "plumb-desktop.conf"
DBUS = "org.freedesktop.DBus"
PROPERTIES = DBUS + ".Properties"
CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
NO_REPLY = 1
# The fields of a header, by their code, and their types.
FIELDS = {1: ("path", "o"), 2: ("interface", "s"), 3: ("member", "s"), 4: ("error", "s"), 5: ("reply", "u"),
          6: ("destination", "s"), 7: ("sender", "s"), 8: ("signature", "g"), 9: ("descriptors", "u")}
FIXED = {"y": "B", "b": "I", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d", "h": "I"}
ALIGNMENTS = {"s": 4, "o": 4, "a": 4, "g": 1, "v": 1, "(": 8, "{": 8}


class Failure(Exception):
    """An error reply."""

    def __init__(self, name, text):
        super().__init__(f"{name}: {text}")
        self.name = name


def aligned(size, alignment):
    return -size % alignment


def alignment_of(kind):
    return ALIGNMENTS.get(kind[0]) or struct.calcsize(FIXED[kind[0]])


def kinds(signature):
    """The complete types of a signature."""
    found, start = [], 0
    while start < len(signature):
        end = start
        while signature[end] == "a":
            end += 1
        depth = 0
        while True:
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(signature[end], 0)
            end += 1
            if depth == 0:
                break
        found.append(signature[start:end])
        start = end
    return found


def packed(signature, values, data=b""):
    """`data` followed by values of these types. A variant is a pair of its type and its value."""
    for kind, value in zip(kinds(signature), values, strict=True):
        data += bytes(aligned(len(data), alignment_of(kind)))
        first = kind[0]
        if first in FIXED:
            data += struct.pack("<" + FIXED[first], value)
        elif first in "so":
            text = value if isinstance(value, bytes) else value.encode()
            data += struct.pack("<I", len(text)) + text + b"\0"
        elif first == "g":
            data += bytes([len(value)]) + value.encode() + b"\0"
        elif first == "v":
            data = packed(value[0], [value[1]], packed("g", [value[0]], data))
        elif first == "a":
            start = len(data)
            data += bytes(4)
            data += bytes(aligned(len(data), alignment_of(kind[1:])))
            begin = len(data)
            for one in value.items() if isinstance(value, dict) else value:
                data = packed(kind[1:], [one], data)
            data = data[:start] + struct.pack("<I", len(data) - begin) + data[start + 4:]
        else:
            data = packed(kind[1:-1], value, data)
    return data


def unpacked(signature, data, place=0):
    """The values of these types at `place`, and the place after them. A variant is its value."""
    found = []
    for kind in kinds(signature):
        place += aligned(place, alignment_of(kind))
        first = kind[0]
        if first in FIXED:
            found.append(struct.unpack_from("<" + FIXED[first], data, place)[0])
            place += struct.calcsize(FIXED[first])
            if first == "b":
                found[-1] = bool(found[-1])
        elif first in "so":
            size, = struct.unpack_from("<I", data, place)
            found.append(data[place + 4:place + 4 + size].decode())
            place += 5 + size
        elif first == "g":
            found.append(data[place + 1:place + 1 + data[place]].decode())
            place += 2 + data[place]
        elif first == "v":
            (inner,), place = unpacked("g", data, place)
            (value,), place = unpacked(inner, data, place)
            found.append(value)
        elif first == "a":
            size, = struct.unpack_from("<I", data, place)
            place += 4 + aligned(place + 4, alignment_of(kind[1:]))
            end, items = place + size, []
            while place < end:
                (one,), place = unpacked(kind[1:], data, place)
                items.append(one)
            found.append(dict(items) if kind[1] == "{" else items)
        else:
            values, place = unpacked(kind[1:-1], data, place)
            found.append(tuple(values))
    return found, place


class Message:
    """A message: its type, its header's fields as attributes (None if absent), and its body."""

    def __init__(self, kind, signature="", body=(), flags=0, serial=0, **fields):
        self.kind, self.flags, self.serial, self.body = kind, flags, serial, list(body)
        self.fields = fields | ({"signature": signature} if signature else {})

    def __getattr__(self, name):
        return self.fields.get(name)

    def data(self):
        body = packed(self.signature or "", self.body)
        codes = {name: (code, kind) for code, (name, kind) in FIELDS.items()}
        fields = [(codes[name][0], (codes[name][1], value)) for name, value in self.fields.items() if value is not None]
        head = packed("yyyyuua(yv)", [ord("l"), self.kind, self.flags, 1, len(body), self.serial, fields])
        return head + bytes(aligned(len(head), 8)) + body

    @classmethod
    def taken(cls, data):
        """The first message of `data`, and the rest; None if it is incomplete."""
        if len(data) < 16:
            return None, data
        body, serial, fields = struct.unpack_from("<III", data, 4)
        start = 16 + fields + aligned(fields, 8)
        if len(data) < start + body:
            return None, data
        (_, kind, flags, _, _, _, found), _ = unpacked("yyyyuua(yv)", data)
        message = cls(kind, flags=flags, serial=serial, **{FIELDS[code][0]: value for code, value in found})
        message.body, _ = unpacked(message.signature or "", data[start:start + body])
        return message, data[start + body:]

    def __repr__(self):
        return f"<{self.kind} {self.fields} {self.body}>"


class Client:
    """A connection to a bus. Signals and calls of others that arrive meanwhile wait in `arrived`."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.serials = itertools.count(1)
        self.rest, self.arrived, self.calls = b"", [], []
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\n")
        answer = b""
        while not answer.endswith(b"\r\n"):
            answer += self.socket.recv(256)
        assert answer.startswith(b"OK "), answer
        self.socket.sendall(b"BEGIN\r\n")
        self.name, = self.call_bus("Hello")

    def send(self, message):
        message.serial = message.serial or next(self.serials)
        self.socket.sendall(message.data())
        return message.serial

    def receive(self, patience=PATIENCE):
        """The next message; None if there is none in time."""
        while True:
            message, self.rest = Message.taken(self.rest)
            if message:
                return message
            if not select.select([self.socket], [], [], patience)[0]:
                return None
            data = self.socket.recv(65536)
            if not data:
                raise EOFError("the bus has closed the connection")
            self.rest += data

    def await_reply(self, serial):
        """The body of a reply. Raises Failure if it is an error."""
        while True:
            message = self.receive()
            if message is None:
                raise AssertionError("no reply")
            if message.reply == serial and message.kind == ERROR:
                raise Failure(message.error, *message.body[:1] or [""])
            if message.reply == serial:
                return message.body
            (self.calls if message.kind == CALL else self.arrived).append(message)

    def begin(self, destination, path, interface, member, signature="", *body, flags=0):
        """Sends a call; returns its serial."""
        return self.send(Message(CALL, signature, body, flags, destination=destination, path=path, interface=interface,
                                 member=member))

    def call(self, *arguments, **more):
        return self.await_reply(self.begin(*arguments, **more))

    def call_bus(self, member, signature="", *body):
        return self.call(DBUS, "/org/freedesktop/DBus", DBUS, member, signature, *body)

    def own(self, name, flags=0):
        """Requests a name; returns 1 if this client owns it now, 2 if it waits for it, 3 if another one has it."""
        return self.call_bus("RequestName", "su", name, flags)[0]

    def owner(self, name):
        """The unique name of a name's owner; None without one."""
        try:
            return self.call_bus("GetNameOwner", "s", name)[0]
        except Failure:
            return None

    def signals(self, patience=0.0):
        """The signals so far, or one that comes within `patience` seconds."""
        while not self.arrived and (message := self.receive(patience)):
            (self.calls if message.kind == CALL else self.arrived).append(message)
        found, self.arrived = self.arrived, []
        return [one for one in found if one.kind == SIGNAL]

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Bus:
    """A system bus with the rules of a usual one (system.conf) and the policy that plumb-desktop's package installs, for
    this user. `is_installed`: whether it is. `names`: others that anyone may own."""

    def __init__(self, is_installed=True, names=()):
        self.own = tempfile.TemporaryDirectory(prefix="plumb-bus-")
        self.path = os.path.join(self.own.name, "bus")
        self.address = "unix:path=" + self.path
        policy = POLICY.read_text(encoding="utf-8").replace('user="plumb"', f'user="{getpass.getuser()}"')
        policy = re.search(r"<busconfig>(.*)</busconfig>", policy, re.DOTALL)[1] if is_installed else ""
        allowed = "".join(f'<allow own="{name}"/><allow send_destination="{name}"/>' for name in names)
        self.configuration = os.path.join(self.own.name, "bus.conf")
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(f"""<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
              "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
              <busconfig><type>system</type><listen>{self.address}</listen><auth>EXTERNAL</auth>
              <policy context="default"><allow user="*"/><deny own="*"/><deny send_type="method_call"/>
              <allow send_type="signal"/><allow send_requested_reply="true" send_type="method_return"/>
              <allow send_requested_reply="true" send_type="error"/><allow receive_type="method_call"/>
              <allow receive_type="method_return"/><allow receive_type="error"/><allow receive_type="signal"/>
              <allow send_destination="{DBUS}"/>{allowed}</policy>{policy}</busconfig>""")
        self.start()

    def start(self):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            ["dbus-daemon", "--nofork", f"--config-file={self.configuration}"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=plain_environment())
        wait_until(lambda: listens(self.path) or self.process.poll() is not None, "the bus listens")
        assert self.process.poll() is None, "dbus-daemon ended: run scripts/setup.sh test-desktop"

    def stop(self):
        self.process.kill()
        self.process.wait()

    def client(self):
        return Client(self.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.own.cleanup()
