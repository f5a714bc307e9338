"""plumbd under a service manager: what it tells it, how much it asks of the system."""

import errno
import os
import re
import signal
import socket
import tempfile
import time
import unittest

from kernel import Kernel
from program import ADXL345, PATIENCE, Manager, Program, traced, wait_until


class Notification(unittest.TestCase):
    def check(self, name):
        manager = Manager(name)
        self.addCleanup(manager.socket.close)
        environment = {"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "1600000"}
        sensor = ADXL345()
        with Program(Kernel({0x53: sensor}), environment=environment) as program:
            self.assertEqual(manager.message(), "READY=1\nSTATUS=no pose: no sample has come yet")
            ready = manager.sent
            self.assertEqual(manager.message_after("STATUS"), "STATUS=pose portrait")
            # At half of the time within which it is wanted, counted from the first: a busy machine only adds to that.
            sent = []
            for _ in range(5):
                self.assertEqual(manager.message(), "WATCHDOG=1")
                sent.append(manager.sent)
            self.assertGreater(sent[-1] - ready, 5 * 0.8 - 0.1)
            self.assertLess(min(then - now for now, then in zip(sent, sent[1:])), 1.2)
            sensor.fault = errno.EREMOTEIO
            self.assertIn("no acknowledge from 0x53", manager.message_after("^STATUS=no pose: fault"))
            manager.message_after("^WATCHDOG=1$")
            self.assertEqual(program.stop(), 0)
            manager.message_after("^STOPPING=1$")

    def test_it_tells_a_socket_with_a_path(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check(os.path.join(folder, "notify"))

    def test_it_tells_an_abstract_socket(self):
        self.check(f"@plumbd-test-{os.getpid()}")

    def test_the_watchdog_is_not_told_for_another_process(self):
        manager = Manager(f"@plumbd-other-{os.getpid()}")
        self.addCleanup(manager.socket.close)
        environment = {"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"}
        with Program(environment=environment) as program:
            manager.message_after("STATUS=pose portrait")
            time.sleep(0.3)
            self.assertEqual(program.stop(), 0)
            self.assertEqual(manager.message(), "STOPPING=1")

    def test_a_manager_that_is_gone_is_no_trouble(self):
        with Program(environment={"NOTIFY_SOCKET": "/nonexistent/notify"}) as program:
            program.line_after("^pose portrait$")
            self.assertEqual(program.stop(), 0)


class Journal(unittest.TestCase):
    def lines(self, environment_of):
        """The lines on a socket such as the journal's, with a fault, of a program whose environment is made of it."""
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE)
        self.addCleanup(ours.close)
        status = os.fstat(theirs.fileno())
        sensor = ADXL345()
        kernel = Kernel({0x53: sensor})
        with Program() as spare:  # for its board file; its sensor is another
            pid = kernel.start(
                [os.environ.get("PLUMBD", "build/plumbd"), "--board", spare.file],
                environment_of(status), stdout=theirs.fileno())
            theirs.close()
            text = b""
            while text.count(b"\n") < 2:
                text += ours.recv(4096)
            sensor.fault = errno.EREMOTEIO
            while text.count(b"\n") < 3:
                text += ours.recv(4096)
            os.kill(pid, signal.SIGTERM)
            os.waitpid(pid, 0)
        return text.decode().splitlines()

    def test_lines_bear_their_importance_where_the_journal_reads(self):
        lines = self.lines(lambda status: {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"})
        self.assertEqual([line[:3] for line in lines[:3]], ["<6>", "<6>", "<4>"])

    def test_lines_are_plain_where_it_does_not(self):
        for environment in ({}, {"JOURNAL_STREAM": "1:2"}, {"JOURNAL_STREAM": "nonsense"}):
            for line in self.lines(lambda status, environment=environment: environment)[:3]:
                self.assertNotIn("<", line[:1])


class Economy(unittest.TestCase):
    def trace(self, count):
        """What strace writes of the program from the first pose on, until it has taken so many samples."""
        with tempfile.NamedTemporaryFile() as log:
            # -D: the program is our child, and strace its grandchild.
            with Program(before=["strace", "-D", "-o", log.name]) as program:
                sensor = program.kernel.targets[0x53]
                program.line_after("^pose portrait$")
                enough = sensor.samples + count
                wait_until(lambda: sensor.samples >= enough, f"{count} samples")
                self.assertEqual(program.stop(), 0)
            return traced(log.name)

    def test_a_sample_is_two_system_calls_and_the_grid_is_exact(self):
        lines = self.trace(250)
        names = [line.split("(")[0] for line in lines]
        self.assertGreater(names.count("ioctl"), 248)
        # One wait, one I2C_RDWR, and so on; the signal breaks off whichever it meets.
        self.assertEqual(names, (["clock_nanosleep", "ioctl"] * len(names))[: len(names)])
        for line in lines[1::2]:
            self.assertRegex(line, r"^ioctl\(\d+, (I2C_RDWR|_IOC\(_IOC_NONE, 0x7, 0x7, 0\)), ")
        ends = []
        for line in lines[0::2]:
            wait = re.match(r"clock_nanosleep\(CLOCK_MONOTONIC, TIMER_ABSTIME, {tv_sec=(\d+), tv_nsec=(\d+)}", line)
            ends.append(int(wait[1]) * 10**9 + int(wait[2]))
        # Deadlines lie on one grid of 10 ms, whatever the lateness of each sample.
        self.assertEqual({(end - ends[0]) % 10_000_000 for end in ends}, {0})
        print(f"\n  {names.count('ioctl')} samples, {len(names)} system calls", end=" ")

    def test_resident_memory_is_below_1_megabyte(self):
        with Program() as program:
            program.line_after("^pose portrait$")
            program.signal(signal.SIGHUP)
            program.line_after("says what it said")
            with open(f"/proc/{program.pid}/status", encoding="utf-8") as file:
                status = dict(line.split(":", 1) for line in file.read().splitlines())
            peak = int(status["VmHWM"].split()[0])
            self.assertLess(peak * 1024, 1_000_000)
            print(f"\n  {peak} KiB at most", end=" ")

    def test_the_heap_does_not_grow_after_the_start(self):
        with Program() as program:
            program.line_after("^pose portrait$")
            with open(f"/proc/{program.pid}/maps", encoding="utf-8") as file:
                before = file.read()
            for number in range(20):
                program.signal(signal.SIGUSR1)
                program.line_after("^counters")
            with open(f"/proc/{program.pid}/maps", encoding="utf-8") as file:
                self.assertEqual(file.read(), before)


if __name__ == "__main__":
    unittest.main()
