import FixedPoint
import Sensors
import TestSupport
import Testing

/// An oscillator whose period always changes as fast as the sensor's clock allows for, one way or the other.
private struct WanderingOscillator {
  /// When each sample is made, in microseconds.
  private var samples: [Double] = []
  /// The period after each sample.
  private var periods: [Double] = []
  private var cursor = 0

  /// `deviation` is that of the period from `nominal`, as a fraction; it changes its direction after at most `span`
  /// seconds.
  init(nominal: Double, deviation: Double, span: Double, seconds: Double, _ generator: inout SplitMix64) {
    var (time, deviation, slope, turn) = (Double.random(in: 0..<nominal, using: &generator), deviation, 61e-12, 0.0)
    while time < seconds * 1e6 {
      let period = nominal * (1 + deviation)
      samples.append(time)
      periods.append(period)
      time += period
      deviation += slope * period
      if deviation > 0.0999 { slope = -61e-12 }
      if deviation < -0.0999 { slope = 61e-12 }
      if time > turn {
        slope = -slope
        turn = time + span * 1e6 * Double.random(in: 0.2...1, using: &generator)
      }
    }
  }

  /// The number of samples made by `time`, which only grows.
  mutating func count(at time: Double) -> Int64 {
    while cursor < samples.count, samples[cursor] <= time { cursor += 1 }
    return Int64(cursor)
  }

  /// When sample `number` was made, from 1, and the period after it.
  func sample(_ number: Int64) -> (time: Double, period: Double) {
    (samples[Int(number) - 1], periods[Int(number) - 1])
  }
}

/// What the clock promises, for every oscillator within its limits, and what happens beyond them.
struct SensorClockContractTests {
  /// Checks every `size` samples, up to `lateness` late, each check `length` long; returns what was wrong.
  private static func wrongs(
    _ nominal: Int64, size: Int64, lateness: Int64, length: Int64, _ generator: inout SplitMix64
  ) -> [String] {
    let deviation = Double.random(in: -0.0999...0.0999, using: &generator)
    let seconds = 20 + Double(nominal * size) * 60 / 1e6
    var oscillator = WanderingOscillator(
      nominal: Double(nominal), deviation: deviation, span: Double.random(in: 1...40, using: &generator),
      seconds: seconds + 10, &generator)
    var clock = SensorClock(nominal: Microseconds(nominal))
    var (now, seen, first): (Int64, Int64, Int64) = (1_000_000, 0, 0)
    var wrong: [String] = []
    while Double(now) < seconds * 1e6 {
      let (before, after) = (now, now + length)
      let count = oscillator.count(at: Double(before + Int64.random(in: 0...length, using: &generator)))
      let uncertainty = clock.period.uncertainty
      if clock.newest == nil {
        _ = clock.resume(between: Instant(microseconds: before), and: Instant(microseconds: after))
        first = count
      } else if clock.saw(
        count - seen, between: Instant(microseconds: before), and: Instant(microseconds: after)) != count - seen
      {
        wrong.append("miscounted at \(now)")
      }
      seen = count
      guard let newest = clock.newest, let instant = clock.instant(of: newest), let bound = clock.uncertainty,
        let due = clock.instant(of: newest + size)
      else { return wrong + ["nothing known at \(now)"] }
      let truth = oscillator.sample(first + newest)
      let error = abs(Double(instant.microseconds) - truth.time)
      if error > Double(bound.count) + 0.5 { wrong.append("\(error) beyond \(bound.count) µs at \(now)") }
      let period = clock.period
      let off = abs(Double(period.middle) - truth.period * 0x1p20)
      if off > Double(period.uncertainty) + 1 { wrong.append("period \(off) beyond \(period.uncertainty) at \(now)") }
      // A contradiction adds 2^-9.
      if period.uncertainty - uncertainty > nominal << 10 { wrong.append("doubt at \(now)") }
      now = max(after + 50, due.microseconds + Int64.random(in: 0...lateness, using: &generator))
    }
    return wrong
  }

  @Test(arguments: [1_000, 1_250, 10_000, 40_000] as [Int64], [1, 5, 25, 60] as [Int64])
  static func `while the period changes by 61 ppm a second, within a tenth, every bound holds and nothing is doubted`(
    _ nominal: Int64, _ size: Int64
  ) {
    var generator = SplitMix64(seed: UInt64(nominal * size))
    for (lateness, length): (Int64, Int64) in [(0, 0), (0, 300), (20, 0), (1_000, 100), (4_000, 900)] {
      let wrong = wrongs(nominal, size: size, lateness: lateness, length: length, &generator)
      expect(empty: wrong, "\(lateness), \(length): \(wrong.prefix(3)) of \(wrong.count)")
    }
  }

  @Test(arguments: [(1_250, 25), (2_500, 25), (10_000, 5), (10_000, 25), (10_000, 60)] as [(Int64, Int64)])
  static func `after a jump of up to 0_1 % that no prompt check contradicts, the bounds hold again within five minutes`(
    _ nominal: Int64, _ size: Int64
  ) {
    for jump in [-1_000, -300, 300, 1_000] {
      let (change, period) = (30_000_000.0, Double(nominal) * (1 + Double(jump) / 1e6))
      let phase = ((change - 3_000) / Double(nominal)).rounded(.down)
      // Sample `phase` is the last one before the change.
      let last = 3_000 + phase * Double(nominal)
      func sample(_ number: Int64) -> Double {
        let number = Double(number)
        return number <= phase ? 3_000 + number * Double(nominal) : last + (number - phase) * period
      }
      func newest(_ time: Int64) -> Int64 {
        let time = Double(time)
        let number = time < last ? (time - 3_000) / Double(nominal) : phase + (time - last) / period
        return Int64(number.rounded(.down))
      }
      var clock = SensorClock(nominal: Microseconds(nominal))
      var (now, seen, first) = (1_004_000 as Int64, 0 as Int64, 0 as Int64)
      var (worst, late): (Double, Double) = (0, 0)
      while Double(now) < change + 330e6 {
        let (count, instant) = (newest(now), Instant(microseconds: now))
        if clock.newest == nil {
          _ = clock.resume(between: instant, and: instant)
          first = count
        } else {
          // A count that contradicts the bounds by half a period is replaced by that of the elapsed time.
          first += count - seen - clock.saw(count - seen, between: instant, and: instant)
        }
        seen = count
        guard let number = clock.newest, let found = clock.instant(of: number), let bound = clock.uncertainty,
          let due = clock.instant(of: number + size)
        else {
          Issue.record("nothing known at \(now)")
          return
        }
        let beyond = abs(Double(found.microseconds) - sample(first + number)) - Double(bound.count) - 0.5
        worst = max(worst, beyond)
        if beyond > 0 { late = Double(now) }
        now = max(now + 1, due.microseconds)
      }
      expect(worst, isBelow: Double(nominal), "\(jump) ppm: \(worst) µs, until \(late)")
      expect(late, isBelow: change + 300e6, "\(jump) ppm: \(worst) µs, until \(late)")
    }
  }

  @Test static func `whatever is counted, the period is within a tenth, and its shortest is not beyond its longest`() {
    var generator = SplitMix64(seed: 7)
    for run in 0..<300 {
      let nominal = [1, 1_000, 1_250, 10_000, 40_000, 16_000_000][run % 6] as Int64
      var clock = SensorClock(nominal: Microseconds(nominal))
      var now = Int64.random(in: 0...1_000_000, using: &generator)
      _ = clock.resume(between: Instant(microseconds: now), and: Instant(microseconds: now))
      for query in 0..<100 {
        // Mostly at the edge of what is possible; sometimes far later, or with a count that is impossible.
        let ahead = Int64.random(in: 0...60, using: &generator)
        guard let newest = clock.newest, let due = clock.instant(of: newest + ahead),
          let bound = clock.uncertainty(of: newest + ahead)
        else {
          Issue.record("nothing known")
          return
        }
        let edge = Int64.random(in: -1...1, using: &generator)
        now = max(now + 1, due.microseconds + edge * bound.count)
        if query % 17 == 0 { now += Int64.random(in: 0...10_000_000, using: &generator) }
        let length = Int64.random(in: 0...nominal, using: &generator)
        let count = ahead + (Int64.random(in: 0...20, using: &generator) == 0 ? 3 : 0) - (edge < 0 ? 1 : 0)
        _ = clock.saw(count, between: Instant(microseconds: now), and: Instant(microseconds: now + length))
        now += length
        let (middle, uncertainty) = clock.period
        let far = (clock.uncertainty(of: (clock.newest ?? 0) + 100) ?? .zero).count
        if uncertainty < 0 || abs(middle - nominal << 20) + uncertainty > (nominal << 20) / 10 + 2
          || far < (clock.uncertainty?.count ?? 0)
        {
          Issue.record("\(nominal): \(middle) ± \(uncertainty), 100 samples ahead ± \(far) µs, at \(now)")
          return
        }
      }
    }
  }
}
