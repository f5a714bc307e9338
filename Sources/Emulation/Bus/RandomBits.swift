/// Random words that are a pure function of a seed and a number: no state to carry, no order to keep.
///
/// - Source: S. Vigna's SplitMix64, its counter taken from outside.
struct RandomBits {
  private let base: UInt64

  init(seed: UInt64) { base = Self.mixed(seed) }

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
