import FixedPoint

/// `numerator / denominator` as decimal text of at most `places` places, rounded to nearest (ties away from zero),
/// without trailing zeros. Exact integer arithmetic, so the same bytes everywhere.
///
/// `denominator` must be positive and `numerator` below 2^63 / 10^places in size.
func decimalText(_ numerator: Int64, over denominator: Int64, places: Int) -> String {
  var scale: UInt64 = 1
  for _ in 0..<places { scale *= 10 }
  let divisor = denominator.magnitude
  let scaled = (numerator.magnitude * scale + divisor / 2) / divisor
  guard scaled > 0 else { return "0" }
  var text = (numerator < 0 ? "-" : "") + String(scaled / scale)
  var fraction = scaled % scale
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
}

extension Microseconds {
  /// Seconds, to the microsecond.
  var secondsText: String { decimalText(count, over: 1_000_000, places: 6) }

  /// Seconds with exactly two places, for tables.
  var tableText: String {
    let hundredths = (count + 5_000) / 10_000
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
