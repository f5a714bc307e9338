import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport

/// An LIS3DH and its driver.
typealias LIS3DHRig = DriverRig<LIS3DH.Device<EmulatedBus>, EmulatedLIS3DH>

extension DriverRig where Sensor == LIS3DH.Device<EmulatedBus>, Part == EmulatedLIS3DH {
  /// A force that is a whole number of LSBs in every range up to ±8 g, different on each axis.
  static var force: Still { Still(x: 128, y: -256, z: 384) }

  /// A specimen without noise.
  static var quiet: EmulatedLIS3DH.Configuration {
    var specimen = EmulatedLIS3DH.Configuration()
    specimen.specimen.isNoisy = false
    return specimen
  }

  convenience init(
    _ motion: any Motion = LIS3DHRig.force, _ configuration: LIS3DH.Configuration = LIS3DH.Configuration(),
    plan: FaultPlan = .none, specimen: EmulatedLIS3DH.Configuration = LIS3DHRig.quiet, seed: UInt64 = 1
  ) {
    let clock = VirtualClock()
    let part = EmulatedLIS3DH(motion: motion, configuration: specimen, seed: seed) { clock.now }
    self.init(part, at: LIS3DH.address, clock, plan: plan) { LIS3DH.Device(bus: $0, configuration: configuration) }
  }

  /// Starts the part, waits for the time that the driver returns and reads a sample.
  func startAndSample() throws(SensorError) -> Vector3 {
    try start()
    return try sample()
  }
}

/// Values from the data sheet, written out: Rev. 2, tables 4 and 31.
enum LIS3DHFacts {
  /// Code, rate and hertz. The highest rate on a bus at 100 kHz is 200 Hz.
  static let rates: [(code: UInt8, rate: LIS3DH.OutputDataRate, hertz: Int64)] = [
    (1, .hz1, 1), (2, .hz10, 10), (3, .hz25, 25), (4, .hz50, 50), (5, .hz100, 100), (6, .hz200, 200),
    (7, .hz400, 400), (9, .hz1344, 1_344),
  ]

  /// Code, range, g, and mg per step in 12 bits.
  static let ranges: [(code: UInt8, range: LIS3DH.Range, g: Int32, milliG: Double)] = [
    (0, .g2, 2, 1), (1, .g4, 4, 2), (2, .g8, 8, 4), (3, .g16, 16, 12),
  ]
}
