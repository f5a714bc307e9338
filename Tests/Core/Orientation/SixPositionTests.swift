import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

/// A model of a real sensor: it reads `gain · f + offset`, with noise, rounded to its resolution.
struct ImperfectSensor {
  var offset = Force()
  var gain = Force(x: 1, y: 1, z: 1)
  var noise = 0.004
  /// In g; 0 for that of Q16.16.
  var resolution = 1.0 / 256

  /// Random offsets of ±80 mg and gains of ±3 %.
  static func random(_ generator: inout SplitMix64) -> ImperfectSensor {
    var generator2 = generator
    func pick(_ size: Double) -> Double { Double.random(in: -size...size, using: &generator2) }
    let result = ImperfectSensor(
      offset: Force(x: pick(0.08), y: pick(0.08), z: pick(0.08)),
      gain: Force(x: 1 + pick(0.03), y: 1 + pick(0.03), z: 1 + pick(0.03)))
    generator = generator2
    return result
  }

  /// The reading without noise and rounding.
  func ideal(_ f: Force) -> Force {
    Force(x: f.x * gain.x + offset.x, y: f.y * gain.y + offset.y, z: f.z * gain.z + offset.z)
  }

  func reading(_ force: Force, _ generator: inout SplitMix64) -> Vector3 {
    let read = ideal(force).noisy(noise, &generator)
    guard resolution > 0 else { return read.vector }
    func rounded(_ value: Double) -> Double { (value / resolution).rounded() * resolution }
    return Force(x: rounded(read.x), y: rounded(read.y), z: rounded(read.z)).vector
  }
}

/// What a calibration accepts.
struct SixPositionLimitTests {
  @Test static func `a face may slant by 0 to 30 degrees, both included`() {
    let most = BinaryAngle(degrees: 30).raw
    for (raw, isValid) in [
      (0, true), (1, true), (most - 1, true), (most, true), (most + 1, false), (-1, false), (.min, false),
      (.max, false),
    ] as [(Int32, Bool)] {
      let configuration = SixPositionCalibration.Configuration(largestSlant: BinaryAngle(raw: raw))
      expect(configuration?.largestSlant.raw == raw, equals: isValid, "\(raw)")
      expect(configuration == nil, isNot: isValid, "\(raw)")
    }
  }

  @Test static func `a direction as a force of 1 g is rounded to nearest, ties up`() {
    var generator = SplitMix64(seed: 5)
    let ties = (-5...5 as ClosedRange<Int32>).flatMap { (number: Int32) -> [Int32] in
      let tie: Int32 = number * 16_384 + 8_192
      return [tie - 1, tie, tie + 1]
    }
    let others = (0..<2_000).map { _ in Int32.random(in: -(1 << 30)...(1 << 30), using: &generator) }
    for raw in ties + others + [1 << 30, -(1 << 30)] {
      let force = UnitVector(x: raw, y: 0 &- raw, z: 0).vector
      let wanted = [raw, 0 &- raw, 0].map { (part: Int32) -> Int32 in
        Int32((Double(part) / 16_384 + 0.5).rounded(.down))
      }
      if [force.x.raw, force.y.raw, force.z.raw] != wanted { Issue.record("\(raw): \(force)") }
    }
  }
}

/// A user who turns an imperfect sensor from face to face.
struct CalibrationSession {
  var sensor = ImperfectSensor()
  var calibration = SixPositionCalibration()
  var generator = SplitMix64(seed: 61)
  var now = Instant(microseconds: 1_000_000)
  var period = 10_000.0
  var statuses: [SixPositionCalibration.Status] = []

  mutating func step(_ force: Force) {
    now = now + Microseconds(Int64(Double.random(in: 0.9...1.1, using: &generator) * period))
    let status = calibration.step(sensor.reading(force, &generator), at: now)
    statuses.append(status)
  }

  /// Holds `force` still for `seconds`.
  mutating func hold(_ force: Force, for seconds: Double = 1.6) {
    for _ in 0..<Int(seconds * 1e6 / period) { step(force) }
  }

  /// Turns from one force to another in half a second.
  mutating func turn(from a: Force, to b: Force) {
    let count = 500_000 / period
    for index in 0..<Int(count) {
      let share = Double(index) / count
      // Through a third direction, because the two may be opposite.
      let bend = sin(share * .pi)
      step(
        Force(
          x: a.x * (1 - share) + b.x * share + 0.3 * bend, y: a.y * (1 - share) + b.y * share + 0.5 * bend,
          z: a.z * (1 - share) + b.z * share + 0.7 * bend))
    }
  }

  /// Holds all six faces in random order, each as `position` gives it.
  mutating func holdAll(_ position: (SensorAxis, inout SplitMix64) -> Force) {
    var last = Force(x: 0.6, y: 0.6, z: 0.6)
    for face in MountingTests.axes.shuffled(using: &generator) {
      let force = position(face, &generator)
      turn(from: last, to: force)
      hold(force)
      last = force
    }
  }

  /// Holds all six faces exactly.
  mutating func holdAllExactly() { holdAll { face, _ in Force.up(face) } }

  /// The largest angle in degrees between a force and the calibrated sensor's noise-free reading.
  func worstTilt(_ calibration: Calibration, _ forces: [Force]) -> Double {
    forces.map { force in
      degrees(from: force, to: Alignment(calibration).applied(to: sensor.ideal(force).vector).doubles)
    }.max() ?? 0
  }
}

extension Force {
  /// 1 g with `face` up.
  static func up(_ face: SensorAxis) -> Force {
    let unit = MountingTests.unit(face)
    return Force(x: Double(unit[0]), y: Double(unit[1]), z: Double(unit[2]))
  }

  /// Random directions over the whole sphere.
  static func directions(_ count: Int, _ generator: inout SplitMix64) -> [Force] {
    (0..<count).map { _ in
      let f = Force().noisy(1, &generator)
      let length = (f.x * f.x + f.y * f.y + f.z * f.z).squareRoot()
      return Force(x: f.x / length, y: f.y / length, z: f.z / length)
    }
  }
}

/// The angle between a force and a vector.
func degrees(from a: Force, to b: [Double]) -> Double {
  let cross = [a.y * b[2] - a.z * b[1], a.z * b[0] - a.x * b[2], a.x * b[1] - a.y * b[0]]
  let sine = cross.map { $0 * $0 }.reduce(0, +).squareRoot()
  return atan2(sine, a.x * b[0] + a.y * b[1] + a.z * b[2]) * 180 / .pi
}

struct SixPositionTests {
  @Test static func `calibrated, 80 mg of offset and 3 % of scale leave every pose within 0.2°, for any seed`()
    throws
  {
    var (worstPose, worstAnywhere) = (0.0, 0.0)
    for seed in 1...300 as ClosedRange<UInt64> {
      var session = CalibrationSession(generator: SplitMix64(seed: seed))
      session.sensor = .random(&session.generator)
      session.holdAllExactly()
      expect(that: session.calibration.isComplete, "seed \(seed)")
      let result = try session.calibration.result()
      worstPose = max(worstPose, session.worstTilt(result.calibration, MountingTests.axes.map(Force.up)))
      let anywhere = Force.directions(100, &session.generator)
      worstAnywhere = max(worstAnywhere, session.worstTilt(result.calibration, anywhere))
      for face in MountingTests.axes {
        expect(Double(result.after(face).tilt.degrees.raw) / 65_536, isBelow: 0.2, "seed \(seed), \(face)")
        expect(abs(Double(result.after(face).length.raw)) / 65_536, isBelow: 0.001, "seed \(seed), \(face)")
      }
    }
    expect(worstPose, isBelow: 0.1, "\(worstPose)°")
    expect(worstAnywhere, isBelow: 0.15, "\(worstAnywhere)°")
  }

  @Test static func `the residual error before calibration is the sensor's error in tilt and length`() throws {
    var session = CalibrationSession()
    session.sensor = ImperfectSensor(
      offset: Force(x: 0.05, y: -0.08, z: 0.02), gain: Force(x: 1.03, y: 0.97, z: 1), noise: 0, resolution: 0)
    session.holdAllExactly()
    let result = try session.calibration.result()
    for face in MountingTests.axes {
      let ideal = session.sensor.ideal(.up(face))
      let read = [ideal.x, ideal.y, ideal.z]
      let before = result.before(face)
      expect(abs(Double(before.tilt.degrees.raw) / 65_536 - degrees(from: .up(face), to: read)), isBelow: 0.002)
      let length = read.map { $0 * $0 }.reduce(0, +).squareRoot()
      expect(abs(Double(before.length.raw) / 65_536 - (length - 1)), isBelow: 4e-5)
      expect(result.after(face).tilt.degrees, isBelow: Q16(2, over: 1_000))
      expect(result.after(face).length.raw.magnitude, isAtMost: 3)
    }
  }

  // √2 · (1 - cos α) / 2 on two axes at once: 0.025° and 0.136°, plus a little for the gains.
  @Test(arguments: [(2.0, 0.03), (4.7, 0.15)])
  static func `misplaced positions cost 0.03° at 2° and 0.15° at 4.7°, and show in the residual`(
    slant: Double, bound: Double
  ) throws {
    var (worst, worstSeen) = (0.0, 0.0)
    for seed in 1...200 as ClosedRange<UInt64> {
      var session = CalibrationSession(generator: SplitMix64(seed: seed))
      session.sensor = .random(&session.generator)
      // Without noise, to see the misplacement alone.
      (session.sensor.noise, session.sensor.resolution) = (0, 0)
      session.holdAll { face, generator in
        // Some faces are exact and some off: the worst case is one of each on an axis.
        Force.up(face).slanted(
          Bool.random(using: &generator) ? slant : 0, towards: Double.random(in: 0..<360, using: &generator))
      }
      let result = try session.calibration.result()
      worst = max(worst, session.worstTilt(result.calibration, MountingTests.axes.map(Force.up)))
      let seen = MountingTests.axes.map { Double(result.after($0).tilt.degrees.raw) / 65_536 }.max() ?? 0
      worstSeen = max(worstSeen, seen)
    }
    expect(worst, isBelow: bound, "\(worst)°")
    expect(worst, isAbove: bound / 2, "the test has tried the worst: \(worst)°")
    expect(abs(worstSeen - slant), isBelow: bound + 0.01, "\(worstSeen)°")
  }

  @Test static func `a face held over 5° askew is rejected by name and can be held again`() throws {
    for (slant, isRefused) in [(4.5, false), (5.5, true), (20, true)] {
      var session = CalibrationSession()
      session.holdAll { face, _ in face == .minusY ? Force.up(face).slanted(slant, towards: 40) : Force.up(face) }
      expect(that: session.calibration.isComplete)
      expect(error(of: session.calibration) == .askew(.minusY), equals: isRefused, "\(slant)°")
      session.calibration.forget(.minusY)
      expect(error(of: session.calibration), equals: .missing(.minusY))
      expect(session.calibration.doneCount, equals: 5)
      session.hold(.up(.minusY), for: 1.6)
      _ = try session.calibration.result()
    }
    let loose = try require(SixPositionCalibration.Configuration(largestSlant: BinaryAngle(degrees: 30)))
    var session = CalibrationSession(calibration: SixPositionCalibration(loose))
    session.holdAll { face, _ in face == .minusY ? Force.up(face).slanted(20, towards: 40) : Force.up(face) }
    expect(error(of: session.calibration), equals: nil)
    expect(SixPositionCalibration.Configuration(largestSlant: BinaryAngle(degrees: 31)), equals: nil)
    expect(SixPositionCalibration.Configuration(largestSlant: BinaryAngle(degrees: -1)), equals: nil)
  }

  @Test static func `a sensor that is too far off is rejected`() {
    for (gain, expected) in [
      (0.45, .calibration(.scale)), (0.501, nil), (1.99, nil), (2.05, .calibration(.scale)),
    ] as [(Double, SixPositionError?)] {
      var session = CalibrationSession()
      session.sensor = ImperfectSensor(gain: Force(x: 1, y: 1, z: gain), noise: 0.001, resolution: 0)
      session.holdAllExactly()
      expect(error(of: session.calibration), equals: expected, "\(gain)")
    }
  }

  @Test static func `with faces missing there is no result, and the error names the first one`() {
    var session = CalibrationSession()
    expect(error(of: session.calibration), equals: .missing(.plusX))
    for (index, face) in MountingTests.axes.enumerated() {
      session.hold(.up(face))
      expect(that: session.calibration.isDone(face))
      #expect(session.calibration.doneCount == index + 1)
      let next = index < 5 ? MountingTests.axes[index + 1] : nil
      expect(error(of: session.calibration), equals: next.map { .missing($0) })
    }
  }

  private static func error(of calibration: SixPositionCalibration) -> SixPositionError? {
    do throws(SixPositionError) {
      _ = try calibration.result()
      return nil
    } catch { return error }
  }
}
