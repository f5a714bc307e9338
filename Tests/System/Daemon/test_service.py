"""plumbd under a service manager: what it reports to it, and how much it asks of the system."""

import errno
import os
import re
import signal
import socket
import tempfile
import time
import unittest

from kernel import Kernel
from program import PATIENCE, PLUMBD, Manager, Program, traced, wait_until
from sensors import ADXL345


class Notification(unittest.TestCase):
    def check(self, name):
        manager = Manager(name)
        self.addCleanup(manager.socket.close)
        environment = {"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "1600000"}
        sensor = ADXL345()
        with Program(Kernel({0x53: sensor}), environment=environment) as program:
            self.assertEqual(manager.message(), "READY=1\nSTATUS=pose unknown: no sample yet")
            ready = manager.sent
            self.assertEqual(manager.message_after("STATUS"), "STATUS=pose: portrait")
            # At half of the required interval, counted from the first: a busy machine can only add to that.
            sent = []
            for _ in range(5):
                self.assertEqual(manager.message(), "WATCHDOG=1")
                sent.append(manager.sent)
            self.assertGreater(sent[-1] - ready, 5 * 0.8 - 0.1)
            self.assertLess(min(then - now for now, then in zip(sent, sent[1:])), 1.2)
            sensor.fault = errno.EREMOTEIO
            self.assertIn("no acknowledge from 0x53", manager.message_after("^STATUS=pose unknown: no ack"))
            manager.message_after("^WATCHDOG=1$")
            self.assertEqual(program.stop(), 0)
            manager.message_after("^STOPPING=1$")

    def test_it_notifies_a_socket_with_a_path(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check(os.path.join(folder, "notify"))

    def test_it_notifies_an_abstract_socket(self):
        self.check(f"@plumbd-test-{os.getpid()}")

    def test_the_watchdog_is_not_notified_for_another_process(self):
        manager = Manager(f"@plumbd-other-{os.getpid()}")
        self.addCleanup(manager.socket.close)
        environment = {"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"}
        with Program(environment=environment) as program:
            manager.message_after("STATUS=pose: portrait")
            time.sleep(0.3)
            self.assertEqual(program.stop(), 0)
            self.assertEqual(manager.message(), "STOPPING=1")

    def test_a_missing_manager_causes_no_trouble(self):
        with Program(environment={"NOTIFY_SOCKET": "/nonexistent/notify"}) as program:
            program.line_after("^pose: portrait$")
            self.assertEqual(program.stop(), 0)


class Journal(unittest.TestCase):
    def lines(self, environment_of):
        """The lines on a socket like the journal's, including a fault; `environment_of` derives the program's
        environment from the socket."""
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE)
        self.addCleanup(ours.close)
        status = os.fstat(theirs.fileno())
        sensor = ADXL345()
        kernel = Kernel({0x53: sensor})
        with Program() as spare:  # for its board file; the sensor is another
            pid = kernel.start(
                [PLUMBD, "--board", spare.file],
                environment_of(status), stdout=theirs.fileno())
            theirs.close()
            text = b""
            for count in (2, 3):
                while text.count(b"\n") < count:
                    self.assertNotEqual(more := ours.recv(4096), b"", f"it ended: {text}")
                    text += more
                sensor.fault = errno.EREMOTEIO
            os.kill(pid, signal.SIGTERM)
            os.waitpid(pid, 0)
        return text.decode().splitlines()

    def test_lines_have_their_priority_if_the_journal_reads_them(self):
        lines = self.lines(lambda status: {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"})
        self.assertEqual([line[:3] for line in lines[:3]], ["<6>", "<6>", "<4>"])

    def test_lines_are_plain_if_it_does_not(self):
        for environment in ({}, {"JOURNAL_STREAM": "1:2"}, {"JOURNAL_STREAM": "nonsense"}):
            for line in self.lines(lambda status, environment=environment: environment)[:3]:
                self.assertNotIn("<", line[:1])


class Economy(unittest.TestCase):
    def trace(self, count):
        """What strace records of the program from its first pose until it has taken `count` samples."""
        with tempfile.NamedTemporaryFile() as log:
            # -D makes the program our child and strace our grandchild.
            with Program(before=["strace", "-D", "-ttt", "-o", log.name]) as program:
                sensor = program.kernel.targets[0x53]
                program.line_after("^pose: portrait$")
                enough = sensor.samples + count
                wait_until(lambda: sensor.samples >= enough, f"{count} samples")
                self.assertEqual(program.stop(), 0)
            return traced(log.name)

    def test_a_sample_takes_two_alternating_system_calls(self):
        calls = [line.split(" ", 1)[1] for line in self.trace(250)]
        names = [call.split("(")[0] for call in calls]
        waits = names.count("epoll_pwait2")
        # One wait, one I2C_RDWR, and so on; the signal interrupts either. About once a second three more check that the
        # sensor's configuration is unchanged.
        turns = "".join({"epoll_pwait2": "w", "ioctl": "i"}.get(name, "?") for name in names)
        self.assertRegex(turns, "^(wi(iii)?)*(w|wi{2,3})?$")
        self.assertGreater(len(re.findall("wi(?=w)", turns)), 240)
        self.assertLessEqual(turns.count("wiiii"), waits // 80 + 1)
        for call in [call for call in calls if call.startswith("ioctl")]:
            self.assertRegex(call, r"^ioctl\(\d+, (I2C_RDWR|_IOC\(_IOC_NONE, 0x7, 0x7, 0\)), ")
        print(f"\n  {waits} samples, {len(names)} system calls", end=" ")

    def test_lateness_does_not_add_up(self):
        # Deadlines lie on one 10 ms grid, however late each sample is. strace sees a wait begin a little after its
        # time-out was computed, never before, so many but not all end just after the grid. If lateness accumulated, no
        # grid would match more than a few. A busy machine can hide the grid, but not every time.
        for _ in range(10):
            ends = []
            for line in self.trace(250):
                wait = re.match(r"(\d+)\.(\d{6}) epoll_pwait2\(\d+, .*{tv_sec=(\d+), tv_nsec=(\d+)}", line)
                length = int(wait[3]) * 10**6 + int(wait[4]) // 1000 if wait else 0
                # A wait of zero length is for a sample that is already late.
                if length > 0:
                    ends.append(int(wait[1]) * 10**6 + int(wait[2]) + length)

            def close(grid, part):
                return sum((end - grid) % 10_000 < 400 for end in part)

            grid = max(ends, key=lambda end, ends=ends: close(end, ends))
            third = len(ends) // 3
            parts = (ends[:third], ends[third:-third], ends[-third:])
            share = min(close(grid, part) / len(part) for part in parts)
            if share > 0.25:
                break
        self.assertGreater(share, 0.25)

    def test_resident_memory_is_about_1_mebibyte(self):
        with Program() as program:
            program.line_after("^pose: portrait$")
            program.signal(signal.SIGHUP)
            program.line_after("has not changed")
            with open(f"/proc/{program.pid}/status", encoding="utf-8") as file:
                status = dict(line.split(":", 1) for line in file.read().splitlines())
            peak = int(status["VmHWM"].split()[0])
            # The program's own: stack, globals, relocations.
            self.assertLess(int(status["RssAnon"].split()[0]), 256)
            # The kernel maps the 16 pages of code around a faulting one. Where functions lie decides about one such
            # block more or less, 64 KiB: two programs with the same 200 KiB of their own took 1,028 and 1,096 KiB.
            self.assertLess(peak, 1100 + 64)
            print(f"\n  {peak} KiB at most", end=" ")

    def test_samples_find_all_their_code_resident(self):
        def faults(program):
            with open(f"/proc/{program.pid}/stat", encoding="utf-8") as file:
                minor, _, major = file.read().rpartition(")")[2].split()[7:10]
            return int(minor) + int(major)

        # Once in five programs: where the computer stalls, other code is needed as well.
        for _ in range(5):
            with Program() as program:
                program.line_after("^pose: portrait$")
                with open(f"/proc/{program.pid}/smaps", encoding="utf-8") as file:
                    parts = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", file.read(), flags=re.M)[1:]
                # After a second everything that happens once a second has happened: watchdog, configuration.
                time.sleep(1.5)
                before = faults(program)
                time.sleep(1.5)
                after = faults(program)
            if after == before:
                break

        def kibibytes(field, rights):
            of_program = [part for part in parts if part.splitlines()[0].endswith(PLUMBD) and f" {rights} " in part]
            return sum(int(re.search(rf"^{field}: *(\d+) kB", part, re.M)[1]) for part in of_program)

        self.assertEqual(after, before)
        if kibibytes("Locked", "r-xp") == 0:
            self.skipTest("this account may not lock memory")
        # Our own code but for the diagnosis, the stream and the drivers of other sensors.
        self.assertGreater(kibibytes("Rss", "r-xp"), 250)
        self.assertLess(kibibytes("Rss", "r-xp"), kibibytes("Size", "r-xp") - 100)
        # The unwind tables.
        self.assertLess(kibibytes("Rss", "r--p"), kibibytes("Size", "r--p") - 40)

    def test_the_heap_does_not_grow_after_the_start(self):
        with Program() as program:
            program.line_after("^pose: portrait$")
            with open(f"/proc/{program.pid}/maps", encoding="utf-8") as file:
                before = file.read()
            for number in range(20):
                program.signal(signal.SIGUSR1)
                program.line_after("^counters")
            with open(f"/proc/{program.pid}/maps", encoding="utf-8") as file:
                self.assertEqual(file.read(), before)


if __name__ == "__main__":
    unittest.main()
