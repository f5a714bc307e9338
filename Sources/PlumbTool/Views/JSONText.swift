/// Values as JSON text.
package enum JSONText {
  /// A number with at most `places` decimal places; null if it is not finite.
  package static func number(_ value: Double, _ places: Int) -> String {
    guard value.isFinite && value.magnitude < 1e12 else { return "null" }
    var scale: Int64 = 1
    for _ in 0..<places { scale *= 10 }
    let units = Int64((value * Double(scale)).rounded())
    let (whole, rest) = units.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
    let sign = units < 0 ? "-" : ""
    guard rest > 0 else { return sign + String(whole) }
    var digits = String(rest)
    digits = String(repeating: "0", count: places - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return sign + String(whole) + "." + digits
  }

  package static func array(_ values: [Double], _ places: Int) -> String {
    "[" + values.map { number($0, places) }.joined(separator: ",") + "]"
  }

  /// A string with its quotation marks.
  package static func string(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      // Control characters, and the two line separators that older JavaScript rejects.
      case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x2028 || scalar.value == 0x2029:
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}

extension String {
  /// The text as a string of JSON, with its quotation marks.
  package var json: String { JSONText.string(self) }
}
