public import FixedPoint

/// The errors of one specimen of a sensor, drawn from a seed: what its axes read at 0 g, and how much more than 1 g they
/// read at 1 g.
///
/// Each axis has its own, all of them independent and uniform from minus to plus the greatest, which both can be. The
/// same seed gives the same specimen on every machine, and it is not the seed's noise.
public struct SpecimenErrors: Equatable, Sendable {
  /// What the axes read at 0 g, in g.
  public let zeroGOffset: Vector3
  /// How much more than 1 g an axis reads at 1 g, in g.
  public let sensitivityError: Vector3

  /// The errors of specimen `seed` of a kind whose axes read at most `offset` g at 0 g and are at most `sensitivity` g
  /// out at 1 g; the sign of neither counts.
  public init(seed: UInt64, offset: Q16, sensitivity: Q16) {
    // Another sequence than that of the noise, whose seeds are small as a rule.
    let bits = RandomBits(seed: seed ^ 0x0FF5_E75C_A1E5_0000)
    func drawn(_ number: UInt64, _ greatest: Q16) -> Q16 {
      let span = UInt64(greatest.raw.magnitude)
      let steps = RandomBits.number(below: 2 * span + 1, from: bits.word(number))
      return Q16(raw: Int32(clamping: Int64(steps) - Int64(span)))
    }
    zeroGOffset = Vector3(x: drawn(0, offset), y: drawn(1, offset), z: drawn(2, offset))
    sensitivityError = Vector3(x: drawn(3, sensitivity), y: drawn(4, sensitivity), z: drawn(5, sensitivity))
  }
}

/// White noise on three axes, the same for the same seed on every machine.
///
/// A value is the sum of twelve uniform 16-bit numbers less its mean: near enough Gaussian (excess kurtosis -0.1) with a
/// standard deviation of one to 1.2e-10. The tails are a little light: 0.20 % of the values lie beyond 3 standard deviations
/// (Gaussian: 0.27 %) and none beyond 6. Axes and indices are independent.
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
/// - Source: S. Vigna's SplitMix64, its counter taken from outside.
struct RandomBits {
  private let base: UInt64

  init(seed: UInt64) {
    // Mixed, because bare neighbouring seeds would give sequences that are shifts of each other.
    base = Self.mixed(seed)
  }

  /// Word `number` of the sequence.
  func word(_ number: UInt64) -> UInt64 { Self.mixed(base &+ (number &+ 1) &* 0x9E37_79B9_7F4A_7C15) }

  /// A number below `bound` from `word`, even to 1 in 2^64 / bound; 0 for a bound of 0.
  static func number(below bound: UInt64, from word: UInt64) -> UInt64 { word.multipliedFullWidth(by: bound).high }

  /// The finaliser of Stafford's variant 13: a bijection that leaves no trace of order.
  static func mixed(_ value: UInt64) -> UInt64 {
    var bits = value
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
