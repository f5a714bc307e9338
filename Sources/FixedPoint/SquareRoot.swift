/// The floor of the square root, exact for every input.
///
/// Digit by digit: 32 steps whatever the input, no divide.
///
/// - Source: H. S. Warren, *Hacker's Delight*, 2nd ed., 11-1.
@inlinable public func squareRoot(_ value: UInt64) -> UInt32 {
  var remainder = value
  var root: UInt64 = 0
  var bit: UInt64 = 1 &<< 62
  while bit != 0 {
    let trial = root | bit
    root = root &>> 1
    if remainder >= trial {
      remainder = remainder &- trial
      root |= bit
    }
    bit = bit &>> 2
  }
  return UInt32(truncatingIfNeeded: root)
}

extension Q16 {
  /// The square root in Q16.16, correctly rounded (error at most 0.5 LSB); 0 for negative numbers.
  @inlinable public var squareRoot: Q16 {
    guard raw > 0 else { return .zero }
    let scaled = widened(raw.magnitude) &<< 16
    let root = FixedPoint.squareRoot(scaled)
    // √scaled lies above root + ½ exactly when scaled > root² + root.
    let wide = widened(root)
    let roundsUp = scaled &- wide &* wide > wide
    return Q16(raw: Int32(truncatingIfNeeded: root &+ (roundsUp ? 1 : 0)))
  }
}
