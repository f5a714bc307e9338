"""The password is only in its file and in what is sent to the broker.

    PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt python3 -m unittest -v test_secrets
"""

import os
import pathlib
import unittest

from publisher import on_both



@on_both
class Secrets:
    def check_hidden(self, publisher, judge, *passwords):
        process = pathlib.Path(f"/proc/{publisher.pid}")
        places = {name: (process / name).read_bytes() for name in ("cmdline", "environ", "comm")} if publisher.is_running() else {}
        places["log"] = publisher.log.read_bytes()
        for file in publisher.folder.iterdir():
            if file != publisher.password_file:
                places[str(file)] = file.read_bytes()
        for one in judge.seen():
            places[one.topic] = one.topic.encode() + b" " + one.payload
        for place, data in places.items():
            for password in passwords:
                self.assertNotIn(password.encode(), data, place)

    def test_while_it_is_connected(self):
        broker, judge, _, publisher = self.begun()
        publisher.command("query")
        publisher.await_answer(judge)
        self.check_hidden(publisher, judge, broker.users["dev-1"])

    def test_with_a_wrong_password(self):
        broker, owner = self.broker(), self.owner()
        judge = self.judge(broker)
        publisher = self.publisher(broker, owner, password="not-the-right-one")
        publisher.await_line("(?i)password|authori[sz]ed")
        self.check_hidden(publisher, judge, "not-the-right-one")
        publisher.stop()
        self.check_hidden(publisher, judge, "not-the-right-one")

    def test_as_a_systemd_credential(self):
        broker, owner = self.broker(), self.owner()
        judge = self.judge(broker)
        folder = pathlib.Path(broker.folder) / "credentials"
        folder.mkdir()
        (folder / "password").write_text(broker.users["dev-1"] + "\n", encoding="ascii")
        # The file itself is wrong: the credential with its name takes precedence.
        publisher = self.publisher(broker, owner, password="stale", environment={"CREDENTIALS_DIRECTORY": str(folder)})
        publisher.await_state(judge, lambda state: state["pose"] is not None, "the pose")
        self.check_hidden(publisher, judge, broker.users["dev-1"], "stale")

    def test_with_wrong_settings_or_files(self):
        broker, owner = self.broker(), self.owner()
        judge = self.judge(broker)
        for link in ({"password": broker.users["dev-1"]}, {"user": None}):
            with self.subTest(link):
                publisher = self.publisher(broker, owner, link=link)
                self.assertEqual(publisher.end(), 78)
                self.assertTrue(publisher.printed())
        publisher = self.publisher(broker, owner, link={"password-file": os.path.join(broker.folder, "no-such-file")})
        self.assertIn(publisher.end(), (69, 77, 78))
        self.assertIn("no-such-file", publisher.printed())
        self.check_hidden(publisher, judge, broker.users["dev-1"])

    def test_an_unreadable_password_file(self):
        if os.geteuid() == 0:
            self.skipTest("root may read every file")
        broker, owner = self.broker(), self.owner()
        publisher = self.publisher(broker, owner)
        publisher.kill()
        publisher.password_file.chmod(0)
        publisher.start()
        self.assertEqual(publisher.end(), 77)


if __name__ == "__main__":
    unittest.main()
