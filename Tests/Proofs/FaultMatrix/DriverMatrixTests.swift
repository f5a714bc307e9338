import Emulation
import FixedPoint
import Sensors
import TestSupport
import Testing

/// Every scenario of each family, with every kind of fault at every transaction.
struct DriverMatrixTests {
  /// Runs scenarios and requires at least `least` cases.
  private static func run(_ families: [any Family], atLeast least: Int, stride step: Int = 1) throws {
    var cases = 0
    var failures: [String] = []
    for (number, family) in families.enumerated() {
      var matrix = try Matrix(family)
      matrix.run(seed: UInt64(number), stride: step)
      cases += matrix.cases
      failures += matrix.failures
    }
    expect(cases, isAtLeast: least, "\(cases)")
    expect(empty: failures, "\(failures.count) of \(cases): \(failures.prefix(12).joined(separator: "\n"))")
  }

  @Test static func `every configuration of an ADXL345 works, or reports what is wrong, under every fault`() throws {
    var families: [any Family] = []
    let ranges: [(ADXL345.Range, Int32)] = [(.g2, 2), (.g4, 4), (.g8, 8), (.g16, 16)]
    for rate in [ADXL345.OutputDataRate.hz25, .hz50, .hz100, .hz200, .hz400, .hz800] {
      for (range, g) in ranges {
        families.append(
          ADXL345Family(
            configuration: ADXL345.Configuration(rate: rate, range: range), range: g, operation: .steady(4)))
      }
    }
    try run(families, atLeast: 10_000)
  }

  @Test static func `every operation of an ADXL345 recovers or throws the stated error, under every fault`() throws {
    let plain = ADXL345.Configuration()
    let stream = ADXL345.Configuration(rate: .hz800, fifo: .stream(watermark: .init(nearest: 16)))
    let detection = ADXL345.Detection(
      tap: ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10)),
      freeFall: ADXL345.FreeFall(threshold: Q16(1, over: 2), time: .milliseconds(100)))
    let events = ADXL345.Configuration(
      detection: detection, interrupts: ADXL345.Interrupts(onInterrupt2: .freeFall, isActiveLow: true))
    let waitingEvents = ADXL345.Configuration(
      rate: .hz100, fifo: .stream(watermark: .init(nearest: 4)), detection: detection)
    let table: [(ADXL345.Configuration, Operation)] = [
      (plain, .startUp), (plain, .steady(20)), (plain, .selfTest), (plain, .average(10)), (plain, .shutDown(20)),
      (events, .startUp), (events, .steady(5)), (events, .selfTest), (stream, .startUp), (stream, .batch(6)),
      (waitingEvents, .batch(6)),
      (plain, .sleep(2)), (stream, .sleep(1)), (events, .sleep(1)),
    ]
    try run(
      table.map { ADXL345Family(configuration: $0, range: 16, operation: $1) }, atLeast: 10_000)
  }

  static let parts: [EmulatedMPU6050.Part] = [.mpu6050, .mpu6500]

  @Test(arguments: parts)
  static func `every configuration of an MPU-6050 works, or reports what is wrong, under every fault`(
    _ part: EmulatedMPU6050.Part
  ) throws {
    var families: [any Family] = []
    let ranges: [(MPU6050.Range, Int32)] = [(.g2, 2), (.g4, 4), (.g8, 8), (.g16, 16)]
    for rate in [MPU6050.SampleRate.hz50, .hz100, .hz1000] {
      for (range, g) in ranges {
        for filter in [MPU6050.Filter.hz184, .hz44, .hz5] {
          families.append(
            MPU6050Family(
              part: part,
              configuration: MPU6050.Configuration(rate: rate, range: range, filter: filter, samplesPerWatch: 3),
              range: g, operation: .steady(7)))
        }
      }
    }
    try run(families, atLeast: 20_000)
  }

  @Test(arguments: parts)
  static func `six values of an MPU-6050 are all right, or give the right error, under every fault`(
    _ part: EmulatedMPU6050.Part
  ) throws {
    var families: [any Family] = []
    for gyroscope in [MPU6050.GyroscopeRange.dps250, .dps500, .dps1000, .dps2000] {
      for rate in [MPU6050.SampleRate.hz50, .hz100, .hz500] {
        let configuration = MPU6050.Configuration(rate: rate, range: .g8, gyroscope: gyroscope, samplesPerWatch: 3)
        families.append(MPU6050Family(part: part, configuration: configuration, range: 8, operation: .steady(7)))
      }
    }
    try run(families, atLeast: 9_000)
  }

  @Test(arguments: parts)
  static func `every operation of an MPU-6050 recovers or throws the stated error, under every fault`(
    _ part: EmulatedMPU6050.Part
  ) throws {
    let plain = MPU6050.Configuration(samplesPerWatch: 3)
    let gyroscope = MPU6050.Configuration(gyroscope: .dps250, samplesPerWatch: 3)
    let fifo = MPU6050.Configuration(rate: .hz200, fifo: MPU6050.FIFO(), samplesPerWatch: 3)
    let pin = MPU6050.Configuration(
      interrupts: MPU6050.Interrupts(signalsDataReady: true, isLatched: true), samplesPerWatch: 3)
    let table: [(MPU6050.Configuration, Operation)] = [
      (plain, .startUp), (plain, .steady(20)), (plain, .average(8)), (plain, .shutDown(20)), (gyroscope, .steady(5)),
      (fifo, .startUp), (fifo, .batch(6)), (pin, .steady(5)),
      (plain, .sleep(2)), (gyroscope, .sleep(1)), (fifo, .sleep(1)), (pin, .sleep(1)),
    ]
    try run(
      table.map { MPU6050Family(part: part, configuration: $0, range: 4, operation: $1) }, atLeast: 5_000)
  }

  @Test(arguments: parts)
  static func `the self-test of an MPU-6050 gives a verdict, recovers or throws the stated error, under every fault`(
    _ part: EmulatedMPU6050.Part
  ) throws {
    let configuration = MPU6050.Configuration(samplesPerWatch: 3)
    let family = MPU6050Family(part: part, configuration: configuration, range: 4, operation: .selfTest)
    try run([family, family, family], atLeast: 2_000, stride: 7)
    let turning = MPU6050.Configuration(gyroscope: .dps2000, samplesPerWatch: 3)
    let both = MPU6050Family(part: part, configuration: turning, range: 4, operation: .selfTest)
    try run([both, both, both], atLeast: 2_000, stride: 7)
  }

  private static let models = (0..<SensorModel.count).compactMap { SensorModel(rawValue: UInt8($0)) }

  /// The scenarios of a part; nil for those above, and for one with the registers of another.
  private static func scenarios(of part: EmulatedPart) -> [TabledFamily]? {
    switch part {
    case .adxl345, .mpu6050, .mpu6500, .mpu9250, .icm20689, .lsm6ds3trc, .ism330dhcx: nil
    case .lis3dh: TabledFamily.lis3dh
    case .lsm6ds, .lsm6ds33: TabledFamily.lsm6ds(hasTags: part == .lsm6ds)
    case .lsm9ds1: TabledFamily.lsm9ds1
    case .icm20948: TabledFamily.icm20948
    }
  }

  @Test static func `each model has a table, or tests of its own above`() {
    for part in EmulatedPart.allCases where Self.models.contains(where: { "\($0.name)" == part.rawValue }) {
      expect((Self.scenarios(of: part) ?? []).isEmpty, equals: part == .adxl345 || part == .mpu6050, "\(part)")
    }
  }

  @Test(arguments: EmulatedPart.allCases.filter { scenarios(of: $0) != nil })
  static func `every operation of a part with a table recovers or throws the stated error, under every fault`(
    _ part: EmulatedPart
  ) throws {
    let scenarios = Self.scenarios(of: part) ?? []
    try run(scenarios.filter { $0.operation != .selfTest }, atLeast: 10_000)
    if Self.models.contains(where: { "\($0.name)" == part.rawValue && $0.traits.selfTest == .none }) { return }
    try run(scenarios.filter { $0.operation == .selfTest }, atLeast: 1_500, stride: part == .icm20948 ? 7 : 1)
  }
}
