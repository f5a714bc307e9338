import FixedPoint
import Sensors
import TestSupport
import Testing

/// When samples were made, derived from their number.
struct SensorClockTests {
  /// Checks every `size` samples for `seconds`, each check up to `lateness` late and `length` long. Returns the
  /// largest error and the largest bound after `settled`, and what was wrong.
  private static func run(
    _ oscillator: Oscillator, size: Int64, seconds: Double, lateness: Int64, length: Int64, settled: Double = 10
  ) -> (error: Double, bound: Double, wrong: [String]) {
    var generator = SplitMix64(seed: UInt64(size))
    var clock = SensorClock(nominal: Microseconds(Int64(oscillator.period)))
    var (now, seen, first): (Int64, Int64, Int64) = (1_000_000, 0, 0)
    var result = (error: 0.0, bound: 0.0, wrong: [String]())
    let end = (seconds + 1) * 1e6
    while Double(now) < end {
      let before = now
      // The part counts at some moment of the check.
      let count = oscillator.newest(at: Double(before + Int64.random(in: 0...length, using: &generator)))
      let after = before + length
      if clock.newest == nil {
        _ = clock.resume(between: Instant(microseconds: before), and: Instant(microseconds: after))
        first = count
      } else {
        let made = clock.saw(count - seen, between: Instant(microseconds: before), and: Instant(microseconds: after))
        if made != count - seen { result.wrong.append("\(made) for \(count - seen) at \(now)") }
      }
      seen = count
      guard let newest = clock.newest, let instant = clock.instant(of: newest), let bound = clock.uncertainty,
        let due = clock.instant(of: newest + size)
      else {
        result.wrong.append("nothing known at \(now)")
        return result
      }
      let error = (Double(instant.microseconds) - oscillator.sample(first + newest)).magnitude
      if error > Double(bound.count) + 0.5 { result.wrong.append("\(error) beyond \(bound.count) at \(now)") }
      let rate = clock.partsPerMillion
      let trueRate = oscillator.partsPerMillion + oscillator.drift * Double(now) / 1e6
      if (Double(rate) - trueRate).magnitude > Double(clock.partsPerMillionUncertainty) * 1.05 + 2 {
        result.wrong.append("\(rate) for \(trueRate) ± \(clock.partsPerMillionUncertainty) at \(now)")
      }
      if Double(now) > (settled + 1) * 1e6 {
        if error > result.error { result.error = error }
        if Double(bound.count) > result.bound { result.bound = Double(bound.count) }
      }
      now = max(after + 1, due.microseconds + Int64.random(in: 0...lateness, using: &generator))
    }
    return result
  }

  static let oscillators: [Oscillator] = [1_000.0, 1_250, 10_000, 40_000].flatMap { period in
    [(-20_000.0, 0.0), (0, 0), (20_000, 0), (-20_000, 50), (20_000, -50), (0, 20), (3_000, -5)].map {
      Oscillator(period: period, partsPerMillion: $0, drift: $1)
    }
  }

  @Test(arguments: oscillators)
  static func `for any oscillator the error stays within the bound, and no sample is miscounted`(
    _ oscillator: Oscillator
  ) {
    for size: Int64 in [1, 25, 60] {
      for (lateness, length): (Int64, Int64) in [(0, 0), (0, 300), (400, 500), (4_000, 900)] {
        let result = run(oscillator, size: size, seconds: 40, lateness: lateness, length: length)
        expect(
          empty: result.wrong, "\(size), \(lateness), \(length): \(result.wrong.prefix(3)) of \(result.wrong.count)")
      }
    }
  }

  @Test(arguments: [(1_000.0, 12.0), (1_250, 12), (10_000, 200)])
  static func `after ten seconds of prompt checks at 25 samples a time the bound is small`(
    _ row: (period: Double, bound: Double)
  ) {
    for partsPerMillion in [-20_000.0, 0, 20_000] {
      let oscillator = Oscillator(period: row.period, partsPerMillion: partsPerMillion, drift: 10)
      let result = run(oscillator, size: 25, seconds: 120, lateness: 0, length: 0)
      expect(result.bound, isAtMost: row.bound, "\(partsPerMillion): \(result)")
      expect(that: result.wrong.isEmpty, "\(partsPerMillion): \(result)")
    }
  }

  @Test static func `an oscillator that jumps is followed again, and its samples are counted all the while`() {
    var oscillator = Oscillator(period: 10_000, partsPerMillion: 0, drift: 0)
    var clock = SensorClock(nominal: .milliseconds(10))
    var (seen, now): (Int64, Int64) = (0, 1_000_000)
    var shift: Int64 = 0
    for look in 0..<800 {
      if look == 400 {
        // Half a percent faster from one check to the next, far more than is allowed for.
        let (phase, count) = (oscillator.own(Double(now)), oscillator.newest(at: Double(now)))
        oscillator.partsPerMillion = 5_000
        let other = oscillator.own(Double(now))
        oscillator.phase += other - phase
        shift = count - oscillator.newest(at: Double(now))
      }
      let count = oscillator.newest(at: Double(now)) + shift
      let instant = Instant(microseconds: now)
      if clock.newest == nil {
        _ = clock.resume(between: instant, and: instant)
      } else {
        expect(clock.saw(count - seen, between: instant, and: instant), equals: count - seen, "\(look)")
      }
      seen = count
      now += 250_000 + Int64(look * 7_919 % 10_000)
    }
    expect(abs(clock.partsPerMillion - 5_000), isAtMost: clock.partsPerMillionUncertainty)
    expect(clock.partsPerMillionUncertainty, isAtMost: 600)
  }

  @Test static func `the samples of a gap are counted by time, and the clock continues`() {
    let oscillator = Oscillator(period: 1_250, partsPerMillion: 15_000, drift: 0)
    for gap: Int64 in [50_000, 1_000_000, 20_000_000] {
      var clock = SensorClock(nominal: Microseconds(1_250))
      var (seen, now): (Int64, Int64) = (0, 1_000_000)
      for look in 0..<900 {
        let count = oscillator.newest(at: Double(now))
        let instant = Instant(microseconds: now)
        if look == 0 {
          _ = clock.resume(between: instant, and: instant)
        } else if look == 800 {
          // Half-way between two samples there is no doubt.
          let middle = (oscillator.sample(count) + oscillator.sample(count + 1)) / 2
          let then = Instant(microseconds: Int64(middle))
          let made = clock.resume(between: then, and: then)
          expect(abs(made - (count - seen)), isAtMost: gap > 10_000_000 ? 1 : 0, "\(gap): \(made) for \(count - seen)")
        } else {
          _ = clock.saw(count - seen, between: instant, and: instant)
        }
        seen = count
        now = max(now + 1_000, clock.instant(of: (clock.newest ?? 0) + 25)?.microseconds ?? 0)
        if look == 799 { now += gap }
      }
      expect(clock.uncertainty ?? .seconds(1), isAtMost: Microseconds(20))
    }
  }

  @Test static func `a wrong count is not believed`() {
    for wrong: Int64 in [-3, 2, 40] {
      let oscillator = Oscillator(period: 10_000, partsPerMillion: -4_000, drift: 0)
      var clock = SensorClock(nominal: .milliseconds(10))
      var (seen, now): (Int64, Int64) = (0, 1_000_000)
      for look in 0..<100 {
        let (count, instant) = (oscillator.newest(at: Double(now)), Instant(microseconds: now))
        if look == 0 {
          _ = clock.resume(between: instant, and: instant)
        } else {
          let told = count - seen + (look == 80 ? wrong : 0)
          expect(clock.saw(told, between: instant, and: instant), equals: count - seen, "\(look)")
        }
        seen = count
        now += 253_000
      }
    }
  }

  /// A clock that has been checked for a minute, each time when the fifth sample from then is due, with a sample
  /// every 10 ms: at 3 ms, 13 ms and so on.
  private static func settled() -> SensorClock {
    var clock = SensorClock(nominal: .milliseconds(10))
    var (seen, now) = (0 as Int64, 1_004_000 as Int64)
    while now < 60_000_000 {
      let (count, instant) = ((now - 3_000) / 10_000, Instant(microseconds: now))
      if seen == 0 {
        _ = clock.resume(between: instant, and: instant)
      } else {
        _ = clock.saw(count - seen, between: instant, and: instant)
      }
      seen = count
      now = max(now + 1_000, clock.instant(of: (clock.newest ?? 0) + 5)?.microseconds ?? 0)
    }
    return clock
  }

  @Test(arguments: [0, 1_000, 4_000] as [Int64])
  static func `a contradictory check widens the bounds by a period, and the period by 0.2 %, at any length`(
    _ length: Int64
  ) throws {
    // A sample that is 2 ms too early, or one that is not there 2 ms after it was due.
    for isEarly in [true, false] {
      var clock = settled()
      let newest = try require(clock.newest)
      let due = try require(clock.instant(of: newest + 20)).microseconds
      let end = Instant(microseconds: isEarly ? due - 2_000 : due + 2_000 + length)
      let before = clock.partsPerMillionUncertainty
      expect(before, isBelow: 300)
      expect(clock.uncertainty ?? .seconds(1), isBelow: Microseconds(600))
      let made: Int64 = isEarly ? 20 : 19
      expect(clock.saw(made, between: end + Microseconds(-length), and: end), equals: made)
      let wide = clock.uncertainty ?? .zero
      expect(wide, isAbove: Microseconds(4_900), "\(isEarly): \(wide)")
      expect(wide, isBelow: Microseconds(5_300), "\(isEarly): \(wide)")
      let doubt = clock.partsPerMillionUncertainty - before
      expect(doubt, isAbove: 1_900, "\(isEarly): \(doubt)")
      expect(doubt, isBelow: 2_100, "\(isEarly): \(doubt)")
    }
  }

  @Test(arguments: [1, 10, 100] as [Int64])
  static func `without checks the period may change by 61 ppm a second`(_ seconds: Int64) throws {
    var clock = settled()
    let newest = try require(clock.newest)
    let before = clock.partsPerMillionUncertainty
    let then = try require(clock.instant(of: newest + seconds * 100)) + Microseconds(5_000)
    _ = clock.resume(between: then, and: then)
    // 2^-14 is 61.04 ppm.
    let wider = Double(clock.partsPerMillionUncertainty - before) / Double(seconds)
    expect(abs(wider - 61.04), isBelow: 1.5, "\(wider)")
  }

  @Test(arguments: [5, 25, 60] as [Int64], [300, 1_000] as [Int64])
  static func `a jump of the oscillator makes the period uncertain by another 0.2 %, but not for long`(
    _ size: Int64, _ lateness: Int64
  ) {
    let leaps = [-20_000.0, -5_000, -2_000, -1_000, -300, 100, 300, 1_000]
    // A jump of more than an eighth of a period within a batch can look like a wrong count.
    for leap in leaps where Double(size) * abs(leap) <= 125_000 {
      var clock = SensorClock(nominal: .milliseconds(10))
      let (change, period) = (30_000_000.0, 10_000 / (1 + leap / 1e6))
      let phase = (change - 3_000) / 10_000
      func newest(_ time: Int64) -> Int64 {
        let time = Double(time)
        return Int64((time < change ? (time - 3_000) / 10_000 : phase + (time - change) / period).rounded(.down))
      }
      var (seen, first, now, doubts) = (0 as Int64, 0 as Int64, 1_004_000 as Int64, 0)
      var wrong: [String] = []
      while now < 100_000_000 {
        let (count, instant, before) = (newest(now), Instant(microseconds: now), clock.partsPerMillionUncertainty)
        if clock.newest == nil {
          _ = clock.resume(between: instant, and: instant)
          first = count
        } else if clock.saw(count - seen, between: instant, and: instant) != count - seen {
          wrong.append("miscounted at \(now)")
        }
        let after = clock.partsPerMillionUncertainty
        if after > before + 100 {
          doubts += 1
          // 2^-9 is 1953 ppm.
          if after < 1_950 || Double(now) < change { wrong.append("\(before) to \(after) ppm at \(now)") }
        }
        seen = count
        let due = clock.instant(of: (clock.newest ?? 0) + size)?.microseconds ?? 0
        // Every delay up to the limit, one after another.
        now = max(now + 1_000, due + count * 7_919 % lateness)
      }
      let truth = change + (Double(seen) - phase) * period
      let instant = clock.instant(of: seen - first)?.microseconds ?? 0
      let (bound, rate) = (clock.partsPerMillionUncertainty, clock.partsPerMillion)
      if abs(Double(instant) - truth) > Double(clock.uncertainty?.count ?? 0) + 1 {
        wrong.append("\(instant) for \(truth)")
      }
      if abs(Double(rate) - leap) > Double(bound) * 1.05 + 2 || bound > 600 { wrong.append("\(rate) ± \(bound) ppm") }
      if leap <= -1_000 && doubts == 0 { wrong.append("no doubt") }
      if !wrong.isEmpty { Issue.record("\(leap) ppm: \(wrong.prefix(3)) of \(wrong.count)") }
    }
  }

  @Test static func `the period is at least a microsecond and at most 16 s`() {
    for (asked, period) in [(-5, 1), (0, 1), (1, 1), (15_999_999, 15_999_999), (16_000_000, 16_000_000)]
      as [(Int64, Int64)]
    {
      expect(SensorClock(nominal: Microseconds(asked)).period.middle, equals: period << 20, "\(asked)")
    }
    expect(SensorClock(nominal: .seconds(17)).period.middle, equals: 16_000_000 << 20)
  }

  @Test(arguments: [(3_000, true), (4_500, true), (5_500, false), (-3_000, true), (-4_500, true), (-5_500, false)])
  static func `a count is believed up to half a period beyond the bounds`(_ late: Int64, _ isBelieved: Bool) throws {
    var clock = settled()
    let newest = try require(clock.newest)
    let uncertain = try require(clock.uncertainty(of: newest + 20)).count
    let due = try require(clock.instant(of: newest + 20)).microseconds
    // A sample that long before it was due, or one missing that long after.
    let end = Instant(microseconds: due + late + (late < 0 ? -uncertain : uncertain))
    let made: Int64 = late < 0 ? 20 : 19
    expect((clock.saw(made, between: end, and: end) == made), equals: isBelieved)
  }

  @Test static func `instants are known for 65,535 samples to either side`() throws {
    let clock = settled()
    let newest = try require(clock.newest)
    for number in [newest - 65_535, newest, newest + 65_535] {
      expect(clock.instant(of: number), isNot: nil)
      expect(clock.uncertainty(of: number), isNot: nil)
    }
    for number in [newest - 65_536, newest + 65_536] {
      expect(clock.instant(of: number), equals: nil)
      expect(clock.uncertainty(of: number), equals: nil)
    }
  }

  @Test static func `an hour of silence, or a clock that runs backwards, restarts it`() {
    var clock = SensorClock(nominal: .milliseconds(10))
    expect(clock.newest, equals: nil)
    expect(clock.uncertainty, equals: nil)
    expect(clock.instant(of: 0), equals: nil)
    let instants: [Int64] = [5_000_000, 5_250_000, 4_000_000_000, 1_000_000, Int64.max / 4, 0]
    for instant in instants {
      let now = Instant(microseconds: instant)
      expect(clock.saw(25, between: now, and: now), isIn: 0...25)
      expect(clock.uncertainty ?? .zero, isAtMost: Microseconds(6_000))
    }
    clock.restart()
    expect(clock.newest, equals: nil)
    // A check an hour or more after the last one restarts; an earlier one continues.
    for (seconds, isNew) in [(Int64(3_500), false), (3_600, true), (3_700, true)] {
      var clock = SensorClock(nominal: .milliseconds(100))
      let (start, end) = (Instant(microseconds: 0), Instant(microseconds: seconds * 1_000_000))
      _ = clock.saw(0, between: start, and: start)
      let before = clock.newest
      expect(clock.saw(seconds * 10, between: end, and: end), equals: isNew ? 0 : seconds * 10, "\(seconds)")
      expect(clock.newest, equals: before.map { $0 + (isNew ? 0 : seconds * 10) }, "\(seconds)")
    }
  }
}
