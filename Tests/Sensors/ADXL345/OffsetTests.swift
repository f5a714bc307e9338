import Emulation
import FixedPoint
import Sensors
import TestSupport
import Testing

@Suite struct OffsetTests {
  @Test func `the error of the data sheet's example is cancelled with the bytes it gives`() {
    // +10, -13 and +9 LSB of 1/256 g: FD 03 FE.
    let offsets = ADXL345.Offsets(cancelling: Still(x: 10, y: -13, z: 9).vector)
    #expect([offsets.x, offsets.y, offsets.z].map { UInt8(bitPattern: $0) } == [0xFD, 0x03, 0xFE])
  }

  @Test func `an error is cancelled to the nearest step, ties away from zero, and saturates`() {
    var random = SplitMix64(seed: 20)
    let errors = [0, 1, 511, 512, 513, 1_535, 1_536, 131_072, 200_000, Int32.max, Int32.min] as [Int32]
    for error in errors + errors.map({ 0 &- $0 })
      + (0..<1_000).map({ _ in Int32.random(in: -200_000...200_000, using: &random) })
    {
      for current in [-128, -5, 0, 3, 127] as [Int8] {
        let offsets = ADXL345.Offsets(
          cancelling: Vector3(x: Q16(raw: error), y: .zero, z: Q16(raw: error)),
          current: ADXL345.Offsets(x: current, y: current, z: 0))
        // toNearestOrAwayFromZero
        let steps = (Double(error) / 1_024).rounded()
        #expect(Double(offsets.x) == max(-128, min(127, Double(current) - steps)))
        #expect(offsets.y == current)
        #expect(Double(offsets.z) == max(-128, min(127, -steps)))
      }
    }
  }

  @Test func `all 256 offsets reach their registers and say what they add`() throws {
    for byte in UInt8.min...UInt8.max {
      let value = Int8(bitPattern: byte)
      let offsets = ADXL345.Offsets(x: value, y: ~value, z: value / 2)
      let rig = Rig(Rig.force, ADXL345.Configuration(offsets: offsets))
      let sample = try rig.startAndSample()
      #expect(try rig.registers(0x1E, 3) == [byte, ~byte, UInt8(bitPattern: value / 2)])
      // 15.625 mg are 4 LSB of 1/256 g.
      let added = Still(x: Int32(value) * 4, y: Int32(~value) * 4, z: Int32(value / 2) * 4)
      #expect(offsets.specificForce == added.vector)
      #expect(sample == Still(x: Rig.force.x + added.x, y: Rig.force.y + added.y, z: Rig.force.z + added.z).vector)
    }
  }

  @Test func `a part that is out by its offset reads right after one calibration, to half a step`() throws {
    var specimen = Rig.quiet
    specimen.zeroGOffset = Vector3(x: Q16(raw: 9_830), y: Q16(raw: -9_830), z: Q16(raw: 16_384))
    let rest = Still(x: 0, y: 0, z: 256)
    let before = try Rig(rest, specimen: specimen).startAndSample()
    let offsets = ADXL345.Offsets(cancelling: before.subtracting(rest.vector))
    let after = try Rig(rest, ADXL345.Configuration(offsets: offsets), specimen: specimen).startAndSample()
    let error = after.subtracting(rest.vector)
    for axis in [error.x, error.y, error.z] { #expect(abs(axis.raw) <= 512) }
  }
}
