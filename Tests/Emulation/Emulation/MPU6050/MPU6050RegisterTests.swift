import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct MPU6050RegisterTests {
  typealias Part = EmulatedMPU6050.Part

  /// A register: number, reset value, writable bits. The self-test codes are the defaults.
  struct Row: Sendable {
    var number: UInt8
    var reset: UInt8 = 0
    var writable: UInt8 = 0
  }

  /// The registers of both layouts.
  static let common: [Row] =
    [0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x23, 0x6C].map { Row(number: $0, writable: 0xFF) }
    + (0x24...0x34).map { Row(number: $0, writable: 0xFF) } + (0x63...0x67).map { Row(number: $0, writable: 0xFF) }
    + (0x3A...0x48).map { Row(number: $0) } + [0x68, 0x72, 0x73, 0x74].map { Row(number: $0) }
    + [
      Row(number: 0x1B, writable: 0xF8), Row(number: 0x37, writable: 0xFE), Row(number: 0x38, writable: 0x59),
      Row(number: 0x6A, writable: 0x70),
    ]

  /// The MPU-6050; codes 16, 19 and 11 over gyroscope codes 13, 15 and 12.
  static let old: [Row] =
    common + (0x06...0x0B).map { Row(number: $0, writable: 0xFF) }
    + [
      Row(number: 0x0D, reset: 0x8D), Row(number: 0x0E, reset: 0x8F), Row(number: 0x0F, reset: 0x4C),
      Row(number: 0x10, reset: 0x0F), Row(number: 0x1A, writable: 0x3F), Row(number: 0x1C, writable: 0xFF),
      Row(number: 0x1F, writable: 0xFF), Row(number: 0x20, writable: 0xFF), Row(number: 0x69, writable: 0x3F),
      Row(number: 0x6B, reset: 0x40, writable: 0x6F), Row(number: 0x75, reset: 0x68),
    ]

  /// The MPU-6500; codes 102, 117 and 95, gyroscope codes 214, 201 and 222.
  static let new: [Row] =
    common + [0x77, 0x78, 0x7A, 0x7B, 0x7D, 0x7E, 0x1F].map { Row(number: $0, writable: 0xFF) }
    + [
      Row(number: 0x00, reset: 214), Row(number: 0x01, reset: 201), Row(number: 0x02, reset: 222),
      Row(number: 0x0D, reset: 102), Row(number: 0x0E, reset: 117), Row(number: 0x0F, reset: 95),
      Row(number: 0x1A, writable: 0x7F), Row(number: 0x1D, writable: 0x0F), Row(number: 0x1E, writable: 0x0F),
      Row(number: 0x1C, writable: 0xF8), Row(number: 0x69, writable: 0xC0),
      Row(number: 0x6B, reset: 0x01, writable: 0x7F), Row(number: 0x75, reset: 0x70),
    ]

  static let maps: [(part: Part, rows: [Row])] = [(.mpu6050, old), (.mpu6500, new)]

  @Test(arguments: [0, 1])
  static func `a register has its reset value, before and after a power cycle`(_ map: Int) throws {
    for row in Self.maps[map].rows {
      let bench = MPUBench(part: Self.maps[map].part)
      try expect(bench.read(row.number), equals: [row.reset], "\(row)")
      if row.number != 0x6A { try bench.write(row.number, 0xFF) }
      bench.device.powerCycle()
      try expect(bench.read(row.number), equals: [row.reset], "\(row)")
    }
  }

  @Test(arguments: [0, 1])
  static func `a register stores its existing bits and ignores the others`(_ map: Int) throws {
    for row in Self.maps[map].rows {
      for value: UInt8 in [0x7F, 0x00, 0x25, 0x5A, 0xFF] {
        // Bits with an effect are left to other tests: DEVICE_RESET, and I2C_IF_DIS.
        if row.number == 0x6B && value & 0x80 != 0 { continue }
        let written = row.number == 0x6A ? value & ~0x10 : value
        let bench = MPUBench(part: Self.maps[map].part)
        try bench.write(row.number, written)
        let expected = row.writable == 0 ? row.reset : written & row.writable
        try expect(bench.read(row.number), equals: [expected], "\(row) \(value)")
      }
    }
  }

  @Test(arguments: [0, 1])
  static func `all other registers read zero and ignore writes`(_ map: Int) throws {
    let known = Set(Self.maps[map].rows.map(\.number))
    for register: UInt8 in 0...255 where !known.contains(register) {
      let bench = MPUBench(part: Self.maps[map].part)
      try bench.write(register, 0xFF)
      try expect(bench.read(register), equals: [0], "\(register)")
    }
  }

  @Test static func `an ICM part has no registers of an auxiliary bus`() throws {
    let bench = MPUBench(part: .icm20689)
    try bench.write(0x24, 0xFF, 0xFF)
    try bench.write(0x67, 0xFF)
    try expect(bench.read(0x24, 2), equals: [0, 0])
    try expect(bench.read(0x67), equals: [0])
    try bench.write(0x1D, 0xFF)
    try expect(bench.read(0x1D), equals: [0xCF])
  }

  @Test static func `the pointer advances with every byte written and read, over read-only registers too`() throws {
    let bench = MPUBench()
    try bench.write(0x19, 0x07, 0x03, 0x18, 0x10)
    try expect(bench.read(0x18, 6), equals: [0x00, 0x07, 0x03, 0x18, 0x10, 0x00])
    try bench.write(0x38, 0x01, 0xFF, 0xFF)
    try expect(bench.read(0x37, 4), equals: [0x00, 0x01, 0x00, 0x00])
  }

  @Test static func `the pointer stays at the FIFO's port, in a read and in a write`() throws {
    let bench = MPUBench()
    try expect(bench.read(0x73, 4), equals: [0, 0, 0, 0])
    try expect(bench.readOn(2), equals: [0, 0])
    try bench.write(0x74, 0x11)
    try expect(bench.readOn(2), equals: [0, 0])
    try expect(bench.read(0x75), equals: [0x68])
  }

  @Test static func `the pointer wraps from FF to 00`() throws {
    let bench = MPUBench(part: .mpu6500)
    try expect(bench.read(0xFF, 3), equals: [0x00, 214, 201])
  }

  @Test static func `a read without a register number continues where the last one stopped`() throws {
    let bench = MPUBench()
    try expect(bench.read(0x74), equals: [0])
    try expect(bench.read(0x6A), equals: [0])
    try expect(bench.readOn(1), equals: [0x40])
    try bench.write(0x75)
    try expect(bench.readOn(1), equals: [0x68])
  }

  /// The parts of §2.10 of the hardware reference, and how each comes up.
  static let identities: [(part: Part, identity: UInt8, powerManagement: UInt8)] = [
    (.mpu6050, 0x68, 0x40), (.mpu6500, 0x70, 0x01), (.mpu9250, 0x71, 0x01), (.mpu9255, 0x73, 0x01),
    (.mpu6515, 0x74, 0x01), (.mpu6880, 0x78, 0x01), (.icm20689, 0x98, 0x40), (.clone98, 0x98, 0x40),
    (.icm20608, 0xAF, 0x40), (.icm20608D, 0xAE, 0x40), (.icm20609, 0xA6, 0x40), (.icm20600, 0x11, 0x40),
    (.icm20602, 0x12, 0x40), (.icm20690, 0x20, 0x40), (.iam20680, 0xA9, 0x40), (.clone72, 0x72, 0x01),
  ]

  @Test static func `each part has its identity at either address, and its state at power-up`() throws {
    for row in Self.identities {
      for address in [EmulatedMPU6050.address, EmulatedMPU6050.alternateAddress] {
        let bench = MPUBench(Constant(), .quiet(row.part), at: address)
        try expect(bench.read(0x75), equals: [row.identity])
        try expect(bench.read(0x6B), equals: [row.powerManagement])
      }
    }
  }

  @Test static func `the addresses are those of the data sheet`() {
    expect(EmulatedMPU6050.address.rawValue, equals: 0x68)
    expect(EmulatedMPU6050.alternateAddress.rawValue, equals: 0x69)
  }

  @Test static func `any layout can have any identity, and a plan can change a part's`() throws {
    var part = Part.mpu6500
    part.identity = 0x68
    try expect(MPUBench(part: part).read(0x75), equals: [0x68])
    let plan: FaultPlan = [.init(.identity(0x75), .transaction(1))]
    let bench = MPUBench(Constant(), .quiet(), plan: plan)
    try expect(bench.read(0x75), equals: [0x68])
    try expect(bench.read(0x75), equals: [0x75])
    try expect(bench.read(0x75), equals: [0x68])
  }

  @Test static func `I2C_IF_DIS disconnects the part until it loses its supply`() throws {
    let bench = MPUBench()
    try bench.write(0x6A, 0x10, 0x01)
    try expect(bench.read(0x75, 3), equals: [0xFF, 0xFF, 0xFF])
    try bench.write(0x6A, 0x00)
    try expect(bench.read(0x6A), equals: [0xFF])
    bench.device.powerCycle()
    try expect(bench.read(0x6A, 2), equals: [0x00, 0x40])
  }
}
