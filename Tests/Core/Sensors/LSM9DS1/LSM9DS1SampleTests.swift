import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The driver's samples from a running part, and its checks of the configuration.
struct LSM9DS1SampleTests {
  /// A constant force and rotation, in g and °/s of the board's frame.
  private struct Turning: Motion {
    var force = SIMD3<Double>(0, 0, 1)
    var rotation = SIMD3<Double>.zero
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 { Self.vector(force) }
    func rotationRate(at time: Microseconds) -> Vector3 { Self.vector(rotation) }

    private static func vector(_ value: SIMD3<Double>) -> Vector3 {
      func fixed(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }
      return Vector3(x: fixed(value.x), y: fixed(value.y), z: fixed(value.z))
    }
  }

  private static func isNear(_ found: Vector3, _ expected: Vector3, within tolerance: Double) -> Bool {
    [(found.x, expected.x), (found.y, expected.y), (found.z, expected.z)]
      .allSatisfy { abs(Double($0.raw) - Double($1.raw)) <= tolerance * 65_536 + 1 }
  }

  @Test(arguments: LSM9DS1Facts.rates, LSM9DS1Facts.ranges)
  static func `at each rate and range the first sample is correct, with every gyroscope and without`(
    _ rate: (code: UInt8, rate: LSM9DS1.OutputDataRate, alone: Double, both: Double, bandwidth: UInt8),
    _ range: (code: UInt8, range: LSM9DS1.Range, g: Int32, milliG: Double)
  ) throws {
    let motion = Turning(force: [0.4, -0.6, 1.1], rotation: [120, -200, 35])
    for gyroscope in [nil] + LSM9DS1Facts.gyroscopes.map(Optional.some) {
      let configuration = LSM9DS1.Configuration(rate: rate.rate, range: range.range, gyroscope: gyroscope?.range)
      var specimen = LSM9DS1Rig.quiet
      specimen.specimen.temperature = Q16(whole: 31)
      let rig = LSM9DS1Rig(motion, configuration, specimen: specimen)
      try rig.start()
      let found = try rig.driver.measure()
      expect(that: isNear(found.force, motion.specificForce(at: .zero), within: range.milliG / 2_000))
      expect(found.rotation == nil, equals: gyroscope == nil)
      expect(found.temperature == nil, equals: gyroscope == nil)
      if let gyroscope, let rotation = found.rotation {
        expect(that: isNear(rotation, motion.rotationRate(at: .zero), within: gyroscope.milliDegrees / 2_000))
        expect(found.temperature, equals: Q16(whole: 31))
      }
      let codes = gyroscope.map { rate.code << 5 | $0.code << 3 } ?? 0
      try expect(rig.registers(0x10), equals: [codes])
      try expect(rig.registers(0x20), equals: [rate.code << 5 | range.code << 3 | 4 | rate.bandwidth])
      expect(rig.part.reservedWrites, equals: 0)
    }
  }

  static let axes: [SIMD3<Double>] = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]

  @Test(arguments: axes)
  static func `the force of each pose and the rotation about each axis have the signs of a right-handed frame`(
    _ axis: SIMD3<Double>
  ) throws {
    for motion in [Turning(force: axis, rotation: axis * 90), Turning(force: -axis, rotation: axis * 90)] {
      let rig = LSM9DS1Rig(motion, LSM9DS1.Configuration(gyroscope: .dps245))
      try rig.start()
      let found = try rig.driver.measure()
      expect(that: isNear(found.force, motion.specificForce(at: .zero), within: 0.0001))
      expect(that: isNear(try #require(found.rotation), motion.rotationRate(at: .zero), within: 0.005))
      // In the part itself, whose triad is left-handed, Y of both has the opposite sign.
      let bytes = try rig.registers(0x18, 12)
      let words = stride(from: 0, to: 12, by: 2).map {
        Double(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
      }
      let (turn, force) = (motion.rotation / 0.00875, motion.force / 0.000122)
      for (word, expected) in zip(words, [turn.x, -turn.y, turn.z, force.x, -force.y, force.z]) {
        expect(abs(word - expected), isAtMost: 0.51)
      }
    }
  }

  @Test(arguments: AttitudeTurn.all)
  static func `in every turn between poses the measured rotation moves the measured up as it really moves`(
    _ turn: AttitudeTurn
  ) throws {
    // The truth is the motion's alone: d up / dt = up × ω, in a right-handed frame.
    let rig = LSM9DS1Rig(turn.path, LSM9DS1.Configuration(rate: .hz952, range: .g2, gyroscope: .dps500))
    try rig.start()
    var (compared, last): (Int, (up: SIMD3<Double>, rate: SIMD3<Double>)?) = (0, nil)
    for _ in 0..<400 {
      rig.clock.advance(by: .milliseconds(5))
      let found = try rig.driver.measure()
      let up = doubles(found.force)
      let rate = try doubles(require(found.rotation))
      if let last, max(abs(rate.x), abs(rate.y), abs(rate.z)) > 20 {
        let mean = (last.rate + rate) * (Double.pi / 360)
        let predicted = last.up + cross(last.up, mean) * 0.005
        let error = up - predicted
        expect((error * error).sum().squareRoot(), isBelow: 0.004, "\(last), \(up), \(rate)")
        compared += 1
      }
      last = (up, rate)
    }
    expect(compared, isAbove: 50, "\(compared)")
  }

  private static func doubles(_ vector: Vector3) -> SIMD3<Double> {
    SIMD3(Double(vector.x.raw), Double(vector.y.raw), Double(vector.z.raw)) / 65_536
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    [a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x]
  }

  /// A turn about one axis.
  struct AttitudeTurn: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var path: AttitudePath

    static let all = [
      AttitudeTurn(from: .portrait, to: .landscapeLeft), AttitudeTurn(from: .portrait, to: .landscapeRight),
      AttitudeTurn(from: .portrait, to: .faceUp), AttitudeTurn(from: .faceDown, to: .portrait),
      AttitudeTurn(from: .landscapeLeft, to: .faceUp), AttitudeTurn(from: .faceUp, to: .landscapeRight),
    ]

    private init(from: Attitude, to: Attitude) {
      testDescription = "\(from) to \(to)"
      path = AttitudePath([
        AttitudePath.Stop(from, held: .milliseconds(300), turning: .seconds(1)),
        AttitudePath.Stop(to, held: .seconds(9)),
      ])
    }
  }

  @Test(arguments: LSM9DS1Facts.ranges)
  static func `a force beyond the range, or an axis stuck at its maximum, reads as full scale`(
    _ row: (code: UInt8, range: LSM9DS1.Range, g: Int32, milliG: Double)
  ) throws {
    let configuration = LSM9DS1.Configuration(range: row.range, gyroscope: .dps245)
    for sign in [1, -1] as [Double] {
      let rig = LSM9DS1Rig(Turning(force: [sign * 30, 0, sign * -30], rotation: [sign * 400, 0, 0]), configuration)
      try rig.start()
      let (found, most) = (try rig.driver.measure(), rig.driver.fullScale)
      expect(abs(found.force.x.raw), isAtLeast: most.raw)
      expect(abs(found.force.z.raw), isAtLeast: most.raw)
      expect(found.force.y, equals: .zero)
      expect(abs(found.force.x.raw), isBelow: row.g * 65_536 + 8)
      let turn = try require(found.rotation)
      expect(abs(turn.x.raw), isAtLeast: rig.driver.rotationFullScale?.raw ?? 0)
      expect(abs(turn.x.raw), isAtMost: 245 * 65_536)
    }
    let stuck = LSM9DS1Rig(LSM9DS1Rig.force, configuration, plan: [.init(.fullScaleData, .always)])
    try stuck.start()
    try expect(stuck.sample().x, isAtLeast: stuck.driver.fullScale)
  }

  /// A force and a rotation that are equal on all axes but Y, where they are opposite, and change with each sample.
  private struct Staircase: Motion {
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 { step(time, 1_311) }
    func rotationRate(at time: Microseconds) -> Vector3 { step(time, 65_536) }
    private func step(_ time: Microseconds, _ height: Int32) -> Vector3 {
      let value = Q16(raw: (Int32(time.count / 1_050 % 100) - 50) * height)
      return Vector3(x: value, y: value, z: value)
    }
  }

  @Test(arguments: [nil, .dps245] as [LSM9DS1.GyroscopeRange?])
  static func `no sample is torn, although new ones arrive within many bursts`(_ gyroscope: LSM9DS1.GyroscopeRange?)
    throws
  {
    var specimen = LSM9DS1Rig.quiet
    // 23 µs at 400 kHz.
    specimen.specimen.byteTime = 23
    let rate: LSM9DS1.OutputDataRate = gyroscope == nil ? .hz952 : .hz476
    let rig = LSM9DS1Rig(
      Staircase(), LSM9DS1.Configuration(rate: rate, range: .g2, gyroscope: gyroscope), specimen: specimen)
    try rig.start()
    // Single bursts are sometimes torn, and STATUS does not show it; otherwise this test would prove nothing.
    var (torn, silent, repeated) = (0, 0, 0)
    for _ in 0..<4_000 {
      rig.clock.advance(by: Microseconds(613))
      let bytes = try rig.registers(0x28, 6)
      guard bytes[0] != bytes[4] || bytes[1] != bytes[5] else { continue }
      torn += 1
      if try rig.registers(0x17)[0] & 0x01 == 0 { silent += 1 }
    }
    for _ in 0..<4_000 {
      rig.clock.advance(by: Microseconds(977))
      let before = rig.log.transactionCount
      let found = try rig.driver.measure()
      expect(abs(found.force.x.raw - found.force.y.raw), isAtMost: 4)
      expect(found.force.x, equals: found.force.z)
      if let turn = found.rotation {
        expect(abs(turn.x.raw - turn.y.raw), isAtMost: 600)
        expect(turn.x, equals: turn.z)
        // Both sensors are of the same sample.
        let (degrees, steps) = (Double(turn.x.raw) / 65_536, Double(found.force.x.raw) / 1_311)
        expect(abs(degrees - steps), isBelow: 0.1)
      }
      let count = rig.log.transactionCount - before
      #expect(count == 2 || count == 4)
      if count > 2 { repeated += 1 }
    }
    expect(torn, isAbove: 50, "\(torn), \(silent), \(repeated)")
    expect(silent, isAbove: 20, "\(torn), \(silent), \(repeated)")
    expect(repeated, isAbove: 50, "\(torn), \(silent), \(repeated)")
  }

  @Test(arguments: [nil, .dps2000] as [LSM9DS1.GyroscopeRange?], [false, true])
  static func `a pointer that no longer advances, as RTIMULib leaves it, is detected, and a start repairs it`(
    _ gyroscope: LSM9DS1.GyroscopeRange?, _ isBatching: Bool
  ) throws {
    for rate in LSM9DS1Facts.rates {
      for range in LSM9DS1Facts.ranges {
        let rig = LSM9DS1Rig(
          LSM9DS1Rig.force,
          LSM9DS1.Configuration(
            rate: rate.rate, range: range.range, gyroscope: gyroscope,
            fifo: isBatching ? .continuous(threshold: .init(nearest: 8)) : .bypass))
        // Before a start, too.
        try rig.write([0x22, 0x80])
        try rig.start()
        _ = try rig.nextSamples()
        try rig.write([0x22, 0x80])
        expect(sensorError { () throws(SensorError) in _ = try rig.nextSamples() }, equals: .configurationLost)
        let error = sensorError { () throws(SensorError) in try rig.driver.verifyConfiguration() }
        guard case .configurationChanged = error else {
          Issue.record("the check does not see it: \(String(describing: error))")
          return
        }
        try expect(that: !rig.guest().adopt())
        try rig.start()
        try expect(all: rig.nextSamples().samples) { $0 == LSM9DS1Rig.force.vector }
      }
    }
  }

  private static let written: [UInt8] =
    [0x04, 0x05, 0x06, 0x0C, 0x0D, 0x10, 0x11, 0x12, 0x13] + Array(0x1E...0x24) + [0x2E]

  @Test static func `a start configures the part, whatever its registers contained`() throws {
    var random = SplitMix64(seed: 33)
    let configuration = LSM9DS1.Configuration(gyroscope: .dps500)
    let fresh = LSM9DS1Rig(LSM9DS1Rig.force, configuration)
    try fresh.start()
    let expected = try Self.written.flatMap { try fresh.registers($0) }
    for _ in 0..<200 {
      let rig = LSM9DS1Rig(LSM9DS1Rig.force, configuration)
      for register in Self.written + Array(0x07...0x0B) + Array(0x30...0x37) {
        try rig.write([register, UInt8.random(in: 0...255, using: &random)])
        rig.clock.advance(by: Microseconds(Int64.random(in: 0...30_000, using: &random)))
      }
      _ = try rig.registers(0x18, Int.random(in: 1...40, using: &random))
      try rig.start()
      try expect(rig.sample(), equals: LSM9DS1Rig.force.vector)
      try expect(Self.written.flatMap { try rig.registers($0) }, equals: expected)
      try expect(that: rig.adopt())
    }
  }

  @Test static func `data ready drives INT1 from a sample until it is read, high or low`() throws {
    for isActiveLow in [false, true] {
      for gyroscope in [nil, .dps2000] as [LSM9DS1.GyroscopeRange?] {
        let rig = LSM9DS1Rig(
          LSM9DS1Rig.force,
          LSM9DS1.Configuration(
            gyroscope: gyroscope, interrupts: .init(signalsDataReady: true, isActiveLow: isActiveLow)))
        try rig.start()
        for _ in 0..<5 {
          _ = try rig.sample()
          expect(rig.part.isInterruptHigh, equals: isActiveLow)
          rig.clock.advance(by: rig.samplePeriod)
          expect(rig.part.isInterruptHigh, equals: !isActiveLow)
        }
      }
    }
  }
}
