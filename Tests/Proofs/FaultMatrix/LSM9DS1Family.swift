import Emulation
import FixedPoint
import Sensors

/// Data sheet Rev. 2.
extension TabledFamily {
  static var lsm9ds1: [TabledFamily] {
    let plain = LSM9DS1.Configuration()
    let turning = LSM9DS1.Configuration(rate: .hz238, range: .g8, gyroscope: .dps500)
    let fifo = LSM9DS1.Configuration(rate: .hz238, range: .g2, fifo: .continuous(threshold: .init(nearest: 16)))
    var both = fifo
    both.gyroscope = .dps2000
    let pin = LSM9DS1.Configuration(
      rate: .hz50, range: .g16, interrupts: DataReadyPin(signalsDataReady: true, isActiveLow: true))
    let table: [(LSM9DS1.Configuration, Operation)] = [
      (plain, .steady(4)), (pin, .steady(4)), (turning, .steady(4)), (plain, .average(10)), (plain, .selfTest),
      (turning, .selfTest), (plain, .shutDown(8)), (fifo, .batch(6)), (both, .batch(3)),
      (plain, .sleep(2)), (both, .sleep(1)), (pin, .sleep(1)),
    ]
    return table.map { lsm9ds1($0, $1) }
  }

  private static func lsm9ds1(_ configuration: LSM9DS1.Configuration, _ operation: Operation) -> TabledFamily {
    let milliG: Double =
      switch configuration.range {
      case .g2: 0.061
      case .g4: 0.122
      case .g8: 0.244
      case .g16: 0.732
      }
    let hasFIFO = configuration.fifo != .bypass
    var family = TabledFamily(
      .lsm9ds1, "\(configuration)", operation, at: LSM9DS1.address, identity: 0x68,
      force: Scale(unit: milliG / 1_000, counts: configuration.range == .g16 ? -21_858...21_857 : -32_768...32_767),
      rotation: configuration.gyroscope.map {
        Scale(unit: $0 == .dps500 ? 0.0175 : 0.07, counts: -28_572...28_571)
      },
      [
        (0x0F, "i", ""), (0x04, "www", ""), (0x0C, "ww", ""), (0x10, "wwww", ""), (0x1E, "wwwwwww", ""),
        (0x2E, "w", ""), (0x2E, "ls", ""),
        // Without the FIFO, the data are read until two reads agree in all but the last axis.
        (0x20, "l.l.....", hasFIFO ? "xxyyzz" : "....zz"), (0x28, "....", ""),
        (0x10, "ll.....", hasFIFO ? "ppqqrrxxyyzz" : "..........zz"), (0x18, "..........", ""),
      ]
    ) { LSM9DS1.Device(bus: $0, configuration: configuration) }
    family.watchReads = [(0x06, "wwwww", ""), (0x20, "lll...v.vvvvvv", "")]
    family.asleep = [0x21, 0x81]
    family.isLeftHanded = true
    family.resting = Scale(unit: 0.000061)
    family.isImpossible = { $0 & 0x3F > 32 }
    family.resets = [(0x1E, 0x38), (0x1F, 0x38), (0x22, 0x04)]
    family.decision = [0x24, 0x01]
    return family
  }
}
