import FixedPoint
import Sensors
import TestSupport
import Testing

/// The bounds of the sensor's clock, against the arithmetic of its promises.
struct SensorClockBoundTests {
  @Test static func `after one check instants are rounded to the nearest microsecond, and uncertainties up`() {
    let now = Instant(microseconds: 7_000_000)
    for period in (1...400).map({ Int64($0) }) + [1_250, 9_999, 10_000, 15_999_999, 16_000_000] {
      for length in [0, 1, 250] as [Int64] {
        var clock = SensorClock(nominal: Microseconds(period))
        _ = clock.resume(between: now + Microseconds(-length), and: now)
        for number in [-65_535, -100, -3, -1, 0, 1, 2, 77, 65_535] as [Int64] {
          // The newest sample came at most 1.1 periods before the check; the others follow by a period each, within a tenth.
          // In twentieths of a microsecond.
          let middle = -11 * period - 10 * length + 20 * number * period
          let width = 11 * period + 10 * length + 2 * period * Int64(number.magnitude)
          let rounded = Int64((Double(middle) / 20).rounded(.toNearestOrAwayFromZero))
          let off = (clock.instant(of: number) ?? now) - (now + Microseconds(rounded))
          // A tenth of a period is not a multiple of the last bit, which decides a tie.
          let isTie = middle % 20 == 10 || middle % 20 == -10
          let bound = clock.uncertainty(of: number)?.count ?? 0
          let least = (width + 19) / 20
          if off.count.magnitude > (isTie ? 1 : 0) || bound < least || bound > least + 1 {
            Issue.record(
              "period \(period), check of \(length), sample \(number): \(off.count), ± \(bound) for \(width) / 20")
          }
        }
      }
    }
  }

  @Test static func `the period is never taken to be more than a tenth off, however long nothing is seen`() {
    for seconds in [1, 10, 100, 1_000, 1_600, 1_700, 3_000, 3_599] as [Int64] {
      var clock = SensorClock(nominal: .milliseconds(10))
      var now = Instant(microseconds: 1_000_000)
      _ = clock.resume(between: now, and: now)
      for look in 0..<400 as Range<Int64> {
        now = now + Microseconds(250_000 + look * 7_919 % 10_000)
        // The nominal rate, exactly.
        let count = (now.microseconds - 1_000_000) / 10_000 - (clock.newest ?? 0)
        _ = clock.saw(count, between: now, and: now)
      }
      let before = clock.partsPerMillionUncertainty
      now = now + Microseconds(seconds * 1_000_000)
      _ = clock.resume(between: now, and: now)
      let found = Double(clock.partsPerMillionUncertainty)
      let expected = min(100_000, Double(before) + 61.04 * Double(seconds))
      if before > 1_500 || abs(found - expected) > 0.01 * expected + 2 {
        Issue.record("\(seconds) s: \(before), then \(found) for \(expected) ppm")
      }
      // Both ends, not just their mean.
      let ends = [100_000.0, -100_000].map { Double(clock.partsPerMillion) + $0 * found / 100_000 }
      if expected == 100_000, ends.contains(where: { abs($0) > 100_020 }) { Issue.record("\(seconds) s: \(ends)") }
    }
  }
}
