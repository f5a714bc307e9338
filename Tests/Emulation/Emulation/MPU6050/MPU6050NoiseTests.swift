import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct MPU6050NoiseTests {
  typealias Part = EmulatedMPU6050.Part

  /// Mean and standard deviation of `count` samples of force (±2 g) and rate (±250 °/s), X, Y and Z each.
  static func statistics(_ bench: MPUBench, count: Int = 4_000) throws -> [(mean: Double, deviation: Double)] {
    var samples: [[Double]] = []
    for _ in 0..<count {
      bench.pass(10_000)
      samples.append(try (bench.force() + bench.rate()).map { Double($0) })
    }
    return (0..<6).map { axis in
      let mean = samples.reduce(0) { $0 + $1[axis] } / Double(count)
      let variance = samples.reduce(0) { $0 + ($1[axis] - mean) * ($1[axis] - mean) } / Double(count)
      return (mean, variance.squareRoot())
    }
  }

  /// Part, CONFIG, ACCEL_CONFIG2, µg/√Hz, bandwidth in Hz.
  static let densities: [(part: Part, filter: UInt8, filter2: UInt8, density: Double, hertz: Double)] = [
    (.mpu6050, 1, 0, 400, 184), (.mpu6050, 2, 0, 400, 94), (.mpu6050, 3, 0, 400, 44), (.mpu6050, 4, 0, 400, 21),
    (.mpu6050, 5, 0, 400, 10), (.mpu6050, 6, 0, 400, 5), (.mpu6050, 0, 0, 400, 260), (.mpu6050, 7, 0, 400, 260),
    (.mpu6500, 6, 0, 300, 460), (.mpu6500, 6, 1, 300, 184), (.mpu6500, 6, 2, 300, 92), (.mpu6500, 6, 3, 300, 41),
    (.mpu6500, 6, 4, 300, 20), (.mpu6500, 6, 5, 300, 10), (.mpu6500, 6, 6, 300, 5), (.mpu6500, 6, 7, 300, 460),
    (.mpu6500, 6, 8, 300, 1_130), (.mpu9250, 6, 0, 300, 218.1), (.mpu9250, 6, 1, 300, 218.1),
    (.mpu9250, 6, 2, 300, 99), (.mpu9250, 6, 3, 300, 44.8), (.mpu9250, 6, 4, 300, 21.2), (.mpu9250, 6, 5, 300, 10.2),
    (.mpu9250, 6, 6, 300, 5.05), (.mpu9250, 6, 7, 300, 420), (.mpu9250, 6, 8, 300, 1_046),
  ]

  @Test static func `the accelerometer's noise is its density times the root of the bandwidth`() throws {
    for row in Self.densities {
      let bench = MPUBench(Constant(z: 65_536), EmulatedMPU6050.Configuration(row.part), seed: 3)
      try bench.start(divider: 9, filter: row.filter)
      try bench.write(0x1D, row.filter2)
      let measured = try Self.statistics(bench, count: 2_000)
      let noise = row.density * row.hertz.squareRoot() * 16_384 / 1_000_000
      let ideal = (noise * noise + 1.0 / 12).squareRoot()
      for axis in 0..<3 {
        // Four standard errors, 1/√(2n) and 1/√n, and the rounding of the deviation to 1/8 count.
        expect(abs(measured[axis].deviation - ideal), isBelow: ideal * 0.063 + 0.13, "\(row) \(measured[axis])")
        expect(abs(measured[axis].mean - (axis == 2 ? 16_384 : 0)), isBelow: ideal * 0.09 + 0.1)
      }
    }
  }

  @Test(
    arguments: [
      (Part.mpu6050, 1, 5, 188), (.mpu6050, 2, 5, 98), (.mpu6050, 3, 5, 42), (.mpu6050, 4, 5, 20), (.mpu6050, 5, 5, 10),
      (.mpu6050, 6, 5, 5), (.mpu6050, 0, 5, 256), (.mpu6500, 2, 10, 98),
    ] as [(Part, UInt8, Double, Double)])
  static func `the gyroscope's noise is its density times the root of the bandwidth`(
    _ part: Part, _ filter: UInt8, _ millidegrees: Double, _ hertz: Double
  ) throws {
    let bench = MPUBench(Constant(), EmulatedMPU6050.Configuration(part), seed: 4)
    try bench.start(divider: 9, filter: filter)
    let noise = millidegrees / 1_000 * hertz.squareRoot() * 131
    let ideal = (noise * noise + 1.0 / 12).squareRoot()
    for axis in try Self.statistics(bench)[3...] {
      expect(abs(axis.deviation - ideal), isBelow: ideal * 0.05)
      expect(abs(axis.mean), isBelow: ideal * 0.07)
    }
  }

  @Test static func `a specimen has its configured noise`() throws {
    var configuration = EmulatedMPU6050.Configuration()
    configuration.noiseMicrogPerRootHertz = 4_000
    configuration.gyroscopeNoiseMicrodegreesPerRootHertz = 100_000
    let bench = MPUBench(Constant(), configuration)
    try bench.start(divider: 9, filter: 2)
    let measured = try Self.statistics(bench)
    let (force, rate) = (0.004 * 94.0.squareRoot() * 16_384, 0.1 * 98.0.squareRoot() * 131)
    expect(all: measured[..<3]) { abs($0.deviation - force) < force * 0.05 }
    expect(all: measured[3...]) { abs($0.deviation - rate) < rate * 0.05 }
  }

  static func run(seed: UInt64, restarting: Bool = false) throws -> [[UInt8]] {
    let bench = MPUBench(Constant(z: 65_536), EmulatedMPU6050.Configuration(), seed: seed)
    try bench.start()
    return try (0..<200).map { step in
      bench.pass(10_000)
      if restarting && step == 100 {
        try bench.write(0x6B, 0x41)
        try bench.write(0x6B, 0x01)
        bench.pass(30_000)
      }
      return try bench.read(0x3B, 14)
    }
  }

  @Test static func `a device repeats itself only with the same seed, and never after a restart`() throws {
    let first = try Self.run(seed: 4)
    try expect(Self.run(seed: 4), equals: first)
    try expect(Self.run(seed: 5), isNot: first)
    let restarted = try Self.run(seed: 4, restarting: true)
    expect(Array(restarted.prefix(100)), equals: Array(first.prefix(100)))
    expect(Set(restarted).count, equals: 200)
  }

  @Test static func `the noises of the two sensors are independent, and both follow the seed`() throws {
    var configuration = EmulatedMPU6050.Configuration()
    configuration.gyroscopeNoiseMicrodegreesPerRootHertz = 100_000
    var runs: [[[Int]]] = []
    for seed: UInt64 in [8, 9] {
      let bench = MPUBench(Constant(), configuration, seed: seed)
      try bench.start(divider: 9, filter: 2)
      runs.append(
        try (0..<4_000).map { _ in
          bench.pass(10_000)
          return try bench.force() + bench.rate()
        })
    }
    func correlation(_ a: [Int], _ b: [Int]) -> Double {
      func product(_ a: [Int], _ b: [Int]) -> Double { Double(zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }) }
      return product(a, b) / (product(a, a) * product(b, b)).squareRoot()
    }
    func column(_ run: Int, _ axis: Int) -> [Int] { runs[run].map { $0[axis] } }
    for axis in 0..<3 {
      expect(abs(correlation(column(0, axis), column(0, axis + 3))), isBelow: 0.064)
      expect(abs(correlation(column(0, axis), column(1, axis))), isBelow: 0.064)
      expect(abs(correlation(column(0, axis + 3), column(1, axis + 3))), isBelow: 0.064)
    }
  }

  @Test static func `frozen data repeat in registers and FIFO while the status changes`() throws {
    let plan: FaultPlan = [.init(.frozenData, .during(.milliseconds(65)..<(.milliseconds(200))))]
    let bench = MPUBench(TellingForce(), EmulatedMPU6050.Configuration(), plan: plan)
    try bench.write(0x38, 0x01)
    try bench.write(0x23, 0x08)
    try bench.write(0x6A, 0x40)
    try bench.start()
    bench.pass(20_000)
    let last = try bench.read(0x3B, 14)
    _ = try bench.read(0x74, 1_024)
    bench.device.dieTemperature = .zero
    for _ in 0..<10 {
      bench.pass(10_000)
      try expect(bench.read(0x3A), equals: [0x01])
      try expect(bench.read(0x3B, 14), equals: last)
      try expect(bench.read(0x74, 6), equals: Array(last[..<6]))
    }
    bench.pass(50_000)
    try expect(bench.read(0x3B, 14), isNot: last)
  }

  @Test(arguments: [UInt8(0x00), 0x08, 0x10, 0x18])
  static func `full-scale data are the largest number on every axis, at every range`(_ range: UInt8) throws {
    let plan: FaultPlan = [.init(.fullScaleData, .during(.milliseconds(45)..<(.milliseconds(200))))]
    let bench = MPUBench(Constant(z: -65_536), .quiet(), plan: plan)
    try bench.write(0x1B, range, range)
    try bench.start()
    let temperature = try bench.temperature()
    bench.pass(10_000)
    try expect(bench.force(), equals: [32_767, 32_767, 32_767])
    try expect(bench.rate(), equals: [32_767, 32_767, 32_767])
    try expect(bench.temperature(), equals: temperature)
    bench.pass(200_000)
    try expect(bench.force()[2], isBelow: 0)
  }
}
