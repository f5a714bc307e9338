import Emulation
import FixedPoint
import Sensors

/// Data sheet Rev. 2. Bit 7 of a register address is its auto-increment.
extension TabledFamily {
  /// Not at ±8 and ±16 g, where every other sample is marked.
  static var lis3dh: [TabledFamily] {
    let (plain, isLow) = (LIS3DH.Configuration(), DataReadyPin(signalsDataReady: true, isActiveLow: true))
    let stream = LIS3DH.Configuration(fifo: .stream(watermark: .init(nearest: 16)))
    let table: [(LIS3DH.Configuration, Operation)] = [
      (plain, .steady(4)), (LIS3DH.Configuration(rate: .hz25, range: .g2), .steady(4)),
      (LIS3DH.Configuration(rate: .hz400, range: .g2, resolution: .normal), .steady(4)),
      (LIS3DH.Configuration(rate: .hz1344, resolution: .normal, interrupts: isLow), .steady(4)),
      (plain, .average(10)), (plain, .selfTest), (plain, .shutDown(8)), (stream, .startUp), (stream, .batch(6)),
      (plain, .sleep(2)), (stream, .sleep(1)), (LIS3DH.Configuration(interrupts: isLow), .sleep(1)),
    ]
    return table.map { lis3dh($0, $1) }
  }

  private static func lis3dh(_ configuration: LIS3DH.Configuration, _ operation: Operation) -> TabledFamily {
    // mg; in normal mode the word has ten bits.
    let unit: Int32 = configuration.range == .g2 ? 1 : 2
    let step: Int32 = configuration.resolution == .high ? 1 : 4
    let most = 2_000 / step * step - step
    var family = TabledFamily(
      .lis3dh, "\(configuration)", operation, at: LIS3DH.address, identity: 0x33,
      force: Scale(unit: Double(unit) / 1_000, counts: -(most + step)...most, step: step, shift: 4), rotation: nil,
      [
        (0x0F, "i", ""), (0xA6, "........", ""), (0xA0, "wwwwww", ""), (0x2E, "w", ""), (0xBE, "ww", ""),
        (0xA0, "l..l....", "xxyyzz"), (0x27, ".", ""), (0xAE, "ls", ""), (0xA8, "", "......"),
        (0x26, ".", ""), (0xB0, "lvll", ""),
      ]
    ) { LIS3DH.Device(bus: $0, configuration: configuration) }
    family.watchReads = [(0xA8, "vvvvvv", "")]
    family.asleep = [0xA1, 0x01]
    // FIFO_SRC: EMPTY and OVRN contradict the number of sets.
    family.isImpossible = { ($0 & 0x20 != 0) != ($0 & 0x1F == 0) || $0 & 0x40 != 0 && $0 & 0x1F != 31 }
    family.resets = [(0x20, 0x07)]
    // The mean of some samples at full scale can be within the limits.
    family.decision = [0x20, 0x47]
    family.resting = Scale(unit: 0.001, step: 16)
    return family
  }
}
