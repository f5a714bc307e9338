import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport

/// A driver on an emulated bus with an emulated part without noise, on a virtual clock.
final class Rig {
  /// Some force inside every range, different on each axis, that every resolution can tell exactly.
  static let force = Still(x: 16, y: -256, z: 304)

  /// A specimen without noise.
  static var quiet: EmulatedADXL345.Configuration {
    var specimen = EmulatedADXL345.Configuration()
    specimen.noise = .zero
    return specimen
  }

  let clock = VirtualClock()
  let part: EmulatedADXL345
  let log = BusLog()
  var driver: ADXL345.Device<EmulatedBus>

  init(
    _ motion: any Motion = Rig.force, _ configuration: ADXL345.Configuration = ADXL345.Configuration(),
    at address: I2CAddress = ADXL345.address, plan: FaultPlan = .none,
    specimen: EmulatedADXL345.Configuration = Rig.quiet, seed: UInt64 = 1
  ) {
    let clock = clock
    part = EmulatedADXL345(motion: motion, configuration: specimen, seed: seed) { clock.now }
    let bus = EmulatedBus(part, at: address, plan: plan, log: log, pass: { clock.advance(by: $0) }) { clock.now }
    driver = ADXL345.Device(bus: bus, address: address, configuration: configuration)
  }

  /// Starts the part, waits as long as the driver says and takes a sample.
  func startAndSample() throws(SensorError) -> Vector3 {
    clock.advance(by: try driver.start())
    return try driver.sample()
  }

  /// What `count` registers from `register` on hold, past the driver.
  func registers(_ register: UInt8, _ count: Int = 1) throws(I2CFault) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xAA, count: count)
    var span = buffer.mutableSpan
    try driver.wire.bus.writeRead([register].span, into: &span, at: driver.wire.address)
    return buffer
  }

  /// Writes registers from the first byte on, past the driver.
  func write(_ bytes: [UInt8]) throws(I2CFault) { try driver.wire.bus.write(bytes.span, to: driver.wire.address) }
}

/// The part's rates, slowest first: code, and hertz as the data sheet's table has them (10.24 s / 2^code exactly).
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
