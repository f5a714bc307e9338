import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct SpecimenTests {
  /// The standard deviations of 4000 samples at a rate code, in counts, without the part added by rounding.
  static func deviations(_ rate: UInt8, _ configuration: EmulatedADXL345.Configuration) throws -> [Double] {
    let bench = ADXL345Bench(Constant(x: 640, y: 12_900, z: 65_600), configuration, seed: 3)
    try bench.write(0x2C, rate)
    try bench.write(0x31, 0x0B)
    try bench.write(0x2D, 0x08)
    bench.clock.advance(by: Microseconds(1_100))
    let code = Int64(rate & 0x0F)
    let samples = try (1...4_000).map { number in
      bench.clock.advance(to: Instant(microseconds: 1_101 + (10_240_000 * Int64(number)) >> code))
      return try bench.counts()
    }
    // The lowest bit is missing at the two highest rates: steps of 2.
    let step = code >= 14 ? 2.0 : 1.0
    return (0..<3).map { axis in
      let variance = moments(samples.map { Double($0[axis]) }).deviation
      return (variance * variance - step * step / 12).squareRoot()
    }
  }

  @Test(
    arguments: [
      (0x00, 1.0), (0x06, 1), (0x0A, 1), (0x0B, 1.4142), (0x0C, 2), (0x0D, 2.8284), (0x0E, 4), (0x0F, 5.6569),
    ] as [(UInt8, Double)])
  static func `noise grows by √2 with every doubling of the rate above 100 Hz`(_ rate: UInt8, _ factor: Double) throws {
    let measured = try Self.deviations(rate, EmulatedADXL345.Configuration())
    for (measured, typical) in zip(measured, [0.75, 0.75, 1.1]) {
      // Four standard errors of 1/√8000.
      expect(abs(measured / (typical * factor) - 1), isBelow: 0.05)
    }
  }

  @Test(arguments: [0x17, 0x1A, 0x1C] as [UInt8])
  static func `at low power the noise is the same at all rates that have that mode`(_ rate: UInt8) throws {
    let measured = try Self.deviations(rate, EmulatedADXL345.Configuration())
    for (measured, typical) in zip(measured, [1.8, 1.8, 2.6]) { expect(abs(measured / typical - 1), isBelow: 0.05) }
  }

  @Test static func `low power is never less noisy than normal power`() throws {
    for rate: UInt8 in 0x00...0x0F {
      let pairs = try zip(
        Self.deviations(rate | 0x10, EmulatedADXL345.Configuration()),
        Self.deviations(rate, EmulatedADXL345.Configuration()))
      expect(all: pairs) { $0 >= $1 }
    }
  }

  @Test(arguments: [0x0A, 0x0F, 0x1A] as [UInt8])
  static func `a specimen without noise has none at any rate and power`(_ rate: UInt8) throws {
    try expect(all: Self.deviations(rate, .quiet)) { !($0 > 0) }
  }

  /// The change by a settled self-test, in counts.
  static func selfTest(_ configuration: EmulatedADXL345.Configuration) throws -> [Int] {
    let bench = ADXL345Bench(Constant(z: 65_536), configuration)
    try bench.start()
    let off = try bench.counts()
    try bench.write(0x31, 0x8B)
    bench.clock.advance(by: .milliseconds(50))
    return try zip(bench.counts(), off).map { $0 - $1 }
  }

  /// The data sheet's limits at 2.5 V and their factors.
  static let supplies: [(millivolts: Int32, horizontal: Double, vertical: Double)] = [
    (2_000, 0.64, 0.80), (2_500, 1, 1), (3_300, 1.77, 1.47), (3_600, 2.11, 1.69),
  ]

  @Test(arguments: supplies)
  static func `the self-test scales with the supply and is inside the limits`(
    _ row: (millivolts: Int32, horizontal: Double, vertical: Double)
  ) throws {
    var configuration = EmulatedADXL345.Configuration.quiet
    configuration.supplyMillivolts = row.millivolts
    let moved = try Self.selfTest(configuration).map(Double.init)
    expect(moved[0], isIn: 50 * row.horizontal...540 * row.horizontal)
    expect(moved[1], isIn: -540 * row.horizontal ... -50 * row.horizontal)
    expect(moved[2], isIn: 75 * row.vertical...875 * row.vertical)
    configuration.selfTest = Vector3(x: Q16(whole: 1), y: Q16(whole: 1), z: Q16(whole: -1))
    let exact = try Self.selfTest(configuration).map(Double.init)
    let expected = [256 * row.horizontal, 256 * row.horizontal, -256 * row.vertical]
    expect(all: zip(exact, expected)) { abs($0 - $1) < 1 }
  }

  @Test static func `the supply is 3.3 V by default, and clamped to 2.0 to 3.6 V`() throws {
    func moved(_ millivolts: Int32?) throws -> [Int] {
      var configuration = EmulatedADXL345.Configuration.quiet
      if let millivolts { configuration.supplyMillivolts = millivolts }
      return try Self.selfTest(configuration)
    }
    try expect(moved(nil), equals: moved(3_300))
    try expect(moved(0), equals: moved(2_000))
    try expect(moved(.min), equals: moved(2_000))
    try expect(moved(5_000), equals: moved(3_600))
    try expect(moved(.max), equals: moved(3_600))
    let between = try moved(2_900)[0]
    try expect(abs(Double(between) - Double(moved(2_500)[0] + moved(3_300)[0]) / 2), isAtMost: 1)
  }

  @Test static func `the self-test takes four samples to settle, and four to decay`() throws {
    let bench = ADXL345Bench(Constant())
    try bench.start()
    try bench.write(0x31, 0x8B)
    var shares: [Int] = []
    for sample in 0..<14 {
      if sample == 7 { try bench.write(0x31, 0x0B) }
      bench.clock.advance(by: .milliseconds(10))
      shares.append(try bench.counts()[0])
    }
    let full = shares[4]
    expect(full, isAbove: 300)
    for (share, fifths) in zip(shares, [1, 2, 3, 4, 5, 5, 5, 4, 3, 2, 1, 0, 0, 0]) {
      expect(abs(share - full * fifths / 5), isAtMost: 1)
    }
  }

  @Test static func `samples that are not read settle it as well`() throws {
    let bench = ADXL345Bench(Constant())
    try bench.start()
    let other = ADXL345Bench(Constant())
    try other.start()
    for (bench, looks) in [(bench, 1), (other, 1_000)] {
      try bench.write(0x31, 0x8B)
      for _ in 0..<looks {
        bench.clock.advance(by: .milliseconds(10_000 / Int64(looks)))
        _ = try bench.byte(0x00)
      }
    }
    try expect(bench.counts(), equals: other.counts())
    try expect(bench.counts()[0], isAbove: 300)
  }

  @Test static func `the typical shift at 3.3 V can be switched on`() throws {
    var configuration = EmulatedADXL345.Configuration.quiet
    func counts(_ force: Constant) throws -> [Int] {
      let bench = ADXL345Bench(force, configuration)
      try bench.start()
      return try bench.counts()
    }
    let ten = Constant(x: 655_360, y: 655_360, z: 655_360)
    try expect(counts(ten), equals: [2_560, 2_560, 2_560])
    configuration.shiftsWithSupply = true
    // 25 mg are 6.4 counts, 20 mg 5.1; 265 LSB/g.
    try expect(counts(Constant()), equals: [6, 6, -5])
    try expect(counts(ten), equals: [2_656, 2_656, 2_555])
    configuration.supplyMillivolts = 2_500
    try expect(counts(ten), equals: [2_560, 2_560, 2_560])
  }

  @Test static func `the supply shifts the readings on top of the specimen's own errors`() throws {
    var configuration = EmulatedADXL345.Configuration.quiet
    configuration.zeroGOffset = Vector3(x: Q16(-25, over: 1_000), y: .zero, z: Q16(20, over: 1_000))
    configuration.shiftsWithSupply = true
    let bench = ADXL345Bench(Constant(), configuration)
    try bench.start()
    try expect(bench.counts(), equals: [0, 6, 0])
  }
}
