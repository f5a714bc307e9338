import FixedPoint
import HAL
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// A gyroscope that fails beside a working accelerometer, and one that is only quiet.
struct QuietGyroscopeTests {
  private static let period: Int64 = 10_000

  /// The reports, by the number of their sample.
  struct Told: Equatable {
    var faults: [Int] = []
    var causes: [SensorError] = []
    var recoveries: [Int] = []
  }

  /// Feeds rotations at 100 Hz, in LSB of 1/16.4 °/s, with a force that differs from sample to sample.
  private static func run(_ rotations: [(Int32, Int32, Int32)], turningAt turns: Set<Int> = [], to axis: Int = 0)
    -> Told
  {
    var monitor = Monitor(
      Monitor.Configuration(
        period: Microseconds(Self.period), fullScale: Q16(whole: 8), rotationFullScale: lsb(32_767)),
      at: Instant(microseconds: 0))
    var told = Told()
    var isUpright = true
    let (most, rest) = (Q16(9, over: 10), Q16(2, over: 10))
    // Millions of samples: no set and no pair is made for each.
    for index in rotations.indices {
      let rotation = rotations[index]
      if !turns.isEmpty, turns.contains(index) { isUpright.toggle() }
      let noise = Int32(index % 2) * 64
      // Turned far enough for a single axis to show it: the others stay the same within noise.
      var force = Vector3(x: Q16(raw: noise), y: most, z: rest)
      if !isUpright {
        switch axis {
        case 0: force.x = Q16(raw: 30_000 + noise)
        case 1: force.y = Q16(raw: 40_000)
        default: force.z = Q16(raw: 30_000)
        }
      }
      let measurement = Measurement(
        force: force, rotation: Vector3(x: lsb(rotation.0), y: lsb(rotation.1), z: lsb(rotation.2)))
      let report = monitor.sampled(measurement, at: Instant(microseconds: Int64(index) * Self.period))
      for number in 0..<report.events.count {
        switch report.events[number]?.event {
        case .trouble(.fault, let cause?):
          told.faults.append(index)
          told.causes.append(cause)
        case .recovered: told.recoveries.append(index)
        default: break
        }
      }
    }
    return told
  }

  private static func lsb(_ count: Int32) -> Q16 { Q16(raw: Int32((Double(count) * 65_536 / 16.4).rounded())) }

  /// Noise that changes `percent` of the samples.
  private static func noisy(_ count: Int, percent: Int) -> [(Int32, Int32, Int32)] {
    var generator = SplitMix64(seed: 9)
    var wobble: Int32 = 0
    return (0..<count).map { _ in
      if Int.random(in: 0..<100, using: &generator) < percent { wobble = 1 - wobble }
      return (44 + wobble, -10, 29)
    }
  }

  private static func held(_ count: Int, _ rotation: (Int32, Int32, Int32) = (44, -10, 29)) -> [(Int32, Int32, Int32)] {
    Array(repeating: rotation, count: count)
  }

  @Test static func `a gyroscope that had noise is frozen at the 32nd sample equal to the one before`() {
    let told = run(noisy(500, percent: 100) + held(300, (7, 8, 9)))
    expect(told.faults, equals: [500 + 32])
    expect(told.causes, equals: [.frozen])
    expect(told.recoveries, equals: [])
  }

  @Test static func `a frozen gyroscope is trusted again at the first sample that differs`() {
    let told = run(noisy(500, percent: 100) + held(100, (7, 8, 9)) + noisy(100, percent: 100))
    expect(told.faults, equals: [532])
    expect(told.recoveries, equals: [600])
  }

  @Test(arguments: [3, 10, 30, 50, 70])
  static func `a gyroscope with noise below an LSB is not frozen in an hour at rest`(_ percent: Int) {
    expect(run(noisy(360_000, percent: percent)), equals: Told())
  }

  @Test static func `a gyroscope without any noise is not frozen as long as the board rests`() {
    expect(run(held(60_000)), equals: Told())
    expect(run(held(60_000, (0, 0, 0))), equals: Told())
  }

  @Test static func `a gyroscope that misses a turn of the board is frozen, 5 s after its last change`() {
    for axis in 0..<3 {
      let told = run(held(2_000), turningAt: [300], to: axis)
      expect(told.faults, equals: [500], "\(axis)")
      expect(told.causes, equals: [.frozen], "\(axis)")
      expect(run(held(2_000), turningAt: [900], to: axis).faults, equals: [900], "\(axis)")
    }
    expect(run(noisy(300, percent: 10) + held(300) + noisy(300, percent: 10), turningAt: [300]), equals: Told())
  }

  @Test static func `a gyroscope that shows the same fast turn for 5 s to the last bit is frozen`() {
    let told = run(held(2_000, (0, 0, 700)))
    expect(told.faults, equals: [500])
    expect(told.causes, equals: [.frozen])
    // Within a gyroscope's offset at rest.
    expect(run(held(2_000, (0, 0, 600))), equals: Told())
  }

  @Test static func `an axis at the end of its range is a fast turn for 5 s, then a fault`() {
    func spun(_ count: Int) -> [(Int32, Int32, Int32)] {
      (0..<count).map { (index) -> (Int32, Int32, Int32) in (32_767, Int32(index % 5), Int32(index % 7)) }
    }
    expect(run(noisy(100, percent: 100) + spun(499) + noisy(500, percent: 100)), equals: Told())
    let told = run(noisy(100, percent: 100) + spun(700) + noisy(100, percent: 100))
    expect(told.faults, equals: [600])
    expect(told.causes, equals: [.stuckAtFullScale])
    expect(told.recoveries, equals: [800])
    let negative = run(
      (0..<700).map { (index) -> (Int32, Int32, Int32) in (Int32(index % 5), -32_768, Int32(index % 7)) })
    expect(negative.causes, equals: [.stuckAtFullScale])
  }

  @Test static func `recorded samples and samples without rotation are never suspect`() {
    var monitor = Monitor(.recording, at: Instant(microseconds: 0))
    for index in 0..<2_000 as Range<Int64> {
      let measurement = Measurement(
        force: Vector3(x: .zero, y: .one, z: .zero), rotation: Vector3(x: lsb(32_767), y: .zero, z: .zero))
      _ = monitor.sampled(measurement, at: Instant(microseconds: index * Self.period))
    }
    expect(monitor.counters.faults, equals: 0)
    expect(monitor.counters.samples, equals: 2_000)
  }

  @Test static func `a force alone and a measurement of it are the same to a monitor`() {
    var generator = SplitMix64(seed: 5)
    let configuration = Monitor.Configuration(period: Microseconds(Self.period), fullScale: Q16(whole: 8))
    var plain = Monitor(configuration, at: Instant(microseconds: 0))
    var whole = Monitor(configuration, at: Instant(microseconds: 0))
    for index in 0..<2_000 as Range<Int64> {
      func axis() -> Q16 { Q16(raw: Int32.random(in: -131_072...131_072, using: &generator)) }
      let force = Vector3(x: axis(), y: axis(), z: axis())
      let now = Instant(microseconds: index * Self.period)
      expect(plain.sampled(force, at: now).reading, equals: whole.sampled(Measurement(force: force), at: now).reading)
    }
    expect(plain.counters, equals: whole.counters)
  }
}
