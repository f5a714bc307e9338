import Emulation
import FixedPoint
import Glibc
import HAL
import TestSupport
import Testing

/// A board that rotates about each axis at its own rate while a force acts on it.
private struct Turning: Motion {
  var rate = Vector3.zero
  var force = Vector3.zero
  var duration: Microseconds { .seconds(1) }
  func specificForce(at time: Microseconds) -> Vector3 { force }
  func rotationRate(at time: Microseconds) -> Vector3 { rate }
}

/// A board whose rotation rate about X is the time: 1 °/s per millisecond.
private struct TellingRate: Motion {
  var duration: Microseconds { .seconds(1) }
  func specificForce(at time: Microseconds) -> Vector3 { .zero }
  func rotationRate(at time: Microseconds) -> Vector3 {
    Vector3(x: Q16(raw: Int32(truncatingIfNeeded: time.count * 65_536 / 1_000)), y: .zero, z: .zero)
  }
}

private func vector(_ x: Double, _ y: Double, _ z: Double) -> Vector3 {
  func q16(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }
  return Vector3(x: q16(x), y: q16(y), z: q16(z))
}
private func wide(_ vector: Vector3) -> SIMD3<Double> {
  SIMD3(Double(vector.x.raw), Double(vector.y.raw), Double(vector.z.raw)) / 65_536
}

struct MPU6050GyroscopeTests {
  typealias Part = EmulatedMPU6050.Part

  /// Range code and counts per °/s.
  static let ranges: [(code: UInt8, counts: Double)] = [(0x00, 131), (0x08, 65.5), (0x10, 32.8), (0x18, 16.4)]

  @Test static func `the gyroscope reads the motion's rotation at every range, and clips at its ends`() throws {
    for rate in [(1.0, -2.0, 3.0), (-240, 120, 60), (300, -300, 249), (-1_999, 2_500, -2_500)] {
      for range in Self.ranges {
        let bench = MPUBench(Turning(rate: vector(rate.0, rate.1, rate.2)))
        try bench.write(0x1B, range.code)
        try bench.start()
        let counts = try bench.rate()
        for (count, rate) in zip(counts, [rate.0, rate.1, rate.2]) {
          let ideal = max(-32_768, min(32_767, rate * range.counts))
          expect(abs(Double(count) - ideal), isAtMost: 0.6, "\(rate) at \(range.code)")
        }
      }
    }
  }

  @Test static func `beyond both ranges, both sensors stay at their largest numbers`() throws {
    let bench = MPUBench(Turning(rate: vector(251, -251, 249), force: vector(-2.1, 2.1, 1.9)))
    try bench.start()
    try expect(bench.rate()[..<2], equals: [32_767, -32_768])
    try expect(bench.force()[..<2], equals: [-32_768, 32_767])
    try expect(bench.rate()[2], isBelow: 32_767)
    try expect(bench.force()[2], isBelow: 32_767)

    let shaken = MPUBench(ShakenMotion(seed: 1))
    try shaken.start()
    var (clippedRates, clippedForces) = (0, 0)
    for _ in 0..<1_500 {
      shaken.pass(10_000)
      clippedRates += try shaken.rate().filter { $0 == 32_767 || $0 == -32_768 }.count
      clippedForces += try shaken.force().filter { $0 == 32_767 || $0 == -32_768 }.count
    }
    expect(clippedForces, isAbove: 100)
    try shaken.write(0x1B, 0x18, 0x10)
    shaken.device.play(ShakenMotion(seed: 1))
    for _ in 0..<1_500 {
      shaken.pass(10_000)
      let all = try shaken.rate() + shaken.force()
      expect(all: all) { abs($0) < 32_767 }
    }
  }

  @Test static func `a rate set by hand adds to the motion`() throws {
    let bench = MPUBench(Turning(rate: vector(10, 20, 30)))
    bench.device.angularRate = vector(1, -2, 3)
    try bench.start()
    try expect(bench.rate(), equals: [1_441, 2_358, 4_323])
  }

  @Test(arguments: [Part.mpu6050, .mpu6500])
  static func `each filter delays the rotation as the register map says`(_ part: Part) throws {
    let delays: [Double] =
      part == .mpu6050
      ? [0.98, 1.9, 2.8, 4.8, 8.3, 13.4, 18.6, 0.98] : [0.97, 2.9, 3.9, 5.9, 9.9, 17.85, 33.48, 0.17]
    for (filter, delay) in delays.enumerated() {
      let bench = MPUBench(part: part, TellingRate())
      try bench.write(0x1B, 0x10)
      try bench.start(divider: 0, filter: UInt8(filter))
      bench.pass(160_000)
      // Samples come every millisecond, or every eighth of one.
      let shown = Double(try bench.rate()[0]) / 32.8
      expect(abs(shown - (200 - delay)), isBelow: 0.05, "filter \(filter): \(shown)")
    }
  }

  @Test static func `the bias is that at 25 °C, and changes with the temperature`() throws {
    var configuration = EmulatedMPU6050.Configuration.quiet()
    configuration.gyroscopeErrors.bias = vector(20, -20, 2.7)
    configuration.gyroscopeErrors.biasPerDegree = vector(-0.3, 0.1, 0.03)
    for degrees: Int32 in [-40, 0, 25, 60, 85] {
      let bench = MPUBench(Constant(z: 65_536), configuration)
      bench.device.dieTemperature = Q16(whole: degrees)
      try bench.start()
      let warmer = Double(degrees - 25)
      let ideal = [20 - 0.3 * warmer, -20 + 0.1 * warmer, 2.7 + 0.03 * warmer]
      for (count, rate) in zip(try bench.rate(), ideal) {
        expect(abs(Double(count) - rate * 131), isBelow: 1, "\(degrees) °C")
      }
    }
  }

  @Test static func `scale, cross-axis and g sensitivity match a matrix model`() throws {
    var configuration = EmulatedMPU6050.Configuration.quiet()
    var errors = GyroscopeErrors()
    errors.sensitivityError = vector(0.03, -0.03, 0.01)
    (errors.crossAxis.xOfY, errors.crossAxis.xOfZ) = (Q16(raw: 1_311), Q16(raw: -655))
    (errors.crossAxis.yOfX, errors.crossAxis.yOfZ) = (Q16(raw: 328), Q16(raw: 983))
    (errors.crossAxis.zOfX, errors.crossAxis.zOfY) = (Q16(raw: -1_311), Q16(raw: 66))
    errors.perG = vector(0.1, -0.1, 0.05)
    configuration.gyroscopeErrors = errors
    let (small, most, least) = (66.0 / 65_536, 1_311.0 / 65_536, -1_311.0 / 65_536)
    let (yOfX, yOfZ, xOfZ) = (328.0 / 65_536, 983.0 / 65_536, -655.0 / 65_536)
    let matrix: [SIMD3<Double>] = [SIMD3(1.03, most, xOfZ), SIMD3(yOfX, 0.97, yOfZ), SIMD3(least, small, 1.01)]
    typealias Triple = (Double, Double, Double)
    let rates: [Triple] = [(1_000, 0, 0), (0, 1_000, 0), (0, 0, 1_000), (-700, 900, 350), (0, 0, 0)]
    let forces: [Triple] = [(0, 0, 0), (7, -5, 3)]
    for rate in rates {
      for force in forces {
        let turning = Turning(rate: vector(rate.0, rate.1, rate.2), force: vector(force.0, force.1, force.2))
        let bench = MPUBench(turning, configuration)
        try bench.write(0x1B, 0x18)
        try bench.start()
        let drag: [Double] = [0.1 * force.0, -0.1 * force.1, 0.05 * force.2]
        let turn = SIMD3<Double>(rate.0, rate.1, rate.2)
        for (axis, count) in try bench.rate().enumerated() {
          let ideal = (matrix[axis] * turn).sum() + drag[axis]
          expect(abs(Double(count) - ideal * 16.4), isBelow: 1.1, "\(rate) \(force) \(axis)")
        }
      }
    }
  }

  @Test static func `the die warms up, the register shows it, and the bias follows`() throws {
    var configuration = EmulatedMPU6050.Configuration.quiet()
    configuration.selfHeating = Q16(whole: 8)
    configuration.selfHeatingTime = .seconds(90)
    configuration.gyroscopeErrors.biasPerDegree = vector(0.25, 0, 0)
    let bench = MPUBench(Constant(z: 65_536), configuration)
    bench.device.dieTemperature = Q16(whole: 25)
    try bench.start()
    func check(_ age: Double) throws {
      let warmer = 8 * (1 - exp(-age / 90))
      let shown = Double(try bench.temperature()) / 340 + 36.53
      expect(abs(shown - 25 - warmer), isBelow: 0.01, "after \(age) s")
      expect(abs(Double(try bench.rate()[0]) - 0.25 * warmer * 131), isBelow: 1, "after \(age) s")
    }
    try check(0.04)
    for second in 1...20 {
      bench.pass(30_000_000)
      try check(0.04 + Double(second) * 30)
    }
    // Without supply it cools down.
    bench.device.powerCycle()
    try bench.start()
    try check(0.04)
  }

  @Test static func `integrated counts of a perfect part show where up is`() throws {
    for name in [NamedMotion.carried, .shaken, .swung, .driven, .turntable, .dropped, .tumble] {
      let motion = name.motion
      let bench = MPUBench(motion)
      try bench.write(0x1B, 0x18)
      try bench.start(divider: 0, filter: 0)
      // 8 kHz, 0.98 ms late; the first 40 ms are at rest.
      bench.pass(980)
      var up = wide(motion.up(at: .zero))
      var time: Int64 = 40_000
      while time < motion.duration.count {
        bench.pass(500)
        let counts = try bench.rate()
        let radians = Double.pi / 180 * 0.001 / 16.4
        let (x, y, z) = (Double(counts[0]), Double(counts[1]), Double(counts[2]))
        up = seen(up, afterTurn: SIMD3(radians * x, radians * y, radians * z))
        bench.pass(500)
        time += 1_000
        guard time % 100_000 == 0 else { continue }
        let truth = wide(motion.up(at: Microseconds(time)))
        // An LSB of 0.06 °/s is rounded; the rest is a random walk of it.
        expect(((up - truth) * (up - truth)).sum().squareRoot(), isBelow: 0.01, "\(name) at \(time) µs")
      }
    }
  }

  @Test static func `with all its errors a specimen repeats itself, and differs with another seed`() throws {
    func run(seed: UInt64, errors: UInt64) throws -> [[UInt8]] {
      var configuration = EmulatedMPU6050.Configuration()
      configuration.gyroscopeErrors = GyroscopeErrors(seed: errors)
      configuration.selfHeating = Q16(whole: 5)
      let bench = MPUBench(CarriedMotion(seed: 9), configuration, seed: seed)
      try bench.write(0x1B, 0x18, 0x10)
      try bench.start()
      return try (0..<1_000).map { _ in
        bench.pass(10_000)
        return try bench.read(0x3B, 14)
      }
    }
    let first = try run(seed: 1, errors: 1)
    try expect(run(seed: 1, errors: 1), equals: first)
    try expect(run(seed: 2, errors: 1), isNot: first)
    let other = try run(seed: 1, errors: 2)
    // The gyroscope's errors affect nothing else.
    expect(other.map { Array($0[..<8]) }, equals: first.map { Array($0[..<8]) })
    expect(other.map { Array($0[8...]) }, isNot: first.map { Array($0[8...]) })
  }
}

struct GyroscopeErrorsTests {
  /// All eighteen numbers of a specimen.
  private static func numbers(_ errors: GyroscopeErrors) -> [Double] {
    let cross = errors.crossAxis
    let three = [errors.bias, errors.biasPerDegree, errors.sensitivityError, errors.perG].map(wide)
    let six = [cross.xOfY, cross.xOfZ, cross.yOfX, cross.yOfZ, cross.zOfX, cross.zOfY].map { Double($0.raw) / 65_536 }
    return three.flatMap { [$0.x, $0.y, $0.z] } + six
  }

  @Test static func `specimens use the data sheet's whole range, and every number is drawn independently`() {
    let limits = [20, 20.0 / 65, 0.03, 0.1].flatMap { [$0, $0, $0] } + [Double](repeating: 0.02, count: 6)
    let specimens = (0..<1_000).map { numbers(GyroscopeErrors(seed: $0)) }
    for (index, limit) in limits.enumerated() {
      let column = specimens.map { $0[index] / limit }
      expect(all: column) { abs($0) <= 1.001 }
      expect(column.max() ?? 0, isAbove: 0.95, "number \(index)")
      expect(column.min() ?? 0, isBelow: -0.95, "number \(index)")
      expect(abs(column.reduce(0, +) / 1_000), isBelow: 0.08, "number \(index)")
      for other in 0..<index {
        let product = zip(specimens, column).map { $0[other] / limits[other] * $1 }.reduce(0, +) / 1_000
        // The variance of each is 1/3: five standard errors of 1/3/√1000.
        expect(abs(product), isBelow: 0.053, "numbers \(other) and \(index)")
      }
    }
  }

  @Test static func `limits can be narrowed to zero, and their sign does not count`() {
    let none = GyroscopeErrors(
      seed: 3, bias: .zero, biasOverTemperature: .zero, sensitivity: .zero, crossAxis: .zero, perG: .zero)
    expect(none, equals: .none)
    expect(GyroscopeErrors(seed: 3, bias: Q16(whole: -20)), equals: GyroscopeErrors(seed: 3))
    expect(GyroscopeErrors(seed: 3), isNot: GyroscopeErrors(seed: 4))
  }

  @Test static func `a gyroscope's errors differ from those of the accelerometer with the same seed`() {
    for seed: UInt64 in 0..<50 {
      let force = SpecimenErrors(seed: seed, offset: Q16(whole: 20), sensitivity: .one).zeroGOffset
      expect(force, isNot: GyroscopeErrors(seed: seed).bias)
    }
  }

  @Test static func `the standard specimen reads 2.7, -0.6 and 1.8 °/s at rest`() throws {
    var configuration = EmulatedMPU6050.Configuration.quiet()
    configuration.gyroscopeErrors = .usual
    let bench = MPUBench(Constant(z: 65_536), configuration)
    bench.device.dieTemperature = Q16(whole: 25)
    try bench.start()
    try expect(bench.rate(), equals: [354, -79, 236])
  }
}
