/// Some of an owner's seats, a bit each. Their places come one by one, in order: not as a `Sequence`, whose arrays
/// 32-bit targets cannot compile without a heap.
struct SeatSet {
  private var bits: UInt32 = 0

  var isEmpty: Bool { bits == 0 }
  var count: Int { bits.nonzeroBitCount }

  /// Adds the seat at `place`, 0…31.
  mutating func insert(_ place: Int) { bits |= 1 &<< UInt32(truncatingIfNeeded: place) }

  /// Those of these that are not in `others`.
  func subtracting(_ others: SeatSet) -> SeatSet {
    var rest = self
    rest.bits &= ~others.bits
    return rest
  }

  /// Removes the first place and returns it; nil where there is none.
  mutating func next() -> Int? {
    guard bits != 0 else { return nil }
    let place = bits.trailingZeroBitCount
    bits &= bits &- 1
    return place
  }
}
