"""A broker for tests: Debian's mosquitto with docs/examples/fleet/mosquitto.conf, its certificates, and mosquitto_sub as
the judge of what was published.

    with Broker() as broker, broker.subscriber() as judge:
        ... start a publisher that connects to broker.address, broker.port as user "dev-1", password broker.users["dev-1"]
        state = judge.await_message(lambda one: one.topic.endswith("/state"), "a state")

The broker is the one that `scripts/setup.sh test-mqtt` unpacked, or the one on the PATH.
"""

import contextlib
import dataclasses
import functools
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from processes import PATIENCE, ROOT, wait_until

EXAMPLES = ROOT / "docs" / "examples" / "fleet"
# Users besides devices, as the example's access list has them.
PEOPLE = ("homeassistant", "reader")


def program(name):
    """The path of a program of mosquitto."""
    for folder in ("usr/sbin", "usr/bin"):
        unpacked = ROOT / "build" / "mosquitto" / folder / name
        if unpacked.exists():
            return str(unpacked)
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")
    if not found:
        raise AssertionError(f"there is no {name}: run scripts/setup.sh test-mqtt")
    return found


def own_address():
    """A loopback address that no other process of these tests uses, so ports cannot collide."""
    number = os.getpid()
    return f"127.{64 + (number >> 16) % 128}.{(number >> 8) % 256}.{1 + number % 254}"


# Below the ports that the kernel gives to connections: a connection that keeps trying a port without a listener would
# some day get that very port, and connect to itself. Processes that share an address begin at different ports.
FREE = itertools.count(10_000 + os.getpid() % 1000 * 20)


def free_port(address):
    """A free port of an address."""
    for port in FREE:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind((address, port))
                return port


def openssl(*words, folder):
    done = subprocess.run(["openssl", *words], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode != 0:
        raise AssertionError(f"openssl {' '.join(words)}: {done.stderr}")


class Authority:
    """A certificate authority for a test: NAME.crt and NAME.key below `folder`, and the certificates that it
    signs."""

    def __init__(self, folder, name="ca"):
        self.folder, self.name = pathlib.Path(folder), name
        self.file = str(self.folder / f"{name}.crt")
        openssl("req", "-x509", *self.new_key(name), "-out", self.file, "-subj", f"/CN={name} of a test", "-days", "2",
                folder=folder)

    @staticmethod
    def new_key(name):
        return "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key"

    def certificate(self, name, hosts=(), days=2):
        """Makes NAME.crt and NAME.key, for hosts (names and addresses), valid for `days` from now; 0: expired."""
        kinds = ["IP" if re.fullmatch(r"[\d.]+|.*:.*", host) else "DNS" for host in hosts]
        names = ",".join(f"{kind}:{host}" for kind, host in zip(kinds, hosts))
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={names}\n" if names else "", encoding="ascii")
        openssl("req", *self.new_key(name), "-out", f"{name}.csr", "-subj", f"/CN={name}", folder=self.folder)
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{self.name}.crt", "-CAkey", f"{self.name}.key",
                "-CAcreateserial", "-days", str(days), "-extfile", extensions.name, "-out", f"{name}.crt",
                folder=self.folder)
        return str(self.folder / f"{name}.crt"), str(self.folder / f"{name}.key")


class Broker:
    """mosquitto with the configuration of the documentation, on this computer only. Use it in a `with` statement.

    devices: users besides PEOPLE; the password of each is in `users`. They may write only below plumb/USER.
    address: where it listens; by default this process's own address. port: without TLS; tls_port: with it.
    hosts: the names in its certificate, besides the address if names_address; expired: whether it has expired;
    needs_certificate: from clients.
    keeps: whether it keeps retained messages and sessions over a restart.
    starts: whether it starts at once.
    extra: more lines of configuration.
    """

    def __init__(self, devices=("dev-1",), address=None, hosts=("localhost",), names_address=True, expired=False,
                 needs_certificate=False, keeps=True, starts=True, extra=""):
        self.address = address or own_address()
        self.own = tempfile.TemporaryDirectory(prefix="plumb-broker-")
        self.folder = pathlib.Path(self.own.name)
        self.users = {}
        self.port, self.tls_port = free_port(self.address), free_port(self.address)
        self.keeps, self.process = keeps, None
        for name in ("conf.d", "data"):
            (self.folder / name).mkdir()
        self.log = self.folder / "log"
        self.authority = Authority(self.folder)
        self.authority.certificate("broker", (*hosts, *[self.address] * names_address), 0 if expired else 2)
        self.configure(needs_certificate, extra)
        self.set_passwords({name: f"secret-of-{name}-{random.randrange(10 ** 9)}" for name in (*PEOPLE, *devices)})
        if starts:
            self.start()

    def configure(self, needs_certificate, extra):
        """Writes the configuration of the documentation with other paths, ports and address, and what Debian adds to
        it."""
        text = (EXAMPLES / "mosquitto.conf").read_text(encoding="utf-8")
        changes = {
            "/etc/mosquitto/plumb.passwd": "passwd", "/etc/mosquitto/plumb.acl": "acl",
            "/etc/mosquitto/certs/broker.crt": "broker.crt", "/etc/mosquitto/certs/broker.key": "broker.key",
            "/etc/mosquitto/ca_certificates/plumb-ca.crt": "ca.crt"}
        changes = {old: str(self.folder / new) for old, new in changes.items()} | {
            "\nlistener 1883 127.0.0.1\n": f"\nlistener {self.port} {self.address}\n",
            "\nlistener 8883\n": f"\nlistener {self.tls_port} {self.address}\n"}
        if needs_certificate:
            changes |= {"\n#cafile ": "\ncafile ", "\n#require_certificate ": "\nrequire_certificate "}
        for old, new in changes.items():
            if old not in text:
                raise AssertionError(f"mosquitto.conf is not as the tests expect: it has no {old.strip()}")
            text = text.replace(old, new)
        (self.folder / "conf.d" / "plumb.conf").write_text(text, encoding="utf-8")
        shutil.copyfile(EXAMPLES / "acl", self.folder / "acl")
        lines = [f"persistence {str(self.keeps).lower()}", f"persistence_location {self.folder}/data/", "log_dest stderr",
                 *(f"log_type {kind}" for kind in ("error", "warning", "notice", "information")), extra, f"include_dir {self.folder}/conf.d"]
        if os.geteuid() == 0:
            lines.insert(0, "user root")
        (self.folder / "mosquitto.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def set_passwords(self, users):
        """Changes passwords, or adds users; a running broker uses them at once."""
        self.users |= users
        file = self.folder / "passwd"
        text = "".join(f"{name}:{password}\n" for name, password in self.users.items())
        with open(f"{file}~", "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as new:
            new.write(text)
        subprocess.run([program("mosquitto_passwd"), "-U", f"{file}~"], check=True, timeout=PATIENCE,
                       stdin=subprocess.DEVNULL)
        os.replace(f"{file}~", file)
        if self.process:
            before = self.printed().count("Reloading config")
            self.process.send_signal(signal.SIGHUP)
            wait_until(lambda: self.printed().count("Reloading config") > before, "the broker reloads")

    # Start and end

    def start(self):
        """Starts it, and waits until it listens."""
        # It says so once its ports are open. A connection made to find out would be an error in its log.
        running = r"mosquitto version \S+ running"
        before = len(re.findall(running, self.printed()))
        with open(self.log, "ab") as log:
            # pylint: disable=consider-using-with
            self.process = subprocess.Popen([program("mosquitto"), "-c", self.folder / "mosquitto.conf"],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        def listens():
            if self.process.poll() is not None:
                raise AssertionError(f"mosquitto ended: {self.printed()[-2000:]}")
            return len(re.findall(running, self.printed())) > before
        wait_until(listens, "mosquitto listens")
        return self

    def stop(self, number=signal.SIGTERM):
        """Ends it in order, so it saves what it should keep."""
        self.process.send_signal(number)
        # So a frozen one ends too.
        self.process.send_signal(signal.SIGCONT)
        self.process.wait(PATIENCE)
        self.process = None

    def kill(self):
        self.stop(signal.SIGKILL)

    def restart(self, forgets=False):
        """Restarts it; without its saved state if it `forgets`."""
        self.stop()
        if forgets:
            self.forget()
        self.start()

    def forget(self):
        """Removes its saved state."""
        shutil.rmtree(self.folder / "data")
        (self.folder / "data").mkdir()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def printed(self):
        """Its log so far, over all restarts: lines that begin with the seconds since 1970."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def connections(self, client=r"\S+"):
        """When clients of a name (a regular expression) connected, in s since 1970."""
        return [int(time) for time in re.findall(rf"^(\d+): New client connected from \S+ as {client} \(", self.printed(),
                                                 re.MULTILINE)]

    # Clients of the broker

    def arguments(self, user="homeassistant", tls=False):
        """The options of mosquitto_sub and mosquitto_pub for a connection."""
        words = ["-h", self.address, "-p", str(self.tls_port if tls else self.port)]
        words += ["-u", user, "-P", self.users[user]] if user else []
        return words + (["--cafile", self.authority.file] if tls else [])

    def publish(self, topic, payload="", retain=False, user="homeassistant", quality=1):
        """Publishes one message, text or bytes, as a user; returns once the broker has it."""
        data = payload if isinstance(payload, bytes) else payload.encode()
        words = ["mosquitto_pub", *self.arguments(user), "-q", str(quality), "-t", topic]
        # -s rejects an empty one.
        words += ["-s"] if data else ["-n"]
        done = subprocess.run(words + (["-r"] if retain else []), input=data, timeout=PATIENCE, capture_output=True,
                              check=False)
        if done.returncode != 0:
            raise AssertionError(f"mosquitto_pub: {done.stderr.decode()}")

    def retained(self, topic="#"):
        """What a new subscriber receives at once: the payload of each topic."""
        mark = f"homeassistant/mark/{random.randrange(10 ** 9)}"
        with self.subscriber(topic, mark) as judge:
            # The broker sends retained messages before later ones.
            self.publish(mark, "here")
            judge.await_message(lambda one: one.topic == mark, "the mark")
            return {one.topic: one.payload for one in judge.seen() if one.is_retained}

    def subscriber(self, *topics, **options):
        return Subscriber(self, *(topics or ("#",)), **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            self.kill()
        self.own.cleanup()


@dataclasses.dataclass(frozen=True)
class Message:
    """A received message. `time` is in s since 1970 on this computer's clock, and `came` on the monotonic one."""

    time: float
    came: float
    is_retained: bool
    quality: int
    topic: str
    payload: bytes

    @property
    def text(self):
        return self.payload.decode()

    @functools.cached_property
    def object(self):
        """The payload as JSON."""
        return json.loads(self.payload)


class Subscriber:
    """mosquitto_sub, whose messages are read in a thread all the time. It reconnects.

    identity: a name under which the broker keeps messages for it while it is away.
    """

    def __init__(self, broker, *topics, user="homeassistant", identity=None, tls=False):
        self.changed = threading.Condition()
        self.messages, self.lines = [], []
        # Line by line, which it does by default only for messages.
        words = ["stdbuf", "-oL", "mosquitto_sub", *broker.arguments(user, tls), "-q", "1", "-d", "-F", r"M %U %r %q %x %t"]
        words += ["-c", "-i", identity] if identity else []
        for topic in topics:
            words += ["-t", topic]
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=os.environ | {"LC_ALL": "C.UTF-8"})
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        try:
            self.await_line("Subscribed ")
        except AssertionError:
            self.close()
            raise

    def read(self):
        for line in self.process.stdout:
            # Long lines are written in pieces: the last one may be incomplete if mosquitto_sub was stopped.
            if not line.endswith(b"\n"):
                break
            line = line.decode(errors="replace").rstrip("\n")
            with self.changed:
                if line.startswith("M "):
                    time_, retained, quality, payload, topic = line[2:].split(" ", 4)
                    self.messages.append(Message(float(time_), time.monotonic(), retained == "1", int(quality), topic,
                                                 bytes.fromhex(payload)))
                elif " received PUBLISH " not in line and " sending PUBACK " not in line:
                    self.lines.append(line)
                self.changed.notify_all()
        with self.changed:
            self.lines.append("It ended.")
            self.changed.notify_all()

    def await_condition(self, condition, what, patience, check=None):
        end = time.monotonic() + patience
        with self.changed:
            while not self.changed.wait_for(condition, 0.5):
                if check:
                    check()
                if time.monotonic() > end:
                    raise AssertionError(f"not within {patience} s: {what}; the last messages: {self.messages[-5:]}")

    def await_line(self, begin, count=1, patience=PATIENCE):
        """Waits for that many lines, other than messages, that begin with `begin`: `Subscribed ` again after a
        restart of the broker."""
        def has_come():
            return self.lines and (self.lines[-1] == "It ended." or sum(line.startswith(begin) for line in self.lines) >= count)
        self.await_condition(has_come, f"mosquitto_sub says {begin!r}", patience)
        if self.lines[-1] == "It ended.":
            raise AssertionError(f"mosquitto_sub ended: {self.lines}")

    def mark(self):
        """The number of messages so far, for use as `since`."""
        with self.changed:
            return len(self.messages)

    def await_message(self, wanted, what, since=0, patience=PATIENCE, check=None):
        """The first message, from number `since` on, for which wanted(message) is true; waits for it. Meanwhile calls
        check() now and then, which raises if none can come any more."""
        looked, found = since, None
        def has_come():
            nonlocal looked, found
            while looked < len(self.messages) and found is None:
                found = self.messages[looked] if wanted(self.messages[looked]) else None
                looked += 1
            return found is not None
        self.await_condition(has_come, what, patience, check)
        return found

    def seen(self, topic=None, since=0):
        """The messages of a topic so far."""
        with self.changed:
            return [one for one in self.messages[since:] if topic in (None, one.topic)]

    def close(self):
        self.process.kill()
        self.thread.join()
        self.process.stdout.close()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
