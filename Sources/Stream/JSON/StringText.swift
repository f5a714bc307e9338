// Strings of JSON: RFC 8259, section 7.
extension ByteWriter {
  /// Appends `string` in quotation marks.
  mutating func append(quoted string: StaticString) {
    append(0x22)
    unsafe append(escaped: UnsafeBufferPointer(start: string.utf8Start, count: string.utf8CodeUnitCount))
    append(0x22)
  }

  /// Appends `string` in quotation marks.
  mutating func append(quoted string: Span<UInt8>) {
    append(0x22)
    unsafe string.withUnsafeBufferPointer { bytes in unsafe append(escaped: bytes) }
    append(0x22)
  }

  /// Appends `bytes` as text, with the escapes that JSON or JavaScript need, and U+FFFD for what is not UTF-8.
  private mutating func append(escaped bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    // The bytes from `start` to `index` need no escape.
    var (start, index) = (0, 0)
    while index < bytes.count {
      let byte = unsafe base[index]
      if byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C {
        index &+= 1
        continue
      }
      let character = unsafe byte < 0x80 ? UTF8Character(length: 1, isValid: true) : UTF8Character(bytes, at: index)
      let isSeparator = unsafe character.length == 3 && Self.isSeparator(base + index)
      if byte < 0x80 || !character.isValid || isSeparator {
        unsafe append(base + start, count: index &- start)
        if !character.isValid {
          append("\u{FFFD}")
        } else if isSeparator {
          append(unsafe base[index &+ 2] == 0xA8 ? "\\u2028" : "\\u2029")
        } else {
          append(escape: byte)
        }
        start = index &+ character.length
      }
      index &+= character.length
    }
    unsafe append(base + start, count: index &- start)
  }

  /// Appends the escape of a quotation mark, a backslash or a control character.
  private mutating func append(escape byte: UInt8) {
    guard byte < 0x20 || byte == 0x7F else {
      append(0x5C)
      return append(byte)
    }
    append("\\u00")
    append(0x30 &+ (byte &>> 4))
    let low = byte & 0xF
    append(low < 10 ? 0x30 &+ low : 0x57 &+ low)
  }

  /// Whether the three bytes are U+2028 or U+2029, which older JavaScript treats as the end of a line.
  private static func isSeparator(_ bytes: UnsafePointer<UInt8>) -> Bool {
    unsafe bytes[0] == 0xE2 && bytes[1] == 0x80 && bytes[2] & 0xFE == 0xA8
  }
}

/// The length of a non-ASCII character in UTF-8, or of an invalid sequence.
struct UTF8Character {
  /// The number of bytes, 1…4; if invalid, how many of them a valid character could begin with (at least 1).
  let length: Int
  /// Whether it is valid UTF-8.
  let isValid: Bool

  init(length: Int, isValid: Bool) { (self.length, self.isValid) = (length, isValid) }

  /// The character at `index` of `bytes`.
  @inline(__always)
  init(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
    // Beyond the text are zeros, which continue no character.
    let left = bytes.count &- index
    let second = left > 1 ? unsafe bytes[index &+ 1] : 0
    let third = left > 2 ? unsafe bytes[index &+ 2] : 0
    let fourth = left > 3 ? unsafe bytes[index &+ 3] : 0
    unsafe self.init(bytes[index], second, third, fourth)
  }

  /// The character that begins with these bytes, according to table 3-7 of the Unicode Standard.
  init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
    var (least, most, width) = (0x80 as UInt8, 0xBF as UInt8, 1)
    switch first {
    case 0xC2...0xDF: width = 2
    case 0xE0: (least, width) = (0xA0, 3)
    case 0xED: (most, width) = (0x9F, 3)
    case 0xE1...0xEF: width = 3
    case 0xF0: (least, width) = (0x90, 4)
    case 0xF1...0xF3: width = 4
    case 0xF4: (most, width) = (0x8F, 4)
    default: break
    }
    var length = 1
    if width > 1 && second >= least && second <= most {
      length = 2
      if width > 2 && third & 0xC0 == 0x80 {
        length = 3
        if width > 3 && fourth & 0xC0 == 0x80 { length = 4 }
      }
    }
    (self.length, isValid) = (length, width > 1 && length == width)
  }
}
