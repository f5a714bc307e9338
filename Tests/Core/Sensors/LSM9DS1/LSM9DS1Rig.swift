import Emulation
import FixedPoint
import HAL
import Sensors

/// An LSM9DS1 and its driver.
typealias LSM9DS1Rig = DriverRig<LSM9DS1.Device<EmulatedBus>, EmulatedLSM9DS1>

extension DriverRig where Sensor == LSM9DS1.Device<EmulatedBus>, Part == EmulatedLSM9DS1 {
  /// A force that is a whole number of counts in every range, different on each axis: 512, -700 and 900 times 0.732 mg,
  /// rounded to 1/65536 g.
  static var force: Still { Still(x: 24_562, y: -33_581, z: 43_175, unit: 1) }

  /// A specimen without noise.
  static var quiet: EmulatedLSM9DS1.Configuration {
    var configuration = EmulatedLSM9DS1.Configuration()
    configuration.specimen.isNoisy = false
    return configuration
  }

  convenience init(
    _ motion: any Motion = LSM9DS1Rig.force, _ configuration: LSM9DS1.Configuration = LSM9DS1.Configuration(),
    plan: FaultPlan = .none, specimen: EmulatedLSM9DS1.Configuration = LSM9DS1Rig.quiet, seed: UInt64 = 1
  ) {
    let clock = VirtualClock()
    let part = EmulatedLSM9DS1(motion: motion, configuration: specimen, seed: seed) { clock.now }
    self.init(part, at: LSM9DS1.address, clock, plan: plan) { LSM9DS1.Device(bus: $0, configuration: configuration) }
  }
}

/// Values from the data sheet, written out: Rev. 2, tables 3, 45, 46, 67 and 68.
enum LSM9DS1Facts {
  /// Code, rate, hertz alone and with the gyroscope, and the code of a bandwidth of at most half of it, or 50 Hz.
  static let rates: [(code: UInt8, rate: LSM9DS1.OutputDataRate, alone: Double, both: Double, bandwidth: UInt8)] = [
    (1, .hz10, 10, 14.9, 3), (2, .hz50, 50, 59.5, 3), (3, .hz119, 119, 119, 3), (4, .hz238, 238, 238, 2),
    (5, .hz476, 476, 476, 1), (6, .hz952, 952, 952, 0),
  ]

  /// Code, range, g, and mg per count.
  static let ranges: [(code: UInt8, range: LSM9DS1.Range, g: Int32, milliG: Double)] = [
    (0, .g2, 2, 0.061), (2, .g4, 4, 0.122), (3, .g8, 8, 0.244), (1, .g16, 16, 0.732),
  ]

  /// Code, range, °/s, and m°/s per count.
  static let gyroscopes: [(code: UInt8, range: LSM9DS1.GyroscopeRange, limit: Int32, milliDegrees: Double)] = [
    (0, .dps245, 245, 8.75), (1, .dps500, 500, 17.5), (3, .dps2000, 2_000, 70),
  ]
}
