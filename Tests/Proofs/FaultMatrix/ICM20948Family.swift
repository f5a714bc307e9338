import Emulation
import FixedPoint
import Sensors

/// Data sheet DS-000189 Rev. 1.6. Bit 7 of a register in an error stands for bank 2.
extension TabledFamily {
  static var icm20948: [TabledFamily] {
    let plain = ICM20948.Configuration(samplesPerWatch: 3)
    let turning = ICM20948.Configuration(range: .g8, gyroscope: .dps500, samplesPerWatch: 3)
    let fifo = ICM20948.Configuration(rate: .hz225, range: .g2, fifo: ICM20948.FIFO())
    let both = ICM20948.Configuration(gyroscope: .dps500, fifo: ICM20948.FIFO(includesRotation: true))
    let pin = ICM20948.Configuration(
      rate: .init(divider: 44), range: .g16, filter: .hz6,
      interrupts: ICM20948.Interrupts(signalsDataReady: true, isActiveLow: true), samplesPerWatch: 3)
    let table: [(ICM20948.Configuration, Operation)] = [
      (plain, .steady(7)), (pin, .steady(7)), (turning, .steady(7)), (plain, .average(8)), (plain, .selfTest),
      (turning, .selfTest), (plain, .shutDown(20)), (fifo, .batch(6)), (both, .batch(3)),
      (plain, .sleep(2)), (fifo, .sleep(1)), (pin, .sleep(1)),
    ]
    return table.map { icm20948($0, $1) }
  }

  private static func icm20948(_ configuration: ICM20948.Configuration, _ operation: Operation) -> TabledFamily {
    let countsPerG: Double =
      switch configuration.range {
      case .g2: 16_384
      case .g4: 8_192
      case .g8: 4_096
      case .g16: 2_048
      }
    var family = TabledFamily(
      .icm20948, "\(configuration)", operation, at: ICM20948.address, identity: 0xEA,
      force: Scale(unit: 1 / countsPerG), rotation: configuration.gyroscope.map { _ in Scale(unit: 10 / 655) },
      [
        // The bank that was selected; one that is not 0 is changed.
        (0x7F, ".", ""), (0x00, "i", ""), (0x06, ".", ""),
        (0x0F, "wwwww", ""), (0x66, "wwww", ""), (0x03, "w.www", ""),
        (0x00, "WWW", ""), (0x09, "W", ""), (0x10, "WWWWWW", ""),
        (0x2D, "xxyyzz", ""), (0x2D, "xxyyzzppqqrr..", ""), (0x05, "lll", ""),
        (0x0F, "lllll.......v", ""), (0x66, "ww", ""), (0x03, "w", ""), (0x70, "nn", ""),
        (0x72, "", configuration.fifo?.includesRotation == true ? "xxyyzzppqqrr" : "xxyyzz"),
        // Factory codes.
        (0x02, "vvv", ""), (0x0E, "vvv", ""),
      ]
    ) { ICM20948.Device(bus: $0, configuration: configuration) }
    family.watchReads = [(0x05, "www", ""), (0x0F, "lllll.....v", ""), (0x2D, "vvvvvv", "")]
    family.asleep = [0x05, 0x20]
    family.isHighByteFirst = true
    family.questions = 1
    family.repeatingFIFO = 0x72
    family.samplesUntilNoticed = 6
    family.resets = [(0x05, 0x40), (0x06, 0x41), (0x80, 0xEA), (0x81, 0x01), (0x94, 0x01)]
    family.cleanUp = [0x7F, 0x00]
    family.decision = [0x10, 0x00, 0x04, 0x00, 0x00, 0x15, 0x1C]
    return family
  }
}
