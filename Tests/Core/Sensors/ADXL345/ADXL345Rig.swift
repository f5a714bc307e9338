import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport

/// An ADXL345 and its driver.
typealias ADXL345Rig = DriverRig<ADXL345.Device<EmulatedBus>, EmulatedADXL345>

extension DriverRig where Sensor == ADXL345.Device<EmulatedBus>, Part == EmulatedADXL345 {
  /// A force inside every range, different on each axis, and exact at every resolution.
  static var force: Still { Still(x: 16, y: -256, z: 304) }

  /// A specimen without noise.
  static var quiet: EmulatedADXL345.Configuration {
    var specimen = EmulatedADXL345.Configuration()
    specimen.noise = .zero
    return specimen
  }

  convenience init(
    _ motion: any Motion = ADXL345Rig.force, _ configuration: ADXL345.Configuration = ADXL345.Configuration(),
    at address: I2CAddress = ADXL345.address, plan: FaultPlan = .none,
    specimen: EmulatedADXL345.Configuration = ADXL345Rig.quiet, seed: UInt64 = 1
  ) {
    let clock = VirtualClock()
    let part = EmulatedADXL345(motion: motion, configuration: specimen, seed: seed) { clock.now }
    self.init(part, at: address, clock, plan: plan) {
      ADXL345.Device(bus: $0, address: address, configuration: configuration)
    }
  }

  /// Starts the part, waits the driver's settling time and takes a sample.
  func startAndSample() throws(SensorError) -> Vector3 {
    try start()
    return try sample()
  }
}

/// The part's rates, slowest first: code, and hertz as in the data sheet's table (10.24 s / 2^code exactly).
let rates: [(code: UInt8, rate: ADXL345.OutputDataRate, hertz: Double)] = [
  (0x0, .hz0_10, 0.09765625), (0x1, .hz0_20, 0.1953125), (0x2, .hz0_39, 0.390625), (0x3, .hz0_78, 0.78125),
  (0x4, .hz1_56, 1.5625), (0x5, .hz3_13, 3.125), (0x6, .hz6_25, 6.25), (0x7, .hz12_5, 12.5), (0x8, .hz25, 25),
  (0x9, .hz50, 50), (0xA, .hz100, 100), (0xB, .hz200, 200), (0xC, .hz400, 400), (0xD, .hz800, 800),
  (0xE, .hz1600, 1_600), (0xF, .hz3200, 3_200),
]

/// The part's ranges: code, g and the counts at both ends in full resolution.
let ranges: [(code: UInt8, range: ADXL345.Range, g: Int32, lowest: Int32, highest: Int32)] = [
  (0, .g2, 2, -512, 511), (1, .g4, 4, -1_024, 1_023), (2, .g8, 8, -2_048, 2_047), (3, .g16, 16, -4_096, 4_095),
]
