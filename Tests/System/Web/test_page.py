"""The page of `plumb serve` in a real browser: what it shows, how it looks, and what it reports when nothing arrives.

    PLUMB=build/plumb python3 Tests/System/Web/test_page.py [--pictures FOLDER]

With --pictures it takes the pictures of the documentation instead of running tests.
"""
import contextlib
import json
import math
import os
import pathlib
import sys
import tempfile
import time
import unittest
import unittest.mock

from browser import Browser
from camera import corners
from serve import PATIENCE, Serve, machine_board, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
BOARDS = os.path.join(HERE, "..", "..", "..", "boards")
POSES = ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"]
TITLES = ["Portrait", "Portrait, upside down", "Landscape, left edge down", "Landscape, right edge down", "Face up",
          "Face down"]
WORDS = ["top edge up", "bottom edge up", "right edge up", "left edge up", "lying on its back", "lying on its face"]
# Where the axes X, Y and Z of the board point in each, as seen by the viewer: X right, Y up, Z towards the eye.
AXES = [
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
    ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
    ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
]
SIZES = [(360, 640, False), (360, 640, True), (320, 568, False), (768, 1024, True), (1280, 800, False),
         (1280, 800, True), (1920, 1080, False), (640, 360, False)]




def slices(force, seconds=6, phase=0):
    """What the page receives for a force that depends on time (g of s), as one component at 100 Hz, in slices of 0.1
    s."""
    samples = [1000 * force((index + phase) / 100) for index in range(int(seconds * 100))]
    tenths = [samples[start:start + 10] for start in range(0, len(samples), 10)]
    return [[number, min(tenth), max(tenth), 0, 0, 0, 0, 0] for number, tenth in enumerate(tenths)]


def turns(values):
    """How often successive values change between rising and falling."""
    steps = [b - a for a, b in zip(values, values[1:]) if abs(b - a) > 1]
    return sum(a * b < 0 for a, b in zip(steps, steps[1:]))


class PageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        with open(os.path.join(HERE, "checks.js"), encoding="utf-8") as file:
            cls.checks = file.read()

    @classmethod
    def tearDownClass(cls):
        cls.browser.end()

    def shown(self, served, width=1280, height=800, **more):
        page = self.browser.page()
        page.show(served.url, width, height, **more)
        page.wait("document.getElementById('status-text').textContent === 'live'")
        self.addCleanup(page.close)
        return page

    @contextlib.contextmanager
    def outage(self, sign, *size):
        """A server of a board that tumbles, and its page, on which a sign of the outage was seen.

        It takes 0.4 s, during which a busy machine may show nothing; but not every time.
        """
        for _ in range(10):
            with Serve("--motion", "tumble") as served:
                page = self.shown(served, *size)
                expression = f"({sign}) ? 'seen' : document.querySelector('#notes .relief') ? 'over' : ''"
                # pylint: disable=cell-var-from-loop
                if wait_until(lambda: page.run(expression), "there is an outage") == "seen":
                    yield served, page
                    return
        self.fail(f"no outage was shown: {sign}")

    def quiet(self, page, served):
        self.assertEqual(page.complaints, [])
        origin = f"http://{served.host}:{served.port}/"
        self.assertEqual([url for url in page.requests if not url.startswith((origin, "data:"))], [])

    def test_each_pose_is_shown_in_words_by_its_lamp_and_in_space(self):
        for number, pose in enumerate(POSES):
            with self.subTest(pose), Serve("--motion", pose) as served:
                page = self.shown(served)
                page.wait(f"document.getElementById('held').dataset.pose === '{pose}'")
                self.assertEqual(page.run("document.getElementById('pose').textContent"), TITLES[number])
                self.assertEqual(page.run("document.getElementById('meaning').textContent"), WORDS[number])
                lamps = page.run("[...document.querySelectorAll('#lamps li')].map(e => e.classList.contains('lit'))")
                self.assertEqual(lamps, [index == number for index in range(6)])
                self.assertIn(": lit", page.run(f"document.querySelectorAll('#lamps li')[{number}].ariaLabel"))
                self.compare(page, AXES[number])
                self.quiet(page, served)

    def compare(self, page, axes):
        """The corners are drawn where our own camera sees them, at most 2.5 of 300 apart."""
        # The side that faces away has its corners in reverse order.
        wanted = {"face": corners(axes, 0.07), "back": corners(axes, -0.07)[::-1]}
        end = time.monotonic() + PATIENCE
        while True:
            far = 0
            for side, points in wanted.items():
                text = page.run(f"document.getElementById('side-{side}').getAttribute('points')")
                drawn = [tuple(map(float, pair.split(","))) for pair in text.split()]
                far = max(far, *(math.dist(a, b) for a, b in zip(drawn, points)))
            if far < 2.5 or time.monotonic() > end:
                break
            time.sleep(0.1)
        self.assertLess(far, 2.5)
        isFace = page.run("getComputedStyle(document.getElementById('side-face')).visibility") == "visible"
        self.assertEqual(isFace, axes[2] != (0, -1, 0))

    def test_nothing_is_cut_off_or_hard_to_read_at_any_size(self):
        with Serve("--motion", "tumble") as served:
            page = self.browser.page()
            self.addCleanup(page.close)
            for width, height, dark in SIZES:
                page.show(served.url, width, height, dark=dark)
                page.wait("document.getElementById('status-text').textContent === 'live'")
                for _ in range(4):
                    time.sleep(0.4)
                    self.assertEqual(page.run(self.checks), [], (width, height, dark))
            self.quiet(page, served)

    def test_with_a_gyroscope_motion_heading_and_its_counters_are_shown(self):
        board = os.path.join(BOARDS, "emulated-mpu6050.ini")
        with Serve("--board", board, "--motion", "carried") as served:
            page = self.browser.page()
            self.addCleanup(page.close)
            for width, height, dark in SIZES:
                page.show(served.url, width, height, dark=dark)
                page.wait("document.getElementById('motion').textContent === 'moving'")
                page.wait("document.querySelectorAll('#counters dd').length === 9")
                self.assertEqual(page.run(self.checks), [], (width, height, dark))
                self.assertRegex(page.run("document.querySelector('#counters .long dd').textContent"),
                                 r"^\+2\.\d\d  −0\.\d\d  \+1\.\d\d °/s$")
                self.assertGreater(page.run("document.getElementById('turn').offsetHeight"), 0)
            self.quiet(page, served)
        with Serve("--motion", "hold") as served:
            page = self.shown(served)
            page.wait("document.querySelectorAll('#counters dd').length === 6")
            # Hidden with the first sample, which may come after the counters.
            for name in ["motion", "turn"]:
                page.wait(f"document.getElementById('{name}').offsetHeight === 0")

    def test_vibration_is_shown_if_it_is_watched(self):
        with tempfile.TemporaryDirectory() as folder:
            with Serve("--board", machine_board(folder), "--motion", "machine") as served:
                page = self.browser.page()
                self.addCleanup(page.close)
                for width, height, dark in SIZES:
                    page.show(served.url, width, height, dark=dark)
                    page.wait("!document.getElementById('shaken').hidden")
                    page.wait("document.querySelectorAll('#shaken .gauge').length === 3")
                    self.assertEqual(page.run(self.checks), [], (width, height, dark))
                words = page.run("[...document.querySelectorAll('#shaken .gauge span:first-child')].map(e => e.textContent)")
                self.assertEqual([word for word in words if word], ["all", "1 to 10 Hz", "10 to 40 Hz"])
                self.quiet(page, served)

    def test_trouble_and_recovery_are_shown(self):
        sign = "document.getElementById('pose').textContent === 'Pose unknown' && " \
            "document.getElementById('meaning').textContent === 'sensor fault'"
        with self.outage(sign, 360, 640) as (served, page):
            self.assertEqual(page.run(self.checks), [])
            page.wait("document.querySelector('#notes .relief')")
            self.assertIn("no acknowledge", page.run("document.querySelector('#notes .trouble').textContent"))
            page.wait("Number(document.querySelector('#counters [data-key=faults] dd').textContent) > 0")
            # Once the sensor is back, the faults are history.
            page.wait("!document.querySelector('#counters .some')")
            self.quiet(page, served)

    def test_faults_are_red_only_while_the_sensor_is_at_fault(self):
        sign = "document.querySelector('#counters [data-key=faults].some') && " \
            "document.getElementById('pose').textContent === 'Pose unknown'"
        with self.outage(sign) as (_, page):
            page.wait("document.getElementById('pose').textContent !== 'Pose unknown'")
            page.wait("!document.querySelector('#counters .some')", 10)
            self.assertGreater(page.run("Number(document.querySelector('#counters [data-key=faults] dd').textContent)"), 0)

    def test_the_chart_fills_its_width_from_the_first_second(self):
        left = """(() => {
          const canvas = document.getElementById('chart'), pen = canvas.getContext('2d');
          const ratio = canvas.width / canvas.clientWidth, row = Math.round((canvas.clientHeight - 28) * ratio);
          const line = pen.getImageData(0, row, canvas.width, 1).data;
          for (let x = 0; x < canvas.width; x++) if (line[4 * x + 3] > 200) return x / canvas.width;
          return 1;
        })()"""
        for width in [360, 1280]:
            with Serve("--motion", "portrait") as served:
                page = self.shown(served, width, 800)
                page.wait("document.getElementById('held').dataset.pose === 'portrait'")
                # The band of the pose begins where the chart does, except for the time before the pose was known. In a
                # chart of a whole minute that would take half of it.
                page.wait(f"{left} < 0.45", 10)
                time.sleep(2)
                page.wait(f"{left} < 0.25", 10)

    def test_events_have_the_clock_time(self):
        with Serve("--motion", "portrait") as served:
            page = self.shown(served)
            page.wait("document.querySelector('#notes time').textContent")
            far = page.run("""(() => {
              const [hours, minutes, seconds] = document.querySelector('#notes time').textContent.split(':').map(Number);
              const now = new Date(), day = 86400;
              const past = now.getHours() * 3600 + now.getMinutes() * 60 + now.getSeconds() - hours * 3600 - minutes * 60 - seconds;
              return (past + day) % day;
            })()""")
            self.assertLess(far, 20)

    def test_a_wide_screen_has_no_space_below_its_events(self):
        with Serve("--motion", "tumble") as served:
            page = self.shown(served, 1920, 1080)
            page.wait("document.querySelectorAll('#notes li:not(.none)').length > 2")
            bottom = page.run("document.querySelector('main').getBoundingClientRect().bottom")
            self.assertAlmostEqual(bottom, 1080, delta=2)
            room = page.run("(n => [n.bottom, document.getElementById('news').getBoundingClientRect().bottom])"
                            "(document.getElementById('notes').getBoundingClientRect())")
            self.assertLess(room[1] - room[0], 24)
            self.assertEqual(page.run(self.checks), [])

    def test_everything_fits_on_the_screen_of_a_notebook(self):
        with tempfile.TemporaryDirectory() as folder:
            # Vibration has a row for each band, and the gyroscope one for the heading.
            for name, board, motion, rows in [
                ("plain", "emulated.ini", "tumble", 0), ("gyroscope", "emulated-mpu6050.ini", "carried", 0),
                ("vibration", machine_board(folder), "machine", 3),
            ]:
                with self.subTest(name), Serve("--board", os.path.join(BOARDS, board), "--motion", motion) as served:
                    page = self.shown(served, 1280, 800)
                    page.wait("document.querySelectorAll('#counters dd').length >= 6")
                    page.wait(f"[...document.querySelectorAll('#shaken .gauge')].filter(e => e.offsetHeight).length === {rows}")
                    self.assertLessEqual(page.run("document.documentElement.scrollHeight"), 800)
                    self.assertGreater(page.run("document.getElementById('chart').clientHeight"), 190)

    def test_a_counter_that_is_one_has_the_name_of_one(self):
        with Serve("--motion", "portrait") as served:
            page = self.shown(served)
            page.wait("document.querySelectorAll('#counters dd').length === 6")
            for number, names in [
                (0, ["samples", "late samples", "faults", "recoveries", "transactions", "shakes"]),
                (1, ["sample", "late sample", "fault", "recovery", "transaction", "shake"]),
                (1001, ["samples", "late samples", "faults", "recoveries", "transactions", "shakes"]),
            ]:
                found = page.run(f"""(() => {{
                  Panel.count(Object.fromEntries(Object.keys(Panel.COUNTERS).map(key => [key, {number}])), false);
                  return [...document.querySelectorAll('#counters dt')].map(term => term.textContent);
                }})()""")
                self.assertEqual(found, names)

    def test_the_pictures_of_the_pages_have_the_words_of_now(self):
        with Serve("--motion", "tumble") as served:
            page = self.shown(served)
            page.wait("document.querySelectorAll('#counters dd').length === 6")
            self.assertEqual(page.run(WORDS_OF_PAGE), pathlib.Path(KEPT_WORDS).read_text(encoding="utf-8"), "make pictures")

    def outline(self, page, past):
        edges = page.run(f"Chart.outline({json.dumps(past)}, 0)")
        return [[mg for _, mg in edges[name]] for name in ("upper", "lower")]

    def test_a_smooth_motion_is_drawn_as_one_line_and_swings_within_a_slice_as_a_band(self):
        with Serve("--motion", "portrait") as served:
            page = self.shown(served)
            for phase in range(10):
                # A walk: two steps a second, and the sway of the body. It turns four times a second, and so does the
                # line.
                walk = slices(lambda t: 0.3 * math.sin(2 * math.pi * 2 * t) + 0.1 * math.sin(2 * math.pi * t), phase=phase)
                upper, lower = self.outline(page, walk)
                self.assertEqual(upper, lower, phase)
                self.assertLessEqual(turns(upper), 4 * 6 + 1, phase)
                # Vibration is between two edges, neither of which is a sawtooth.
                upper, lower = self.outline(page, slices(lambda t: 0.5 * math.sin(2 * math.pi * 23 * t), phase=phase))
                for edge, sign in [(upper, 1), (lower, -1)]:
                    self.assertTrue(all(400 < sign * mg <= 500 for mg in edge[2:-2]), edge)
            # The noise of a board at rest is a line.
            upper, lower = self.outline(page, slices(lambda t: 1 + 0.01 * math.sin(1e4 * t * t)))
            self.assertEqual(upper, lower)

    def test_the_minimum_and_the_maximum_of_each_slice_are_drawn(self):
        shakes = [lambda t, f=f: 1.5 * math.sin(2 * math.pi * f * t) for f in (0.3, 1, 2, 4, 4.7, 5, 5.3, 9, 11)]
        # One sample of 3 g; one of 3 g and the next of -3 g; a step.
        jolts = [lambda t: 3 if 2.005 < t < 2.015 else 0, lambda t: 3 if 2.005 < t < 2.015 else -3 if 2.015 < t < 2.025 else 0,
                 lambda t: 0 if t < 2.03 else 1]
        with Serve("--motion", "portrait") as served:
            page = self.shown(served)
            for number, force in enumerate(shakes + jolts):
                for phase in range(10):
                    past = slices(force, phase=phase)
                    edges = page.run(f"Chart.outline({json.dumps(past)}, 0)")
                    points = [(place, mg) for edge in edges.values() for place, mg in edge]
                    for index, low, high, *_ in past:
                        near = [mg for place, mg in points if index - 2 < place < index + 1]
                        self.assertLess(min(near), low + 25 + (high - low) / 5, (number, phase, index))
                        self.assertGreater(max(near), high - 25 - (high - low) / 5, (number, phase, index))
                    drawn = [mg for _, mg in points]
                    # The greatest of all is one point of the picture.
                    self.assertAlmostEqual(max(drawn), max(high for _, _, high, *_ in past), delta=26)
                    self.assertAlmostEqual(min(drawn), min(low for _, low, *_ in past), delta=26)

    def test_each_band_of_the_strip_has_its_letter_on_a_phone(self):
        texts = """(() => {
          const kept = [], pen = CanvasRenderingContext2D.prototype, draw = pen.fillText;
          pen.fillText = function(text, ...more) { kept.push(text); return draw.call(this, text, ...more); };
          Chart.draw(document.getElementById('chart'));
          pen.fillText = draw;
          return kept;
        })()"""
        with Serve("--motion", "tumble") as served:
            page = self.shown(served, 360, 640)
            page.wait("document.getElementById('pose').textContent === 'Face down'", 30)
            # Half a minute later it is nearly out of view, at its narrowest, but still has its letter.
            time.sleep(18)
            found = {text.split(" ")[0] for text in page.run(texts)}
            self.assertLessEqual({"P", "U", "L", "R", "F", "D"}, found)

    def test_a_lost_connection_is_reported_and_restored_automatically(self):
        with Serve("--motion", "portrait") as served:
            page = self.shown(served, 360, 640)
            served.stop()
            page.wait("!document.getElementById('banner').hidden", 15)
            self.assertIn("has ended", page.run("document.getElementById('banner-text').textContent"))
            page.wait("/This picture is ([3-9]|[0-9][0-9]) s old/.test(document.getElementById('banner-age').textContent)", 15)
            self.assertEqual(page.run("document.getElementById('status-text').textContent"), "old")
        with Serve("--motion", "landscapeLeft", listen=f"127.0.0.1:{served.port}"):
            page.wait("document.getElementById('banner').hidden", 30)
            page.wait("document.getElementById('pose').textContent === 'Landscape, left edge down'")
            self.assertEqual(page.run("document.querySelectorAll('#notes li').length"), 1)

    def test_a_stopped_server_is_reported(self):
        with Serve("--motion", "portrait") as served:
            page = self.shown(served)
            served.process.send_signal(19)  # SIGSTOP: the connection stays open, and nothing arrives
            page.wait("!document.getElementById('banner').hidden", 15)
            self.assertIn("Connection lost", page.run("document.getElementById('banner-text').textContent"))
            served.process.send_signal(18)  # SIGCONT
            page.wait("document.getElementById('banner').hidden", 30)

    def test_the_picture_can_be_held_with_the_keyboard(self):
        with Serve("--motion", "tumble") as served:
            page = self.shown(served)
            page.run("document.getElementById('pause').focus()")
            for kind in ("keyDown", "keyUp"):
                page.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
            self.assertEqual(page.run("document.getElementById('pause').ariaPressed"), "true")
            points = "document.getElementById('side-face').getAttribute('points')"
            held = page.run(points)
            time.sleep(2.5)
            self.assertEqual(page.run(points), held)
            page.run("document.getElementById('pause').click()")
            page.wait(f"{points} !== '{held}'")

    def test_reduced_motion_is_respected(self):
        count = """new Promise(done => {
          let count = 0;
          new MutationObserver(() => count++).observe(document.getElementById('side-face'), {attributes: true});
          setTimeout(() => done(count), 3000);
        })"""
        with Serve("--motion", "tumble") as served:
            # A busy machine may draw few, but not every time.
            page = self.shown(served)
            self.assertTrue(any(page.run(count) > 24 for _ in range(10)))
            self.assertLess(self.shown(served, calm=True).run(count), 14)

    def test_coded_lines_have_their_own_names(self):
        with Serve("--board", os.path.join(BOARDS, "emulated-binary.ini"), "--motion", "landscapeRight") as served:
            page = self.shown(served, 360, 640)
            page.wait("document.getElementById('held').dataset.pose === 'landscapeRight'")
            page.wait("document.querySelectorAll('#lamps .lit').length === 3")
            names = page.run("[...document.querySelectorAll('#lamps .lit')].map(e => e.textContent)")
            self.assertEqual(names, ["valid", "bit 0", "bit 1"])
        with Serve("--board", os.path.join(BOARDS, "emulated-one-hot.ini"), "--motion", "faceDown") as served:
            for width, label in [(320, "D"), (360, "D"), (1280, "face down")]:
                page = self.shown(served, width, 700)
                page.wait("document.querySelectorAll('#lamps .lit').length === 2")
                names = page.run("[...document.querySelectorAll('#lamps .lit')].map(e => e.textContent)")
                self.assertEqual(names, ["valid", label])
                self.assertEqual(page.run("document.querySelectorAll('#lamps .lit')[1].ariaLabel"), "face down: lit")
                self.assertEqual(page.run(self.checks), [])

    def test_names_of_lines_follow_the_width_as_a_phone_is_turned(self):
        with Serve("--motion", "faceUp") as served:
            page = self.shown(served, 320, 640)
            for width, height, name in [(640, 320, "face up"), (320, 640, "F"), (1280, 800, "face up")]:
                page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=True)
                page.wait(f"document.querySelectorAll('#lamps span')[4].textContent === '{name}'", 15)
                self.assertEqual(page.run(self.checks), [], width)
            self.assertEqual(page.run("document.getElementById('past-name').textContent"), "Specific force")
            self.quiet(page, served)

    def test_a_gap_is_shown_and_earlier_events_are_not_repeated(self):
        with Serve("--motion", "portrait") as served:
            page = self.shown(served)
            page.wait("document.querySelectorAll('#notes li:not(.none)').length === 1")
            run = page.run("run")
            # As after minutes without a connection: event 0 again, a note that those up to 43 are gone, and those that
            # remain.
            for number, text in [(0, "old"), (43, "43 events were dropped: too many at once"), (44, "next"), (44, "next")]:
                data = json.dumps({"event": "note", "weight": "trouble", "text": text})
                page.run(f"source.dispatchEvent(new MessageEvent('note', {{lastEventId: '{run}-{number}', data: {data!r}}}))")
            texts = page.run("[...document.querySelectorAll('#notes li span')].map(e => e.textContent)")
            self.assertEqual(texts, ["next", "43 events were dropped: too many at once", "portrait"])

    def test_a_proxy_in_the_environment_is_ignored(self):
        with unittest.mock.patch.dict(os.environ, {"http_proxy": "http://127.0.0.1:9", "no_proxy": ""}):
            with Browser() as browser, Serve("--motion", "portrait", listen="0.0.0.0:0") as served:
                page = browser.page()
                page.show(served.url, 360, 640)
                page.wait("document.getElementById('pose').textContent === 'Portrait'")
                page.close()

    def test_the_token_in_the_address_is_enough(self):
        with Serve("--motion", "portrait", listen="0.0.0.0:0") as served:
            page = self.shown(served)
            page.wait("document.getElementById('pose').textContent === 'Portrait'")
            self.quiet(page, served)
            page.call("Page.navigate", url=f"http://127.0.0.1:{served.port}/")
            page.wait("document.body.textContent.includes('The token is missing or wrong')")

    def test_a_refusal_is_a_page_that_fits_a_phone(self):
        with Serve("--motion", "hold", listen="0.0.0.0:0") as far, Serve("--motion", "hold") as near:
            for url, words in [(f"http://127.0.0.1:{far.port}/", "The token is missing or wrong"),
                               (f"http://board.localhost:{near.port}/", "for this computer only")]:
                for dark in [False, True]:
                    page = self.browser.page()
                    page.show(url, 360, 640, dark=dark)
                    page.wait(f"document.body.textContent.includes('{words}')")
                    self.assertEqual(page.run("document.querySelector('meta[name=viewport]').content"),
                                     "width=device-width,initial-scale=1")
                    self.assertEqual(page.run("[document.documentElement.scrollWidth, innerWidth]"), [360, 360])
                    self.assertGreaterEqual(page.run("parseFloat(getComputedStyle(document.querySelector('p')).fontSize)"), 16)
                    self.assertEqual([text for text in page.complaints if "status of 40" not in text], [])
                    page.close()


# The words of the page, without those of poses and events, which come and go: kept beside the pictures of it.
WORDS_OF_PAGE = """(() => {
  const copy = document.body.cloneNode(true);
  copy.querySelectorAll('script,style,noscript,[hidden],#notes,#pose,#meaning,#spoken,#motion,#board,#lamps,#banner')
    .forEach(e => e.remove());
  // Not the names for one.
  copy.querySelectorAll('#counters [data-key]')
    .forEach(group => { group.firstChild.textContent = (Panel.COUNTERS[group.dataset.key] || Panel.FUSED[group.dataset.key]).at(-1); });
  return [...new Set(copy.textContent.match(/[a-z]{2,}/gi))].sort().join("\\n") + "\\n";
})()"""
KEPT_WORDS = os.path.join(HERE, "..", "..", "..", "docs", "pictures", "serve-words.txt")


def take_pictures(folder):
    """Light and dark, of a phone and of a desk, after a minute of tumbling, and the words on them."""
    os.makedirs(folder, exist_ok=True)
    # The browser first: while it starts, samples of a small computer would be late.
    with Browser() as browser, Serve("--motion", "tumble") as served:
        time.sleep(75)
        page = browser.page()
        for name, width, height, scale in [("phone", 360, 640, 2), ("desktop", 1280, 800, 1)]:
            for suffix, dark in [("", False), ("-dark", True)]:
                page.show(served.url, width, height, dark=dark, scale=scale)
                path = os.path.join(folder, f"serve-{name}{suffix}.png")
                # The first picture of a page takes a second, during which the board keeps turning.
                page.wait("document.getElementById('held').dataset.pose === 'portrait'", 30)
                page.picture(path)
                page.wait("document.getElementById('held').dataset.pose === 'landscapeLeft'", 30)
                time.sleep(0.6)
                page.picture(path)
                print(f"{path}: {os.path.getsize(path)} bytes")
        pathlib.Path(folder, "serve-words.txt").write_text(page.run(WORDS_OF_PAGE), encoding="utf-8")
        late = served.state()["counters"]["late_samples"]
        if late > 0:
            print(f"{late} samples were late, and the pictures show it: take them on a computer that is idle", file=sys.stderr)
        page.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pictures"]:
        take_pictures(sys.argv[2])
    else:
        unittest.main()
