import FixedPoint

/// `numerator / denominator` as decimal text of at most `places` places, rounded to nearest (ties away from zero),
/// without trailing zeros. Exact integer arithmetic, so the same bytes everywhere.
///
/// Any numerator; the denominator must be positive and, times 10^places, below 2^63.
func decimalText(_ numerator: Int64, over denominator: Int64, places: Int) -> String {
  var scale: UInt64 = 1
  for _ in 0..<places { scale *= 10 }
  let divisor = denominator.magnitude
  var (whole, rest) = numerator.magnitude.quotientAndRemainder(dividingBy: divisor)
  rest = (rest * scale + divisor / 2) / divisor
  if rest == scale { (whole, rest) = (whole + 1, 0) }
  guard whole > 0 || rest > 0 else { return "0" }
  var text = (numerator < 0 ? "-" : "") + String(whole)
  var fraction = rest
  guard fraction > 0 else { return text }
  var width = places
  while fraction % 10 == 0 {
    fraction /= 10
    width -= 1
  }
  let digits = String(fraction)
  text += "." + String(repeating: "0", count: width - digits.utf8.count) + digits
  return text
}

extension Q16 {
  /// Decimal text of at most `places` places.
  func text(places: Int) -> String { decimalText(Int64(raw), over: 65_536, places: places) }
}

extension BinaryAngle {
  /// Degrees in (-180, 180], to 0.0001°.
  var degreesText: String { degrees.text(places: 4) }

  /// Degrees to a tenth, always with the tenth, for tables.
  var tableText: String {
    let text = degrees.text(places: 1)
    return (text.contains(".") ? text : text + ".0") + "°"
  }
}

extension Microseconds {
  /// Seconds, to the microsecond.
  var secondsText: String { decimalText(count, over: 1_000_000, places: 6) }

  /// Seconds with exactly two places, for tables.
  var tableText: String {
    let hundredths = (count.magnitude + 5_000) / 10_000
    let fraction = hundredths % 100
    let sign = count < 0 && hundredths > 0 ? "-" : ""
    return "\(sign)\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
