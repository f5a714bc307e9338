import Emulation
import FixedPoint
import Sensors

/// Data sheets LSM6DS33 Rev. 4 and LSM6DS3TR-C Rev. 3; lsm6dso_reg.h.
extension TabledFamily {
  /// The LSM6DSO, whose FIFO has tags, or the LSM6DS33.
  static func lsm6ds(hasTags: Bool) -> [TabledFamily] {
    let (plain, isLow) = (LSM6DS.Configuration(), DataReadyPin(signalsDataReady: true, isActiveLow: true))
    let turning = LSM6DS.Configuration(rate: .hz208, range: .g8, gyroscope: .dps500)
    let fifo = LSM6DS.Configuration(rate: .hz416, usesFIFO: true)
    let table: [(LSM6DS.Configuration, Operation)] = [
      (plain, .steady(4)), (LSM6DS.Configuration(rate: .hz26, range: .g16, interrupts: isLow), .steady(4)),
      (turning, .steady(4)), (plain, .average(10)), (plain, .selfTest), (turning, .selfTest), (plain, .shutDown(8)),
      (fifo, .batch(6)), (LSM6DS.Configuration(range: .g2, gyroscope: .dps2000, usesFIFO: true), .batch(3)),
      (plain, .sleep(2)), (turning, .sleep(1)), (fifo, .sleep(1)),
    ]
    return table.map { lsm6ds(hasTags, $0, $1) }
  }

  private static func lsm6ds(
    _ hasTags: Bool, _ configuration: LSM6DS.Configuration, _ operation: Operation
  ) -> TabledFamily {
    let milliG: Double =
      switch configuration.range {
      case .g2: 0.061
      case .g4: 0.122
      case .g8: 0.244
      case .g16: 0.488
      }
    let turn = configuration.gyroscope == nil ? "" : hasTags ? "vppqqrr" : "ppqqrr"
    var family = TabledFamily(
      hasTags ? .lsm6ds : .lsm6ds33, "\(configuration)", operation, at: LSM6DS.address, identity: 0x6C,
      force: Scale(unit: milliG / 1_000),
      rotation: configuration.gyroscope.map { Scale(unit: $0 == .dps500 ? 0.0175 : 0.07) },
      [
        (0x0F, "i", ""), (0x12, ".", ""), (0x06, (hasTags ? "." : "w") + "wwww..wwiwwwwwwwwww", ""),
        // The data are read until two reads agree.
        (0x1E, "................", ""), (0x28, "......", ""), (0x22, "............", ""), (0x10, "lll", ""),
        (0x07, "wwww", ""), (0x3A, hasTags ? "vv" : "nnvv", ""), (0x20, "..", ""),
        (0x3E, "", turn + "xxyyzz"), (0x78, "", turn + "vxxyyzz"), (0x14, "l", ""),
        (0x5B, "ww", ""), (0x56, "w", ""), (0x58, "w", ""), (0x5F, "w", ""), (0x1B, ".", ""),
        (0x1B, "v............vvvvvv", ""),
      ]
    ) { LSM6DS.Device(bus: $0, configuration: configuration) }
    family.questions = 1
    family.resting = Scale(unit: 0.000061)
    family.alike = ([0x69, 0x6A, 0x6B, 0x6C], 0x0F)
    family.resets = [(0x12, 0x04), (0x18, hasTags ? 0xE0 : 0x38), (0x19, 0x38)]
    // The mean of some samples at full scale can be within the limits.
    family.decision = [0x10, 0x38, 0x00]
    return family
  }
}
