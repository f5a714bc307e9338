import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// An operation on a started part.
protocol SensorOperation: Sendable {
  /// Its result, as text.
  func outcome(with rig: any SensorRig) throws(SensorError) -> String
}

/// A part in one configuration, for the conformance suite. A new part adds one or more rows to `all`.
struct SensorSpecimen: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// The value of every sample.
  var force: Vector3
  /// The register of its identity, the value that the driver names in an error, and other accepted values.
  var identity: (register: UInt8, expected: UInt8, alike: [UInt8])
  /// The registers that a start reads if the identity is wrong; by default its register alone.
  var questions: [UInt8]?
  /// Identities that it refuses without further questions.
  var refused: [UInt8] = []
  /// A write that follows a fault at some transactions; nil if nothing follows a fault.
  var cleanUp: [UInt8]?
  /// The registers that a start writes, and some that it leaves alone.
  var settings: [UInt8]
  var others: [UInt8]
  /// The reads of an adoption: first register, and count.
  var adoption: [(register: UInt8, count: Int)]
  /// The number of samples that wait in the part at most.
  var depth: Int64 = 170
  /// The samples that a part without its configuration may return, and at most how many.
  var unconfigured: [Vector3] = []
  var samplesUntilNoticed = 0
  /// The driver's other operations.
  var operations: [any SensorOperation] = []
  /// Whether it also runs the slow tests: one row of each part.
  var isThorough = false
  /// How many bits of a setting can be written, at least, on average.
  var writableBits = 5
  /// A rig with the part in a motion, by default that of ``force``.
  var make: @Sendable (_ motion: (any Motion)?, FaultPlan) -> any SensorRig

  func rig(_ plan: FaultPlan, motion: (any Motion)? = nil) -> any SensorRig { make(motion, plan) }

  static let all: [SensorSpecimen] = adxl345 + mpu6050 + lis3dh + lsm6ds + lsm9ds1 + icm20948
}

/// What the data sheet says of a family, for `SensorTableTests`. A new part adds a row to `all`.
struct SensorFacts {
  var model: SensorModel
  var name: String
  var addresses: [UInt8]
  var addressPin: String
  var identity: (register: UInt8, value: UInt8)
  var highestRate: Int32
  var usualRange: Int32
  var ranges: [Int32] = [2, 4, 8, 16]
  var gyroscope: [Int32]?
  var hasThermometer = false
  var keepsSamples = true
  var findsKnocks = false
  var selfTest: SensorTraits.SelfTest
  var hasRelatives = false

  /// ADXL345 rev. E; RM-MPU-6000A rev. 4.2; LIS3DH rev. 2; LSM6DS3TR-C rev. 3; LSM9DS1 rev. 2; DS-000189 rev. 1.6.
  static let all: [SensorFacts] = [
    SensorFacts(
      model: .adxl345, name: "adxl345", addresses: [0x53, 0x1D], addressPin: "SDO", identity: (0x00, 0xE5),
      highestRate: 800, usualRange: 16, findsKnocks: true, selfTest: .dependsOnSupply),
    SensorFacts(
      model: .mpu6050, name: "mpu6050", addresses: [0x68, 0x69], addressPin: "AD0", identity: (0x75, 0x68),
      highestRate: 1_000, usualRange: 4, gyroscope: [250, 500, 1_000, 2_000], hasThermometer: true, selfTest: .coded,
      hasRelatives: true),
    SensorFacts(
      model: .lis3dh, name: "lis3dh", addresses: [0x18, 0x19], addressPin: "SDO", identity: (0x0F, 0x33),
      highestRate: 1_000, usualRange: 4, selfTest: .plain),
    SensorFacts(
      model: .lsm6ds, name: "lsm6ds", addresses: [0x6A, 0x6B], addressPin: "DO", identity: (0x0F, 0x6C),
      highestRate: 833, usualRange: 4, gyroscope: [125, 250, 500, 1_000, 2_000, 4_000], hasThermometer: true,
      selfTest: .plain, hasRelatives: true),
    SensorFacts(
      model: .lsm9ds1, name: "lsm9ds1", addresses: [0x6A, 0x6B], addressPin: "SDOAG", identity: (0x0F, 0x68),
      highestRate: 952, usualRange: 4, gyroscope: [245, 500, 2_000], hasThermometer: true, selfTest: .plain),
    SensorFacts(
      model: .icm20948, name: "icm20948", addresses: [0x68, 0x69], addressPin: "AD0", identity: (0x00, 0xEA),
      highestRate: 1_000, usualRange: 4, gyroscope: [250, 500, 1_000, 2_000], hasThermometer: true, selfTest: .coded),
  ]
}

// Registers are copied from the data sheet, Rev. E, independently of the driver.
extension SensorSpecimen {
  private static let detection = ADXL345.Detection(
    tap: ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10)),
    freeFall: ADXL345.FreeFall(threshold: Q16(1, over: 2), time: .milliseconds(100)))

  private static let adxl345: [SensorSpecimen] = [
    adxl345("plain", ADXL345.Configuration(), isThorough: true),
    adxl345("25 Hz, ±2 g", ADXL345.Configuration(rate: .hz25, range: .g2)),
    adxl345("400 Hz, ±4 g", ADXL345.Configuration(rate: .hz400, range: .g4)),
    adxl345("FIFO", ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 16)))),
    adxl345(
      "data ready", ADXL345.Configuration(interrupts: ADXL345.Interrupts(conditions: .dataReady, isActiveLow: true)),
      more: [0x2F]),
    adxl345(
      "detection",
      ADXL345.Configuration(detection: detection, interrupts: ADXL345.Interrupts(onInterrupt2: .freeFall)),
      more: [0x1D] + Array(0x21...0x2A) + [0x2F]),
  ]

  private static func adxl345(
    _ name: String, _ configuration: ADXL345.Configuration, more: [UInt8] = [], isThorough: Bool = false
  ) -> SensorSpecimen {
    let settings = [0x1E, 0x1F, 0x20, 0x2C, 0x2D, 0x2E, 0x31, 0x38] + more
    return SensorSpecimen(
      testDescription: "ADXL345, \(name)", force: ADXL345Rig.force.vector, identity: (0x00, 0xE5, []),
      settings: settings,
      others: (0x1D...0x2F).filter { !settings.contains($0) }, adoption: [(0x00, 1), (0x1D, 19), (0x31, 1), (0x38, 1)],
      operations: [ADXL345Findings(), ADXL345SelfTest()], isThorough: isThorough,
      make: { ADXL345Rig($0 ?? ADXL345Rig.force, configuration, plan: $1) })
  }
}

/// The part's own findings.
private struct ADXL345Findings: SensorOperation {
  func outcome(with rig: any SensorRig) throws(SensorError) -> String {
    guard let rig = rig as? ADXL345Rig else { return "another part" }
    return "\(try rig.driver.measure().findings.rawValue)"
  }
}

/// Whether the self-test passes.
private struct ADXL345SelfTest: SensorOperation {
  func outcome(with rig: any SensorRig) throws(SensorError) -> String {
    guard let rig = rig as? ADXL345Rig else { return "another part" }
    var clock = rig.clock
    let test = try rig.driver.selfTest(clock: &clock)
    return "\(test?.hasPassed == true)"
  }
}

// Registers are copied from the register maps, independently of the driver.
extension SensorSpecimen {
  private static let mpu6050: [SensorSpecimen] =
    [
      mpu6050("plain", .icm20689, MPU6050.Configuration(samplesPerWatch: 3)),
      mpu6050(
        "gyroscope, FIFO", .mpu9250,
        MPU6050.Configuration(gyroscope: .dps2000, fifo: MPU6050.FIFO(), samplesPerWatch: 3)),
    ] + [EmulatedMPU6050.Part.mpu6050, .mpu6500].flatMap { alike($0) }

  private static func alike(_ part: EmulatedMPU6050.Part) -> [SensorSpecimen] {
    [
      mpu6050("plain", part, MPU6050.Configuration(samplesPerWatch: 3), isThorough: part == .mpu6050),
      mpu6050(
        "50 Hz, ±16 g", part, MPU6050.Configuration(rate: .hz50, range: .g16, filter: .hz5, samplesPerWatch: 3),
        range: 16),
      mpu6050("gyroscope", part, MPU6050.Configuration(gyroscope: .dps500, samplesPerWatch: 3)),
      mpu6050("FIFO", part, MPU6050.Configuration(rate: .hz200, fifo: MPU6050.FIFO(), samplesPerWatch: 3)),
      mpu6050(
        "gyroscope, FIFO", part,
        MPU6050.Configuration(gyroscope: .dps250, fifo: MPU6050.FIFO(includesRotation: true), samplesPerWatch: 3)),
      mpu6050(
        "data ready", part,
        MPU6050.Configuration(
          interrupts: MPU6050.Interrupts(signalsDataReady: true, isActiveLow: true), samplesPerWatch: 3)),
    ]
  }

  private static func mpu6050(
    _ name: String, _ part: EmulatedMPU6050.Part, _ configuration: MPU6050.Configuration, range: Int32 = 4,
    isThorough: Bool = false
  ) -> SensorSpecimen {
    let force = MPU6050Rig.force.vector
    func doubled(_ value: Q16) -> Q16 { Q16(raw: value.raw * range / 2) }
    let hasFilter = part != .mpu6050
    return SensorSpecimen(
      testDescription: "\(part), \(name)", force: force,
      identity: (0x75, 0x68, MPU6050Facts.accepted + MPU6050Facts.withNotice),
      // Then those of an ICM-20948, which has the same addresses.
      questions: [0x75, 0x00, 0x7F], refused: MPU6050Facts.onlyIfAsked,
      settings: [0x19, 0x1A, 0x1B, 0x1C, 0x23, 0x37, 0x38, 0x6A, 0x6B, 0x6C] + (hasFilter ? [0x1D] : []),
      others: [0x1F], adoption: [(0x75, 1), (0x6A, 3), (0x19, hasFilter ? 5 : 4), (0x37, 2), (0x23, 1)],
      // Zero while asleep; and what a part that came up at ±2 g returns to a driver that assumes a wider range.
      unconfigured: [.zero, Vector3(x: doubled(force.x), y: doubled(force.y), z: doubled(force.z))],
      samplesUntilNoticed: 6, isThorough: isThorough,
      make: { MPU6050Rig(part, configuration, motion: $0 ?? MPU6050Rig.force, plan: $1) })
  }
}

// Registers are written out here from the data sheet, Rev. 2; bit 7 of a register address is its auto-increment.
extension SensorSpecimen {
  private static let lis3dh: [SensorSpecimen] = [
    lis3dh("plain", LIS3DH.Configuration(), isThorough: true),
    lis3dh("25 Hz, ±2 g", LIS3DH.Configuration(rate: .hz25, range: .g2)),
    lis3dh("400 Hz, ±2 g, normal", LIS3DH.Configuration(rate: .hz400, range: .g2, resolution: .normal)),
    lis3dh("FIFO", LIS3DH.Configuration(fifo: .stream(watermark: .init(nearest: 16)))),
    lis3dh(
      "data ready",
      LIS3DH.Configuration(interrupts: DataReadyPin(signalsDataReady: true, isActiveLow: true))),
  ]

  private static func lis3dh(
    _ name: String, _ configuration: LIS3DH.Configuration, isThorough: Bool = false
  ) -> SensorSpecimen {
    SensorSpecimen(
      testDescription: "LIS3DH, \(name)", force: LIS3DHRig.force.vector, identity: (0x0F, 0x33, []),
      settings: Array(0x20...0x25) + [0x2E, 0x3E, 0x3F], others: [0x1F, 0x26, 0x30, 0x32, 0x33, 0x38, 0x3A],
      adoption: [(0x0F, 1), (0xA0, 6), (0x2E, 1), (0xBE, 2)], operations: [LIS3DHSelfTest()], isThorough: isThorough,
      make: { LIS3DHRig($0 ?? LIS3DHRig.force, configuration, plan: $1) })
  }
}

/// Whether the self-test is passed on each axis.
private struct LIS3DHSelfTest: SensorOperation {
  func outcome(with rig: any SensorRig) throws(SensorError) -> String {
    guard let rig = rig as? LIS3DHRig else { return "another part" }
    var clock = rig.clock
    guard let force = try rig.driver.testItself(supply: 3_300, by: &clock)?.force else { return "ended" }
    return "\(force[0].outcome), \(force[1].outcome), \(force[2].outcome)"
  }
}

// Registers are written out here from the data sheets: LSM6DS33 Rev. 4, LSM6DS3TR-C Rev. 3, lsm6dso_reg.h.
extension SensorSpecimen {
  private static let lsm6ds: [SensorSpecimen] =
    [
      lsm6ds("plain", .ism330dhcx, LSM6DS.Configuration()), lsm6ds("plain", .lsm6ds33, LSM6DS.Configuration()),
      lsm6ds("gyroscope, FIFO", .lsm6ds33, LSM6DS.Configuration(gyroscope: .dps125, usesFIFO: true), depth: 682),
    ] + [EmulatedLSM6DS.Part.lsm6dso, .lsm6ds3trC].flatMap { alike($0) }

  private static func alike(_ part: EmulatedLSM6DS.Part) -> [SensorSpecimen] {
    [
      lsm6ds("plain", part, LSM6DS.Configuration(), isThorough: true),
      lsm6ds("26 Hz, ±16 g", part, LSM6DS.Configuration(rate: .hz26, range: .g16), milliG: 0.488),
      lsm6ds("gyroscope", part, LSM6DS.Configuration(rate: .hz208, range: .g8, gyroscope: .dps500), milliG: 0.244),
      lsm6ds("FIFO", part, LSM6DS.Configuration(rate: .hz416, usesFIFO: true), depth: 682),
      lsm6ds("gyroscope, FIFO", part, LSM6DS.Configuration(gyroscope: .dps2000, usesFIFO: true), depth: 341),
      lsm6ds(
        "data ready", part,
        LSM6DS.Configuration(interrupts: DataReadyPin(signalsDataReady: true, isActiveLow: true))),
    ]
  }

  private static func lsm6ds(
    _ name: String, _ part: EmulatedLSM6DS.Part, _ configuration: LSM6DS.Configuration, milliG: Double = 0.122,
    depth: Int64 = 170, isThorough: Bool = false
  ) -> SensorSpecimen {
    SensorSpecimen(
      testDescription: "\(part), \(name)", force: LSM6DSFacts.read(LSM6DSRig.force.vector, milliG: milliG),
      identity: (0x0F, 0x6C, [0x69, 0x6A, 0x6B]), questions: [0x0F, 0x01],
      settings: (LSM6DSFacts.hasTags(part) ? [] : [0x06]) + Array(0x07...0x0A) + [0x0D, 0x0E] + Array(0x10...0x19),
      others: [0x5C, 0x5D, 0x5E],
      adoption: [(0x0F, 1), (0x06, 20)], depth: depth,
      operations: [LSM6DSSelfTest()], isThorough: isThorough,
      make: { LSM6DSRig(part, configuration, motion: $0 ?? LSM6DSRig.force, plan: $1) })
  }
}

/// Whether the self-test is passed on each axis.
private struct LSM6DSSelfTest: SensorOperation {
  func outcome(with rig: any SensorRig) throws(SensorError) -> String {
    guard let rig = rig as? LSM6DSRig else { return "another part" }
    var clock = rig.clock
    guard let findings = try rig.driver.testItself(supply: 3_300, by: &clock), let force = findings.force else {
      return "ended"
    }
    let rotation = findings.rotation.map { "\($0[0].outcome), \($0[1].outcome), \($0[2].outcome)" }
    return "\(force[0].outcome), \(force[1].outcome), \(force[2].outcome), \(rotation ?? "no gyroscope")"
  }
}

// Registers are written out here from the data sheet, Rev. 2.
extension SensorSpecimen {
  private static let lsm9ds1: [SensorSpecimen] = [
    lsm9ds1("plain", LSM9DS1.Configuration(), isThorough: true),
    lsm9ds1("50 Hz, ±2 g", LSM9DS1.Configuration(rate: .hz50, range: .g2)),
    lsm9ds1("476 Hz, ±16 g", LSM9DS1.Configuration(rate: .hz476, range: .g16)),
    lsm9ds1("gyroscope", LSM9DS1.Configuration(range: .g8, gyroscope: .dps500)),
    lsm9ds1("FIFO", LSM9DS1.Configuration(rate: .hz238, fifo: .continuous(threshold: .init(nearest: 16)))),
    lsm9ds1(
      "gyroscope, FIFO",
      LSM9DS1.Configuration(rate: .hz238, gyroscope: .dps2000, fifo: .continuous(threshold: .init(nearest: 16)))),
    lsm9ds1(
      "data ready",
      LSM9DS1.Configuration(
        gyroscope: .dps245, interrupts: DataReadyPin(signalsDataReady: true, isActiveLow: true))),
  ]

  private static func lsm9ds1(
    _ name: String, _ configuration: LSM9DS1.Configuration, isThorough: Bool = false
  ) -> SensorSpecimen {
    SensorSpecimen(
      testDescription: "LSM9DS1, \(name)", force: LSM9DS1Rig.force.vector, identity: (0x0F, 0x68, []),
      settings: [0x04, 0x05, 0x06, 0x0C, 0x0D, 0x10, 0x11, 0x12, 0x13] + Array(0x1E...0x24) + [0x2E],
      others: Array(0x07...0x0B) + Array(0x30...0x37),
      adoption: [(0x0F, 1), (0x04, 3), (0x0C, 2), (0x10, 4), (0x1E, 7), (0x2E, 1)], operations: [LSM9DS1SelfTest()],
      isThorough: isThorough, make: { LSM9DS1Rig($0 ?? LSM9DS1Rig.force, configuration, plan: $1) })
  }
}

/// What the self-test finds on each axis.
private struct LSM9DS1SelfTest: SensorOperation {
  func outcome(with rig: any SensorRig) throws(SensorError) -> String {
    guard let rig = rig as? LSM9DS1Rig else { return "another part" }
    var clock = rig.clock
    guard let force = try rig.driver.testItself(supply: 3_300, by: &clock)?.force else { return "ended" }
    return "\(force[0].outcome), \(force[1].outcome), \(force[2].outcome)"
  }
}

// Registers are written out here from the data sheet, rev. 1.6; bank 2 is not compared.
extension SensorSpecimen {
  private static let icm20948: [SensorSpecimen] = [
    icm20948("plain", ICM20948.Configuration(samplesPerWatch: 3), isThorough: true),
    icm20948("25 Hz, ±16 g", ICM20948.Configuration(rate: .init(divider: 44), range: .g16, filter: .hz6)),
    icm20948("gyroscope", ICM20948.Configuration(gyroscope: .dps500, samplesPerWatch: 3)),
    icm20948("FIFO", ICM20948.Configuration(rate: .hz225, fifo: ICM20948.FIFO())),
    icm20948(
      "gyroscope, FIFO", ICM20948.Configuration(gyroscope: .dps250, fifo: ICM20948.FIFO(includesRotation: true))),
    icm20948(
      "data ready",
      ICM20948.Configuration(interrupts: ICM20948.Interrupts(signalsDataReady: true, isActiveLow: true))),
  ]

  private static func icm20948(
    _ name: String, _ configuration: ICM20948.Configuration, isThorough: Bool = false
  ) -> SensorSpecimen {
    SensorSpecimen(
      testDescription: "ICM-20948, \(name)", force: ICM20948Rig.force.vector, identity: (0x00, 0xEA, []),
      questions: [0x7F, 0x00, 0x75], cleanUp: [0x7F, 0x00],
      settings: [0x03, 0x05, 0x06, 0x07] + Array(0x0F...0x13) + Array(0x66...0x69), others: [0x76],
      adoption: [(0x00, 1), (0x0F, 5), (0x66, 4), (0x03, 5)], isThorough: isThorough, writableBits: 4,
      make: { ICM20948Rig($0 ?? ICM20948Rig.force, configuration, plan: $1) })
  }
}
