internal import FixedPoint

// Numbers with a decimal point, in whole units of the last place, so that no binary fraction comes between.
extension ShortText {
  /// The number that the text is, in units of 10^-`places`: digits, and after a point at most `places` more.
  ///
  /// `0.25` with 3 places is 250. Nil for any other text, `.5`, `5.` and an exponent among them. A number too large for
  /// the result gives the greatest.
  func decimal(places: Int) -> Int32? {
    var position = 0
    guard let number = decimal(at: &position, places: places, isSigned: false), position == count else { return nil }
    return number
  }

  /// The three numbers that the text is, with blanks between; a sign before each where `isSigned`.
  func decimals(places: Int, isSigned: Bool = false) -> (x: Int32, y: Int32, z: Int32)? {
    var position = 0
    guard let x = decimal(at: &position, places: places, isSigned: isSigned), skipBlanks(&position),
      let y = decimal(at: &position, places: places, isSigned: isSigned), skipBlanks(&position),
      let z = decimal(at: &position, places: places, isSigned: isSigned), position == count
    else { return nil }
    return (x, y, z)
  }

  /// The rate that the text is, in hertz with at most 3 decimals.
  var updateRate: UpdateRate? { decimal(places: 3).flatMap { UpdateRate(millihertz: $0) } }

  /// Goes on to what is no blank; false where there was none.
  private func skipBlanks(_ position: inout Int) -> Bool {
    let start = position
    while isBlank(at: position) { position &+= 1 }
    return position > start
  }

  private func decimal(at position: inout Int, places: Int, isSigned: Bool) -> Int32? {
    let isNegative = self[position] == UInt8(ascii: "-")
    if isNegative || self[position] == UInt8(ascii: "+") {
      guard isSigned else { return nil }
      position &+= 1
    }
    var number: Int64 = 0
    guard digits(at: &position, into: &number) > 0 else { return nil }
    var missing = places
    if self[position] == UInt8(ascii: ".") {
      position &+= 1
      let found = digits(at: &position, into: &number)
      guard found > 0 && found <= places else { return nil }
      missing &-= found
    }
    for _ in 0..<missing { Self.append(0, to: &number) }
    return saturated(isNegative ? 0 &- number : number)
  }

  /// Reads digits; returns how many.
  private func digits(at position: inout Int, into number: inout Int64) -> Int {
    let start = position
    while (0x30...0x39).contains(self[position]) {
      Self.append(self[position] &- 0x30, to: &number)
      position &+= 1
    }
    return position &- start
  }

  /// Beyond 2^33 the number stays so large: the result has 32 bits.
  private static func append(_ digit: UInt8, to number: inout Int64) {
    guard number < 1 &<< 33 else { return }
    number = number &* 10 &+ widened(Int32(truncatingIfNeeded: digit))
  }
}
