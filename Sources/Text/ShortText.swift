/// A sentence for people.
public typealias Message = ShortText<384>

/// Text in place, without the heap: at most `capacity - 1` bytes, always followed by a zero byte, as C wants it.
public struct ShortText<let capacity: Int>: Equatable, Sendable {
  private var bytes = InlineArray<capacity, UInt8>(repeating: 0)

  /// How many bytes the text has.
  public private(set) var count = 0

  /// Whether something that was appended did not fit and was cut.
  public private(set) var isCut = false

  /// Empty text.
  public init() {}

  /// Fixed words, cut where they do not fit.
  public init(_ words: StaticString) { append(words) }

  /// The bytes up to the first zero, cut where they do not fit.
  package init(cString: UnsafePointer<CChar>) {
    var next = unsafe cString
    while unsafe next.pointee != 0 && !isCut {
      append(byte: unsafe UInt8(bitPattern: next.pointee))
      unsafe next += 1
    }
  }

  /// Other text, cut where it does not fit.
  package init<let size: Int>(cutting text: ShortText<size>) {
    append(text)
    isCut = isCut || text.isCut
  }

  /// A byte as 0xNN.
  package init(hexByte byte: UInt8) {
    append("0x")
    append(hexDigits: byte)
  }

  /// The byte at `index`, or 0 beyond the text.
  public subscript(index: Int) -> UInt8 { index >= 0 && index < count ? bytes[index] : 0 }

  /// Whether the text is exactly these words.
  public static func == (text: ShortText, words: StaticString) -> Bool {
    guard text.count == words.utf8CodeUnitCount else { return false }
    return words.withUTF8Buffer { buffer in
      for index in 0..<text.count where unsafe buffer[index] != text.bytes[index] { return false }
      return true
    }
  }

  /// Whether both are the same bytes.
  public static func == (a: ShortText, b: ShortText) -> Bool {
    guard a.count == b.count && a.isCut == b.isCut else { return false }
    for index in 0..<a.count where a.bytes[index] != b.bytes[index] { return false }
    return true
  }

  /// Calls `body` with the text as a C string, which is only there during the call.
  public func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe withUnsafeBytes(of: bytes) { buffer in
      // A capacity of 0 has no byte to point to; nobody makes one.
      guard let base = buffer.baseAddress else {
        var zero: CChar = 0
        return unsafe withUnsafePointer(to: &zero) { unsafe body($0) }
      }
      return unsafe body(base.assumingMemoryBound(to: CChar.self))
    }
  }

  /// Adds one byte.
  package mutating func append(byte: UInt8) {
    guard count < capacity &- 1 else {
      isCut = true
      return
    }
    bytes[count] = byte
    count &+= 1
  }

  /// Adds fixed words.
  package mutating func append(_ words: StaticString) {
    words.withUTF8Buffer { buffer in
      for index in 0..<buffer.count { append(byte: unsafe buffer[index]) }
    }
  }

  /// Adds a number in decimal digits.
  package mutating func append(decimal number: Int32) {
    if number < 0 { append("-") }
    var divisor: UInt32 = 1
    while number.magnitude / divisor > 9 { divisor = divisor &* 10 }
    while divisor > 0 {
      append(byte: 0x30 &+ UInt8(truncatingIfNeeded: number.magnitude / divisor % 10))
      divisor /= 10
    }
  }

  /// Adds other text as it is.
  package mutating func append<let size: Int>(_ text: ShortText<size>) {
    for index in 0..<text.count { append(byte: text[index]) }
  }

  /// Adds other text in quotation marks, with `\xNN` for what is not printable ASCII, and dots where it was cut.
  package mutating func append<let size: Int>(quoted text: ShortText<size>) {
    append("\"")
    for index in 0..<text.count { append(escaped: text[index]) }
    append(text.isCut ? "...\"" : "\"")
  }

  private mutating func append(escaped byte: UInt8) {
    switch byte {
    case 0x22, 0x5C:
      append("\\")
      append(byte: byte)
    case 0x20...0x7E: append(byte: byte)
    default:
      append("\\x")
      append(hexDigits: byte)
    }
  }

  /// Adds two hexadecimal digits.
  package mutating func append(hexDigits byte: UInt8) {
    append(hexDigit: byte &>> 4)
    append(hexDigit: byte & 0x0F)
  }

  private mutating func append(hexDigit digit: UInt8) {
    append(byte: digit < 10 ? 0x30 &+ digit : 0x37 &+ digit)
  }
}

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

#if !hasFeature(Embedded)
  extension ShortText: CustomStringConvertible {
    /// The text; what is no UTF-8 in it shows as replacement characters.
    public var description: String { String(decoding: (0..<count).map { self[$0] }, as: UTF8.self) }
  }
#endif
