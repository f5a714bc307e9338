"""What `plumb serve` offers a monitoring system: metrics in two formats, and whether the sensor is being read.

    PLUMB=build/plumb python3 Tests/System/Web/test_metrics.py
"""
import contextlib
import json
import pathlib
import re
import socket
import tempfile
import threading
import time
import unittest

import exposition
from serve import PLUMB, Serve, Viewer, despite_stalls, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[3]
FUSED = str(ROOT / "boards" / "emulated-mpu6050.ini")
OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8"
OLD = "text/plain; version=0.0.4; charset=utf-8"
# The header that Prometheus 2.42 sends.
PROMETHEUS = ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
              "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
POSES = ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown", "unknown"]


def scraped(served, accept=None):
    """Its current families, by name; and the content type."""
    fields = f"Accept: {accept}\r\n" if accept else ""
    status, head, body = served.ask("/metrics", fields=fields)
    if status != 200:
        raise AssertionError(f"{status}: {body}")
    return exposition.parse(body, head["content-type"] == OPEN), head["content-type"]


def sampled(families):
    """The names of all samples."""
    return {sample.name for family in families.values() for sample in family.samples}


class Scrapes(unittest.TestCase):
    def test_the_preferred_format_is_served(self):
        with Serve("--motion", "hold") as served:
            for accept, wanted in [(None, OLD), ("*/*", OLD), ("text/html,*/*;q=0.8", OLD), (PROMETHEUS, OPEN),
                                   ("application/openmetrics-text;q=0.2,text/plain;q=0.3", OLD),
                                   ("application/json", OLD), ("text/plain;q=0,*/*", OPEN)]:
                self.assertEqual(scraped(served, accept)[1], wanted, accept)
            split = served.ask("/metrics", fields="Accept: text/plain;q=0.5\r\nAccept: application/openmetrics-text\r\n")
            self.assertEqual((split[1]["content-type"], split[1]["vary"]), (OPEN, "Accept"))

    def test_a_head_request_gets_the_head(self):
        with Serve("--motion", "hold") as served:
            for path, type_ in [("/metrics", OLD), ("/healthz", "text/plain; charset=utf-8")]:
                wait_until(lambda: served.ask("/healthz")[0] == 200, "it takes samples")
                status, head, body = served.ask(path, method="HEAD")
                self.assertEqual((status, head["content-type"], body), (200, type_, ""))
                self.assertGreater(int(head["content-length"]), 2)
                self.assertEqual(served.ask(path, method="POST")[0], 405)

    def test_both_formats_follow_their_rules_and_agree(self):
        for arguments in [("--motion", "tumble"), ("--board", FUSED, "--motion", "turntable")]:
            with Serve(*arguments) as served:
                wait_until(lambda: "plumb_force_g" in scraped(served)[0], "it takes samples")
                for _ in range(20):
                    new, old = scraped(served, PROMETHEUS)[0], scraped(served)[0]
                    created = {name for name in sampled(new) if name.endswith("_created")}
                    # Between the two, a sample may have arrived and a pose been lost.
                    self.assertEqual({name for name in sampled(new) ^ sampled(old) ^ created if "degrees" not in name}
                                     - {"plumb_force_g", "plumb_motion", "plumb_temperature_celsius"}, set())
                    for family in new.values():
                        if family.type == "counter":
                            for sample in (each for each in family.samples if each.name.endswith("_total")):
                                later = old[sample.name].value(**sample.labels)
                                self.assertGreaterEqual(later, sample.value, sample.name)
                    time.sleep(0.05)

    def test_the_figures_match_the_state(self):
        with Serve("--motion", "landscapeRight") as served:
            before, found, after = served.settled("landscapeRight"), scraped(served, PROMETHEUS)[0], served.state()
            for pose in POSES:
                self.assertEqual(found["plumb_pose"].value(plumb_pose=pose), pose == "landscapeRight")
            self.assertAlmostEqual(found["plumb_force_g"].value(axis="x"), -1, delta=0.05)
            self.assertAlmostEqual(found["plumb_angle_degrees"].value(), 90, delta=2)
            self.assertAlmostEqual(found["plumb_inclination_degrees"].value(), 90, delta=3)
            for name in ["samples", "late_samples", "transactions", "shakes", "recoveries"]:
                count = found[f"plumb_{name}"].value("_total")
                self.assertTrue(before["counters"][name] <= count <= after["counters"][name], name)
            labels = found["plumb"].samples[0].labels
            self.assertEqual({name: labels[name] for name in ("sensor", "address", "bus")},
                             {"sensor": "adxl345", "address": "0x53", "bus": "emulated"})
            self.assertRegex(labels["version"], r"^\d+\.\d+\.\d+$")
            self.assertEqual(found["plumb_sensor_up"].value(), 1)
            self.assertEqual(found["plumb_sample_period_seconds"].value(), 0.01)
            self.assertGreaterEqual(found["plumb_sample_age_seconds"].value(), 0)
            start = found["plumb_start_time_seconds"].value()
            self.assertTrue(time.time() - 300 < start <= time.time() + 1)
            self.assertEqual(found["plumb_samples"].value("_created"), start)

    def test_an_outage_is_counted_by_its_kind(self):
        # Values that exist only during the outage.
        despite_stalls(self.is_outage_seen)

    def is_outage_seen(self):
        """Whether the outage of a tumbling board is seen while it lasts; its counter is there in any case."""
        with Serve("--motion", "tumble") as served:
            if scraped(served)[0]["plumb_faults_total"].value(kind="noAcknowledge") != 0:
                return False
            is_seen = False

            def look():
                nonlocal is_seen
                is_seen = is_seen or scraped(served)[0]["plumb_unknown_reason"].value(plumb_unknown_reason="fault") == 1
            if not served.notices_outage(look):
                return False
            found = scraped(served, PROMETHEUS)[0]
            faults = found["plumb_faults"]
            self.assertGreater(faults.value("_total", kind="noAcknowledge"), 0)
            self.assertEqual(sum(each.value for each in faults.samples if each.name == "plumb_faults_total"),
                             faults.value("_total", kind="noAcknowledge"))
            self.assertGreater(found["plumb_unknown"].value("_total", reason="fault"), 0)
            return is_seen

    def test_viewers_and_connections_are_counted(self):
        with Serve("--motion", "hold") as served:
            first = scraped(served)[0]
            self.assertEqual(first["plumb_viewers"].value(), 0)
            with Viewer(served) as viewer, Viewer(served) as other:
                for each in (viewer, other):
                    each.events_until(lambda found: found)
                second = scraped(served)[0]
                self.assertEqual(second["plumb_viewers"].value(), 2)
            connections = [each["plumb_connections_total"].value() for each in (first, second)]
            self.assertEqual(connections[1] - connections[0], 3)
            wait_until(lambda: scraped(served)[0]["plumb_viewers"].value() == 0, "they are gone")

    def test_a_gyroscope_adds_its_figures(self):
        with Serve("--board", FUSED, "--motion", "turntable") as served:
            wait_until(lambda: "plumb_gyroscope_bias_degrees_per_second" in scraped(served)[0], "its bias is known")
            found = scraped(served, PROMETHEUS)[0]
            for axis, bias in zip("xyz", [2.7, -0.6, 1.8]):
                value = found["plumb_gyroscope_bias_degrees_per_second"].value(axis=axis)
                self.assertAlmostEqual(value, bias, delta=0.3)
            self.assertTrue(20 < found["plumb_temperature_celsius"].value() < 40)
            self.assertEqual(found["plumb_clipped_samples"].value("_total"), 0)
            states = [found["plumb_motion"].value(plumb_motion=name) for name in ("starting", "still", "moving", "clipped")]
            self.assertEqual(sum(states), 1)
            wait_until(lambda: abs(scraped(served)[0]["plumb_heading_degrees"].value()) > 10, "it has turned")

    def test_a_token_is_required_if_there_is_one(self):
        with Serve("--motion", "hold", listen="0.0.0.0:0") as served:
            served.host = "127.0.0.1"
            token = served.query.split("=")[1]
            wait_until(lambda: served.ask("/healthz" + served.query)[0] == 200, "it takes samples")
            for path in ["/metrics", "/healthz"]:
                self.assertEqual(served.ask(path)[0], 401)
                self.assertEqual(served.ask(path, fields="Authorization: Bearer 0123456789abcdef\r\n")[0], 401)
                for query, fields in [(served.query, ""), ("", f"Authorization: Bearer {token}\r\n")]:
                    self.assertEqual(served.ask(path + query, fields=fields)[0], 200)

    def test_a_foreign_host_name_is_rejected(self):
        with Serve("--motion", "hold") as served:
            for path in ["/metrics", "/healthz"]:
                self.assertEqual(served.ask(path, host="evil.example")[0], 403)


class Health(unittest.TestCase):
    def test_a_sensor_that_is_read_is_ok_even_during_a_short_outage(self):
        despite_stalls(self.is_healthy_over_an_outage)

    def is_healthy_over_an_outage(self):
        """Whether there was an outage; the sensor must have been healthy all the time."""
        with Serve("--motion", "tumble") as served:
            wait_until(lambda: served.ask("/healthz")[0] == 200, "it takes samples")

            def look():
                status, _, body = served.ask("/healthz")
                # The outage takes 0.4 s, but a loaded machine may stop the whole program for longer.
                self.assertTrue((status, body) == (200, "ok\n") or body.startswith("no sample for "), body)
            return served.notices_outage(look)

    def test_a_missing_sensor_is_not_ok(self):
        bridge = pathlib.Path(PLUMB).resolve().parent / "libPlumbBridge.so"
        self.assertTrue(bridge.exists(), "make bridge")
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
            file.write((ROOT / "boards" / "emulated.ini").read_text(encoding="utf-8").replace(
                "bus = emulated", "bus = /dev/i2c-1"))
            file.flush()
            with Serve("--board", file.name,
                       env={"PATH": "/usr/bin:/bin", "LD_PRELOAD": str(bridge), "PLUMB_BRIDGE": ""}) as served:
                wait_until(lambda: served.state()["counters"]["faults"] > 0, "it asks the sensor")
                status, head, body = served.ask("/healthz")
                self.assertEqual((status, head["retry-after"]), (503, "5"))
                self.assertRegex(body, r"^no sample yet: .*0x53.*\n$")
                self.assertEqual(body.count("\n"), 1)
                self.assertEqual(served.ask("/healthz", method="HEAD")[0::2], (503, ""))
                found = scraped(served, PROMETHEUS)[0]
                self.assertEqual(found["plumb_sensor_up"].value(), 0)
                self.assertEqual(found["plumb_pose"].value(plumb_pose="unknown"), 1)
                self.assertGreater(found["plumb_faults"].value("_total", kind="noAcknowledge"), 0)
                for name in ["plumb_sample_age_seconds", "plumb_force_g", "plumb_angle_degrees", "plumb_steering_degrees"]:
                    self.assertNotIn(name, found)


class Owner:
    """Another process that has the sensor, as far as a client sees it: a hello, samples, and an end without notice."""

    HELLO = {"event": "hello", "protocol": 1, "plumb": "9.9.9", "owner": "1-1", "board": "b", "sensor": "adxl345",
             "address": 29, "bus": "/dev/i2c-7", "rate_hz": 50, "range_g": 16, "gyroscope_range_dps": None,
             "chip": "emulated", "code": "leds", "lines": [0, 0, 0, 0, 1, 0], "commands": False, "t": 100.0,
             "pose": "faceUp", "since": 3.2, "x": 0, "y": 0, "z": 1, "events": 1, "clients": 1,
             "counters": {"samples": 1000, "pose_changes": 1, "faults": 5, "recoveries": 1, "late_samples": 2, "shakes": 0,
                          "transactions": 2000, "output_writes": 1, "restarts": 1, "fault_kinds": {"timedOut": 5},
                          "unknown": {}}}
    SAMPLE = {"event": "sample", "x": 0.01, "y": 0.02, "z": 0.99, "pose": "faceUp", "angle_deg": None, "level_deg": None,
              "pitch_deg": 1.2, "roll_deg": 0.5, "inclination_deg": 1.3, "steering_deg": 0, "scroll": [0.5, 0.5]}

    def __init__(self, folder):
        self.path = f"{folder}/stream"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(4)
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        self.listener.settimeout(0.05)
        clients, begin = [], time.monotonic()
        while not self.is_over.wait(0.05):
            now = {"t": round(100 + time.monotonic() - begin, 6)}
            with contextlib.suppress(TimeoutError):
                clients.append(self.listener.accept()[0])
                clients[-1].sendall(line({**self.HELLO, **now}))
            for client in clients:
                with contextlib.suppress(OSError):
                    client.sendall(line({**now, **self.SAMPLE}))
        for client in [*clients, self.listener]:
            client.close()

    def end(self):
        self.is_over.set()
        self.thread.join()


def line(value):
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


class Streams(unittest.TestCase):
    def test_the_metrics_of_a_stream_end_with_its_owner(self):
        with tempfile.TemporaryDirectory() as folder:
            owner = Owner(folder)
            self.addCleanup(owner.end)
            with Serve("--from", f"unix:{owner.path}") as served:
                wait_until(lambda: served.ask("/healthz")[0] == 200, "samples come")
                found = scraped(served, PROMETHEUS)[0]
                labels = found["plumb"].samples[0].labels
                self.assertEqual((labels["address"], labels["bus"]), ("0x1D", "/dev/i2c-7"))
                self.assertEqual(found["plumb_pose"].value(plumb_pose="faceUp"), 1)
                self.assertEqual(found["plumb_force_g"].value(axis="z"), 0.99)
                self.assertEqual(found["plumb_sample_period_seconds"].value(), 0.02)
                owner.end()
                wait_until(lambda: served.ask("/healthz")[0] == 503, "the owner is gone")
                self.assertRegex(served.ask("/healthz")[2], r"^no sample for [\d.]+ s: .*gone.*\n$")
                found = scraped(served, PROMETHEUS)[0]
                self.assertEqual(found["plumb_unknown_reason"].value(plumb_unknown_reason="stale"), 1)
                self.assertNotIn("plumb_force_g", found)


class Grammar(unittest.TestCase):
    """The parsers reject what their specifications reject: otherwise the tests above would prove nothing."""

    GOOD_OPEN = ('# HELP plumb_a About.\n# TYPE plumb_a counter\nplumb_a_total{b="c"} 1\nplumb_a_created{b="c"} 1.5\n'
                 '# TYPE plumb_t_celsius gauge\n# UNIT plumb_t_celsius celsius\n# HELP plumb_t_celsius T.\nplumb_t_celsius -1e2\n'
                 '# TYPE plumb_e stateset\n# HELP plumb_e S.\nplumb_e{plumb_e="x"} 1\nplumb_e{plumb_e="y"} 0\n'
                 '# TYPE plumb info\n# HELP plumb I.\nplumb_info{v="\\\\ \\" \\n"} 1\n# EOF\n')
    GOOD_OLD = ('# HELP plumb_a_total About.\n# TYPE plumb_a_total counter\nplumb_a_total{b="c"} 1\n'
                '# HELP plumb_i_info I.\n# TYPE plumb_i_info gauge\nplumb_i_info{v="}, x=\\"y\\""} 1\n')

    def test_valid_text_is_understood(self):
        found = exposition.parse(self.GOOD_OPEN, True)
        self.assertEqual(found["plumb_a"].value("_total", b="c"), 1)
        self.assertEqual(found["plumb_t_celsius"].value(), -100)
        self.assertEqual(found["plumb"].samples[0].labels, {"v": '\\ " \n'})
        self.assertEqual(exposition.parse(self.GOOD_OLD, False)["plumb_i_info"].samples[0].labels, {"v": '}, x="y"'})

    def test_each_error_is_found(self):
        for good, is_open, old, new in [
                *((self.GOOD_OPEN, True, *pair) for pair in [
                    ("# EOF\n", ""), ("# EOF\n", "# EOF"), ("# EOF\n", "# EOF\n\n"), ("# HELP plumb_a About.\n", ""),
                    ("# TYPE plumb_a counter\n", ""), ("plumb_a_total{", "plumb_a{"), ("} 1\n", "} -1\n"), ("} 1\n", "} 0.5\n"),
                    ("} 1\n", "} one\n"), ("} 1\n", "} NaN\n"), ("} 1\n", "}  1\n"), ("} 1\n", "} 1 \n"), ("} 1\n", "}\n"),
                    ("} 1\n", "} 1\r\n"), ("} 1\n", "} 1\n\n"), ('"c"}', '"c",}'), ('"c"}', '"c", d="e"}'), ('"c"}', '"c",b="c"}'),
                    ('{b="c"}', "{b='c'}"), ('{b="c"}', '{b=c}'), ('{b="c"}', '{}'), ('"c"', '"\\c"'), ('"c"', '"c'),
                    ('{b="c"} 1.5', '{b="d"} 1.5'), ("plumb_a_created", "plumb_a_count"),
                    ("gauge\n", "counter\n"), ("gauge\n", "number\n"), ("celsius celsius", "celsius kelvin"),
                    ("-1e2\n", '-1e2\nplumb_t_celsius{a="b"} 1\n'), ("-1e2\n", "-1e2\nplumb_t_celsius 2\n"),
                    ("-1e2\n", "-1e2\n# HELP plumb_t_celsius T.\n"), ("-1e2\n", '-1e2\nplumb_a_total{b="e"} 1\n'),
                    ('"y"} 0', '"y"} 2'), ('{plumb_e="', '{s="'), ('\\n"} 1', '\\n"} 2'), ("plumb_t_celsius", "plumb_t_ms"),
                    ("plumb_t_celsius", "temperature"), ("plumb_e", "plumb_info"), ("plumb_e", "Plumb_e"), ("plumb_e", "plumb_s"),
                    ("HELP plumb_e S.", "HELP plumb_e S\\q"), ("# HELP plumb_e S.", "# plumb_e S."), ("# HELP plumb_e S.\n", "")]),
                *((self.GOOD_OLD, False, *pair) for pair in [
                    ("plumb_a_total", "plumb_a"), ("counter", "stateset"), ("counter", "gauge"), ("gauge", "info"),
                    ('"c"} 1\n', '"c"} 1\n# EOF\n'), ("# HELP plumb_a_total About.", "# UNIT plumb_a_total total"),
                    ("_total{", "_created{"), ('"c"} 1', '"c"} -1'), ("# HELP plumb_i_info I.\n", "")])]:
            self.assertIn(old, good)
            with self.assertRaises(exposition.Wrong, msg=(old, new)):
                exposition.parse(good.replace(old, new), is_open)


class Written(unittest.TestCase):
    """What the documentation names exists, and it names what exists."""

    @classmethod
    def setUpClass(cls):
        with Serve("--board", FUSED, "--motion", "turntable") as served:
            wait_until(lambda: "plumb_gyroscope_bias_degrees_per_second" in scraped(served)[0], "its bias is known")
            # Some of the angles are undefined in some attitudes.
            cls.names, cls.made = set(), set()

            def is_complete():
                cls.names |= sampled(scraped(served)[0])
                cls.made |= sampled(scraped(served, PROMETHEUS)[0])
                return {"plumb_roll_degrees", "plumb_heading_degrees", "plumb_pitch_degrees"} <= cls.names
            wait_until(is_complete, "its angles are defined")
        with Serve("--motion", "portrait") as served:
            wait_until(lambda: "plumb_angle_degrees" in scraped(served)[0], "its angle is defined")
            cls.names |= sampled(scraped(served)[0])

    def test_every_metric_is_in_the_table(self):
        page = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")
        rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `plumb_")]
        told = {name for row in rows for name in re.findall(r"`(plumb_\w+)", row)}
        self.assertEqual(told, self.names)

    def test_every_metric_of_the_dashboard_exists(self):
        dashboard = json.loads((ROOT / "docs/examples/grafana/dashboard.json").read_text(encoding="utf-8"))
        used = set(re.findall(r"\bplumb_\w+", " ".join(expressions(dashboard))))
        # The label of a stateset has the name of the metric.
        self.assertEqual(used - self.names, set())
        self.assertGreater(len(used), 15)

    def test_every_metric_of_the_alerts_exists(self):
        text = (ROOT / "docs/examples/grafana/alerts.yml").read_text(encoding="utf-8")
        used = set(re.findall(r"\bplumb_\w+", text))
        self.assertEqual(used - self.names, set())
        self.assertGreater(len(used), 2)

    def test_the_panels_fit_side_by_side(self):
        panels = json.loads((ROOT / "docs/examples/grafana/dashboard.json").read_text(encoding="utf-8"))["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        taken = set()
        for panel in panels:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24)
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])}
            self.assertEqual(cells & taken, set(), panel["title"])
            taken |= cells
            self.assertTrue(panel["targets"] and panel["title"] and panel["description"])
            self.assertEqual(panel["datasource"], {"type": "prometheus", "uid": "${datasource}"})


def expressions(dashboard):
    """Every expression in a dashboard that queries Prometheus."""
    found = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    return found + [variable["query"] for variable in dashboard["templating"]["list"] if variable["type"] == "query"]


if __name__ == "__main__":
    unittest.main()
