internal import FixedPoint

/// Random lengths of time.
///
/// - Source: S. Vigna's SplitMix64 (public domain).
struct RandomDelay {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// One of the lengths from `least` up to `most`, which are not negative.
  mutating func between(_ least: Microseconds, _ most: Microseconds) -> Microseconds {
    state = state &+ 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed &>> 31
    let room = UInt64(bitPattern: max(0, most.count &- least.count)) &+ 1
    return least + Microseconds(Int64(bitPattern: mixed % max(1, room)))
  }
}
