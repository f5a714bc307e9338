"""Prometheus itself reads `plumb serve`, with the configurations of the documentation, and answers the dashboard's
queries.

    PLUMB=build/plumb python3 Tests/System/Web/test_prometheus.py

Needs Prometheus and promtool: `scripts/setup.sh test-web` unpacks both below build/prometheus.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

from serve import PATIENCE, Serve, link, wait_until
from test_metrics import FUSED, PROMETHEUS, expressions

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "docs" / "examples" / "grafana"
TOKEN = "0123456789abcdef"


def program(name):
    """The path of a program that belongs to Prometheus."""
    unpacked = ROOT / "build" / "prometheus" / "usr" / "bin" / name
    found = str(unpacked) if unpacked.exists() else shutil.which(name)
    if not found:
        raise AssertionError(f"there is no {name}: run scripts/setup.sh test-web")
    return found


def promtool(*arguments, text=None, folder=None):
    """The output of promtool for a text or for files, in none of which it finds an error."""
    done = subprocess.run([program("promtool"), *arguments], input=text, cwd=folder, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    if done.returncode != 0:
        raise AssertionError(f"promtool {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def copied(folder, served, interval="1s"):
    """Copies the examples, with the address of `served`, to a folder with a token."""
    for name in ["prometheus.yml", "prometheus-token.yml", "alerts.yml"]:
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        if name != "alerts.yml":
            for pattern, other in [(r"(localhost|192\.168\.1\.20):7586", rf"\1:{served.port}"),
                                   (r"192\.168\.1\.20", "127.0.0.1"), ("scrape_interval: 5s", f"scrape_interval: {interval}")]:
                text = re.sub(pattern, other, text)
            text = f"global:\n  evaluation_interval: {interval}\n" + text
            if str(served.port) not in text or interval not in text:
                raise AssertionError(f"{name} is not as this test expects")
        pathlib.Path(folder, name).write_text(text, encoding="utf-8")
    pathlib.Path(folder, "token").write_text(TOKEN, encoding="ascii")


class Prometheus:
    """Prometheus with a configuration, on a free port."""

    def __init__(self, folder, configuration):
        self.log = tempfile.TemporaryFile("w+")
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [program("prometheus"), f"--config.file={configuration}", f"--storage.tsdb.path={folder}/data",
             "--web.listen-address=127.0.0.1:0"], cwd=folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.port = wait_until(self.listening, "Prometheus listens", 0.1)

    def listening(self):
        """The port on which it listens; None before it does."""
        if self.process.poll() is not None:
            self.log.seek(0)
            raise AssertionError(f"Prometheus ended: {self.log.read()[-2000:]}")
        folder = f"/proc/{self.process.pid}"
        sockets = {match[1] for name in os.listdir(folder + "/fd")
                   if (match := re.fullmatch(r"socket:\[(\d+)\]", link(f"{folder}/fd/{name}")))}
        with open(folder + "/net/tcp", encoding="ascii") as file:
            for row in (line.split() for line in file):
                if row[3] == "0A" and row[9] in sockets:
                    return int(row[1].split(":")[1], 16)
        return None

    def ask(self, path, **fields):
        """The response of its API; None while it is not ready."""
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(fields)}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            words = error.read().decode()
            if error.code == 503:
                return None
            raise AssertionError(f"{path} {fields}: {words}") from error

    def targets(self):
        return (self.ask("targets") or {}).get("activeTargets", [])

    def wait_for_target(self):
        """Waits until it has read the board without an error."""
        def is_read():
            for target in self.targets():
                if target["lastError"]:
                    raise AssertionError(f"Prometheus cannot read it: {target['lastError']}")
                if target["health"] == "up":
                    return True
            return False
        wait_until(is_read, "Prometheus reads the board", 0.2)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.log.close()


class Checks(unittest.TestCase):
    def test_promtool_finds_no_fault_in_the_metrics(self):
        for arguments in [("--motion", "tumble"), ("--board", FUSED, "--motion", "turntable")]:
            with Serve(*arguments) as served:
                wait_until(lambda: served.state()["counters"]["samples"] > 80, "it takes samples")
                self.assertEqual(promtool("check", "metrics", text=served.ask("/metrics")[2]), "")

    def test_promtool_finds_a_fault(self):
        with self.assertRaises(AssertionError):
            promtool("check", "metrics", text="# HELP a_milliseconds A.\n# TYPE a_milliseconds counter\na_milliseconds 1\n")

    def test_promtool_finds_no_fault_in_the_examples(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ["prometheus.yml", "prometheus-token.yml", "alerts.yml"]:
                shutil.copy(EXAMPLES / name, folder)
            pathlib.Path(folder, "token").write_text(TOKEN, encoding="ascii")
            for name in ["prometheus.yml", "prometheus-token.yml"]:
                self.assertIn("SUCCESS", promtool("check", "config", name, folder=folder))
            self.assertIn("SUCCESS: 4 rules found", promtool("check", "rules", "alerts.yml", folder=folder))


class Reads(unittest.TestCase):
    def test_it_reads_a_board_on_the_same_computer(self):
        with Serve("--motion", "tumble") as served, tempfile.TemporaryDirectory() as folder:
            copied(folder, served)
            with Prometheus(folder, "prometheus.yml") as prometheus:
                prometheus.wait_for_target()

    def test_it_reads_with_a_token_and_answers_the_dashboard(self):
        with tempfile.TemporaryDirectory() as folder:
            token = pathlib.Path(folder, "token")
            token.write_text(TOKEN, encoding="ascii")
            with Serve("--board", FUSED, "--motion", "turntable", "--token-file", str(token), listen="0.0.0.0:0") as served:
                copied(folder, served)
                with Prometheus(folder, "prometheus-token.yml") as prometheus:
                    prometheus.wait_for_target()
                    self.check_types(prometheus, served)
                    self.check_queries(prometheus)
                    self.check_rules(prometheus)

    def check_types(self, prometheus, served):
        """It has used the new format: only that has statesets, infos and units."""
        known = wait_until(lambda: prometheus.ask("metadata"), "it knows the types", 0.2)
        for name, kind, unit in [("plumb_pose", "stateset", ""), ("plumb", "info", ""), ("plumb_faults", "counter", ""),
                                 ("plumb_force_g", "gauge", "g"), ("plumb_sample_period_seconds", "gauge", "seconds")]:
            self.assertEqual([(each["type"], each["unit"]) for each in known[name]], [(kind, unit)], name)
        body = served.ask("/metrics", host="127.0.0.1",
                          fields=f"Accept: {PROMETHEUS}\r\nAuthorization: Bearer {TOKEN}\r\n")[2]
        self.assertIn("# EOF", body)

    def check_queries(self, prometheus):
        """Every query of the dashboard is answered, and with a result unless it queries faults."""
        dashboard = json.loads((EXAMPLES / "dashboard.json").read_text(encoding="utf-8"))
        queries = [text for text in expressions(dashboard) if not text.startswith("label_values")]
        self.assertGreater(len(queries), 15)
        for text in queries:
            query = text.replace("$__rate_interval", "10s").replace("$instance", ".*")
            self.assertNotIn("$", query)
            if query.endswith("> 0"):
                self.assertIsNotNone(prometheus.ask("query", query=query))
                query = query.removesuffix("> 0")
            wait_until(lambda asked=query: prometheus.ask("query", query=asked)["result"], f"an answer to {query}", 0.2)

    def check_rules(self, prometheus):
        def rules():
            return [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
        wait_until(lambda: all(rule["health"] == "ok" for rule in rules()), "the alerts are evaluated", 0.2)
        self.assertEqual(len(rules()), 4)
        firing = [rule["name"] for rule in rules() if rule["state"] == "firing" and rule["name"] != "PlumbLateSamples"]
        self.assertEqual(firing, [])


if __name__ == "__main__":
    unittest.main()
