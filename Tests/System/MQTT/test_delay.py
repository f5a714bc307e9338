"""An owner loses no sample, whatever happens to publishers and their broker.

    PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt PLUMBD=build/plumbd python3 -m unittest -v test_delay
"""

import contextlib
import signal
import time
import unittest

from publisher import COMMANDS, Publisher
from attack import on_both
from mosquitto import Broker
from proxy import Proxy

# s; how long each kind of trouble lasts.
SECONDS = 3


@on_both
class OwnerWithPublishers:
    """Publishers of both kinds, while a witness counts every sample of their owner."""

    @contextlib.contextmanager
    def published(self, **link):
        """A broker, a judge, and four publishers, two of each kind."""
        with contextlib.ExitStack() as stack:
            names = [f"dev-{number}" for number in range(4)]
            broker = stack.enter_context(Broker(devices=names))
            judge = stack.enter_context(broker.subscriber())
            if "mode" in link:
                proxy = stack.enter_context(Proxy(broker.address, broker.port))
                link = {"host": proxy.address, "port": proxy.port}
            else:
                proxy = None
            publishers = [
                stack.enter_context(Publisher(kind, broker, self.owner.address, name=name, link=link,
                                              commands={"allow": "query"}))
                for name, kind in zip(names, [*COMMANDS] * 2)]
            for publisher in publishers:
                publisher.await_state(judge, lambda state: state["pose"] is not None, "a pose")
            yield broker, judge, publishers, proxy

    def test_in_normal_operation(self):
        with self.published(), self.vigil():
            time.sleep(SECONDS)

    def test_the_broker_is_killed_frozen_and_slow(self):
        with self.published(mode="pass") as (broker, _, _, proxy), self.vigil():
            broker.freeze()
            time.sleep(SECONDS)
            broker.kill()
            time.sleep(SECONDS)
            proxy.mode = "slow"
            broker.start()
            time.sleep(SECONDS)

    def test_publishers_are_stopped_and_killed(self):
        with self.published() as (_, _, publishers, _), self.vigil():
            for publisher in publishers:
                publisher.signal(signal.SIGSTOP)
            time.sleep(SECONDS)
            for publisher in publishers[:2]:
                publisher.kill()
            for publisher in publishers[2:]:
                publisher.signal(signal.SIGCONT)
            time.sleep(SECONDS)

    def test_a_thousand_queries_come_from_the_broker(self):
        with self.published() as (broker, judge, publishers, _), self.vigil():
            for publisher in publishers:
                for _ in range(50):
                    publisher.command("query")
            publisher.await_answer(judge)
            self.assertTrue(all(publisher.is_running() for publisher in publishers))


if __name__ == "__main__":
    unittest.main()
