import Foundation

extension String {
  /// The lines that are not empty, divided as bytes: to divide a long text as characters takes fifty times as long.
  var linesAsBytes: [Substring] { utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) } }
}

extension Substring {
  /// Where the bytes of `text` end, in bytes from the beginning; nil if they are not in it.
  func end(of text: String) -> Int? { Data(utf8).range(of: Data(text.utf8))?.upperBound }

  /// The number that a line of JSON has under a name; nil for none.
  func number(_ name: String) -> Double? {
    guard let place = end(of: "\"\(name)\":") else { return nil }
    return Double(Substring(utf8.dropFirst(place).prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }))
  }
}
