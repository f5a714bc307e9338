import Emulation
import FixedPoint
import HAL
import Sensors

/// An ICM-20948 and its driver.
typealias ICM20948Rig = DriverRig<ICM20948.Device<EmulatedBus>, EmulatedICM20948>

extension DriverRig where Sensor == ICM20948.Device<EmulatedBus>, Part == EmulatedICM20948 {
  /// A force that is a whole number of LSBs in every range, different on each axis.
  static var force: Still { Still(x: 96, y: -2_048, z: 2_400, unit: 32) }

  /// A rig with a noise-free specimen, except as `adjust` changes it.
  convenience init(
    _ motion: any Motion = ICM20948Rig.force, _ configuration: ICM20948.Configuration = ICM20948.Configuration(),
    plan: FaultPlan = .none, _ adjust: (inout EmulatedICM20948.Configuration) -> Void = { _ in }
  ) {
    let clock = VirtualClock()
    var specimen = EmulatedICM20948.Configuration()
    specimen.specimen.isNoisy = false
    adjust(&specimen)
    let part = EmulatedICM20948(motion: motion, configuration: specimen) { clock.now }
    self.init(part, at: EmulatedICM20948.address, clock, plan: plan) {
      ICM20948.Device(bus: $0, configuration: configuration)
    }
  }

  /// The register of a bank, without a change of the selected bank, and that bank.
  func register(_ register: UInt8, ofBank bank: UInt8) throws -> (value: UInt8, selected: UInt8) {
    let selected = try registers(0x7F)[0]
    try write([0x7F, bank << 4])
    let value = try registers(register)[0]
    try write([0x7F, selected])
    return (value, selected)
  }
}

/// Values from the data sheet, written out: rev. 1.6, tables 1, 2, 16 and 18.
enum ICM20948Facts {
  /// Code, range, g.
  static let ranges: [(code: UInt8, range: ICM20948.Range, g: Int32)] = [
    (0, .g2, 2), (1, .g4, 4), (2, .g8, 8), (3, .g16, 16),
  ]

  /// Code, range, and LSB for ten degrees per second.
  static let gyroscopeRanges: [(code: UInt8, range: ICM20948.GyroscopeRange, perTen: Double)] = [
    (0, .dps250, 1_310), (1, .dps500, 655), (2, .dps1000, 328), (3, .dps2000, 164),
  ]

  /// Code and filter.
  static let filters: [(code: UInt8, filter: ICM20948.Filter)] = [
    (1, .hz246), (2, .hz111), (3, .hz50), (4, .hz24), (5, .hz12), (6, .hz6), (7, .hz473),
  ]
}
