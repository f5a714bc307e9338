"""TLS: who is admitted, who is rejected, and what is reported.

    PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt python3 -m unittest -v test_tls
"""

import tempfile
import time
import unittest

from publisher import on_both
from mosquitto import Authority


@on_both
class TLS:
    def encrypted(self, broker, **link):
        """The settings for a broker's port with TLS."""
        return {"port": broker.tls_port, "tls": "yes", "ca-file": broker.authority.file} | link

    def check_let_in(self, broker, **link):
        _, judge, _, publisher = self.begun(broker=broker, link=self.encrypted(broker, **link))
        self.assertRegex(broker.printed(), rf"(?s)port {broker.tls_port}\..*New client connected from \S+ as plumb-dev-1 ")
        self.assertEqual(judge.seen(publisher.topic("status"))[0].text, "online")
        return publisher

    def check_kept_out(self, broker, words, **link):
        publisher = self.publisher(broker, self.owner(), link=self.encrypted(broker, **link))
        publisher.await_line(words)
        time.sleep(2)
        self.assertTrue(publisher.is_running())
        # It was neither admitted, nor has it sent its password.
        self.assertEqual(broker.connections("plumb-dev-1"), [])
        return publisher

    def test_a_valid_certificate(self):
        publisher = self.check_let_in(self.broker())
        self.assertNotIn("warning", publisher.printed().lower())

    def test_a_name_instead_of_an_address(self):
        # `localhost` has this address everywhere.
        self.check_let_in(self.broker(address="127.0.0.1", hosts=("localhost",)), host="localhost")

    def test_an_unknown_authority(self):
        broker = self.broker()
        with tempfile.TemporaryDirectory() as folder:
            other = Authority(folder, "other")
            self.check_kept_out(broker, "certificate", **{"ca-file": other.file})

    def test_an_authority_that_only_the_system_might_know(self):
        self.check_kept_out(self.broker(), "certificate", **{"ca-file": None})

    def test_an_expired_certificate(self):
        self.check_kept_out(self.broker(expired=True), "certificate.*expired")

    def test_a_certificate_for_another_name(self):
        broker = self.broker(address="127.0.0.1", hosts=("broker.example",), names_address=False)
        self.check_kept_out(broker, "certificate is for another|host ?name|mismatch")

    def test_without_verification_it_continues_with_a_warning(self):
        broker = self.broker(expired=True)
        publisher = self.check_let_in(broker, **{"verify": "no", "ca-file": None})
        self.assertRegex(publisher.printed(), "(?i)verif")

    def test_a_required_client_certificate(self):
        broker = self.broker(needs_certificate=True)
        certificate, key = broker.authority.certificate("client")
        self.check_kept_out(broker, "(?i)certificate|TLS|closed")
        self.check_let_in(broker, **{"certificate-file": certificate, "key-file": key})

    def test_a_client_certificate_of_another_authority(self):
        broker = self.broker(needs_certificate=True)
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = Authority(folder, "other").certificate("client")
            self.check_kept_out(broker, "(?i)certificate|TLS|closed",
                                **{"certificate-file": certificate, "key-file": key})

    def test_a_broker_without_tls_on_that_port(self):
        broker = self.broker()
        self.check_kept_out(broker, "(?i)TLS|closed", port=broker.port)

    def test_tls_on_a_port_where_none_was_expected(self):
        broker = self.broker()
        self.check_kept_out(broker, "(?i)TLS", **{"tls": "no", "ca-file": None})

    def test_it_reconnects_over_tls(self):
        broker, judge, owner, publisher = self.begun(broker=(broker := self.broker()), link=self.encrypted(broker))
        broker.restart(forgets=True)
        since = judge.mark()
        judge.await_line("Subscribed ", 2)
        owner.turn("portrait")
        publisher.await_state(judge, lambda state: state["pose"] == "portrait", "the pose", since)


if __name__ == "__main__":
    unittest.main()
