import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct MPU6050SamplingTests {
  typealias Part = EmulatedMPU6050.Part

  /// The rates of §2.4: hertz and SMPLRT_DIV on the 1 kHz base.
  static let dividers: [(hertz: Int64, divider: UInt8)] = [
    (1_000, 0), (500, 1), (250, 3), (200, 4), (125, 7), (100, 9), (50, 19), (25, 39), (10, 99), (4, 249),
  ]

  /// The number of samples in ten seconds.
  static func samples(_ bench: MPUBench, inSeconds seconds: Int64 = 10) throws -> UInt64 {
    _ = try bench.read(0x75)
    let before = bench.device.sampleCount
    bench.pass(seconds * 1_000_000)
    _ = try bench.read(0x75)
    return bench.device.sampleCount - before
  }

  @Test(arguments: [Part.mpu6050, .mpu6500])
  static func `the divider divides 1 kHz with every filter from 1 to 6`(_ part: Part) throws {
    for row in Self.dividers {
      for filter: UInt8 in 1...6 {
        let bench = MPUBench(part: part)
        try bench.start(divider: row.divider, filter: filter)
        try expect(Self.samples(bench), equals: UInt64(row.hertz * 10))
      }
    }
  }

  @Test(arguments: [UInt8(0), 7])
  static func `without a filter the base is 8 kHz, which the 6500 class does not divide`(_ filter: UInt8) throws {
    for divider: UInt8 in [0, 1, 7, 31] {
      let old = MPUBench()
      try old.start(divider: divider, filter: filter)
      try expect(Self.samples(old), equals: 80_000 / (UInt64(divider) + 1))
      let new = MPUBench(part: .mpu6500)
      try new.start(divider: divider, filter: filter)
      try expect(Self.samples(new), equals: 80_000)
    }
  }

  @Test(arguments: [
    (Part.mpu6050, UInt8(0x00), 8), (.mpu6500, 0x00, 8), (.mpu6500, 0x08, 2), (.mpu9250, 0x08, 2),
  ])
  static func `at 8 kHz the accelerometer's values repeat`(_ part: Part, _ filter: UInt8, _ repetitions: Int) throws {
    let bench = MPUBench(part: part, TellingForce(microsecondsPerCount: 25))
    try bench.write(0x1A, 0x00, 0x00, 0x18, filter)
    try bench.write(0x6B, 0x01)
    try bench.write(0x1C, 0x00)
    bench.pass(50_000)
    var values: [Int] = []
    for _ in 0..<80 {
      values.append(try bench.force()[0])
      bench.pass(125)
    }
    // Runs of equal values, without the first and the last, which may be cut off.
    var runs: [Int] = []
    for (index, value) in values.enumerated() {
      if index > 0 && value == values[index - 1] { runs[runs.count - 1] += 1 } else { runs.append(1) }
    }
    expect(all: runs.dropFirst().dropLast()) { $0 == repetitions }
    expect(Set(values).count, isAtLeast: 80 / repetitions)
    // One value is as old as a repetition is long: 125 µs are 5 counts.
    expect(values[repetitions * 4] - values[repetitions * 3], equals: 5 * repetitions)
  }

  @Test static func `a sample is the motion at its tick and is held until the next`() throws {
    let bench = MPUBench(TellingForce(microsecondsPerCount: 100))
    try bench.write(0x19, 0x09, 0x01)
    try bench.write(0x6B, 0x00)
    // Ticks at 20, 30, 40 … ms; filter 1 delays the motion by 2 ms.
    bench.pass(20_000)
    for step in 0..<300 {
      try expect(bench.force()[0], equals: 180 + step / 10 * 100)
      bench.pass(1_000)
    }
  }

  /// §2.4 and §2.13: filter code and delay in microseconds.
  static let delays: [(part: Part, register: UInt8, delays: [Int64])] = [
    (.mpu6050, 0x1A, [0, 2_000, 3_000, 4_900, 8_500, 13_800, 19_000, 0]),
    (.mpu6500, 0x1D, [1_940, 5_800, 7_800, 11_800, 19_800, 35_700, 66_960, 1_940, 750]),
    (.mpu9250, 0x1D, [1_880, 1_880, 2_880, 4_880, 8_870, 16_830, 32_480, 1_380, 503]),
    (.icm20689, 0x1D, [1_880, 1_880, 2_880, 4_880, 8_870, 16_830, 32_480, 1_380, 503]),
  ]

  @Test static func `each filter delays the motion by its group delay`() throws {
    for row in Self.delays {
      for (code, delay) in row.delays.enumerated() {
        let bench = MPUBench(part: row.part, TellingForce(microsecondsPerCount: 10))
        try bench.write(0x1A, 0x01)
        try bench.write(row.register, UInt8(code))
        try bench.write(0x6B, 0x01)
        bench.pass(200_000)
        // 100 Hz, divided from 8 kHz if the 6050 has no filter.
        try bench.write(0x19, row.register == 0x1A && code % 7 == 0 ? 79 : 9)
        bench.pass(10_000)
        try expect(bench.force()[0], equals: Int((210_000 - delay) / 10), "\(row.part.identity) \(code)")
      }
    }
  }

  @Test static func `on the 6500 class the filter in CONFIG does not affect the accelerometer`() throws {
    for code: UInt8 in 1...6 {
      let bench = MPUBench(part: .mpu6500, TellingForce(microsecondsPerCount: 10))
      try bench.start(divider: 9, filter: code)
      try bench.write(0x19, 4)
      bench.pass(5_000)
      try expect(bench.force()[0], equals: (45_000 - 1_940) / 10)
    }
  }

  @Test static func `one burst is one instant, and separate reads are not protected`() throws {
    let bench = MPUBench(TellingForce(microsecondsPerCount: 100))
    try bench.start(divider: 0)
    var torn = 0
    for _ in 0..<200 {
      let burst = try bench.force()
      expect(burst[0], equals: -burst[1])
      let high = try bench.read(0x3B)[0]
      bench.pass(1_000)
      let low = try bench.read(0x3C)[0]
      let pieced = Int(high) << 8 | Int(low)
      // Ten counts lie between the two reads: across a multiple of 256 the bytes do not match.
      if pieced < burst[0] { torn += 1 }
    }
    expect(torn, isIn: 5...10)
  }

  @Test static func `samples do not depend on when the part is read`() throws {
    let configuration = EmulatedMPU6050.Configuration()
    let often = MPUBench(NamedMotion.tumble.motion, configuration, seed: 7)
    let seldom = MPUBench(NamedMotion.tumble.motion, configuration, seed: 7)
    for bench in [often, seldom] {
      try bench.write(0x23, 0xF8)
      try bench.write(0x6A, 0x40)
      try bench.start(divider: 6)
    }
    for step in 1...1_000 {
      for bench in [often, seldom] { bench.pass(7_000) }
      _ = try often.read(0x3B, 14)
      if step % 53 == 0 {
        try expect(often.read(0x3B, 14), equals: seldom.read(0x3B, 14))
        let count = try often.fifoCount()
        try expect(seldom.fifoCount(), equals: count)
        try expect(often.read(0x74, count), equals: seldom.read(0x74, count))
      }
    }
    try expect(often.read(0x3B, 14), equals: seldom.read(0x3B, 14))
    expect(often.device.sampleCount, equals: seldom.device.sampleCount)
  }

  @Test static func `another rate starts a new period, and writing the same one does not`() throws {
    let bench = MPUBench(TellingForce(microsecondsPerCount: 100))
    try bench.start()
    bench.pass(5_000)
    try bench.write(0x19, 9, 1)
    bench.pass(5_000)
    try expect(bench.force()[0], equals: 480)
    bench.pass(5_000)
    try bench.write(0x19, 19)
    bench.pass(19_999)
    try expect(bench.force()[0], equals: 480)
    bench.pass(1)
    try expect(bench.force()[0], equals: 730)
  }

  @Test static func `another motion, rate of turn or temperature begins with the next sample`() throws {
    let bench = MPUBench(Constant(x: 65_536))
    try bench.start()
    bench.pass(5_000)
    bench.device.play(Constant(y: 65_536))
    bench.device.angularRate = Vector3(x: .one, y: .zero, z: .zero)
    bench.device.dieTemperature = Q16(3_653, over: 100)
    try expect(bench.force(), equals: [16_384, 0, 0])
    try expect(bench.rate(), equals: [0, 0, 0])
    bench.pass(5_000)
    try expect(bench.force(), equals: [0, 16_384, 0])
    try expect(bench.rate(), equals: [131, 0, 0])
    try expect(bench.temperature(), equals: 0)
  }

  @Test static func `a motion begins when it is played, without effect on samples already due`() throws {
    let bench = MPUBench(Constant(x: 4))
    try bench.start()
    bench.pass(10_000)
    bench.device.play(TellingForce(microsecondsPerCount: 100))
    try expect(bench.force(), equals: [1, 0, 0])
    bench.pass(30_000)
    try expect(bench.force(), equals: [280, -280, 0])
  }

  @Test(arguments: [UInt8(1), 0])
  static func `a read after a year finds every sample counted and the last one at its instant`(_ filter: UInt8) throws {
    // One count per thousand seconds.
    let bench = MPUBench(TellingForce(microsecondsPerCount: 1_000_000_000))
    try bench.start(divider: 0, filter: filter)
    try expect(
      MPU6050SamplingTests.samples(bench, inSeconds: 31_536_000), equals: 31_536_000 * (filter == 1 ? 1_000 : 8_000))
    try expect(bench.force(), equals: [31_536, -31_536, 0])
    try expect(MPU6050SamplingTests.samples(bench, inSeconds: 1), equals: filter == 1 ? 1_000 : 8_000)
  }

  @Test static func `a clock that runs backwards or jumps makes no sample twice and does no harm`() throws {
    var instant = Instant(microseconds: 0)
    let device = EmulatedMPU6050(motion: Constant()) { instant }
    for write: [UInt8] in [[0x1A, 0x01], [0x23, 0xF8], [0x6A, 0x40], [0x6B, 0x00]] { device.receive(write.span) }
    var counts: [UInt64] = []
    for microseconds: Int64 in [50_000, 10, -1_000_000, .min / 2, 60_000, .max / 2, 0, .max - 1] {
      instant = Instant(microseconds: microseconds)
      device.receive(([0x74] as [UInt8]).span)
      counts.append(device.sampleCount)
    }
    expect(all: counts[0...3]) { $0 == 31 }
    expect(counts[4], equals: 41)
    expect(counts, equals: counts.sorted())
    expect(counts[5], isAbove: 1 << 50)
  }
}
