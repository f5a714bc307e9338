package import FixedPoint
import JSON
import Text

/// `numerator / denominator` as decimal text with at most `places` places, rounded to nearest (ties away from zero),
/// without trailing zeros. The arithmetic is exact integer arithmetic, so the bytes are the same everywhere.
///
/// Any numerator; the denominator must be positive and, times 10^places, below 2^63.
package func decimalText(_ numerator: Int64, over denominator: Int64, places: Int) -> String {
  unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ByteWriter.longestNumber) { buffer in
    var writer = unsafe ByteWriter(buffer)
    writer.append(decimal: numerator, over: denominator, places: places)
    return unsafe String(decoding: buffer[..<writer.count], as: UTF8.self)
  }
}

/// `value` as decimal text with at most `places` places, 0…6, rounded to nearest; `null` if it is not finite, or 10^12
/// or more.
package func decimalText(_ value: Double, places: Int) -> String {
  unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ByteWriter.longestNumber) { buffer in
    var writer = unsafe ByteWriter(buffer)
    writer.append(value, places: places)
    return unsafe String(decoding: buffer[..<writer.count], as: UTF8.self)
  }
}

extension Q16 {
  /// The exact number.
  package var double: Double { Double(raw) / 65_536 }

  /// Decimal text with at most `places` places.
  package func text(places: Int) -> String { decimalText(Int64(raw), over: 65_536, places: places) }
}

extension BinaryAngle {
  /// Degrees in (-180, 180], to 0.0001°.
  package var degreesText: String { degrees.text(places: 4) }

  /// Tenths of a degree, rounded to nearest.
  package var tenths: Int64 { (Int64(raw) * 3_600 + (1 << 31)) >> 32 }
}

extension Microseconds {
  /// Seconds, to the microsecond.
  package var secondsText: String { decimalText(count, over: 1_000_000, places: 6) }

  /// Seconds with exactly two places, for tables.
  package var tableText: String { ("\(seconds: self)" as ShortText<32>).description }

  /// The duration for people, with three digits in a suitable unit.
  package var durationText: String {
    let units: [(String, Int64, Int64)] = [
      ("µs", 1, 1_000), ("ms", 1_000, 1_000_000), ("s", 1_000_000, 300_000_000), ("min", 60_000_000, 10_800_000_000),
      ("h", 3_600_000_000, 259_200_000_000), ("days", 86_400_000_000, .max),
    ]
    let unit = units.first { count < $0.2 } ?? units[5]
    let places = count >= 100 * unit.1 ? 0 : count >= 10 * unit.1 ? 1 : 2
    return decimalText(count, over: unit.1, places: places) + " " + unit.0
  }
}

/// A number with its noun: `1 gap`, `2 gaps`.
package func counted(_ number: some BinaryInteger, _ one: String, _ more: String) -> String {
  "\(number) \(number == 1 ? one : more)"
}

/// A number with a sign and exactly `places` decimal places, right-aligned to `width`.
package func figure(_ value: Double, places: Int, width: Int, sign: Bool = true) -> String {
  var scale = 1.0
  for _ in 0..<places { scale *= 10 }
  let units = min(1e15, (value.magnitude * scale).rounded())
  let whole = Int64(units / scale)
  let rest = String(Int64(units) - whole * Int64(scale))
  var text = String(whole)
  if places > 0 { text += "." + String(repeating: "0", count: places - rest.count) + rest }
  if sign { text = (value < 0 && units > 0 ? "-" : units > 0 ? "+" : " ") + text }
  return String(repeating: " ", count: max(0, width - text.count)) + text
}
