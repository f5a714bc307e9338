import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// From bytes to specific force, through the whole driver.
struct ConversionTests {
  /// A pair of data bytes in full resolution, and its value.
  struct Known: Sendable {
    var bytes: [UInt8]
    var counts: Int32
    var milligravities: Double
    var micrometresPerSecondSquared: Double
  }

  /// Calculated by hand from the data sheet; both units are exact in binary.
  static let known: [Known] = [
    Known(bytes: [0x00, 0x01], counts: 256, milligravities: 1_000, micrometresPerSecondSquared: 9_806_650),
    Known(bytes: [0x00, 0xFF], counts: -256, milligravities: -1_000, micrometresPerSecondSquared: -9_806_650),
    Known(
      bytes: [0xFF, 0x0F], counts: 4_095, milligravities: 15_996.09375,
      micrometresPerSecondSquared: 156_868_092.7734375),
    Known(bytes: [0x00, 0xF0], counts: -4_096, milligravities: -16_000, micrometresPerSecondSquared: -156_906_400),
    Known(bytes: [0x12, 0x00], counts: 18, milligravities: 70.3125, micrometresPerSecondSquared: 689_530.078125),
    Known(bytes: [0xFF, 0xFF], counts: -1, milligravities: -3.90625, micrometresPerSecondSquared: -38_307.2265625),
    Known(bytes: [0x00, 0x00], counts: 0, milligravities: 0, micrometresPerSecondSquared: 0),
  ]

  @Test(arguments: known)
  static func `the known vectors are exact, on every axis`(_ row: Known) throws {
    for axis in 0..<3 {
      let force = Still(x: axis == 0 ? row.counts : 1, y: axis == 1 ? row.counts : 2, z: axis == 2 ? row.counts : 3)
      let rig = ADXL345Rig(force)
      let sample = try rig.startAndSample()
      expect(sample, equals: force.vector)
      let component = Double([sample.x, sample.y, sample.z][axis].raw)
      expect(component * 1_000 / 65_536, equals: row.milligravities)
      expect(component * 9_806_650 / 65_536, equals: row.micrometresPerSecondSquared)
      let read = try require(rig.log.transactions.last?.read)
      expect(Array(read[(1 + 2 * axis)..<(3 + 2 * axis)]), equals: row.bytes)
    }
  }

  @Test(arguments: ranges)
  static func `a force beyond the range reads as the end of the range`(
    _ row: (code: UInt8, range: ADXL345.Range, g: Int32, lowest: Int32, highest: Int32)
  ) throws {
    for beyond: Int32 in [0, 1, 100, 30_000] {
      let force = Still(x: row.highest + beyond, y: row.lowest - beyond, z: 0)
      let rig = ADXL345Rig(force, ADXL345.Configuration(range: row.range))
      try expect(rig.startAndSample(), equals: Still(x: row.highest, y: row.lowest, z: 0).vector)
      expect(rig.driver.fullScale, equals: Q16(raw: row.highest * 256))
    }
  }

  @Test(arguments: ranges)
  static func `all 65536 values of two data bytes are exact, or clipped to the range`(
    _ row: (code: UInt8, range: ADXL345.Range, g: Int32, lowest: Int32, highest: Int32)
  ) throws {
    let configuration = ADXL345.Configuration(range: row.range)
    let format = ConfigurationTests.format(configuration)
    for counts in Int32(Int16.min)...Int32(Int16.max) {
      let word = UInt16(truncatingIfNeeded: counts)
      let (low, high) = (UInt8(word & 0xFF), UInt8(word >> 8))
      var driver = ADXL345.Device(
        bus: ScriptedBus([
          .writeRead([0x31], reply: [format, low, high, 0x01, 0x00, low, high], at: ADXL345.address)
        ]), configuration: configuration)
      let clipped = max(row.lowest, min(row.highest, counts))
      let sample = try driver.sample()
      guard sample != Still(x: clipped, y: 1, z: clipped).vector else { continue }
      Issue.record("counts \(counts): \(sample)")
      return
    }
  }

  @Test static func `random forces are exact to the last bit`() throws {
    var random = SplitMix64(seed: 345)
    let rig = ADXL345Rig()
    rig.clock.advance(by: try rig.driver.start())
    for _ in 0..<2_000 {
      func counts() -> Int32 { Int32.random(in: -4_096...4_095, using: &random) }
      let force = Still(x: counts(), y: counts(), z: counts())
      rig.part.play(force)
      rig.clock.advance(by: .milliseconds(10))
      try expect(rig.driver.sample(), equals: force.vector)
    }
  }
}
