import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport

/// A part of the LSM6DS family and its driver.
typealias LSM6DSRig = DriverRig<LSM6DS.Device<EmulatedBus>, EmulatedLSM6DS>

extension DriverRig where Sensor == LSM6DS.Device<EmulatedBus>, Part == EmulatedLSM6DS {
  /// A force inside every range, different on each axis.
  static var force: Still { Still(x: 128, y: -256, z: 384) }

  /// A rig with a specimen without noise, except as `specimen` says.
  convenience init(
    _ kind: EmulatedLSM6DS.Part = .lsm6dso, _ configuration: LSM6DS.Configuration = LSM6DS.Configuration(),
    motion: any Motion = LSM6DSRig.force, plan: FaultPlan = .none, frequency: UInt32? = nil, seed: UInt64 = 1,
    specimen: Specimen = LSM6DSFacts.quiet, _ adjust: (inout EmulatedLSM6DS.Configuration) -> Void = { _ in }
  ) {
    let clock = VirtualClock()
    var properties = EmulatedLSM6DS.Configuration()
    adjust(&properties)
    let part = EmulatedLSM6DS(specimen, of: kind, motion: motion, configuration: properties, seed: seed) { clock.now }
    self.init(part, at: EmulatedLSM6DS.address, clock, plan: plan) {
      var bus = $0
      bus.frequency = frequency
      return LSM6DS.Device(bus: bus, configuration: configuration)
    }
  }
}

/// Values from the data sheets, written out: LSM6DS33 Rev. 4, LSM6DS3TR-C Rev. 3, and STMicroelectronics' headers.
enum LSM6DSFacts {
  static let parts: [EmulatedLSM6DS.Part] = [.lsm6ds33, .lsm6ds3trC, .lsm6dso, .ism330dhcx]

  static func identity(_ part: EmulatedLSM6DS.Part) -> UInt8 {
    switch part {
    case .lsm6ds33: 0x69
    case .lsm6ds3trC: 0x6A
    case .ism330dhcx: 0x6B
    case .lsm6dso: 0x6C
    }
  }

  static func hasTags(_ part: EmulatedLSM6DS.Part) -> Bool { part == .lsm6dso || part == .ism330dhcx }

  /// Code, rate and its period in microseconds.
  static let rates: [(code: UInt8, rate: LSM6DS.OutputDataRate, period: Int64)] = [
    (1, .hz12_5, 80_000), (2, .hz26, 38_461), (3, .hz52, 19_230), (4, .hz104, 9_615), (5, .hz208, 4_807),
    (6, .hz416, 2_403), (7, .hz833, 1_200), (8, .hz1666, 600),
  ]

  /// Code, range, g, and mg per LSB.
  static let ranges: [(code: UInt8, range: LSM6DS.Range, g: Int32, milliG: Double)] = [
    (0, .g2, 2, 0.061), (2, .g4, 4, 0.122), (3, .g8, 8, 0.244), (1, .g16, 16, 0.488),
  ]

  /// The low four bits of CTRL2_G, range, °/s, and mdps per LSB.
  static let gyroscopeRanges: [(code: UInt8, range: LSM6DS.GyroscopeRange, dps: Int32, unit: Double)] = [
    (0x2, .dps125, 125, 4.375), (0x0, .dps250, 250, 8.75), (0x4, .dps500, 500, 17.5), (0x8, .dps1000, 1_000, 35),
    (0xC, .dps2000, 2_000, 70), (0x1, .dps4000, 4_000, 140),
  ]

  /// A specimen without noise.
  static var quiet: Specimen {
    var specimen = Specimen()
    specimen.isNoisy = false
    return specimen
  }

  /// One whose bytes take the time of 400 kHz.
  static var slow: Specimen {
    var specimen = quiet
    specimen.byteTime = 23
    return specimen
  }

  /// What a part in this range reads of a force: a whole number of LSBs, in g.
  static func read(_ force: Vector3, milliG: Double = 0.122) -> Vector3 {
    func axis(_ value: Q16) -> Q16 {
      let counts = (Double(value.raw) / 65.536 / milliG).rounded()
      return Q16(raw: Int32((counts * milliG * 65.536).rounded()))
    }
    return Vector3(x: axis(force.x), y: axis(force.y), z: axis(force.z))
  }
}
