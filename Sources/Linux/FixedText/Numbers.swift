internal import FixedPoint

// Numbers as text.
extension ShortText {
  /// A byte as 0xNN.
  package init(hex byte: UInt8) {
    self.init()
    append(hex: byte)
  }

  /// Appends a number in decimal digits.
  package mutating func append(decimal number: Int32) {
    if number < 0 { append("-") }
    append(decimal: widened(number.magnitude))
  }

  /// Appends a number in decimal digits.
  package mutating func append(decimal number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor > 9 { divisor = divisor &* 10 }
    while divisor > 0 {
      append(digit: number / divisor % 10)
      divisor /= 10
    }
  }

  /// Appends a number with its noun: `1 gap`, `2 gaps`.
  package mutating func append(_ number: UInt64, _ one: StaticString, _ more: StaticString) {
    append(decimal: number)
    append(" ")
    append(number == 1 ? one : more)
  }

  /// Appends `number / denominator` in decimal digits, rounded to nearest, with at most six places and no trailing
  /// zeros.
  ///
  /// `denominator` is 1…10^9.
  package mutating func append(_ number: UInt64, over denominator: UInt64, places: Int) {
    var scale: UInt64 = 1
    for _ in 0..<min(places, 6) { scale = scale &* 10 }
    let divisor = max(1, denominator)
    let whole = number / divisor
    let scaled = (number % divisor &* scale &+ divisor / 2) / divisor
    append(decimal: whole &+ scaled / scale)
    var rest = scaled % scale
    guard rest > 0 else { return }
    append(".")
    while rest > 0 {
      scale /= 10
      append(digit: rest / scale)
      rest = rest % scale
    }
  }

  private mutating func append(digit: UInt64) {
    append(byte: 0x30 &+ UInt8(truncatingIfNeeded: UInt32(truncatingIfNeeded: digit)))
  }

  /// Appends a byte as in `0x0A`.
  package mutating func append(hex byte: UInt8) {
    append("0x")
    append(hexDigits: byte)
  }

  /// Appends two hexadecimal digits, in capitals.
  package mutating func append(hexDigits byte: UInt8) {
    append(hexDigit: byte &>> 4)
    append(hexDigit: byte & 0x0F)
  }

  private mutating func append(hexDigit digit: UInt8) {
    append(byte: digit < 10 ? 0x30 &+ digit : 0x37 &+ digit)
  }
}

// Numbers from text. Those with a decimal point are in whole units of the last place, so that no binary fraction is
// involved.
extension ShortText {
  /// The number in the text, which must be all decimal digits; `Int32.max` if it is well above 2^24.
  package var decimal: Int32? { number(from: 0, radix: 10) }

  /// The number in the text, which must be 0x and hexadecimal digits; `Int32.max` if it is well above 2^24.
  package var hexadecimal: Int32? {
    guard self[0] == UInt8(ascii: "0"), self[1] == UInt8(ascii: "x") else { return nil }
    return number(from: 2, radix: 16)
  }

  /// The 64-bit number in the text, which must be all decimal digits; nil if it does not fit.
  package var wideDecimal: UInt64? {
    guard count > 0 else { return nil }
    var number: UInt64 = 0
    for index in 0..<count {
      guard let digit = Self.digit(self[index]), digit < 10 else { return nil }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = product.addingReportingOverflow(widened(UInt32(bitPattern: digit)))
      guard !isTooLarge && !overflows else { return nil }
      number = sum
    }
    return number
  }

  /// The number in the text, in units of 10^-`places`: digits, then optionally a point and at most `places` more
  /// digits.
  ///
  /// `0.25` with 3 places is 250. Nil for any other text, including `.5`, `5.` and exponents. Saturates.
  package func decimal(places: Int) -> Int32? {
    var position = 0
    guard let number = decimal(at: &position, places: places, isSigned: false), position == count
    else { return nil }
    return number
  }

  /// The three numbers in the text, separated by blanks; each may have a sign if `isSigned`.
  package func decimals(places: Int, isSigned: Bool = false) -> (x: Int32, y: Int32, z: Int32)? {
    var position = 0
    guard let x = decimal(at: &position, places: places, isSigned: isSigned), skipBlanks(&position),
      let y = decimal(at: &position, places: places, isSigned: isSigned), skipBlanks(&position),
      let z = decimal(at: &position, places: places, isSigned: isSigned), position == count
    else { return nil }
    return (x, y, z)
  }

  /// Calls `body` with each of the numbers in the text, which are separated by blanks. Returns false if there is
  /// anything else, or nothing.
  package func forEachDecimal(places: Int, _ body: (Int32) -> Void) -> Bool {
    var position = 0
    repeat {
      guard let number = decimal(at: &position, places: places, isSigned: false) else { return false }
      body(number)
    } while skipBlanks(&position)
    return position == count
  }

  /// Whether a space or a tab is at `index`.
  package func isBlank(at index: Int) -> Bool { self[index] == 0x20 || self[index] == 0x09 }

  /// Skips blanks; returns false if there were none.
  private func skipBlanks(_ position: inout Int) -> Bool {
    let start = position
    while isBlank(at: position) { position &+= 1 }
    return position > start
  }

  private func number(from start: Int, radix: Int32) -> Int32? {
    guard count > start else { return nil }
    var number: Int32 = 0
    for index in start..<count {
      guard let digit = Self.digit(self[index]), digit < radix else { return nil }
      // Clamped well below overflow: no valid value is that large.
      number = number > 0xFF_FFFF ? Int32.max : number &* radix &+ digit
    }
    return number
  }

  private static func digit(_ byte: UInt8) -> Int32? {
    switch byte {
    case 0x30...0x39: Int32(truncatingIfNeeded: byte &- 0x30)
    case 0x41...0x46: Int32(truncatingIfNeeded: byte &- 0x37)
    case 0x61...0x66: Int32(truncatingIfNeeded: byte &- 0x57)
    default: nil
    }
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

  /// Beyond 2^33 the number no longer grows: the result has 32 bits.
  private static func append(_ digit: UInt8, to number: inout Int64) {
    guard number < 1 &<< 33 else { return }
    number = number &* 10 &+ widened(Int32(truncatingIfNeeded: digit))
  }
}
