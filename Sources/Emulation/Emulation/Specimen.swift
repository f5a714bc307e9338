public import FixedPoint

/// The errors of one specimen of a sensor, drawn from a seed: what its axes read at 0 g, and how much more than 1 g
/// they read at 1 g.
///
/// Each axis has its own errors, all independent and uniform from minus to plus the maximum, both inclusive. The same
/// seed gives the same specimen on every machine, and its errors are independent of the seed's noise.
public struct SpecimenErrors: Equatable, Sendable {
  /// What the axes read at 0 g, in g.
  public let zeroGOffset: Vector3
  /// How much more than 1 g an axis reads at 1 g, in g.
  public let sensitivityError: Vector3

  /// The errors of specimen `seed` of a kind whose axes read at most `offset` g at 0 g and are off by at most
  /// `sensitivity` g at 1 g; the signs of both are ignored.
  public init(seed: UInt64, offset: Q16, sensitivity: Q16) {
    // Another sequence than that of the noise, whose seeds are usually small.
    let bits = RandomBits(seed: seed ^ 0x0FF5_E75C_A1E5_0000)
    func drawn(_ number: UInt64, _ greatest: Q16) -> Q16 { bits.error(number, upTo: greatest) }
    zeroGOffset = Vector3(x: drawn(0, offset), y: drawn(1, offset), z: drawn(2, offset))
    sensitivityError = Vector3(x: drawn(3, sensitivity), y: drawn(4, sensitivity), z: drawn(5, sensitivity))
  }
}

/// The errors of a specimen's gyroscope: what it reads at rest, and how it responds to rotations and forces.
///
/// ```swift
/// var specimen = EmulatedMPU6050.Configuration()
/// specimen.gyroscopeErrors = GyroscopeErrors(seed: 7)
/// ```
public struct GyroscopeErrors: Equatable, Sendable {
  /// What each axis reads of a rotation about another, as a fraction of it.
  public struct CrossAxis: Equatable, Sendable {
    /// What X reads of a rotation about Y; and so on. Default 0.
    public var xOfY = Q16.zero
    /// What X reads of a rotation about Z.
    public var xOfZ = Q16.zero
    /// What Y reads of a rotation about X.
    public var yOfX = Q16.zero
    /// What Y reads of a rotation about Z.
    public var yOfZ = Q16.zero
    /// What Z reads of a rotation about X.
    public var zOfX = Q16.zero
    /// What Z reads of a rotation about Y.
    public var zOfY = Q16.zero

    /// No cross-axis error.
    public init() {}
  }

  /// What the axes read at rest at 25 °C, in °/s. The data sheet allows ±20.
  public var bias = Vector3.zero
  /// How much that changes with the temperature of the die, in °/s per °C.
  ///
  /// The data sheet allows ±20 °/s from -40 to 85 °C: ±0.31 °/s per °C, if it changes linearly.
  public var biasPerDegree = Vector3.zero
  /// How much more than a rotation an axis reads of it, as a fraction of it. The data sheet allows ±0.03.
  public var sensitivityError = Vector3.zero
  /// What each axis reads of a rotation about another, as a fraction of it. The data sheet allows ±0.02.
  public var crossAxis = CrossAxis()
  /// What each axis reads of a force along it, including gravity's, in °/s per g. The data sheet says 0.1.
  public var perG = Vector3.zero

  /// No error at all.
  public init() {}

  /// The errors of specimen `seed`, each independent and uniform from minus to plus the maximum; by default everything
  /// that the data sheet allows. The signs of the limits are ignored.
  ///
  /// - Parameters:
  ///   - seed: The same seed gives the same specimen on every machine, independent of the seed's noise and of its
  ///     ``SpecimenErrors``.
  ///   - bias: The greatest bias at 25 °C, in °/s.
  ///   - biasOverTemperature: The greatest change of the bias from 25 to -40 °C, in °/s.
  ///   - sensitivity: The greatest scale error.
  ///   - crossAxis: The greatest fraction of a rotation about another axis.
  ///   - perG: The greatest effect of a force, in °/s per g.
  /// - Datasheet: MPU-6000/MPU-6050 Product Specification Rev. 3.4, 6.1.
  public init(
    seed: UInt64, bias: Q16 = Q16(whole: 20), biasOverTemperature: Q16 = Q16(whole: 20),
    sensitivity: Q16 = Q16(3, over: 100),
    crossAxis: Q16 = Q16(2, over: 100), perG: Q16 = Q16(1, over: 10)
  ) {
    let bits = RandomBits(seed: seed ^ 0x6720_5C0B_E5CA_1E00)
    func drawn(_ number: UInt64, _ greatest: Q16) -> Q16 { bits.error(number, upTo: greatest) }
    func three(_ number: UInt64, _ greatest: Q16) -> Vector3 {
      Vector3(x: drawn(number, greatest), y: drawn(number + 1, greatest), z: drawn(number + 2, greatest))
    }
    self.bias = three(0, bias)
    biasPerDegree = three(3, Q16(raw: biasOverTemperature.raw / 65))
    sensitivityError = three(6, sensitivity)
    self.perG = three(9, perG)
    self.crossAxis.xOfY = drawn(12, crossAxis)
    self.crossAxis.xOfZ = drawn(13, crossAxis)
    self.crossAxis.yOfX = drawn(14, crossAxis)
    self.crossAxis.yOfZ = drawn(15, crossAxis)
    self.crossAxis.zOfX = drawn(16, crossAxis)
    self.crossAxis.zOfY = drawn(17, crossAxis)
  }

  /// No error at all.
  public static let none = GyroscopeErrors()

  /// A typical part: 2.7, -0.6 and 1.8 °/s at rest at 25 °C, 0.03, 0.02 and -0.02 °/s more with every °C.
  public static let usual = usualErrors

  private static var usualErrors: GyroscopeErrors {
    var errors = GyroscopeErrors()
    errors.bias = Vector3(x: Q16(27, over: 10), y: Q16(-6, over: 10), z: Q16(18, over: 10))
    errors.biasPerDegree = Vector3(x: Q16(3, over: 100), y: Q16(2, over: 100), z: Q16(-2, over: 100))
    return errors
  }
}

/// White noise on three axes, the same for the same seed on every machine.
///
/// A value is the sum of twelve uniform 16-bit numbers minus its mean: sufficiently Gaussian (excess kurtosis -0.1),
/// with a standard deviation of one to within 1.2e-10. The tails are a little light: 0.20 % of the values lie beyond 3
/// standard deviations (Gaussian: 0.27 %) and none beyond 6. Axes and indices are independent.
public struct NoiseSource: Sendable {
  /// The standard deviation on each axis in g, 0 or more.
  public let standardDeviation: Vector3
  private let bits: RandomBits
  private var index: UInt64 = 0

  /// Noise of `standardDeviation` g on each axis.
  ///
  /// Sources with different seeds are independent, small seeds included.
  public init(standardDeviation: Vector3, seed: UInt64) {
    self.standardDeviation = standardDeviation
    bits = RandomBits(seed: seed)
  }

  /// Value `index` of the sequence, in g: a pure function of seed and index.
  ///
  /// Rounded to the nearest Q16.16, saturating.
  public func sample(at index: UInt64) -> Vector3 { sample(at: index, scaledTo: standardDeviation) }

  /// Value `index` of the sequence with another standard deviation.
  func sample(at index: UInt64, scaledTo deviation: Vector3) -> Vector3 {
    Vector3(
      x: scaled(deviation.x, by: unitSample(index &* 3)),
      y: scaled(deviation.y, by: unitSample(index &* 3 &+ 1)),
      z: scaled(deviation.z, by: unitSample(index &* 3 &+ 2)))
  }

  /// The next value of the sequence, in g: `sample(at: 0)`, then 1, 2, …
  public mutating func next() -> Vector3 {
    defer { index &+= 1 }
    return sample(at: index)
  }

  /// Value `index` of the single sequence behind the three axes, in 1/65536 of its standard deviation.
  private func unitSample(_ index: UInt64) -> Int64 {
    // Even and odd 16-bit parts are summed side by side in 32-bit lanes: six to a lane cannot overflow it.
    let parts: UInt64 = 0x0000_FFFF_0000_FFFF
    var lanes: UInt64 = 0
    for part: UInt64 in 0..<3 {
      let word = bits.word(index &* 3 &+ part)
      lanes &+= (word & parts) &+ ((word >> 16) & parts)
    }
    let sum = Int64(lanes & 0xFFFF_FFFF) + Int64(lanes >> 32)
    // Twelve times the mean of 0…65535. The variance, 12 · (2^32 - 1) / 12, is that of Q16.16 one.
    return sum - 12 * 65_535 / 2
  }

  private func scaled(_ deviation: Q16, by unit: Int64) -> Q16 {
    Q16(raw: saturated((Int64(deviation.raw) * unit + 0x8000) >> 16))
  }
}

/// Random words that are a pure function of a seed and a number: no state to carry, no order to keep.
///
/// They are those of ``SplitMix64``, with an external counter.
struct RandomBits {
  private let base: UInt64

  init(seed: UInt64) {
    // Mixed, because plain neighbouring seeds would give sequences that are shifts of each other.
    base = SplitMix64.mixed(seed)
  }

  /// Word `number` of the sequence.
  func word(_ number: UInt64) -> UInt64 { SplitMix64.mixed(base &+ (number &+ 1) &* SplitMix64.step) }

  /// Error `number`, uniform from minus to plus `greatest`, both inclusive; the sign of `greatest` is ignored.
  func error(_ number: UInt64, upTo greatest: Q16) -> Q16 {
    let span = UInt64(greatest.raw.magnitude)
    let steps = Self.number(below: 2 * span + 1, from: word(number))
    return Q16(raw: Int32(clamping: Int64(steps) - Int64(span)))
  }

  /// A number below `bound` from `word`, uniform to 1 in 2^64 / bound; 0 for a bound of 0.
  static func number(below bound: UInt64, from word: UInt64) -> UInt64 { word.multipliedFullWidth(by: bound).high }
}
