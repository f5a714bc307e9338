"""plumbd with samples that wait in the sensor: its cost, and that it misses no sample, pose or loss."""

import re
import signal
import time
import unittest

from costs import ADDRESSES, Bench, board_of, costs, go_first
from kernel import Kernel
from program import WORDS, Program
from sensors import POSES, WaitingADXL345


def setUpModule():
    go_first()


def tearDownModule():
    go_first(False)


class Economy(unittest.TestCase):
    def check(self, model, joins, most):
        """At most one wait per 20 samples, which is five a second, and at most `most` system calls per sample."""
        # On a busy machine a batch may come so late that samples are lost, and detecting that costs more.
        for _ in range(6):
            cost = costs(model, "batch = 25\n", joins=joins)
            if cost.lost == 0:
                break
        else:
            self.skipTest("samples were lost in each of six runs: the machine is too busy")
        self.assertEqual(set(cost.calls), {"epoll_pwait2", "ioctl"})
        self.assertGreater(cost.samples, 900)
        self.assertLessEqual(20 * cost.waits, cost.samples)
        self.assertLessEqual(len(cost.calls), most * cost.samples)
        print(f"\n  {model}: {cost.samples} samples, {cost.waits} waits, {len(cost.calls)} system calls", end=" ")

    def test_an_adxl345_on_an_adapter_that_joins_reads_costs_at_most_035_system_calls_a_sample(self):
        self.check("adxl345", True, 0.35)

    def test_an_mpu6050_costs_at_most_035_on_any_adapter(self):
        self.check("mpu6050", False, 0.35)

    def test_an_adxl345_on_an_adapter_that_refuses_joined_reads_costs_one_and_an_eighth(self):
        self.check("adxl345", False, 1.125)


class Samples(unittest.TestCase):
    def test_it_reports_its_board_and_how_well_it_knows_the_time(self):
        for model in ADDRESSES:
            with self.subTest(model=model), Bench(model) as bench:
                self.assertRegex(bench.program.line(), r", 100 Hz; lines of emulated; batches of 25$")
                bench.program.line_after("^pose: portrait$")
                bench.wait_for(1000)
                *_, line = bench.counters()
                clock = re.search(r"clock runs ([\d.]+) % (fast|slow), .* right to ([\d.]+) ms$", line)
                self.assertTrue(clock, line)
                # The models' oscillators run one percent fast; on a busy machine the estimate is less certain.
                percent = float(clock[1]) if clock[2] == "fast" else -float(clock[1])
                self.assertLess(abs(percent - 1), 1.5, line)
                self.assertEqual(bench.program.stop(), 0)

    def test_each_pose_is_reported_once_within_a_batch(self):
        for model in ADDRESSES:
            # Without fusion, to which a force that jumps while nothing turns is not a turn.
            with self.subTest(model=model), Bench(model, pose="faceUp", is_fused=False) as bench:
                bench.program.line_after("^pose: face up$")
                for pose in list(POSES)[:4]:
                    bench.sensor.pose = pose
                    before = bench.sensor.samples
                    self.assertEqual(bench.program.line(), f"pose: {WORDS[pose]}")
                    # Filter and dwell take as long as without batches; then comes the rest of the batch.
                    self.assertLess(bench.sensor.samples - before, 200)

    def others(self, bench):
        """The sensor's samples that are neither taken nor lost, by how many they may be fewer, and the counters."""
        before = bench.sensor.samples
        counters = bench.counters()
        after = bench.sensor.samples
        return after - counters[0] - counters[1], after - before, counters

    def test_lost_samples_are_reported_with_their_number_and_counted(self):
        for model, seconds in [("adxl345", 1.5), ("mpu6050", 2)]:
            with self.subTest(model=model), Bench(model) as bench:
                bench.program.line_after("^pose: portrait$")
                bench.wait_for(500)
                # Samples that the start skipped, and those still waiting.
                others, doubt, _ = self.others(bench)
                bench.program.signal(signal.SIGSTOP)
                time.sleep(seconds)
                bench.program.signal(signal.SIGCONT)
                told = bench.program.line_after(r"\d+ samples? (was|were) lost")
                bench.wait_for(100)
                others_now, doubt_now, (_, lost, line) = self.others(bench)
                # After it was full, an ADXL345 discards some more samples, and an MPU-6050 all that it holds.
                self.assertGreater(bench.sensor.lost, 0)
                self.assertGreaterEqual(lost, bench.sensor.lost, line)
                self.assertGreaterEqual(lost, int(re.search(r"(\d+) samples were lost", told)[1]), line)
                # Each sample was taken or reported as lost, except those that time alone cannot assign to either side.
                self.assertLessEqual(abs(others_now - others), 32 + doubt + doubt_now, line)
                self.assertEqual(bench.program.stop(), 0)

    def test_a_data_ready_wire_is_not_requested(self):
        sensor = WaitingADXL345()
        text = board_of("adxl345", "batch = 25\ndata-ready = 4\n")
        with Program(Kernel({0x53: sensor}), text) as program:
            self.assertRegex(program.line(), "; batches of 25$")
            program.line_after("^pose: portrait$")
            self.assertEqual(program.stop(), 0)

    def test_at_the_fastest_rates_every_sample_is_taken_or_reported_lost(self):
        for model, rate in [("adxl345", 800), ("mpu6050", 1000)]:
            with self.subTest(model=model), Bench(model, rate=rate) as bench:
                bench.program.line_after("^pose: portrait$")
                bench.wait_for(2 * rate)
                # Exactly what the sensor lost, on a machine that was too busy, is reported. The sensor goes on while the
                # counters are asked for.
                made, missing = bench.sensor.samples, bench.sensor.lost
                taken, lost, line = bench.counters()
                self.assertLessEqual(made - taken - lost, 0.15 * rate, line)
                self.assertGreaterEqual(lost + 40, missing, line)


if __name__ == "__main__":
    unittest.main()
