"""The page for browsers (`make web`) in a headless Chromium: a phone with overridden sensors, an emulated board, recordings
that are dropped, a serial line, and no network.

    PLUMB=build/plumb python3 Tests/System/Web/test_web_page.py [CLASS]
"""
import functools
import http.server
import json
import math
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

from browser import Browser
from serve import PLUMB, ROOT

HERE = pathlib.Path(__file__).resolve().parent
POSES = ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"]
UP = [(0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1)]
WORDS = ["portrait", "portrait, upside down", "landscape, left edge down", "landscape, right edge down", "face up", "face down"]
GRAVITY = 9.80665
SIZES = [(360, 640, False), (360, 640, True), (320, 568, False), (768, 1024, True), (1280, 800, False), (1280, 800, True)]


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves static files, and nothing else."""

    def log_message(self, *_):
        pass


class Site:
    """A static server of build/web, at a path of its own."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        place = pathlib.Path(self.folder.name, "some", "where")
        place.parent.mkdir()
        place.symlink_to(ROOT / "build" / "web")
        handler = functools.partial(Handler, directory=self.folder.name)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.url = self.origin + "/some/where/"

    def end(self):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()


class WebPageCase(unittest.TestCase):
    """Tests with a browser and a server."""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.site = Site()
        cls.checks = (HERE / "checks.js").read_text(encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.browser.end()
        cls.site.end()

    def new_page(self):
        page = self.browser.page()
        self.addCleanup(page.close)
        return page

    def opened(self, source, width=360, height=640, page=None, **more):
        """The page, with a source chosen."""
        page = page or self.new_page()
        page.show(self.site.url, width, height, **more)
        page.wait("document.body.dataset.ready")
        page.run(f"document.querySelector('input[value={source}]').click()")
        page.wait(f"document.body.classList.contains('{source}')")
        return page

    def said(self, page):
        return page.run("document.getElementById('said').textContent")

    def quiet(self, page):
        self.assertEqual(page.complaints, [])
        self.assertEqual([url for url in page.requests if not url.startswith((self.site.url, "data:", "blob:"))], [])

    def press(self, page, key, code=None, number=0, text=None):
        more = {"text": text} if text else {}
        page.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or key, windowsVirtualKeyCode=number, **more)
        page.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key, windowsVirtualKeyCode=number)


# Keeps each motion event: its time stamp, its force and its rotation.
LISTEN = """
  window.motions = [];
  addEventListener('devicemotion', event => {
    const force = event.accelerationIncludingGravity, rate = event.rotationRate;
    motions.push([event.timeStamp / 1000, force && [force.x, force.y, force.z], rate && [rate.alpha, rate.beta, rate.gamma]]);
  });
"""


class PhoneTests(WebPageCase):
    """The page on a phone whose sensors DevTools overrides."""

    def phone(self, gyroscope=True, force=(0, 0, 1), script="", sign=1, has_sensor=True):
        """The page on a phone that is held with `force` (in g)."""
        page = self.new_page()
        for kind, available in [("accelerometer", has_sensor), ("linear-acceleration", has_sensor), ("gyroscope", gyroscope)]:
            page.call("Emulation.setSensorOverrideEnabled", enabled=True, type=kind,
                      metadata={"available": available, "maximumFrequency": 60})
        page.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=1)
        page.call("Page.addScriptToEvaluateOnNewDocument", source=LISTEN + script)
        self.sign, self.gyroscope, self.has_sensor = sign, gyroscope, has_sensor
        # No motion event comes before each sensor has a reading.
        if has_sensor:
            page.call("Emulation.setSensorOverrideReadings", type="linear-acceleration", reading={"xyz": {"x": 0, "y": 0, "z": 0}})
        self.hold(page, force)
        page.show(self.site.url, 360, 640)
        page.wait("document.body.dataset.ready")
        return page

    def hold(self, page, force, rate=(0, 0, 0)):
        """Sets what the sensors measure: g, °/s."""
        if not self.has_sensor:
            return
        values = {axis: self.sign * GRAVITY * value for axis, value in zip("xyz", force)}
        page.call("Emulation.setSensorOverrideReadings", type="accelerometer", reading={"xyz": values})
        if self.gyroscope:
            rates = {axis: math.radians(value) for axis, value in zip("xyz", rate)}
            page.call("Emulation.setSensorOverrideReadings", type="gyroscope", reading={"xyz": rates})

    def shows(self, page, pose):
        page.wait(f"document.getElementById('held').dataset.pose === '{pose}'")

    def late(self, page, number, begins):
        """Whether a pose was late: how long after the first motion event for which `begins` holds it came, in s, and the
        longest time without a motion event meanwhile, both by the time stamps of these events; None if it was in time."""
        words = json.dumps(WORDS[number])
        noted = page.run(f"(e => +e.querySelector('time').dataset.t)([...document.querySelectorAll('#notes li')]"
                         f".find(e => e.lastChild.textContent === {words}))")
        times = [motion[0] for motion in page.run(f"motions.slice(motions.findIndex({begins}))") if motion[0] <= noted + 0.001]
        gap = max([b - a for a, b in zip(times, times[1:])], default=1)
        return None if times and noted - times[0] < 0.3 else (noted - (times[0] if times else 0), gap)

    def test_each_pose_appears_within_three_tenths_of_a_second_of_the_motion(self):
        page = self.phone(gyroscope=False, force=UP[4])
        self.shows(page, "faceUp")
        self.assertIn("without a gyroscope", self.said(page))
        wanted = [0, 2, 1, 3, 5, 4]
        for number in wanted * 5:
            page.run("motions.length = 0")
            self.hold(page, UP[number])
            self.shows(page, POSES[number])
            turned = [GRAVITY * value for value in UP[number]]
            late = self.late(page, number, f"([, force]) => force.every((value, i) => Math.abs(value - {turned}[i]) < 0.2)")
            # A busy machine may leave out events; but not every time.
            if late:
                self.assertGreater(late[1], 0.03, (POSES[number], late))
                continue
            self.assertEqual(page.run("[...document.querySelectorAll('#lamps li')].map(e => +e.classList.contains('lit'))"),
                             [int(index == number) for index in range(6)])
            wanted = [other for other in wanted if other != number]
            if not wanted:
                break
        self.assertEqual(wanted, [])
        self.quiet(page)

    def turn(self, page, number, axis, seconds=0.25):
        """Turns the phone about one of its axes by 90° into a pose, as the gyroscope sees it too; from where it is held."""
        begin, end = self.held, UP[number]
        started = time.monotonic()
        while (part := (time.monotonic() - started) / seconds) < 1:
            angle = part * math.pi / 2
            force = [math.cos(angle) * a + math.sin(angle) * b for a, b in zip(begin, end)]
            self.hold(page, force, [value * 90 / seconds for value in axis])
        self.hold(page, end)
        self.held = end

    def test_with_a_gyroscope_the_six_poses_appear_within_three_tenths_of_a_second_of_the_start_of_a_turn(self):
        page = self.phone(force=UP[4])
        self.shows(page, "faceUp")
        self.held = UP[4]
        # As a turn of a board at rest: up, as the board sees it, turns the other way.
        turns = [(0, "x"), (2, "z"), (1, "z"), (3, "z"), (5, "y"), (2, "y"), (4, "y")]
        late = []
        for number, name in turns * 4:
            axis = [int(name == other) for other in "xyz"]
            # The direction that takes up from where it is to where it shall be.
            cross = [axis[1] * self.held[2] - axis[2] * self.held[1], axis[2] * self.held[0] - axis[0] * self.held[2],
                     axis[0] * self.held[1] - axis[1] * self.held[0]]
            sense = -sum(a * b for a, b in zip(cross, UP[number]))
            page.run("motions.length = 0")
            self.turn(page, number, [value * sense for value in axis])
            self.shows(page, POSES[number])
            found = self.late(page, number, "([,, rate]) => rate.some(value => Math.abs(value) > 1)")
            # A busy machine may show nothing of the turn, or much of it late; but not every time.
            if found:
                late.append((POSES[number], found))
                continue
            turns = [turn for turn in turns if turn[0] != number]
            if not turns:
                break
        self.assertEqual(turns, [], late)
        self.assertIn("with its gyroscope", self.said(page))
        self.quiet(page)

    def test_the_signs_of_ios_are_recognised_and_the_wrong_guess_is_corrected(self):
        ios = """
          Object.defineProperty(navigator, 'vendor', { get: () => 'Apple Computer, Inc.' });
          navigator.permissions.query = () => Promise.reject(new TypeError());
          window.asked = 0;
          DeviceMotionEvent.requestPermission = () => (asked++, Promise.resolve(window.answer ?? 'granted'));
        """
        page = self.phone(gyroscope=False, sign=-1, script=ios)
        # Nothing is read before a tap.
        self.assertEqual(page.run("asked"), 0)
        self.assertIn("Press the button", self.said(page))
        page.run("document.getElementById('start').click()")
        self.shows(page, "faceUp")
        self.assertEqual(page.run("asked"), 1)
        page.wait("document.getElementById('said').textContent.includes('signs as on iOS')")
        self.quiet(page)
        denied = self.phone(sign=-1, script=ios + "window.answer = 'denied';")
        denied.run("document.getElementById('start').click()")
        denied.wait("document.getElementById('said').textContent.includes('does not allow')")
        self.assertEqual(denied.run("document.getElementById('held').dataset.pose ?? ''"), "")
        votes = page.run("""(({ Signs }) => {
          const judged = (vendor, force, beta, gamma, times) => {
            const signs = new Signs(vendor);
            for (let i = 0; i < times; i++) signs.judge(force, beta, gamma);
            return [signs.factor, signs.isConfirmed];
          };
          return [judged("Google Inc.", [0, 9.8, 0], 90, 0, 8), judged("Apple Computer, Inc.", [0, -9.8, 0], 90, 0, 8),
            judged("Google Inc.", [0, -9.8, 0], 90, 0, 8), judged("Apple Computer, Inc.", [9.8, 0, 0], 0, -90, 8),
            // Not while it is shaken, nor after a few.
            judged("Google Inc.", [0, -19, 0], 90, 0, 50), judged("Google Inc.", [0, -9.8, 0], 90, 0, 7)];
        })(Phone)""")
        self.assertEqual(votes, [[1, True], [-1, True], [-1, False], [1, False], [1, False], [1, False]])

    def test_what_a_phone_lacks_is_said_in_words(self):
        few = "let number = 0; addEventListener('devicemotion', event => { if (++number % 6) event.stopImmediatePropagation(); });"
        page = self.phone(gyroscope=False, script=few)
        page.wait("/only some (5|10|15) events a second/.test(document.getElementById('said').textContent)")
        self.shows(page, "faceUp")
        page = self.phone(gyroscope=False, has_sensor=False)
        page.wait("document.getElementById('said').textContent.includes('sensor')", 15)
        self.assertEqual(page.run("document.getElementById('said').className"), "off")
        self.quiet(page)

    def test_the_pose_of_a_hidden_page_is_unknown(self):
        hide = """
          let hides = false;
          Object.defineProperty(document, 'hidden', { get: () => hides });
          addEventListener('devicemotion', event => { if (hides) event.stopImmediatePropagation(); });
          window.hide = value => { hides = value; document.dispatchEvent(new Event('visibilitychange')); };
        """
        page = self.phone(gyroscope=False, script=hide)
        self.shows(page, "faceUp")
        page.run("hide(true)")
        self.assertIn("A hidden page gets no motion events", self.said(page))
        page.wait("document.getElementById('held').dataset.pose === 'unknown'")
        self.hold(page, UP[5])
        page.run("hide(false)")
        self.shows(page, "faceDown")
        self.quiet(page)

    def test_an_insecure_page_says_that_sensors_need_https(self):
        page = self.new_page()
        page.call("Page.addScriptToEvaluateOnNewDocument", source="Object.defineProperty(window, 'isSecureContext', { value: false })")
        self.opened("phone", page=page)
        page.wait("document.getElementById('said').textContent.includes('need https')")
        page.run("document.querySelector('input[value=serial]').click()")
        page.wait("document.getElementById('said').textContent.includes('WebSerial needs https')")


class EmulatedTests(WebPageCase):
    """The emulated board in the hands of a mouse and of a keyboard."""

    def test_each_pose_is_shown_and_the_emulated_board_goes_on_without_a_network(self):
        page = self.opened("emulated", 1280, 800)
        for number in [0, 3, 5, 1, 2, 4]:
            page.run(f"document.querySelectorAll('#poses button')[{number}].click()")
            page.wait(f"document.getElementById('held').dataset.pose === '{POSES[number]}'")
        self.quiet(page)

    def test_faults_noise_and_motions_can_be_switched_on(self):
        page = self.opened("emulated", 1280, 800)
        change = "(id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event('change', {bubbles: true})); e.dispatchEvent(new Event('input', {bubbles: true})); }"
        page.wait("document.getElementById('held').dataset.pose === 'portrait'")
        page.run(f"({change})('fault', 'noAcknowledge')")
        page.wait("document.getElementById('pose').textContent === 'Pose unknown'")
        page.wait("document.querySelector('#notes .trouble').textContent.includes('no acknowledge')")
        page.run(f"({change})('fault', '')")
        page.wait("document.querySelector('#notes .relief')")
        page.run(f"({change})('noise', '0.1')")
        page.wait("Math.abs(Number(document.getElementById('x').textContent.replace('−', '-'))) > 0.05")
        page.run(f"({change})('noise', '0.004')")
        page.run("document.getElementById('shake').click()")
        page.wait("[...document.querySelectorAll('#notes li')].some(e => e.textContent.includes('shake'))")
        page.run("document.getElementById('drop').click()")
        page.wait("[...document.querySelectorAll('#notes li')].some(e => e.textContent.includes('free fall'))")
        page.run("document.getElementById('brown-out').click()")
        page.wait("[...document.querySelectorAll('#notes li')].some(e => e.textContent.includes('configuration'))")
        page.wait("Number(document.querySelector('#counters [data-key=transactions] dd').textContent.replace(',', '')) > 100")
        page.run(f"({change})('kind', 'tumble')")
        for pose in ["portrait", "landscapeLeft"]:
            page.wait(f"document.getElementById('held').dataset.pose === '{pose}'")
        self.quiet(page)

    def test_a_mouse_turns_the_board(self):
        page = self.opened("emulated", 1280, 800)
        page.run("document.querySelectorAll('#poses button')[0].click()")
        page.wait("document.getElementById('held').dataset.pose === 'portrait'")
        page.wait("document.getElementById('motion').className === 'still'")
        box = page.run("(b => [b.left + b.width / 2, b.top + b.height / 2, b.width])(document.getElementById('board').getBoundingClientRect())")
        mouse = functools.partial(page.call, "Input.dispatchMouseEvent", button="left", buttons=1)
        # Half its width is a quarter turn: towards the eye.
        mouse(type="mousePressed", x=box[0], y=box[1], clickCount=1)
        for step in range(1, 11):
            mouse(type="mouseMoved", x=box[0], y=box[1] - step * box[2] / 20)
        mouse(type="mouseReleased", x=box[0], y=box[1] - box[2] / 2, clickCount=1)
        page.wait("document.getElementById('held').dataset.pose.startsWith('face')")
        self.quiet(page)

    def test_everything_can_be_done_with_the_keyboard_alone(self):
        page = self.opened("emulated", 1280, 800)
        page.run("document.activeElement.blur()")
        reached = []
        for _ in range(40):
            self.press(page, "Tab", number=9)
            name = page.run("(e => e === document.body ? '' : e.id || e.value || e.getAttribute('aria-label') || e.textContent)(document.activeElement)")
            if not name or name in reached:
                break
            reached.append(name)
        for name in ["pause", "emulated", "portrait", "face down", "Turn to the left", "shake", "drop", "kind", "fault", "noise",
                     "brown-out", "board", "notes"]:
            self.assertIn(name, reached)
        # A pose by Enter; a turn by the arrows on the board; another source by the arrows of the choice.
        page.run("document.querySelectorAll('#poses button')[3].focus()")
        self.press(page, "Enter", number=13, text="\r")
        page.wait("document.getElementById('held').dataset.pose === 'landscapeRight'")
        page.run("document.getElementById('board').focus()")
        self.assertNotEqual(page.run("getComputedStyle(document.activeElement).outlineStyle"), "none")
        for _ in range(6):
            self.press(page, "<", text="<")
        page.wait("document.getElementById('held').dataset.pose === 'portrait'")
        page.run("document.querySelector('input[value=emulated]').focus()")
        self.press(page, "ArrowRight", number=39)
        page.wait("document.body.classList.contains('recording') && document.getElementById('emulated').hidden")
        self.quiet(page)

    def test_reduced_motion_is_respected(self):
        count = """new Promise(done => {
          let count = 0;
          new MutationObserver(() => count++).observe(document.getElementById('side-face'), {attributes: true});
          setTimeout(() => done(count), 2000);
        })"""
        page = self.opened("emulated", calm=True)
        page.run("(e => { e.value = 'carried'; e.dispatchEvent(new Event('change')); })(document.getElementById('kind'))")
        self.assertLess(page.run(count), 10)


class LookTests(WebPageCase):
    """What the page looks like, and what a screen reader gets."""

    def test_nothing_is_cut_off_or_hard_to_read_or_without_a_name(self):
        page = self.new_page()
        for width, height, dark in SIZES:
            self.opened("emulated", width, height, page=page, dark=dark)
            for source in ["emulated", "recording", "serial", "phone"]:
                page.run(f"document.querySelector('input[value={source}]').click()")
                if source == "emulated":
                    page.wait("document.querySelectorAll('#counters dd').length > 5")
                self.assertEqual(page.run(self.checks), [], (width, height, dark, source))
        self.quiet(page)

    def test_a_screen_reader_finds_the_parts_of_the_page_by_role_and_name(self):
        page = self.opened("emulated", 1280, 800)
        page.wait("document.getElementById('held').dataset.pose === 'portrait'")
        page.call("Accessibility.enable")
        nodes = [(node.get("role", {}).get("value"), node.get("name", {}).get("value", ""))
                 for node in page.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
        for role, name in [("banner", ""), ("main", ""), ("contentinfo", ""), ("heading", "Board"), ("radiogroup", "Board"),
                           ("radio", "This device"), ("radio", "Serial port"), ("button", "Tilt back"), ("slider", "Noise"),
                           ("group", "Hold it in a pose"), ("list", "State of the lines"), ("meter", "steering"), ("status", "")]:
            self.assertIn((role, name), nodes)
        controls = [node for node in nodes if node[0] in ("button", "radio", "combobox", "slider", "img", "image", "meter")]
        self.assertEqual([node for node in controls if not node[1]], [])
        self.assertTrue([name for role, name in nodes if role in ("img", "image") and name.startswith("The board: portrait")], nodes)
        # What changes is announced: the pose, and what the page says of the source.
        self.assertEqual(page.run("document.getElementById('spoken').ariaLive"), "polite")

    def test_the_page_runs_no_script_but_its_own_and_connects_to_nothing_else(self):
        page = self.opened("emulated")
        page.run("const script = document.createElement('script'); script.textContent = 'window.ran = 1'; document.body.append(script)")
        self.assertIsNone(page.run("window.ran ?? null"))
        self.assertEqual(page.run("fetch('http://localhost:1/').then(() => 'connected', () => 'refused')"), "refused")
        self.assertTrue(all("Content Security Policy" in text or "Failed to fetch" in text for text in page.complaints), page.complaints)
        files = list((ROOT / "build" / "web").iterdir())
        self.assertLessEqual(sum(file.stat().st_size for file in files), 150 * 1024)


class OfflineTests(WebPageCase):
    """The page without a network."""

    def test_without_a_network_everything_works_as_before(self):
        page = self.opened("emulated")
        page.run("navigator.serviceWorker.ready.then(() => 1)")
        page.wait("navigator.serviceWorker.controller")
        self.site.server.shutdown()
        self.site.server.server_close()
        page.run("document.querySelectorAll('#poses button')[2].click()")
        page.wait("document.getElementById('held').dataset.pose === 'landscapeLeft'")
        for path in ["", "index.html"]:
            page.call("Page.navigate", url=self.site.url + path)
            page.wait("document.body.dataset.ready")
            page.run("document.querySelectorAll('#poses button')[3].click()")
            page.wait("document.getElementById('held').dataset.pose === 'landscapeRight'")
        self.quiet(page)

    @classmethod
    def tearDownClass(cls):
        cls.browser.end()
        cls.site.folder.cleanup()


# What is no recording; the same words as of `plumb replay` are expected.
HEAD = b"time_s,x_g,y_g,z_g\n0,0,1,0\n"
HOSTILE = {
    "empty": b"", "header": b"time_s,x_g,y_g,z_g\n", "nan": HEAD + b"0.1,NaN,1,0\n", "infinity": HEAD + b"0.1,inf,1,0\n",
    "hexadecimal": HEAD + b"0.1,0x10,1,0\n", "columns": HEAD + b"0.1,1,1\n", "more": HEAD + b"0.1,1,1,1,1\n", "nothing": HEAD + b"0.1,,1,0\n",
    "force": HEAD + b"0.1,40000,1,0\n", "time": HEAD + b"1e300,0,1,0\n", "overflow": HEAD + b"1e999,0,1,0\n", "text": HEAD + b"soon,0,1,0\n",
    "long": HEAD + b"0.1," + b"1" * 5000 + b",0,0\n", "zeros": HEAD + bytes(300), "binary": b"\x7fELF\x02\x01\x01" + bytes(64),
    "rotation": b"time_s,x_g,y_g,z_g,x_dps\n0,0,1,0,0\n", "linear": b'"Time (s)","Linear Acceleration x (m/s^2)"\n0,0\n',
    "page": HEAD + b"<script>alert(1)</script>\n", "bell": HEAD + b"0.1,\x1b[31m,1,0\n", "invalid": HEAD + b"0.1,\xff\xfe,1,0\n",
    "mark": HEAD + b"\xef\xbb\xbf0.1,0,1,0\n", "fast": b"time_s,x_g,y_g,z_g,x_dps,y_dps,z_dps\n0,0,1,0,5000,0,0\n",
    "comma": b"seconds_elapsed;x;y;z\n0;0;9,8;0\n0,1;0;9,8,8;0\n",
}
# What is a recording.
SOUND = {
    "phyphox": b'\xef\xbb\xbf"Time (s)";"Acceleration x (m/s^2)";"Acceleration y (m/s^2)";"Acceleration z (m/s^2)";"Absolute acceleration (m/s^2)"\r\n'
               + b"".join(f"{i / 50:.2f};0,1;{9.8 if i < 60 else 0.1};{0.2 if i < 60 else -9.8};9,8\r\n".replace(".", ",").encode() for i in range(150)),
    "logger": b"time,seconds_elapsed,z,y,x\n" + b"".join(f"{10 ** 18 + i},{i / 50},0,0.3,{9.7 if i < 70 else -9.7}\n".encode() for i in range(150)),
    "all": b"seconds_elapsed,totalAcceleration_x,totalAcceleration_y,totalAcceleration_z,gyroscope_x,gyroscope_y,gyroscope_z,note\n"
           + b"".join(f"{i / 100},0,9.8,0.1,0.01,-0.02,0.001,x\n".encode() for i in range(300)),
    "backwards": HEAD + b"0.1,0,1,0\n0.05,0,1,0\n\n  \n5,0,0,1\n5.1,0,0,1\n5.2,0,0,1\n",
}


class RecordingTests(WebPageCase):
    """Recordings that are dropped onto the page, compared with `plumb replay`."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def written(self, name, data):
        path = pathlib.Path(self.folder.name, name + ".csv")
        path.write_bytes(data)
        return path

    def drop(self, page, path):
        """Drops a file onto the page, and waits until it has been read."""
        # So that it is not taken for the last one.
        page.run("document.getElementById('said').textContent = ''")
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            page.call("Input.dispatchDragEvent", type=kind, x=100, y=100, data=data)
        page.wait("document.body.classList.contains('recording') && /^(live|off)$/.test(document.getElementById('said').className)"
                  f" && document.getElementById('said').textContent.includes({json.dumps(path.name)})")
        return self.said(page)

    def saved(self, page, path):
        """The events that the page saves, without their words."""
        page.download("document.getElementById('save').click()", self.folder.name)
        file = path.with_suffix(".jsonl")
        events = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        file.unlink()
        return events

    def replayed(self, path):
        """The events of `plumb replay`, and what is wrong with the file."""
        done = subprocess.run([PLUMB, "replay", str(path), "--format", "json", "--show", "shake,rotation,still"], check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
        events = [json.loads(line) for line in done.stdout.splitlines()]
        return [event for event in events if event["event"] != "summary"], done.stderr

    def test_a_dropped_recording_gives_the_events_of_replay(self):
        paths = [self.written(name, data) for name, data in SOUND.items()]
        for name, more in [("tumble", []), ("carried", ["--board", str(ROOT / "boards/emulated-mpu6050.ini"), "--motion", "carried"])]:
            paths.append(pathlib.Path(self.folder.name, name + ".csv"))
            subprocess.run([PLUMB, "record", "-q", "-o", str(paths[-1]), "--speed", "fast", "--duration", "12", *more], check=True,
                           stdin=subprocess.DEVNULL, capture_output=True)
        page = self.opened("recording", 1280, 800)
        for path in paths:
            with self.subTest(path.name):
                words = self.drop(page, path)
                events, _ = self.replayed(path)
                self.assertNotEqual(events, [])
                self.assertEqual(self.saved(page, path), events)
                self.assertRegex(words, r"[\d,]+ samples in ")
                self.assertEqual(page.run("document.querySelectorAll('#counters [data-key=transactions]').length"), 0)
        self.assertEqual(page.run(self.checks), [])
        self.quiet(page)

    def test_what_is_no_recording_is_refused_in_the_words_of_replay(self):
        page = self.opened("recording")
        for name, data in HOSTILE.items():
            path = self.written(name, data)
            found = page.run(f"""(({{ RecordingReader, RecordingError }}) => {{
              const reader = new RecordingReader({json.dumps(path.name)}, () => {{}}), bytes = new Uint8Array({list(data)});
              try {{
                for (let at = 0; at < bytes.length; at += 7) reader.push(bytes.subarray(at, at + 7));
                reader.end();
              }} catch (error) {{ return error instanceof RecordingError ? error.message : String(error); }}
              return null;
            }})(Recordings)""")
            _, errors = self.replayed(path)
            wanted = " ".join(errors.split()).replace(str(path), path.name).removeprefix("plumb: ").removeprefix("Error: ")
            with self.subTest(name):
                self.assertIsNotNone(found)
                # Only the tool can be given the columns of any other file.
                if "was expected, or the header" not in wanted:
                    self.assertEqual(found, wanted)
        self.assertEqual(self.drop(page, self.written("nan", HOSTILE["nan"])).split(" (before")[0], 'nan.csv:3: x_g is "NaN", which is not a number')
        self.quiet(page)

    def test_a_huge_file_takes_little_memory(self):
        page = self.opened("recording")
        path = self.written("huge", HEAD)
        # A gigabyte, nearly all of it one line.
        with open(path, "r+b") as file:
            file.truncate(1 << 30)
        self.assertIn("huge.csv:3: a line of over 1000 bytes", self.drop(page, path))
        page = self.opened("recording", page=page)
        with open(path, "wb") as file:
            file.write(HEAD)
            for start in range(0, 200_000, 10_000):
                file.write(b"".join(b"%.2f,0,%d,0\n" % (0.1 + i / 100, (i >> 6 & 1) * 2 - 1) for i in range(start, start + 10_000)))
        self.assertIn("200,001 samples", self.drop(page, path))
        page.call("HeapProfiler.collectGarbage")
        self.assertLess(page.run("performance.memory.usedJSHeapSize"), 30_000_000)
        self.quiet(page)


# A port that the test feeds: `serial.feed(bytes)`, `serial.unplug()`; `serial.sent` is what the page has written.
SERIAL = """
  const made = () => {
    const port = { sent: '' };
    let feed = null;
    port.open = () => { port.readable = new ReadableStream({ start(c) { feed = c; } }, { highWaterMark: 1e6 });
      port.writable = new WritableStream({ write(bytes) { port.sent += new TextDecoder().decode(bytes); } }); return Promise.resolve(); };
    port.close = () => Promise.resolve();
    port.feed = text => feed.enqueue(typeof text === 'string' ? new TextEncoder().encode(text) : new Uint8Array(text));
    port.unplug = () => { port.readable = null; feed.error(new DOMException('The device has been lost.', 'NetworkError')); };
    return port;
  };
  Object.defineProperty(navigator, 'serial', { value: { requestPort: () => Promise.resolve(window.port = made()) }, configurable: true });
"""
HELLO = {"event": "hello", "protocol": 1, "plumb": "0.2.0", "owner": "1-2", "board": "pico-mpu6050", "sensor": "mpu6050", "address": 104,
         "bus": "i2c0", "rate_hz": 100, "range_g": 4, "gyroscope_range_dps": 500, "chip": "rp2040", "code": "leds", "lines": [0, 0, 0, 0, 1, 0],
         "commands": True, "tare": None, "t": 12.34, "pose": "faceUp", "since": 3.2, "x": 0, "y": 0.02, "z": 1, "still": True,
         "asleep": False, "busy": None, "events": 17, "clients": 1, "counters": {"samples": 1234, "late_samples": 0}}


class SerialTests(WebPageCase):
    """A live board on a serial line, played by the test."""

    def connected(self):
        page = self.new_page()
        page.call("Page.addScriptToEvaluateOnNewDocument", source=SERIAL)
        self.opened("serial", page=page)
        page.run("document.getElementById('connect').click()")
        page.wait("window.port && port.sent.includes('hello')")
        return page

    def feed(self, page, *lines):
        for line in lines:
            text = line if isinstance(line, str) else json.dumps(line) + "\n"
            page.run(f"port.feed({json.dumps(text)})")

    def shows(self, page, pose):
        page.wait(f"document.getElementById('held').dataset.pose === '{pose}'")

    def test_a_live_board_is_shown_until_it_is_unplugged(self):
        page = self.connected()
        # A serial line begins in the middle of something.
        self.feed(page, 'alf of a line}\n', HELLO)
        self.shows(page, "faceUp")
        page.wait("port.sent.includes('\"samples\":20')")
        self.feed(page, {"event": "pose", "t": 13, "from": "faceUp", "to": "portrait", "angle_deg": 0, "pitch_deg": 90, "roll_deg": None,
                         "x": 0, "y": 1, "z": 0, "leds": [1, 0, 0, 0, 0, 0]})
        self.shows(page, "portrait")
        self.assertIn("portrait", page.run("document.querySelector('#notes li').textContent"))
        page.run("port.unplug()")
        page.wait("document.getElementById('said').textContent === 'The board was unplugged.'")
        self.shows(page, "unknown")
        self.quiet(page)

    def test_hostile_lines_are_refused_and_nothing_of_them_is_executed(self):
        hostile = ["x" * 100_000 + "\n", "{" * 2000 + "\n", '{"event":"pose","t":1,"to":"<img src=x onerror=ran=1>"}\n', "\x00\x01\x02\n",
                   '{"event":"hello"}\n', '{"event":"pose","t":1e999,"to":"portrait"}\n', '{"event":"bye","detail":"<script>ran=1</script>"}\n',
                   '{"event":"hello","sensor":"<b>","t":"x","pose":7}\n', '{"event":"__proto__"}\n', '{"event":"sample","t":1,"x":"1"}\n', "\n\n\n", "}\n"]
        page = self.connected()
        for line in hostile:
            self.feed(page, line, HELLO, {"event": "sample", "t": 12.4, "x": 0, "y": 0.02, "z": 1})
        self.feed(page, "nothing of Plumb's\n")
        page.wait("document.getElementById('said').textContent.includes('not Plumb’s')")
        self.shows(page, "unknown")
        # The next hello is believed again.
        self.feed(page, HELLO)
        self.shows(page, "faceUp")
        self.assertEqual(page.run("[window.ran ?? null, document.querySelector('#news img, #news script, header b') !== null]"), [None, False])
        self.quiet(page)

    def test_of_a_board_that_falls_silent_nothing_is_known(self):
        page = self.connected()
        self.feed(page, HELLO)
        self.shows(page, "faceUp")
        page.run("port.sent = ''")
        page.wait("document.getElementById('said').textContent.includes('silent for 5 s')")
        self.shows(page, "unknown")
        page.wait("port.sent.includes('hello')")
        # A board that was started again begins with its own time.
        self.feed(page, {**HELLO, "owner": "3-4", "t": 0.5, "since": 0.4, "pose": "portrait", "y": 1, "z": 0, "lines": [1, 0, 0, 0, 0, 0]})
        self.shows(page, "portrait")
        self.quiet(page)

    def test_a_browser_without_webserial_says_so(self):
        page = self.new_page()
        page.call("Page.addScriptToEvaluateOnNewDocument", source="Object.defineProperty(navigator, 'serial', { value: undefined })")
        self.opened("serial", page=page)
        page.wait("document.getElementById('said').textContent.includes('no WebSerial')")
        self.assertTrue(page.run("document.getElementById('connect').hidden"))


if __name__ == "__main__":
    unittest.main()
