"""The page of `plumb plot` in a real browser, with a real mouse: the cursor and the read-out belong to the picture
shown.

    PLUMB=build/plumb python3 Tests/System/Web/test_plot.py
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from browser import Browser
from serve import PLUMB

# The recording: x rises by 0.1 g a second, so each value belongs to one time; with a gap of 1.5 s.
RATE, SECONDS, GAP = 100, 10, (4.0, 5.5)
TIMES = [index / RATE for index in range(RATE * SECONDS) if not GAP[0] < index / RATE < GAP[1]]
LEFT, WIDTH = 74, 592


def force(time):
    return time / 10 - 0.5


def recording():
    return "\n".join(["time_s,x_g,y_g,z_g"] + [f"{time:.2f},{force(time):.6f},0,1" for time in TIMES]) + "\n"


class PlotTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        source, page = os.path.join(cls.folder.name, "ramp.csv"), os.path.join(cls.folder.name, "ramp.html")
        pathlib.Path(source).write_text(recording(), encoding="ascii")
        subprocess.run([PLUMB, "plot", source, "-o", page], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.url = "file://" + page
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.end()
        cls.folder.cleanup()

    def setUp(self):
        self.page = self.browser.page()
        self.addCleanup(self.page.close)
        self.page.show(self.url, 1000, 1200)
        self.page.wait("document.getElementById('cursor')")
        self.addCleanup(lambda: self.assertEqual(self.page.complaints, []))

    # What is shown

    def view(self):
        """The times at both edges, s."""
        text = self.page.run("document.getElementById('range').textContent").replace("−", "-")
        match = re.fullmatch(r"(\S+) to (\S+) s", text)
        return (float(match[1]), float(match[2])) if match else (0.0, SECONDS - 1 / RATE)

    def cursor(self):
        """The time at which the cursor's line stands, s; None without one."""
        path = self.page.run("document.getElementById('cursor').getAttribute('d')")
        if not path:
            return None
        begin, end = self.view()
        return begin + (float(re.match(r"M(\S+) ", path)[1]) - LEFT) / WIDTH * (end - begin)

    def reading(self):
        """The time and x of the read-out; None while it shows the hint."""
        text = self.page.run("document.getElementById('read').textContent").replace("−", "-")
        match = re.match(r"(\S+) s .*?x (\S+) g", text)
        return (float(match[1]), float(match[2])) if match else None

    def drawn(self, time):
        """The value of x on the curve at the time of a column, g."""
        begin, end = self.view()
        place = round((time - begin) / (end - begin) * WIDTH * 10)
        return self.page.run(f"""(() => {{
          const panel = JSON.parse(document.getElementById('data').textContent).panels[0]
          const path = document.getElementById('line-x'), length = path.getTotalLength()
          let best = null
          for (let at = 0; at <= length; at += length / 4000) {{
            const point = path.getPointAtLength(at)
            if (!best || Math.abs(point.x - {place}) < Math.abs(best.x - {place})) best = point
          }}
          return (panel.high - best.y / 10 / panel.height * (panel.high - panel.low)) / 65536
        }})()""")

    def agree(self, pointed=None):
        """Line, read-out, data and curve agree; with `pointed`, at that fraction of the width of the panels."""
        begin, end = self.view()
        reading, line = self.reading(), self.cursor()
        self.assertIsNotNone(reading)
        self.assertIsNotNone(line)
        pixel = (end - begin) / WIDTH
        self.assertAlmostEqual(reading[0], line, delta=pixel + 0.0006)
        self.assertAlmostEqual(reading[1], force(reading[0]), delta=0.0011)
        self.assertAlmostEqual(reading[1], self.drawn(reading[0]), delta=0.02)
        self.assertGreaterEqual(reading[0], begin - 0.0006)
        self.assertLessEqual(reading[0], end + 0.0006)
        if pointed is not None:
            # That of the nearest sample in view: there is none in the gap.
            times = [time for time in TIMES if begin <= time <= end]
            nearest = min(times, key=lambda time: abs(time - begin - pointed * (end - begin)))
            self.assertAlmostEqual(reading[0], nearest, delta=2 * pixel + 0.51 / RATE)

    # What a hand does

    def spot(self, part, y=400):
        """The point of the window at a fraction of the width of the panels."""
        box = self.page.run("(() => { const b = document.getElementById('picture').getBoundingClientRect();"
                            " return [b.left, b.top, b.width] })()")
        return box[0] + (LEFT + part * WIDTH) * box[2] / 680, box[1] + y

    def mouse(self, kind, part, y=400, **more):
        x, y = self.spot(part, y)
        self.page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, begin, end):
        self.mouse("mouseMoved", begin)
        self.mouse("mousePressed", begin, button="left", buttons=1, clickCount=1)
        for step in range(1, 6):
            self.mouse("mouseMoved", begin + (end - begin) * step / 5, button="left", buttons=1)
        self.mouse("mouseReleased", end, button="left", clickCount=1)

    def wheel(self, part, delta):
        self.mouse("mouseWheel", part, deltaX=0, deltaY=delta, modifiers=2)

    def key(self, key):
        self.page.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key if len(key) == 1 else "")
        self.page.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def names(self):
        return self.page.run("[...document.querySelectorAll('#names text')].map(e => [e.textContent, +e.getAttribute('x')])")

    # The tests

    def test_the_read_out_follows_the_pointer(self):
        for part in [0.001, 0.1, 0.3, 0.7, 0.999]:
            self.mouse("mouseMoved", part)
            self.agree(part)

    def test_after_the_wheel_the_read_out_matches_the_pointer(self):
        self.mouse("mouseMoved", 0.2)
        for delta in [-120, -120, -120, -120, 120]:
            before = self.view()
            self.wheel(0.2, delta)
            self.page.wait("document.getElementById('range').textContent !== " + repr(f"{before[0]:.3f} to {before[1]:.3f} s"))
            self.agree(0.2)

    def test_after_a_drag_the_read_out_matches_the_pointer(self):
        for begin, end in [(0.05, 0.3), (0.9, 0.4), (0.2, 0.8)]:
            self.drag(begin, end)
            self.agree(end)

    def test_keys_and_buttons_update_the_read_out(self):
        self.mouse("mouseMoved", 0.3)
        for key in ["+", "+", "ArrowRight", "ArrowLeft", "-", "0"]:
            self.key(key)
            self.agree(0.3)
        # When the pointer leaves, the cursor keeps its time while that is in view.
        kept = self.reading()[0]
        self.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=500, y=5)
        self.key("+")
        self.assertAlmostEqual(self.reading()[0], kept, delta=0.0006)
        self.agree()
        for _ in range(4):
            self.key("ArrowRight")
        self.assertIsNone(self.reading())
        self.assertIsNone(self.cursor())

    def test_a_gap_keeps_its_label_where_the_view_cuts_it(self):
        span = SECONDS - 1 / RATE
        for begin, end in [(3, 5), (4.5, 7), (4.3, 5.2)]:
            self.page.run("document.querySelector('[data-key=\"0\"]').click()")
            self.drag(begin / span, end / span)
            (low, high), gaps = self.view(), [x for name, x in self.names() if name in ("no samples", "gap")]
            self.assertEqual(len(gaps), 1, (begin, end))
            middle = (max(low, GAP[0]) + min(high, GAP[1])) / 2
            self.assertAlmostEqual(gaps[0], LEFT + (middle - low) / (high - low) * WIDTH, delta=4)

    def test_a_desk_shows_all_charts_at_once_and_a_phone_one_column(self):
        panels = self.page.run("JSON.parse(document.getElementById('data').textContent).panels.map(p => [p.top, p.height])")
        parts = """[...document.querySelectorAll('#desk svg')].map(e => [e.getBoundingClientRect(), e.viewBox.baseVal])
          .filter(([box]) => box.width).map(([box, view]) => [box.left, box.top, box.width, view.y, view.height])"""
        for dark in [False, True]:
            self.page.show(self.url, 1280, 800, dark=dark)
            self.page.wait("document.getElementById('cursor')")
            shown = self.page.run(parts)
            self.assertEqual(len(shown), 3)
            for top, height in panels:
                # Each panel is whole in one of the parts, within the window, at a size that can be read.
                whole = [part for part in shown if part[3] <= top - 22 and top + height <= part[3] + part[4]]
                self.assertEqual(len(whole), 1, (top, shown))
                left, upper, width, begin, _ = whole[0]
                self.assertLessEqual(upper + (top + height - begin) * width / 680, 800)
                self.assertGreater(15 * width / 680, 12)
                # What the pointer reads there is what the data say.
                for part in [0.2, 0.8]:
                    self.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=left + (LEFT + part * WIDTH) * width / 680,
                                   y=upper + (top + height / 2 - begin) * width / 680)
                    reading = self.reading()
                    self.assertAlmostEqual(reading[0], part * (SECONDS - 1 / RATE), delta=0.03)
                    self.assertAlmostEqual(reading[1], force(reading[0]), delta=0.0011)
            self.assertEqual(self.page.run("document.documentElement.scrollWidth"), 1280)
        self.page.show(self.url, 390, 844)
        self.page.wait("document.getElementById('cursor')")
        self.assertEqual(self.page.run(parts), [])
        self.assertGreater(self.page.run("document.getElementById('picture').getBoundingClientRect().width"), 380)

    def test_a_gap_has_its_reason_where_the_owner_knows_it(self):
        self.assertIn("no samples", [name for name, _ in self.names()])
        with tempfile.TemporaryDirectory() as folder:
            address, page = f"unix:{folder}/owner", os.path.join(folder, "tumble.html")
            with subprocess.Popen([PLUMB, "run", "--motion", "tumble", "--duration", "60", "--share", address],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as owner:
                try:
                    owner.stdout.readline()
                    # The tumble has one outage, of 0.4 s.
                    subprocess.run([PLUMB, "plot", "--from", address, "--duration", "16", "-o", page], check=True,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                finally:
                    owner.terminate()
            text = pathlib.Path(page).read_text(encoding="utf-8")
            self.assertIn("Sensor fault: 1", re.sub(r"</text>\s*<text[^>]*>", " ", text))
            self.page.show("file://" + page, 1280, 800)
            self.page.wait("document.getElementById('cursor')")
            seen = set()
            for _ in range(4):
                self.key("+")
            for _ in range(48):
                self.key("ArrowLeft")
            for _ in range(48):
                seen |= {name for name, _ in self.names()}
                self.key("ArrowRight")
            self.assertIn("sensor fault", seen)

    def test_nothing_is_drawn_outside_the_frame(self):
        for begin, end in [(0.1, 0.3), (0.3, 0.35), (0.31, 0.5), (0.6, 0.9), (0.42, 0.5)]:
            self.page.run("document.querySelector('[data-key=\"0\"]').click()")
            self.drag(begin, end)
            clip = self.page.run("(b => [b.x, b.x + b.width])(document.querySelector('#clip path').getBBox())")
            self.assertEqual(clip, [0, WIDTH * 10], (begin, end))
            boxes = self.page.run("[...document.querySelectorAll('#strip path, #tint path')].map(e => e.getAttribute('d'))"
                                  ".flatMap(d => [...d.matchAll(/M(-?\\d+) \\d+h(\\d+)/g)]).map(m => [+m[1], +m[1] + +m[2]])")
            for left, right in boxes:
                self.assertGreaterEqual(left, 0)
                self.assertLessEqual(right, WIDTH * 10)
        # In the middle of the gap there is nothing to draw.
        self.assertEqual(boxes, [])


if __name__ == "__main__":
    unittest.main()
