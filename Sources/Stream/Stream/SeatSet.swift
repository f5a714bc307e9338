/// A set of an owner's seats, one bit each. It yields their indices in order. It is not a `Sequence`, whose arrays
/// 32-bit targets cannot compile without a heap.
struct SeatSet {
  private var bits: UInt32 = 0

  var isEmpty: Bool { bits == 0 }
  var count: Int { bits.nonzeroBitCount }

  /// Inserts the seat at `place`, 0…31.
  mutating func insert(_ place: Int) { bits |= 1 &<< UInt32(truncatingIfNeeded: place) }

  /// The seats of this set that are not in `others`.
  func subtracting(_ others: SeatSet) -> SeatSet {
    var rest = self
    rest.bits &= ~others.bits
    return rest
  }

  /// Removes and returns the first seat; nil if there is none.
  mutating func next() -> Int? {
    guard bits != 0 else { return nil }
    let place = bits.trailingZeroBitCount
    bits &= bits &- 1
    return place
  }
}
