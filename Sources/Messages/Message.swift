public import BoardFile

/// A sentence for people, in place: who uses it needs no heap, and so both the tool and the daemon can.
public typealias Message = ShortText<384>

extension ShortText {
  /// Adds `0x0A` and the like.
  package mutating func append(hex byte: UInt8) {
    append("0x")
    append(hexDigits: byte)
  }

  /// Adds a number in decimal digits.
  package mutating func append(decimal number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor > 9 { divisor = divisor &* 10 }
    while divisor > 0 {
      append(digit: number / divisor % 10)
      divisor /= 10
    }
  }

  /// Adds `number / denominator` in decimal digits, rounded to nearest with at most three places, without trailing zeros.
  ///
  /// `denominator` is 1…10^9.
  package mutating func append(_ number: UInt64, over denominator: UInt64, places: Int) {
    var scale: UInt64 = 1
    for _ in 0..<min(places, 3) { scale = scale &* 10 }
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
}
