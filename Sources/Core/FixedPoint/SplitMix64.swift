/// Random numbers that are the same in every run with the same seed.
///
/// - Source: S. Vigna, splitmix64.c (public domain).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  /// The increment of the state per number: 2^64 divided by the golden ratio, made odd.
  package static var step: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  @usableFromInline var state: UInt64

  /// A generator that starts at `seed`.
  @inlinable
  package init(seed: UInt64) { state = seed }

  /// The next 64 random bits.
  @inlinable
  package mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mixed(state)
  }

  /// The finaliser of Stafford's variant 13: a bijection that hides the order of its inputs.
  @inlinable
  package static func mixed(_ value: UInt64) -> UInt64 {
    var bits = value
    bits = (bits ^ (bits &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits &>> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits &>> 31)
  }
}
