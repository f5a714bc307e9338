internal import FixedPoint

/// Random durations.
struct RandomDelay {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// A duration from `least` to `most`, which must not be negative.
  mutating func between(_ least: Microseconds, _ most: Microseconds) -> Microseconds {
    let room = UInt64(bitPattern: max(0, most.count &- least.count)) &+ 1
    return least + Microseconds(Int64(bitPattern: random.next() % max(1, room)))
  }
}
