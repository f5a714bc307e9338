import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

struct SixPositionStatusTests {
  @Test static func `a held face is named with its share of the time, then accepted, then already done`() {
    var session = CalibrationSession()
    session.hold(.up(.minusZ), for: 3)
    let accepted = session.statuses.firstIndex(of: .accepted(.minusZ)) ?? 0
    var shares: [Q16] = []
    for status in session.statuses[..<accepted] {
      if case .holding(let face, let share) = status {
        expect(face, equals: .minusZ)
        expect(share, isAtLeast: .zero)
        expect(share, isBelow: .one)
        shares.append(share)
      } else {
        // Only before the first share: settling.
        expect(status, equals: .moving)
        expect(that: shares.isEmpty)
      }
    }
    expect(shares, equals: shares.sorted())
    expect(shares.last ?? .zero, isAbove: Q16(95, over: 100))
    // 250 ms of settling and 1 s of averaging, at about 100 Hz.
    expect(accepted, isIn: 115...135, "\(accepted)")
    expect(all: session.statuses[(accepted + 1)...]) { $0 == .alreadyDone(.minusZ) }
    expect(session.statuses.count { $0 == .accepted(.minusZ) }, equals: 1)
  }

  @Test static func `a board slanted by 34° or more is between faces, and nothing is accepted`() {
    for slant in stride(from: 0.0, through: 45, by: 1) where abs(slant - 33.69) > 1 {
      var session = CalibrationSession()
      session.sensor.noise = 0.001
      session.hold(Force.up(.plusX).slanted(slant, towards: 0), for: 3)
      expect(session.calibration.isDone(.plusX), equals: slant < 33.69, "\(slant)°")
      expect(session.statuses.contains(.betweenFaces), equals: slant > 33.69, "\(slant)°")
    }
  }

  @Test(arguments: [5.0, 10, 30, 90, 360])
  static func `nothing is accepted while the board turns steadily`(degreesPerSecond: Double) {
    for seed in 1...5 as ClosedRange<UInt64> {
      var session = CalibrationSession(generator: SplitMix64(seed: seed))
      for index in 0..<3_000 { session.step(.held(at: degreesPerSecond * Double(index) / 100, tilt: 10)) }
      expect(session.calibration.doneCount, equals: 0, "seed \(seed)")
      expect(session.statuses, contains: .moving)
    }
  }

  @Test(arguments: [(0.05, 2.0), (0.1, 5.0), (0.04, 12.0), (1.5, 4.0)])
  static func `a shaken board is moving, and is accepted once it is put down`(peak: Double, hertz: Double) {
    var session = CalibrationSession()
    for index in 0..<1_000 {
      let shake = peak * sin(2 * .pi * hertz * Double(index) / 100)
      session.step(Force(x: shake, y: 1, z: shake / 2))
    }
    expect(session.calibration.doneCount, equals: 0)
    expect(session.statuses, contains: .moving)
    session.hold(.up(.plusY), for: 1.6)
    expect(that: session.calibration.isDone(.plusY))
  }

  @Test static func `a knock restarts the face that is held`() {
    var session = CalibrationSession()
    session.hold(.up(.plusY), for: 1)
    expect(session.calibration.doneCount, equals: 0)
    session.step(Force(x: 0.3, y: 1.2))
    expect(session.statuses.last, equals: .moving)
    session.hold(.up(.plusY), for: 1.1)
    expect(session.calibration.doneCount, equals: 0)
    session.hold(.up(.plusY), for: 0.3)
    expect(that: session.calibration.isDone(.plusY))
  }

  @Test static func `free fall and a force of zero are not a face`() {
    var session = CalibrationSession()
    session.hold(Force(), for: 3)
    session.hold(Force(x: 0.2), for: 3)
    session.sensor = ImperfectSensor(noise: 0, resolution: 0)
    session.hold(Force(), for: 3)
    expect(session.calibration.doneCount, equals: 0)
    expect(session.statuses, contains: .betweenFaces)
  }

  @Test(arguments: [8.0, 25, 50, 100, 800, 3_200])
  static func `the window and the number of samples hold at every rate`(hertz: Double) throws {
    var session = CalibrationSession(period: 1e6 / hertz)
    session.hold(.up(.plusX), for: 6)
    let accepted = session.statuses.firstIndex(of: .accepted(.plusX)) ?? 0
    // 1.25 s, or 32 samples after settling.
    let seconds = Double(accepted) / hertz
    let expected = max(1.25, 0.25 + 32 / hertz)
    expect(abs(seconds - expected), isBelow: 0.06 + 2 / hertz, "\(seconds) s")
  }

  @Test static func `a long pause or a clock that runs backwards restarts the window`() {
    for jump in [1_000_001, -1] as [Int64] {
      var session = CalibrationSession()
      session.hold(.up(.plusY), for: 1)
      session.now = session.now + Microseconds(jump - (jump > 0 ? 0 : 20_000))
      session.step(.up(.plusY))
      expect(session.statuses.last, equals: .moving)
      session.hold(.up(.plusY), for: 1)
      expect(session.calibration.doneCount, equals: 0)
    }
  }

  @Test static func `after all six faces, samples change nothing`() throws {
    var session = CalibrationSession()
    session.holdAllExactly()
    let result = try session.calibration.result()
    session.statuses = []
    session.hold(Force(x: 0.3, y: 2), for: 3)
    session.hold(.up(.plusX), for: 3)
    expect(all: session.statuses) { $0 == .complete }
    try expect(session.calibration.result(), equals: result)
  }

  @Test static func `no numbers and no times stop the program, and a calibration can follow them`() {
    var generator = SplitMix64(seed: 71)
    let ends: [Int32] = [.min, .min + 1, -65_536, -1, 0, 1, 65_536, .max - 1, .max]
    let times: [Int64] = [.min, -1, 0, 1, 300_000, 10_000_000, .max - 1, .max]
    var calibration = SixPositionCalibration()
    for round in 0..<20_000 {
      func pick() -> Q16 { Q16(raw: ends.randomElement(using: &generator) ?? 0) }
      let force = Vector3(x: pick(), y: pick(), z: pick())
      var now = Instant(microseconds: times.randomElement(using: &generator) ?? 0)
      for _ in 0..<(round % 50 == 0 ? 100 : 2) {
        _ = calibration.step(force, at: now)
        now = now + .milliseconds(30)
      }
    }
    MountingTests.axes.forEach { calibration.forget($0) }
    var session = CalibrationSession(calibration: calibration)
    session.holdAllExactly()
    expect(that: session.calibration.isComplete)
  }
}

struct StillForceTests {
  @Test static func `the average is the mean rounded to nearest, and the deviation decides at its limit`() throws {
    var generator = SplitMix64(seed: 72)
    for _ in 0..<300 {
      let deviation = Double.random(in: 0.004...0.09, using: &generator)
      let configuration = try StillForce.Configuration(
        settling: .zero, window: .milliseconds(500), minimumSamples: 51, deviation: Q16(5, over: 100))
      var still = StillForce(configuration)
      let rest = Force().noisy(1, &generator)
      // The first sample is only the reference; the 51 after it are averaged.
      _ = still.step(rest.vector, at: Instant(microseconds: 0))
      var samples: [[Double]] = []
      var progress = StillForce.Progress.moving
      for index in 1...51 {
        let swing = deviation * 2.0.squareRoot() * sin(Double(index) * 2 * .pi / 17)
        let sample = Force(x: rest.x, y: rest.y + swing, z: rest.z).vector
        samples.append(sample.doubles)
        progress = still.step(sample, at: Instant(microseconds: Int64(index) * 10_000))
      }
      let mean = (0..<3).map { axis in samples.map { $0[axis] }.reduce(0, +) / 51 }
      let variance = samples.map { ($0[1] - mean[1]) * ($0[1] - mean[1]) }.reduce(0, +) / 51
      guard abs(variance.squareRoot() - 0.05) > 1e-4 else { continue }
      if case .held(let average) = progress {
        expect(variance.squareRoot(), isBelow: 0.05)
        expect(worstDifference(average, mean), isAtMost: 0.5001)
      } else {
        expect(variance.squareRoot(), isAbove: 0.05, "\(progress)")
      }
    }
  }

  @Test static func `a clock that stands still never completes a window`() {
    var still = StillForce()
    var isHeld = false
    for _ in 0..<600_000 {
      if case .held = still.step(Force(y: 1).vector, at: Instant(microseconds: 5)) { isHeld = true }
    }
    expect(that: !isHeld)
  }

  @Test static func `impossible settings are rejected, each by its name`() {
    func error(
      _ settling: Int64 = 250, _ window: Int64 = 1_000, _ samples: Int32 = 32, _ deviation: Int32 = 1_311,
      _ gap: Int64 = 1_000
    ) -> StillForceError? {
      do throws(StillForceError) {
        _ = try StillForce.Configuration(
          settling: .milliseconds(settling), window: .milliseconds(window), minimumSamples: samples,
          deviation: Q16(raw: deviation), longestGap: .milliseconds(gap))
        return nil
      } catch { return error }
    }
    expect(error(), equals: nil)
    expect(error(0), equals: nil)
    expect(error(10_000), equals: nil)
    expect(error(-1), equals: .times)
    expect(error(10_001), equals: .times)
    expect(error(0, 9), equals: .times)
    expect(error(0, 10), equals: nil)
    expect(error(0, 60_000), equals: nil)
    expect(error(0, 60_001), equals: .times)
    expect(error(0, 10, 1), equals: .minimumSamples)
    expect(error(0, 10, 2), equals: nil)
    expect(error(0, 10, 65_536), equals: nil)
    expect(error(0, 10, 65_537), equals: .minimumSamples)
    expect(error(0, 10, 2, 0), equals: .deviation)
    expect(error(0, 10, 2, 1), equals: nil)
    expect(error(0, 10, 2, 6_554), equals: nil)
    expect(error(0, 10, 2, 6_555), equals: .deviation)
    expect(error(0, 10, 2, 1, 0), equals: .times)
    expect(error(0, 10, 2, 1, 60_001), equals: .times)
  }

  @Test static func `the defaults are those of the initialiser without arguments`() throws {
    try expect(StillForce.Configuration(), equals: .standard)
    let slant = BinaryAngle(degrees: 5)
    expect(SixPositionCalibration.Configuration(largestSlant: slant), equals: .standard)
  }

  @Test static func `a clock that stands still does not fill the sums for ever`() {
    var still = StillForce()
    let force = Vector3(x: .zero, y: .zero, z: .one)
    // Settled by 0.25 s; then samples at one instant, which change only the count, up to 2^18.
    _ = still.step(force, at: Instant(microseconds: 0))
    var samples = 0
    while samples < 1 << 19, still.step(force, at: Instant(microseconds: 300_000)) != .moving { samples += 1 }
    expect(abs(samples - 1 << 18), isAtMost: 2)
  }
}

/// A calibration whose sensor fails in the middle of a face.
struct SixPositionInterruptTests {
  /// Samples at 100 Hz of a board that lies face up, starting with number `first`.
  private static func hold(_ calibration: inout SixPositionCalibration, from first: Int64, count: Int64)
    -> [SixPositionCalibration.Status]
  {
    (first..<(first + count)).map { number in
      calibration.step(Vector3(x: .zero, y: .zero, z: .one), at: Instant(microseconds: number * 10_000))
    }
  }

  @Test static func `any interruption, however short, restarts the face`() {
    for held: Int64 in [1, 10, 25, 26, 60, 125] {
      var calibration = SixPositionCalibration()
      let before = hold(&calibration, from: 0, count: held)
      expect(before, lacks: .accepted(.plusZ))
      calibration.interrupt()
      let after = hold(&calibration, from: held, count: 200)
      // 250 ms of settling and 1 s of averaging, from the first sample after it.
      expect(after.firstIndex(of: .accepted(.plusZ)), equals: 125, "held for \(held) samples")
      expect(after.first, equals: .moving)
    }
  }

  @Test static func `completed faces stay completed`() {
    var calibration = SixPositionCalibration()
    expect(hold(&calibration, from: 0, count: 200), contains: .accepted(.plusZ))
    calibration.interrupt()
    expect(that: calibration.isDone(.plusZ))
    expect(calibration.doneCount, equals: 1)
    expect(hold(&calibration, from: 200, count: 200).last, equals: .alreadyDone(.plusZ))
  }
}
