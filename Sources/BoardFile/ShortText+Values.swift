internal import FixedPoint
internal import Orientation

extension ShortText {
  /// The number that the text is, all decimal digits; the greatest number where it is larger.
  var decimal: Int32? { number(from: 0, radix: 10) }

  /// The number that the text is, with 0x before it; the greatest number where it is larger.
  var hexadecimal: Int32? {
    guard self[0] == UInt8(ascii: "0"), self[1] == UInt8(ascii: "x") else { return nil }
    return number(from: 2, radix: 16)
  }

  private func number(from start: Int, radix: Int32) -> Int32? {
    guard count > start else { return nil }
    var number: Int32 = 0
    for index in start..<count {
      guard let digit = Self.digit(self[index]), digit < radix else { return nil }
      // Clamped well below overflow: no value here needs so much.
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

  /// The number of 64 bits that the text is, all decimal digits; nil where it does not fit.
  var seed: UInt64? {
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

  /// True for the first word, false for the second, nil for any other text.
  func choice(_ yes: StaticString, _ no: StaticString) -> Bool? {
    self == yes ? true : self == no ? false : nil
  }

  /// Whether the text is not empty and all printable ASCII without blanks.
  var isWord: Bool {
    for index in 0..<count where !(0x21...0x7E).contains(self[index]) { return false }
    return count > 0
  }

  func isBlank(at index: Int) -> Bool { self[index] == 0x20 || self[index] == 0x09 }

  /// The half-axis written at `index`: a sign and x, y or z in either case.
  func axis(at index: Int) -> SensorAxis? {
    let isNegative = self[index] == UInt8(ascii: "-")
    guard isNegative || self[index] == UInt8(ascii: "+") else { return nil }
    switch self[index &+ 1] | 0x20 {
    case UInt8(ascii: "x"): return isNegative ? .minusX : .plusX
    case UInt8(ascii: "y"): return isNegative ? .minusY : .plusY
    case UInt8(ascii: "z"): return isNegative ? .minusZ : .plusZ
    default: return nil
    }
  }
}
