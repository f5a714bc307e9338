"""net.hadess.SensorProxy on a private system bus, as its clients see it.

    PLUMB=build/plumb PLUMB_DESKTOP=build/plumb-desktop python3 -m unittest -v test_sensor_proxy
"""

import contextlib
import fcntl
import json
import random
import re
import signal
import socket
import struct
import sys
import termios
import threading
import time
import unittest
import xml.etree.ElementTree as ElementTree

from provider import (NAME, ORIENTATION, PATH, PLUMB_DESKTOP, TILT, Monitor, Provider, Reader, await_change, call, changes, get,
                      refusal, unpacked)
from attack import Attack
from bus import CALL, DBUS, ERROR, NO_REPLY, PROPERTIES, RETURN, SIGNAL, Bus, Message
from client import connected
from kinds import for_each_kind
from processes import queueing, stolen, take_signals_back, wait_until
from scripted_owner import ScriptedOwner

POLKIT = "org.freedesktop.PolicyKit1"
WORDS = {"portrait": "normal", "portraitUpsideDown": "bottom-up", "landscapeLeft": "right-up", "landscapeRight": "left-up"}
# As in CSupport/desktop/bus.c.
CLAIMS = 64
# s; the longest that a change may take from Plumb to a client.
LONGEST = 0.1
# How much the private memory of a provider may vary under attack, in bytes; `plumb` is a large program.
FLAT = {"plumb": 256 << 10, "plumb-desktop": 64 << 10}
KINDS = {"plumb": "OfTool"} | ({"plumb-desktop": "OfService"} if PLUMB_DESKTOP.exists() else {})

take_signals_back()


class Provided(unittest.TestCase):
    """A scripted owner, a bus, and a provider of one kind."""

    kind = None
    maxDiff = None

    @contextlib.contextmanager
    def provided(self, pose="portrait", **bus):
        with ScriptedOwner(pose) as owner, Bus(**bus) as own, Provider(self.kind, owner.address, own) as provider:
            provider.await_name()
            with own.client() as client:
                yield owner, own, provider, client


on_both = for_each_kind(Provided, KINDS)


def pending(owner):
    """How many bytes of an owner's lines nobody has read."""
    return sum(struct.unpack("@i", fcntl.ioctl(seat, termios.TIOCOUTQ, bytes(4)))[0] for seat in owner.seats)


@on_both
class Proxy:
    """What clients see."""

    def test_claims_of_two_clients(self):
        with self.provided() as (owner, bus, _, first), bus.client() as bystander:
            self.assertEqual((get(first, "HasAccelerometer"), get(first, ORIENTATION)), (True, "normal"))
            self.assertEqual(owner.requests["samples 5"], 0, "no samples without a claim")
            for client in (first, bystander):
                client.call_bus("AddMatch", "s", "type='signal'")
            self.assertEqual(call(first, "ClaimAccelerometer"), [])
            self.assertEqual(changes(first), [{ORIENTATION: "normal", TILT: "vertical"}], "before the reply")
            self.assertEqual(get(first, TILT), "vertical")
            self.assertEqual(call(first, "ClaimAccelerometer"), [], "a second claim changes nothing")
            with Monitor(bus) as monitor:
                monitor.output.await_text("=== Has accelerometer (orientation: normal")
                owner.turn("landscapeLeft")
                self.assertEqual(await_change(first, ORIENTATION, "right-up"), [{ORIENTATION: "right-up"}])
                monitor.output.await_text("Accelerometer orientation changed: right-up")
                owner.turn("faceUp")
                self.assertEqual([[*one] for one in await_change(first, TILT, "face-up")], [[TILT]] * 2, "tilted-up comes first")
                self.assertEqual(call(first, "ReleaseAccelerometer"), [])
                owner.turn("landscapeRight")
                monitor.output.await_text("Accelerometer orientation changed: left-up")
                self.assertEqual(get(first, ORIENTATION), "left-up")
                self.assertEqual(changes(first) + changes(bystander), [], "only a claimer is told")
                self.assertEqual((owner.requests["samples 5"], owner.requests["samples 0"]), (1, 0))
                monitor.kill()
            wait_until(lambda: owner.requests["samples 0"] == 1, "the claim ends with its client")
            wait_until(lambda: get(first, TILT) == "undefined", "without samples there is no tilt")
            self.assertEqual(call(first, "ReleaseAccelerometer"), [], "nothing to release")

    def test_what_is_unknown_is_undefined(self):
        with self.provided("landscapeLeft") as (owner, bus, provider, client):
            call(client, "ClaimAccelerometer")
            await_change(client, TILT, "vertical")
            unknown = {ORIENTATION: "undefined", TILT: "undefined"}
            owner.fail()
            self.assertEqual(await_change(client, ORIENTATION, "undefined"), [unknown])
            owner.recover("landscapeLeft")
            await_change(client, ORIENTATION, "right-up")
            owner.stop(bye=False)
            await_change(client, ORIENTATION, "undefined")
            self.assertEqual((get(client, "HasAccelerometer"), get(client, ORIENTATION)), (True, "undefined"))
            self.assertEqual(bus.process.poll() or provider.process.poll(), None)
            owner.start()
            await_change(client, ORIENTATION, "right-up")
            wait_until(lambda: get(client, TILT) == "vertical", "samples are requested again")

    def test_a_claim_waits_for_a_measurement_but_not_for_ever(self):
        with self.provided("fault") as (_, _, _, client):
            begin = time.monotonic()
            call(client, "ClaimAccelerometer")
            self.assertGreaterEqual(time.monotonic() - begin, 0.9)
            self.assertEqual(changes(client), [{ORIENTATION: "undefined", TILT: "undefined"}])

    def test_introspection(self):
        program = unpacked("usr/libexec/iio-sensor-proxy", "usr/sbin/iio-sensor-proxy").read_bytes()
        theirs = ElementTree.fromstring(re.search(rb"<node>.*?</node>", program, re.DOTALL)[0])
        # iio-sensor-proxy 3.0 does not have it yet.
        tilt = ("property", TILT, "s", "read", 0)

        def members(interfaces, name):
            interface, = (one for one in interfaces if one.get("name") == name)
            return {(one.tag, one.get("name"), one.get("type"), one.get("access"), len(one)) for one in interface}
        with self.provided() as (_, _, _, client):
            for path, name in ((PATH, NAME), (PATH + "/Compass", NAME + ".Compass")):
                text, = client.call(NAME, path, DBUS + ".Introspectable", "Introspect")
                ours = members(ElementTree.fromstring(text), name)
                self.assertEqual(ours - {tilt}, members(theirs, name) - {tilt})
                self.assertEqual(tilt in ours, name == NAME)
                kinds = {member[1]: {"b": bool, "s": str, "d": float}[member[2]] for member in ours if member[0] == "property"}
                values, = client.call(NAME, path, PROPERTIES, "GetAll", "s", name)
                self.assertEqual({name: type(value) for name, value in values.items()}, kinds)
                self.assertEqual(values, {one: client.call(NAME, path, PROPERTIES, "Get", "ss", name, one)[0] for one in kinds})
                for method in (member[1] for member in ours if member[0] == "method"):
                    self.assertEqual(client.call(NAME, path, name, method), [], method)
            for path, node in (("/", "net"), ("/net", "hadess"), ("/net/hadess", "SensorProxy"), (PATH, "Compass")):
                text, = client.call(NAME, path, DBUS + ".Introspectable", "Introspect")
                self.assertIn(node, [one.get("name") for one in ElementTree.fromstring(text)])

    def test_errors(self):
        with self.provided() as (_, _, _, client):
            self.assertEqual(refusal(call, client, "ClaimAccelerometer", "s", "x"), DBUS + ".Error.InvalidArgs")
            self.assertEqual(refusal(call, client, "ClaimGyroscope"), DBUS + ".Error.UnknownMethod")
            self.assertEqual(refusal(get, client, "Temperature"), DBUS + ".Error.InvalidArgs")
            for arguments in (("Get", "s", NAME), ("Get", "uu", 1, 2), ("GetAll",), ("GetAll", "s", "a.b"),
                              ("Get", "ss", "a.b", TILT)):
                self.assertEqual(refusal(client.call, NAME, PATH, PROPERTIES, *arguments), DBUS + ".Error.InvalidArgs")
            self.assertIsNotNone(refusal(client.call, NAME, PATH, PROPERTIES, "Set", "ssv", NAME, TILT, ("s", "vertical")))
            self.assertIsNotNone(refusal(client.call, NAME, "/elsewhere", NAME, "ClaimAccelerometer"))
            client.call(NAME, PATH, DBUS + ".Peer", "Ping")
            client.begin(NAME, PATH, NAME, "ClaimAccelerometer", flags=NO_REPLY)
            wait_until(lambda: get(client, TILT) == "vertical", "a claim that wants no reply")

    def test_polkit(self):
        with self.provided(names=[POLKIT]) as (_, bus, _, client), bus.client() as polkit:
            self.assertEqual(polkit.own(POLKIT), 1)

            def claim(client, *answer):
                serial = client.begin(NAME, PATH, NAME, "ClaimAccelerometer")
                question = polkit.calls.pop() if polkit.calls else polkit.receive()
                while question.kind != CALL:
                    question = polkit.receive()
                self.assertEqual(question.member, "CheckAuthorization")
                self.assertEqual(question.signature, "(sa{sv})sa{ss}us")
                self.assertEqual(question.body, [("system-bus-name", {"name": client.name}), NAME + ".claim-sensor", {}, 0, ""])
                polkit.send(Message(*answer, destination=question.sender, reply=question.serial,
                                    **({"error": POLKIT + ".Error.Cancelled"} if answer[0] == ERROR else {})))
                return serial

            denied = claim(client, RETURN, "(bba{ss})", [(False, False, {})])
            self.assertEqual(refusal(client.await_reply, denied), DBUS + ".Error.AccessDenied")
            for wrong in ((RETURN, "s", ["yes"]), (RETURN,), (ERROR, "s", ["no"])):
                self.assertEqual(refusal(client.await_reply, claim(client, *wrong)), DBUS + ".Error.AccessDenied")
            self.assertEqual(client.await_reply(claim(client, RETURN, "(bba{ss})", [(True, False, {"a": "b"})])), [])
            await_change(client, TILT, "vertical")
            # The end of a client, or of polkit, while polkit decides.
            with bus.client() as other:
                other.begin(NAME, PATH, NAME, "ClaimAccelerometer")
                question = polkit.receive()
            with bus.client() as other:
                serial = other.begin(NAME, PATH, NAME, "ClaimAccelerometer")
                polkit.receive()
                polkit.send(Message(RETURN, "(bba{ss})", [(True, False, {})], destination=question.sender,
                                    reply=question.serial))
                polkit.close()
                self.assertEqual(refusal(other.await_reply, serial), DBUS + ".Error.AccessDenied")
                self.assertEqual(call(other, "ClaimAccelerometer"), [], "without polkit, anyone may claim")

    def test_the_bus_is_restarted(self):
        with self.provided() as (owner, bus, provider, client):
            call(client, "ClaimAccelerometer")
            for count in (2, 3):
                bus.stop()
                wait_until(lambda: owner.requests["samples 0"] == count - 1, "no bus, no claims")
                bus.start()
                provider.await_name(count)
                with bus.client() as other:
                    call(other, "ClaimAccelerometer")
                    self.assertEqual(get(other, ORIENTATION), "normal")
                    self.assertIsNotNone(refusal(other.call, NAME, PATH, NAME, "Claim"))
                    wait_until(lambda: owner.requests["samples 5"] == count, "samples are requested again")
                    if count == 2:
                        owner.turn("portrait")
                    provider.output.await_text("the system bus has closed the connection", count - 1)
            self.assertEqual(provider.kill(2), 0)

    def test_a_bus_that_takes_nothing(self):
        with self.provided() as (owner, bus, provider, client), contextlib.ExitStack() as stack:
            claimers = [client, *(stack.enter_context(bus.client()) for _ in range(30))]
            for one in claimers:
                call(one, "ClaimAccelerometer")
            private, _ = provider.memory()
            bus.process.send_signal(signal.SIGSTOP)
            # The provider reads at most 64 at once: at least a megabyte to send.
            for number in range(10_000):
                owner.turn(("portrait", "landscapeLeft")[number % 2])
            owner.turn("portraitUpsideDown")
            wait_until(lambda: pending(owner) == 0, "the provider has read every change")
            # Its queue of 64 KiB, of which libdbus makes several times as much.
            self.assertLessEqual(provider.memory()[0] - private, 512 << 10)
            bus.process.send_signal(signal.SIGCONT)
            for one in claimers:
                await_change(one, ORIENTATION, "bottom-up")

    def test_the_name_is_owned_and_replaced(self):
        with ScriptedOwner("portrait") as owner, Bus() as bus, bus.client() as rival:
            self.assertEqual(rival.own(NAME, 1), 1)
            with Provider(self.kind, owner.address, bus) as provider, bus.client() as client:
                provider.output.await_text("another program has net.hadess.SensorProxy, usually iio-sensor-proxy: "
                                           "sudo systemctl mask --now iio-sensor-proxy")
                self.assertEqual(client.owner(NAME), rival.name)
                rival.call_bus("ReleaseName", "s", NAME)
                provider.await_name()
                call(client, "ClaimAccelerometer")
                # 2 replaces whoever allows it, as `iio-sensor-proxy -r` does.
                self.assertEqual(rival.own(NAME, 2), 1)
                provider.output.await_text("another program has", 2)
                rival.close()
                provider.await_name(2)
                self.assertNotIn(client.owner(NAME), (None, rival.name))

    def test_no_permission_and_no_bus(self):
        with ScriptedOwner("portrait") as owner:
            with Bus(is_installed=False) as bus, Provider(self.kind, owner.address, bus) as provider:
                provider.output.await_text("this user may not own net.hadess.SensorProxy: install the package plumb-desktop")
            with Provider(self.kind, owner.address, bus) as provider:
                provider.output.await_text("no system bus: Failed to connect to socket")
                time.sleep(1)
                self.assertEqual(provider.output.text().count("no system bus"), 1)

    def test_a_message_that_is_too_long(self):
        with self.provided() as (_, bus, provider, client):
            _, most = provider.memory()
            for count in (2, 3):
                with bus.client() as other:
                    other.begin(NAME, PATH, NAME, "ClaimAccelerometer", "s", "x" * (8 << 20))
                    provider.await_name(count)
            self.assertEqual(get(client, ORIENTATION), "normal")
            self.assertLessEqual(provider.memory()[1] - most, FLAT[self.kind])


class UnderAttack(Attack):
    """An owner whose board is turned every half second, with a provider on a bus."""

    kind = "plumb"
    provider_kind = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bus = Bus()
        cls.addClassCleanup(cls.bus.__exit__)
        cls.provider = Provider(cls.provider_kind, cls.owner.address, cls.bus)
        cls.addClassCleanup(cls.provider.__exit__)
        cls.provider.await_name()

    def judge(self, begin, end, delays, growth):
        """Twice the time without a processor: the flood is a few times as dense as attacks on a stream, and everything
        in it shares the processors with the owner, which is slower even while it has one."""
        super().judge(begin, end, 2 * delays, growth)


def turned(lines, begin, word_of):
    """The changes since `begin`: time, delays until then, and orientation; without those that change nothing."""
    found = []
    for at, delays, line in lines:
        word = word_of(line)
        if at >= begin and word and (not found or found[-1][2] != word):
            found.append((at, delays, word))
    return found


class Chain:
    """The whole chain: an emulated sensor, its owner, the provider, the bus, Debian's monitor-sensor."""

    def test_monitor_sensor_prints_each_pose_in_time(self):
        processes = [self.owner.pid, self.provider.pid, self.bus.process.pid]

        def delays():
            """How long everything on the way was kept from running."""
            return sum(map(queueing, [*processes, "self"])) + stolen()

        with Monitor(self.bus, delays) as monitor, connected(self.owner.address) as stream:
            processes.append(monitor.pid)
            witness = Reader(stream.makefile("rb"), delays)
            monitor.output.await_text("=== Has accelerometer")
            begin = time.monotonic()
            monitor.output.await_text("orientation changed", 10)

            def pose(line):
                one = json.loads(line)
                return WORDS.get(one["to"]) if one["event"] == "pose" else None

            def printed(line):
                found = re.search(r"orientation changed: (\S+)", line)
                return found and found[1]
            stream.shutdown(socket.SHUT_RDWR)
            witness.thread.join()
            said, seen = turned(witness.lines, begin, pose), turned(monitor.output.lines, begin, printed)
            processes.remove(monitor.pid)
        # The first of either may have begun before.
        while seen[0][2] != said[0][2] or seen[0][0] < said[0][0] - LONGEST:
            seen.pop(0)
        self.assertGreaterEqual(len(seen), 6)
        self.assertEqual([word for _, _, word in seen], [word for _, _, word in said][:len(seen)])
        self.assertEqual({word for _, _, word in seen}, set(WORDS.values()))
        late = [now - then - (delayed - before) for (then, before, _), (now, delayed, _) in zip(said, seen)]
        print(f"{self.id()}: {len(seen)} changes, the slowest after "
              f"{1000 * max(now - then for (then, _, _), (now, _, _) in zip(said, seen)):.1f} ms", file=sys.stderr)
        self.assertLessEqual(max(late), LONGEST)

    def test_claims_without_end(self):
        with self.vigil(), contextlib.ExitStack() as stack:
            clients = [stack.enter_context(self.bus.client()) for _ in range(CLAIMS + 20)]
            refusals = [refusal(call, client, "ClaimAccelerometer") for client in clients]
            self.assertEqual(refusals, [None] * CLAIMS + [DBUS + ".Error.LimitsExceeded"] * 20)
            self.assertEqual(refusal(call, clients[0], "ClaimAccelerometer"), None)
            call(clients.pop(0), "ReleaseAccelerometer")
            self.assertEqual(refusal(call, clients[-1], "ClaimAccelerometer"), None)
            for client in (*clients[:CLAIMS - 1], clients[-1]):
                await_change(client, ORIENTATION, "left-up")
        with self.bus.client() as client:
            wait_until(lambda: refusal(call, client, "ClaimAccelerometer") is None, "the claims end with their clients")

    def test_ten_thousand_messages(self):
        self.assertGreater(self.flood(2_000, random.Random(1)), 200, "replies to one of three clients")
        private, most = self.provider.memory()
        with self.vigil():
            self.flood(10_000, random.Random(2))
        grown = [after - before for before, after in zip((private, most), self.provider.memory())]
        print(f"{self.id()}: private memory {grown[0] / 1024:+.0f} KiB, most {grown[1] / 1024:+.0f} KiB", file=sys.stderr)
        self.assertLessEqual(max(grown), FLAT[self.provider_kind])
        self.assertEqual(self.provider.output.text().count("system bus"), 1, self.provider.output.text())

    def flood(self, count, chance):
        """Messages of every kind from three clients: one that reads nothing, one that reads, and one that comes and
        goes. Returns how many messages the second one got, once the provider has read everything."""
        came = []
        with self.bus.client() as deaf, self.bus.client() as reader:
            name = reader.owner(NAME)
            draining = threading.Thread(target=self.drain, args=(reader, came), daemon=True)
            draining.start()
            visitor = self.bus.client()
            for number in range(count):
                if number % 100 == 99:
                    visitor.close()
                    visitor = self.bus.client()
                sender = (deaf, reader, visitor)[number % 3]
                sender.send(self.message(chance, name))
            visitor.close()
            reader.socket.shutdown(socket.SHUT_RDWR)
            draining.join()
        with self.bus.client() as client:
            self.assertIn(get(client, ORIENTATION), ("normal", "bottom-up", "left-up", "right-up"))
        return len(came)

    @staticmethod
    def drain(client, came):
        with contextlib.suppress(EOFError, OSError):
            while message := client.receive():
                came.append(message.kind)

    @staticmethod
    def message(chance, name):
        """Any message to the provider, mostly of what it knows."""
        signature, body = chance.choice([
            ("", []), ("", []), ("s", [NAME]), ("ss", [NAME, TILT]), ("ss", [NAME, "x" * chance.randrange(300)]),
            ("u", [7]), ("a{sv}", [{"a": ("d", 0.5)}]), ("ssv", [NAME, TILT, ("s", "vertical")]), ("as", [["x"] * 50]),
            ("(bba{ss})", [(True, False, {})]), ("sss", [":1.1", ":1.1", ""]), ("s", [NAME]), ("v", [("v", ("u", 1))])])
        return Message(
            chance.choice([CALL] * 8 + [SIGNAL, RETURN, ERROR]), signature, body,
            flags=chance.choice([0, 0, NO_REPLY, 4]), destination=name,
            path=chance.choice([PATH, PATH, PATH, "/", PATH + "/Compass"]),
            interface=chance.choice([NAME, NAME, PROPERTIES, DBUS + ".Introspectable", DBUS + ".Peer", "org.example.X", DBUS]),
            member=chance.choice(["ClaimAccelerometer", "ReleaseAccelerometer", "ClaimLight", "ReleaseProximity", "Get", "GetAll",
                                  "Set", "Introspect", "Ping", "GetMachineId", "NameOwnerChanged", "NameLost",
                                  "CheckAuthorization", "X" * 200]),
            reply=chance.choice([1, 2, 3, 4, 5, chance.randrange(1, 1 << 32)]), error=DBUS + ".Error.ServiceUnknown")


for PROVIDER, ENDING in KINDS.items():
    globals()["Chain" + ENDING] = type(
        "Chain" + ENDING, (Chain, UnderAttack), {"provider_kind": PROVIDER, "__module__": __name__})


if __name__ == "__main__":
    unittest.main(verbosity=2)
