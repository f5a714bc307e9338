"""The instructions of docs/fleet.md, and the configurations of other programs that it leads to.

    PLUMB=build/plumb python3 -m unittest -v test_guide
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support" / "Python"))
import mosquitto
from processes import PATIENCE, ROOT

GUIDE = ROOT / "docs" / "fleet.md"
EXAMPLES = ROOT / "docs" / "examples" / "fleet"
# Topics of version 1: the part between the base and the kind is a device.
TOPIC = re.compile(r"plumb/\+/(state|event|status|answer)")


def first_blocks():
    """The command blocks in "Try it here": install, try, end."""
    section = GUIDE.read_text().split("\n## Try it here\n")[1].split("\n##")[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


def fields():
    """The fields of the state that the guide lists."""
    section = GUIDE.read_text().split("\n### State\n")[1].split("\n### ")[0]
    rows = [row.split("|")[1] for row in section.split("\n") if row.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


class Guide(unittest.TestCase):
    def test_the_first_commands_show_an_ordinary_user_a_device_and_the_last_one_ends_all_jobs(self):
        installed, commands, ending = first_blocks()
        self.assertEqual(installed, "sudo apt install mosquitto mosquitto-clients\n")
        address = mosquitto.own_address()
        port = str(mosquitto.free_port(address))
        self.assertIn("18883", commands)
        self.assertIn("/tmp/board", commands)
        with tempfile.TemporaryDirectory() as folder:
            # The guide's own broker listens on the loopback address of this test only, so the port is free.
            settings = pathlib.Path(folder, "broker.conf")
            settings.write_text(f"listener {port} {address}\nallow_anonymous true\n")
            programs, administration = pathlib.Path(folder, "programs"), pathlib.Path(folder, "sbin")
            for each in (programs, administration):
                each.mkdir()
            (programs / "plumb").symlink_to(os.environ["PLUMB"])
            (programs / "mosquitto_sub").symlink_to(mosquitto.program("mosquitto_sub"))
            # Where Debian has it: on root's PATH, not on that of other users.
            (administration / "mosquitto").symlink_to(mosquitto.program("mosquitto"))
            commands = (
                commands.replace("mosquitto -p 18883", "mosquitto -c broker.conf").replace("127.0.0.1:18883", f"{address}:{port}")
                .replace("/usr/sbin/", f"{administration}/")
                .replace("mosquitto_sub -p 18883", f"mosquitto_sub -h {address} -p {port}").replace("/tmp/board", f"{folder}/board")
                # A minimum number of messages, instead of a time that suffices on a quiet machine.
                .replace("-W 3", f"-C 4 -W {PATIENCE}")
            )
            shell = subprocess.Popen(
                ["bash", "-c", f"{commands}\n{ending}\nwait\necho ended"], cwd=folder, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, start_new_session=True,
                env={**os.environ, "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin"})
            try:
                said, _ = shell.communicate(timeout=2 * PATIENCE)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(shell.pid, signal.SIGKILL)
                shell.wait()
            lines = said.split("\n")
            topics = dict(line.split(" ", 1) for line in lines if " " in line)
            self.assertEqual(topics.get("plumb/bench/status", "").strip(), "online", said)
            self.assertEqual(set(json.loads(topics["plumb/bench/state"])) | {"heading_deg"}, fields())
            self.assertEqual(lines[-2:], ["ended", ""], said)

    def test_the_settings_in_the_guide_are_valid(self):
        block = re.search(r"```ini\n(\[broker\]\n.*?)```", GUIDE.read_text(), re.DOTALL)[1]
        with tempfile.TemporaryDirectory() as folder:
            settings = pathlib.Path(folder, "mqtt.ini")
            settings.write_text(block.replace("/etc/plumb", folder))
            for name in re.findall(r"/etc/plumb/(\S+)", block):
                pathlib.Path(folder, name).write_text("x\n")
                pathlib.Path(folder, name).chmod(0o600)
            check = subprocess.run(
                [os.environ["PLUMB_MQTT"], "--check", "--settings", str(settings)], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(check.stdout.split("\n")[0], "settings: OK", check)


    def test_one_page_configures_the_board_and_its_device(self):
        self.assertIn("sudo ln -s board.ini /etc/plumb/mqtt.ini\n", GUIDE.read_text())
        block = re.search(r"```ini\n(\[broker\]\n.*?)```", GUIDE.read_text(), re.DOTALL)[1]
        with tempfile.TemporaryDirectory() as folder:
            page, link = pathlib.Path(folder, "board.ini"), pathlib.Path(folder, "mqtt.ini")
            page.write_text((ROOT / "boards" / "raspberry-pi-adxl345.ini").read_text() + block.replace("/etc/plumb", folder))
            link.symlink_to("board.ini")
            for name in re.findall(r"/etc/plumb/(\S+)", block):
                pathlib.Path(folder, name).write_text("x\n")
                pathlib.Path(folder, name).chmod(0o600)
            for command, expected in (
                    ([os.environ["PLUMB_MQTT"], "--check", "--settings", str(link)], "settings: OK"),
                    ([os.environ["PLUMBD"], "--check", "--board", str(page)], "board file: OK")):
                check = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(check.stdout.split("\n")[0], expected, check)


class Configurations(unittest.TestCase):
    def test_the_node_red_flow_is_complete_and_names_existing_topics(self):
        nodes = json.loads((EXAMPLES / "node-red-flow.json").read_text())
        by_id = {node["id"]: node for node in nodes}
        self.assertEqual(len(by_id), len(nodes))
        for node in nodes:
            for target in (target for wires in node.get("wires", []) for target in wires):
                self.assertIn(target, by_id)
            if node["type"] == "mqtt in":
                self.assertRegex(node["topic"], TOPIC)
                self.assertEqual(by_id[node["broker"]]["type"], "mqtt-broker")
            for rule in node.get("rules", []):
                used = re.findall(r"payload\.(\w+)", str(rule.get("to", "")))
                self.assertLessEqual(set(used), fields())

    def test_telegraf_reads_existing_topics_and_fields(self):
        try:
            import tomllib
        except ImportError:
            self.skipTest("Python 3.10 reads no TOML")
        read = tomllib.loads((EXAMPLES / "telegraf.conf").read_text())["inputs"]["mqtt_consumer"][0]
        for topic in [*read["topics"], *(one["topic"] for one in read["topic_parsing"])]:
            self.assertRegex(topic, TOPIC)
        for thing in read["json_v2"][0]["object"]:
            self.assertLessEqual({*thing["tags"], *thing["excluded_keys"]}, fields())


if __name__ == "__main__":
    unittest.main()
