"""A headless Chromium, controlled through the DevTools protocol with only Python's standard library.

- Source: RFC 6455 (WebSocket); https://chromedevtools.github.io/devtools-protocol/
"""
import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support" / "Python"))
from processes import PATIENCE

NAMES = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")


class BrowserError(Exception):
    """The browser did not do what was requested."""


class Connection:
    """The client's end of a WebSocket that exchanges texts."""

    def __init__(self, url, timeout):
        place, path = url.removeprefix("ws://").split("/", 1)
        host, port = place.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /{path} HTTP/1.1\r\nHost: {place}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.some(1)
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise BrowserError(f"no WebSocket: {head!r}")

    def some(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise BrowserError("the browser has gone")
            data += piece
        return data

    def send(self, text):
        data = text.encode()
        mask = os.urandom(4)
        if len(data) < 126:
            head = struct.pack(">BB", 0x81, 0x80 | len(data))
        elif len(data) < 65536:
            head = struct.pack(">BBH", 0x81, 0xFE, len(data))
        else:
            head = struct.pack(">BBQ", 0x81, 0xFF, len(data))
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def receive(self):
        """One whole text; joins fragments and skips pings."""
        whole = b""
        while True:
            first, second = self.some(2)
            length = second & 0x7F
            if length == 126:
                length = struct.unpack(">H", self.some(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.some(8))[0]
            data = self.some(length)
            if first & 0x0F in (0x00, 0x01):
                whole += data
                if first & 0x80:
                    return whole.decode()
            elif first & 0x0F == 0x08:
                raise BrowserError("the browser has ended the connection")


class Page:
    """One tab. Records what it receives: errors, console messages, requests."""

    def __init__(self, url, timeout=PATIENCE):
        self.connection = Connection(url, timeout)
        self.number = 0
        self.complaints = []
        self.requests = []
        self.downloads = 0
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        self.number += 1
        self.connection.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.connection.receive())
            if message.get("id") == self.number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.hear(message)

    def hear(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(" ".join(str(a.get("value", a)) for a in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Browser.downloadProgress" and parameters["state"] == "completed":
            self.downloads += 1

    def run(self, expression):
        """The value of a JavaScript expression; waits for a promise."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise BrowserError(result["exceptionDetails"].get("exception", {}).get("description", expression))
        return result["result"].get("value")

    def wait(self, expression, seconds=PATIENCE):
        """Waits until an expression is true; one that fails counts as false, as on a page that is still loading."""
        end = time.monotonic() + seconds
        while not self.run(f"(() => {{ try {{ return Boolean({expression}) }} catch {{ return false }} }})()"):
            if time.monotonic() > end:
                raise BrowserError(f"not within {seconds} s: {expression}")
            time.sleep(0.05)

    def download(self, expression, folder):
        """Runs an expression that saves a file, and waits until it is whole: before, an empty one has its name."""
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), eventsEnabled=True)
        self.downloads = 0
        self.run(expression)
        while not self.downloads:
            self.hear(json.loads(self.connection.receive()))

    def show(self, url, width, height, dark=False, calm=False, scale=1):
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                    {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=width < 500)
        self.call("Page.navigate", url=url)

    def close(self):
        self.call("Page.close")
        self.connection.socket.close()

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


class Browser:
    """Starts a browser, and ends it."""

    def __init__(self):
        program = next((found for found in map(shutil.which, NAMES) if found), None)
        if not program:
            raise BrowserError("there is no Chromium: make setup-test-web")
        self.folder = tempfile.mkdtemp(prefix="plumb-browser-")
        options = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={self.folder}", "--no-first-run",
                   "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-sync",
                   "--disable-component-update", "--no-default-browser-check", "--no-proxy-server", "--hide-scrollbars",
                   "--mute-audio"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([program] + options + ["about:blank"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        try:
            self.port = self.found_port()
        except BaseException:
            self.end()
            raise

    def found_port(self):
        file = os.path.join(self.folder, "DevToolsActivePort")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            if os.path.exists(file):
                with open(file, encoding="ascii") as lines:
                    text = lines.read().split("\n")
                if len(text) > 1:
                    return int(text[0])
            time.sleep(0.05)
        raise BrowserError("the browser does not start")

    def page(self):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        # Bypasses any proxy of the environment.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=PATIENCE) as answer:
            return Page(json.load(answer)["webSocketDebuggerUrl"])

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
