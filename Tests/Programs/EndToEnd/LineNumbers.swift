import Foundation

extension Substring {
  /// Where the bytes of `text` end, in bytes from the beginning; nil if they are not in it.
  func end(of text: String) -> Int? {
    var (line, text) = (self, text)
    return line.withUTF8 { line in
      text.withUTF8 { text in
        guard let begin = line.baseAddress, let wanted = text.baseAddress, let first = unsafe text.first else {
          return nil
        }
        var offset = 0
        while offset + text.count <= line.count,
          let place = unsafe memchr(begin + offset, Int32(first), line.count - text.count - offset + 1)
        {
          offset = unsafe UnsafeRawPointer(place) - UnsafeRawPointer(begin)
          if unsafe memcmp(begin + offset, wanted, text.count) == 0 { return offset + text.count }
          offset += 1
        }
        return nil
      }
    }
  }

  /// The number that a line of JSON has under a name; nil for none.
  func number(_ name: String) -> Double? {
    guard let place = end(of: "\"\(name)\":") else { return nil }
    return Double(Substring(utf8.dropFirst(place).prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }))
  }
}
