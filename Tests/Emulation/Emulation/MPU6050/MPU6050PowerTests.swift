import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct MPU6050PowerTests {
  typealias Part = EmulatedMPU6050.Part

  @Test static func `asleep from power-up, the 6050 class shows zeros, however long it lasts`() throws {
    let bench = MPUBench()
    try bench.write(0x38, 0x01)
    bench.pass(100_000_000)
    try expect(bench.read(0x3A, 15), equals: [UInt8](repeating: 0, count: 15))
    expect(bench.device.sampleCount, equals: 0)
  }

  @Test static func `the first sample comes 20 ms after sleep ends, and the gyroscope's after 30`() throws {
    for part in [Part.mpu6050, .mpu6500, .icm20689] {
      let bench = MPUBench(part: part)
      bench.device.angularRate = Vector3(x: .one, y: .one, z: .one)
      try bench.write(0x6B, 0x40)
      try bench.write(0x38, 0x01)
      bench.pass(3_000_000)
      _ = try bench.read(0x3A)
      let before = try bench.read(0x3B, 14)
      try bench.write(0x19, 0x00, 0x01)
      bench.device.play(Constant(y: 65_536))
      try bench.write(0x6B, 0x01)
      bench.pass(19_999)
      try expect(bench.read(0x3A, 15), equals: [0] + before)
      bench.pass(1)
      try expect(bench.read(0x3A), equals: [0x01])
      try expect(bench.force(), equals: [0, 16_384, 0])
      bench.pass(9_999)
      try expect(bench.read(0x43, 6), equals: Array(before[8...]))
      bench.pass(1)
      try expect(bench.rate(), equals: [131, 131, 131])
    }
  }

  @Test static func `a new rate during start-up does not bring the first sample forward`() throws {
    let bench = MPUBench()
    try bench.write(0x6B, 0x01)
    try bench.write(0x19, 0x00, 0x01)
    bench.pass(19_999)
    try expect(bench.force(), equals: [0, 0, 0])
    expect(bench.device.sampleCount, equals: 0)
    bench.pass(1)
    try expect(bench.force(), equals: [0, 0, 16_384])
  }

  @Test static func `the 6500 class comes up awake, 30 ms after cold start, at its reset rate`() throws {
    let bench = MPUBench(part: .mpu6500)
    bench.pass(29_999)
    try expect(bench.force(), equals: [0, 0, 0])
    bench.pass(1)
    try expect(bench.force(), equals: [0, 0, 16_384])
    bench.pass(1_000)
    _ = try bench.read(0x75)
    expect(bench.device.sampleCount, equals: 9)
  }

  @Test static func `back asleep the data freeze and the FIFO stops`() throws {
    let bench = MPUBench(TellingForce())
    try bench.write(0x23, 0x08)
    try bench.write(0x6A, 0x40)
    try bench.start()
    let (frozen, count) = try (bench.read(0x3B, 14), bench.fifoCount())
    try bench.write(0x6B, 0x41)
    bench.pass(1_000_000)
    try expect(bench.read(0x3B, 14), equals: frozen)
    try expect(bench.fifoCount(), equals: count)
    try expect(bench.read(0x6B), equals: [0x41])
  }

  @Test(arguments: [Part.mpu6050, .mpu6500])
  static func `a reset restores everything at once, reads 1 for its time and loses writes meanwhile`(_ part: Part)
    throws
  {
    let bench = MPUBench(part: part)
    try bench.start()
    try bench.write(0x1C, 0x18)
    try bench.write(0x23, 0x08)
    try bench.write(0x6A, 0x40)
    bench.pass(100_000)
    try expect(bench.fifoCount(), equals: 60)
    try bench.write(0x6B, 0x81)
    let reset = part.powerManagementReset
    try expect(bench.read(0x6B), equals: [reset | 0x80])
    try expect(bench.read(0x19, 4), equals: [0, 0, 0, 0])
    try expect(bench.read(0x3B, 14), equals: [UInt8](repeating: 0, count: 14))
    try expect(bench.read(0x73), equals: [0])
    try expect(bench.fifoCount(), equals: 0)
    try expect(bench.read(0x75), equals: [part.identity])
    bench.pass(99_999)
    try bench.write(0x1C, 0x10)
    try bench.write(0x6B, 0x00)
    try expect(bench.read(0x1C), equals: [0])
    try expect(bench.read(0x6B), equals: [reset | 0x80])
    bench.pass(1)
    try expect(bench.read(0x6B), equals: [reset])
    try bench.write(0x1C, 0x10)
    try expect(bench.read(0x1C), equals: [0x10])
  }

  @Test static func `after a reset a part that comes up awake starts cold when the reset ends`() throws {
    let bench = MPUBench(part: .mpu6500)
    bench.pass(500_000)
    try bench.write(0x6B, 0x80)
    let before = bench.device.sampleCount
    bench.pass(129_999)
    try expect(bench.force(), equals: [0, 0, 0])
    expect(bench.device.sampleCount, equals: before)
    bench.pass(1)
    try expect(bench.force(), equals: [0, 0, 16_384])
  }

  @Test(arguments: [0, 1, 5_000, nil] as [Int64?])
  static func `a reset can take another time, or for ever`(_ microseconds: Int64?) throws {
    var configuration = EmulatedMPU6050.Configuration.quiet()
    configuration.resetTime = microseconds.map { Microseconds($0) }
    let bench = MPUBench(Constant(), configuration)
    try bench.write(0x6B, 0x80)
    bench.pass((microseconds ?? 3_600_000_000) - 1)
    try expect(bench.read(0x6B), equals: [microseconds == 0 ? 0x40 : 0xC0])
    bench.pass(1)
    try expect(bench.read(0x6B), equals: [microseconds == nil ? 0xC0 : 0x40])
    bench.device.powerCycle()
    try expect(bench.read(0x6B), equals: [0x40])
  }

  @Test static func `bytes after a reset in the same write are lost`() throws {
    let bench = MPUBench()
    try bench.write(0x6B, 0x80, 0x07)
    bench.pass(200_000)
    try expect(bench.read(0x6B, 2), equals: [0x40, 0x00])
  }

  @Test static func `a brown-out loses the configuration and empties the FIFO, and the part responds`() throws {
    for part in [Part.mpu6050, .mpu6500] {
      let plan: FaultPlan = [.init(.brownOut, .transaction(10))]
      let bench = MPUBench(Constant(z: 65_536), .quiet(part), plan: plan)
      try bench.write(0x23, 0x08)
      try bench.write(0x6A, 0x40)
      try bench.start()
      for _ in 4..<10 { try expect(bench.force(), equals: [0, 0, 16_384]) }
      try expect(bench.read(0x6B), equals: [part.powerManagementReset])
      try expect(bench.force(), equals: [0, 0, 0])
      try expect(bench.fifoCount(), equals: 0)
      try expect(bench.read(0x19, 2), equals: [0, 0])
    }
  }

  /// CLKSEL, PWR_MGMT_2, and the clock of the part: the internal oscillator, the PLL or none.
  static let clocks: [(part: Part, rows: [(select: UInt8, standby: UInt8, samples: UInt64)])] = [
    (
      .mpu6050,
      [
        (0, 0x00, 950), (1, 0x00, 1_010), (2, 0x00, 1_010), (3, 0x00, 1_010), (4, 0x00, 0), (5, 0x00, 0), (6, 0x00, 0),
        (7, 0x00, 0), (1, 0x04, 950), (1, 0x03, 1_010), (2, 0x02, 950), (2, 0x05, 1_010), (3, 0x01, 950),
        (3, 0x06, 1_010), (0, 0x07, 950),
      ]
    ),
    (
      .mpu6500,
      [
        (0, 0x00, 950), (1, 0x00, 1_010), (2, 0x00, 1_010), (3, 0x00, 1_010), (4, 0x00, 1_010), (5, 0x00, 1_010),
        (6, 0x00, 950), (7, 0x00, 0), (1, 0x04, 1_010), (1, 0x06, 1_010), (1, 0x07, 950), (3, 0x07, 950),
      ]
    ),
  ]

  @Test static func `the clock source decides the error of the rate`() throws {
    for clock in Self.clocks {
      for row in clock.rows {
        var configuration = EmulatedMPU6050.Configuration.quiet(clock.part)
        configuration.internalOscillatorPartsPerMillion = -50_000
        configuration.pllPartsPerMillion = 10_000
        let bench = MPUBench(Constant(), configuration)
        try bench.write(0x19, 0x09, 0x01)
        try bench.write(0x6B, row.select, row.standby)
        bench.pass(50_000)
        try expect(MPU6050SamplingTests.samples(bench), equals: row.samples, "\(clock.part.identity) \(row)")
      }
    }
  }

  @Test static func `a stopped clock restarts with the start-up time`() throws {
    let bench = MPUBench(TellingForce())
    try bench.start()
    try bench.write(0x6B, 0x07)
    bench.pass(60_000)
    try bench.write(0x6B, 0x01)
    bench.pass(19_999)
    try expect(bench.force()[0], equals: 38)
    bench.pass(1)
    try expect(bench.force()[0], equals: 118)
  }
}
