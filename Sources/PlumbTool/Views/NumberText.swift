package import FixedPoint

/// `numerator / denominator` as decimal text of at most `places` places, rounded to nearest (ties away from zero),
/// without trailing zeros. Exact integer arithmetic, so the same bytes everywhere.
///
/// Any numerator; the denominator must be positive and, times 10^places, below 2^63.
package func decimalText(_ numerator: Int64, over denominator: Int64, places: Int) -> String {
  unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LineWriter.longestNumber) { buffer in
    var writer = unsafe LineWriter(buffer)
    writer.append(decimal: numerator, over: denominator, places: places)
    return unsafe String(decoding: buffer[..<writer.count], as: UTF8.self)
  }
}

/// Writes a line into memory of the caller's: for lines that are written a million times, without a string for each field.
@safe
package struct LineWriter: ~Copyable {
  /// The number of bytes that were written.
  package private(set) var count = 0
  private let bytes: UnsafeMutableBufferPointer<UInt8>

  /// The most bytes that a number takes.
  package static let longestNumber = 64

  /// Writes from the beginning of `bytes`; what does not fit is left out.
  package init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { unsafe self.bytes = bytes }

  /// Appends a byte.
  package mutating func append(_ byte: UInt8) {
    guard unsafe count < bytes.count else { return }
    unsafe bytes[count] = byte
    count += 1
  }

  /// Appends `text`.
  package mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    guard unsafe count + length <= bytes.count, let base = unsafe bytes.baseAddress else { return }
    unsafe (base + count).update(from: text.utf8Start, count: length)
    count += length
  }

  /// Appends a force in g, to six places: exactly.
  package mutating func append(_ value: Q16) { append(decimal: Int64(value.raw), over: 65_536, places: 6) }

  /// Appends a component of a unit vector of which 2^30 is 1, to six places.
  package mutating func append(unit value: Int32) { append(decimal: Int64(value), over: 1 << 30, places: 6) }

  /// Appends a part of one, to five places.
  package mutating func append(part value: Q16) { append(decimal: Int64(value.raw), over: 65_536, places: 5) }

  /// Appends an angle in degrees, to 0.0001°; `null` where it is undefined.
  package mutating func append(_ angle: BinaryAngle?) {
    guard let angle else { return append("null") }
    append(decimal: Int64(angle.degrees.raw), over: 65_536, places: 4)
  }

  /// Appends seconds, to the microsecond.
  package mutating func append(_ time: Microseconds) { append(decimal: time.count, over: 1_000_000, places: 6) }

  /// Appends what ``decimalText(_:over:places:)`` gives.
  @inline(__always)
  package mutating func append(decimal numerator: Int64, over denominator: Int64, places: Int) {
    var scale: UInt64 = 1
    for _ in 0..<places { scale *= 10 }
    let divisor = UInt64(bitPattern: denominator)
    let magnitude = numerator.magnitude
    var whole = magnitude / divisor
    var rest = ((magnitude - whole * divisor) * scale + divisor / 2) / divisor
    if rest == scale { (whole, rest) = (whole + 1, 0) }
    guard unsafe count + Self.longestNumber <= bytes.count else { return }
    if numerator < 0 && (whole > 0 || rest > 0) { append(0x2D) }
    append(whole: whole)
    guard rest > 0 else { return }
    append(0x2E)
    for index in stride(from: count + places - 1, through: count, by: -1) {
      unsafe bytes[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += places
    while unsafe bytes[count - 1] == 0x30 { count -= 1 }
  }

  private mutating func append(whole value: UInt64) {
    var (rest, width) = (value / 10, 1)
    while rest > 0 {
      rest /= 10
      width += 1
    }
    rest = value
    for index in stride(from: count + width - 1, through: count, by: -1) {
      unsafe bytes[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += width
  }
}

extension Vector3 {
  /// Whether an angle in the plane of two components is nothing but noise: both are small.
  private static func isUndefined(_ a: Q16, _ b: Q16) -> Bool {
    FixedPoint.magnitude(a.raw, b.raw) < Q16(1, over: 10).raw
  }

  /// Whether the board lies so flat that it has no device angle, and none that follows from that.
  package var isFlat: Bool { Self.isUndefined(x, y) }

  /// Whether the board stands so upright that it has no roll.
  package var isOnEnd: Bool { Self.isUndefined(x, z) }
}

extension Q16 {
  /// Decimal text of at most `places` places.
  package func text(places: Int) -> String { decimalText(Int64(raw), over: 65_536, places: places) }
}

extension BinaryAngle {
  /// Degrees in (-180, 180], to 0.0001°.
  package var degreesText: String { degrees.text(places: 4) }
}

extension BinaryAngle? {
  /// Degrees for JSON; `null` where the angle is undefined.
  package var json: String { map(\.degreesText) ?? "null" }
}

extension Microseconds {
  /// Seconds, to the microsecond.
  package var secondsText: String { decimalText(count, over: 1_000_000, places: 6) }

  /// Seconds with exactly two places, for tables.
  package var tableText: String {
    let hundredths = (count.magnitude + 5_000) / 10_000
    let fraction = hundredths % 100
    let sign = count < 0 && hundredths > 0 ? "-" : ""
    return "\(sign)\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }

  /// The duration for people, to a hundredth of a suitable unit.
  var durationText: String {
    let units: [(String, Int64, Int64)] = [
      ("µs", 1, 1_000), ("ms", 1_000, 1_000_000), ("s", 1_000_000, 300_000_000), ("min", 60_000_000, 10_800_000_000),
      ("h", 3_600_000_000, 259_200_000_000), ("days", 86_400_000_000, .max),
    ]
    let unit = units.first { count < $0.2 } ?? units[5]
    return decimalText(count, over: unit.1, places: 2) + " " + unit.0
  }
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
