import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// Mean, standard deviation and excess kurtosis.
func moments(_ values: [Double]) -> (mean: Double, deviation: Double, kurtosis: Double) {
  let count = Double(values.count)
  let mean = values.reduce(0, +) / count
  let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
  let fourth = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) * ($1 - mean) * ($1 - mean) } / count
  return (mean, variance.squareRoot(), fourth / (variance * variance) - 3)
}

struct NoiseTests {
  static let one = Vector3(x: .one, y: .one, z: .one)

  static func values(_ source: NoiseSource, _ count: UInt64) -> [[Double]] {
    let samples = (0..<count).map { source.sample(at: $0) }
    return [\Vector3.x, \.y, \.z].map { path in samples.map { Double($0[keyPath: path].raw) / 65_536 } }
  }

  @Test(arguments: [0, 1, 2, 0xFFFF_FFFF_FFFF_FFFF] as [UInt64])
  static func `noise has mean 0, its standard deviation and nearly Gaussian tails`(_ seed: UInt64) {
    for axis in Self.values(NoiseSource(standardDeviation: Self.one, seed: seed), 100_000) {
      let (mean, deviation, kurtosis) = moments(axis)
      // Four standard errors each: 1/√n, 1/√(2n), √(24/n).
      expect(abs(mean), isBelow: 0.0127)
      expect(abs(deviation - 1), isBelow: 0.009)
      expect(abs(kurtosis + 0.1), isBelow: 0.062)
      expect(all: axis) { abs($0) < 6 }
      let beyondThree = axis.filter { abs($0) > 3 }.count
      expect(beyondThree, isIn: 155...245, "200, where a Gaussian has 270")
    }
  }

  @Test static func `axes, successive samples and neighbouring seeds are uncorrelated`() {
    let a = Self.values(NoiseSource(standardDeviation: Self.one, seed: 1), 100_000)
    let b = Self.values(NoiseSource(standardDeviation: Self.one, seed: 2), 100_000)
    func correlation(_ u: some Sequence<Double>, _ v: some Sequence<Double>) -> Double {
      zip(u, v).reduce(0) { $0 + $1.0 * $1.1 } / 100_000
    }
    let all = [
      correlation(a[0], a[1]), correlation(a[1], a[2]), correlation(a[0], a[2]), correlation(a[0], a[0].dropFirst()),
      correlation(a[2], a[0].dropFirst()), correlation(a[0], b[0]), correlation(a[1], b[1]), correlation(a[2], b[2]),
    ]
    expect(all: all) { abs($0) < 0.0127 }
  }

  @Test static func `the same seed gives the same noise, and another seed other noise`() {
    let source = NoiseSource(standardDeviation: Self.one, seed: 5)
    var sequence = NoiseSource(standardDeviation: Self.one, seed: 5)
    let other = NoiseSource(standardDeviation: Self.one, seed: 6)
    for index: UInt64 in 0..<100 {
      expect(sequence.next(), equals: source.sample(at: index))
      expect(other.sample(at: index), isNot: source.sample(at: index))
    }
  }

  @Test static func `the first values never change between releases`() {
    let source = NoiseSource(standardDeviation: Self.one, seed: 1)
    // From an independent implementation, in Python, of the generator described in `NoiseSource`.
    expect(source.sample(at: 0), equals: Vector3(x: Q16(raw: 78_427), y: Q16(raw: 40_784), z: Q16(raw: -57_164)))
    expect(source.sample(at: 1), equals: Vector3(x: Q16(raw: -5_975), y: Q16(raw: 33_170), z: Q16(raw: -14_218)))
    expect(source.sample(at: 1_000_000).x, equals: Q16(raw: -26_906))
  }

  @Test(arguments: [0, 1, 192, 1_966, 65_536, Int32.max] as [Int32])
  static func `the standard deviation scales the noise`(_ raw: Int32) {
    let deviation = Vector3(x: Q16(raw: raw), y: .zero, z: .zero)
    let scaled = NoiseSource(standardDeviation: deviation, seed: 3)
    let unit = NoiseSource(standardDeviation: Self.one, seed: 3)
    for index: UInt64 in 0..<1_000 {
      let ideal = Double(unit.sample(at: index).x.raw) * Double(raw) / 65_536
      let clipped = min(max(ideal, Double(Int32.min)), Double(Int32.max))
      expect(abs(Double(scaled.sample(at: index).x.raw) - clipped), isAtMost: 0.5)
      expect(scaled.sample(at: index).y, equals: .zero)
    }
  }

  /// The counts of all samples in 100 s at 100 Hz.
  static func run(_ configuration: EmulatedADXL345.Configuration, seed: UInt64) throws -> [[Int]] {
    let bench = ADXL345Bench(Constant(z: 65_536), configuration, seed: seed)
    try bench.start()
    return try (0..<10_000).map { _ in
      defer { bench.clock.advance(by: .milliseconds(10)) }
      return try bench.counts()
    }
  }

  @Test static func `a device has the typical noise of the data sheet`() throws {
    let counts = try Self.run(EmulatedADXL345.Configuration(), seed: 11)
    for (axis, expected, mean) in [(0, 0.75, 0.0), (1, 0.75, 0.0), (2, 1.1, 256.0)] {
      let measured = moments(counts.map { Double($0[axis]) })
      // Rounding to whole counts adds a variance of 1/12.
      let ideal = (expected * expected + 1.0 / 12).squareRoot()
      expect(abs(measured.deviation - ideal), isBelow: 0.03)
      expect(abs(measured.mean - mean), isBelow: 0.05)
    }
  }

  @Test static func `a device has its configured noise`() throws {
    var configuration = EmulatedADXL345.Configuration()
    configuration.noise = Vector3(x: Q16(3, over: 100), y: Q16(3, over: 100), z: Q16(3, over: 100))
    let counts = try Self.run(configuration, seed: 12)
    for axis in 0..<3 {
      let measured = moments(counts.map { Double($0[axis]) })
      expect(abs(measured.deviation - 0.03 * 256), isBelow: 0.25)
    }
  }

  @Test static func `a device repeats itself only with the same seed`() throws {
    let configuration = EmulatedADXL345.Configuration()
    let first = try Self.run(configuration, seed: 4)
    try expect(Self.run(configuration, seed: 4), equals: first)
    try expect(Self.run(configuration, seed: 5), isNot: first)
  }
}
