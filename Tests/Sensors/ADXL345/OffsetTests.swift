import Emulation
import Sensors
import Testing

@Suite struct OffsetTests {
  @Test func `all 256 offsets reach their registers and samples`() throws {
    for byte in UInt8.min...UInt8.max {
      let value = Int8(bitPattern: byte)
      let offsets = ADXL345.Offsets(x: value, y: ~value, z: value / 2)
      let rig = Rig(Rig.force, ADXL345.Configuration(offsets: offsets))
      let sample = try rig.startAndSample()
      #expect(try rig.registers(0x1E, 3) == [byte, ~byte, UInt8(bitPattern: value / 2)])
      // 15.625 mg are 4 LSB of 1/256 g.
      let added = Still(x: Int32(value) * 4, y: Int32(~value) * 4, z: Int32(value / 2) * 4)
      #expect(sample == Still(x: Rig.force.x + added.x, y: Rig.force.y + added.y, z: Rig.force.z + added.z).vector)
    }
  }

}
