"""A scene: broker, board, publisher and Home Assistant, as a test finds them."""

import os
import tempfile
import unittest

from home import HomeAssistant
from setting import Board
from mosquitto import Broker
from publisher import KEEP_ALIVE, Publisher

ID, NAME = "bench", "Workbench"
# Differences from the defaults: a quick pace for quick tests.
VALUES = {"interval": 0.2, "step": 0.2, "heartbeat": 10}
POSES = {
    "portrait": "Portrait", "portraitUpsideDown": "Upside down", "landscapeLeft": "Landscape left",
    "landscapeRight": "Landscape right", "faceDown": "Face down", "faceUp": "Level",
}
POSE, PITCH, TROUBLE, EVENT = (
    "sensor.workbench_pose", "sensor.workbench_pitch", "binary_sensor.workbench_trouble", "event.workbench_event")
# When angles expire, s: two and a half heartbeats.
EXPIRY = 25


class Scene(unittest.TestCase):
    """All four running, with the board lying face up, before each test.

    In a class that stops or starts some of them each test has its own scene; otherwise all tests of the class share one
    (`shared`).
    """

    is_shared = False
    sensor, name, values, recipes, section = "adxl345", NAME, VALUES, (), ""
    # s. A broker reports a silent client as absent after one and a half times this.
    keep_alive = KEEP_ALIVE
    # The beginnings of complaints that Home Assistant may make.
    complaints = ()

    @classmethod
    def begin(cls, owner, clean):
        """Sets the scene as attributes of `owner`; `clean` gets what must be called at the end."""
        folder = tempfile.TemporaryDirectory(prefix="scene-")
        clean(folder.cleanup)
        owner.folder = folder.name

        def enter(one):
            clean(one.__exit__, None, None, None)
            return one
        # A broker that forgets everything when it ends.
        owner.broker = enter(Broker(devices=(ID,), keeps=False))
        owner.board = enter(Board(folder.name, cls.sensor, cls.section))
        owner.publisher = enter(Publisher(
            "plumb", owner.broker, owner.board.address, ID, link={"keep-alive": cls.keep_alive},
            device={"id": ID, "name": cls.name}, values=cls.values, names={"faceUp": POSES["faceUp"]}))
        owner.home = enter(HomeAssistant(os.path.join(folder.name, "home"), owner.broker, cls.recipes))

    @classmethod
    def setUpClass(cls):
        if cls.is_shared:
            cls.begin(cls, cls.addClassCleanup)

    def setUp(self):
        if not self.is_shared:
            self.begin(self, self.addCleanup)
        self.addCleanup(self.tell)
        self.board.hold("faceUp")
        self.wait_for_pose("faceUp")

    def wait_for_pose(self, pose):
        self.home.wait_for(**{self.entity("pose"): POSES[pose], self.entity("trouble"): "off"})

    def entity(self, key):
        """The entity for a key of this device, in the notation of `wait_for`."""
        kind = {"event": "event", "trouble": "binary_sensor", "moving": "binary_sensor"}.get(key, "sensor")
        return f"{kind}__{self.name.lower().replace(' ', '_')}_{key}"

    def tell(self):
        """After a failure, prints the output of the publisher and Home Assistant."""
        outcome = getattr(self._outcome, "result", None)
        if outcome and any(test is self for test, _ in outcome.failures + outcome.errors):
            said = "\n".join(self.home.warnings())
            print(f"{self.id()}: the publisher printed:\n{self.publisher.printed()}Home Assistant complained of:\n{said}")

    def tearDown(self):
        """Checks that Home Assistant has no complaints."""
        found = [one for one in self.home.warnings() if not one.startswith(self.complaints)]
        self.assertEqual(found, [])
