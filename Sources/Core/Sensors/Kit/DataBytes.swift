internal import FixedPoint

extension Span<UInt8> {
  /// The word in two bytes, low byte first.
  func word(at index: Int) -> Int16 { Int16(bitPattern: UInt16(self[index]) | UInt16(self[index &+ 1]) &<< 8) }

  /// X, Y and Z of three words, low bytes first, in the six bytes from `start` on.
  func vector(at start: Int, _ component: (Int16) -> Q16) -> Vector3 {
    Vector3(
      x: component(word(at: start)), y: component(word(at: start &+ 2)), z: component(word(at: start &+ 4)))
  }

  /// Whether the `count` bytes from `start` on are zero.
  func isZero(_ count: Int, from start: Int) -> Bool {
    for index in 0..<count where self[start &+ index] != 0 { return false }
    return true
  }
}

extension Q16 {
  /// `counts` · `unit` of 2^-40 + `offset`, rounded to nearest (ties up), saturating.
  init(_ counts: Int32, by unit: Int64, plus offset: Int64 = 0) {
    self.init(raw: saturated((widened(counts) &* unit &+ offset &+ 0x80_0000) &>> 24))
  }
}
