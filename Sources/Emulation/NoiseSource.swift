public import FixedPoint

/// White noise on three axes, the same for the same seed on every machine.
///
/// A value is the sum of twelve uniform 16-bit numbers less its mean: near enough Gaussian (excess kurtosis -0.1) with a
/// standard deviation of one to 1.2e-10. The tails are a little light: 0.20 % of the values lie beyond 3 standard deviations
/// (Gaussian: 0.27 %) and none beyond 6. Axes and indices are independent.
public struct NoiseSource: Sendable {
  /// The standard deviation on each axis in g, 0 or more.
  public let standardDeviation: Vector3
  private let base: UInt64
  private var index: UInt64 = 0

  /// Noise of `standardDeviation` g on each axis.
  ///
  /// Sources with different seeds are independent, small seeds included.
  public init(standardDeviation: Vector3, seed: UInt64) {
    self.standardDeviation = standardDeviation
    // Mixed, because bare neighbouring seeds would give sequences that are shifts of each other.
    base = mixed(seed)
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
    let seed = base &+ (index &* 3 &+ 1) &* step
    var lanes: UInt64 = 0
    for part: UInt64 in 0..<3 {
      let word = mixed(seed &+ part &* step)
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

/// What SplitMix64 adds from one value to the next.
private let step: UInt64 = 0x9E37_79B9_7F4A_7C15

/// A bijection of 64 bits that leaves no trace of order in them.
///
/// - Source: S. Vigna's SplitMix64 (the finaliser of Stafford's variant 13).
private func mixed(_ value: UInt64) -> UInt64 {
  var bits = value
  bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
  bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
  return bits ^ (bits >> 31)
}
