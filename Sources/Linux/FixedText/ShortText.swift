internal import FixedPoint
public import HAL

/// A sentence for people.
public typealias Message = ShortText<384>

/// Text stored in place, without a heap: at most `capacity - 1` bytes, always followed by a zero byte, as C expects.
///
/// Literals and interpolation need no heap either: `let message: Message = "no response at \(address)"`.
public struct ShortText<let capacity: Int>: Equatable, Sendable {
  private var bytes = InlineArray<capacity, UInt8>(repeating: 0)

  /// The number of bytes in the text.
  public private(set) var count = 0

  /// Whether something appended did not fit and was cut.
  public private(set) var isCut = false

  /// Empty text.
  public init() {}

  /// Fixed words, cut if they do not fit.
  public init(_ words: StaticString) { append(words) }

  /// The bytes up to the first zero, cut if they do not fit.
  package init(cString: UnsafePointer<CChar>) {
    var next = unsafe cString
    while unsafe next.pointee != 0 && !isCut {
      append(byte: unsafe UInt8(bitPattern: next.pointee))
      unsafe next += 1
    }
  }

  /// A copy of `text`, cut if it does not fit.
  package init<let size: Int>(cutting text: ShortText<size>) {
    append(text)
    isCut = isCut || text.isCut
  }

  /// A copy of `text` without its first `start` bytes, cut if it does not fit.
  package init<let size: Int>(cutting text: ShortText<size>, from start: Int) {
    for index in min(start, text.count)..<text.count { append(byte: text[index]) }
    isCut = isCut || text.isCut
  }

  /// The byte at `index`; 0 beyond the text.
  public subscript(index: Int) -> UInt8 { index >= 0 && index < count ? bytes[index] : 0 }

  /// Whether the text is exactly these words.
  public static func == (text: ShortText, words: StaticString) -> Bool {
    text.count == words.utf8CodeUnitCount && text.hasPrefix(words)
  }

  /// Whether both are the same bytes. Literals are compared as fixed words, which are not cut.
  @_disfavoredOverload
  public static func == (a: ShortText, b: ShortText) -> Bool {
    guard a.count == b.count && a.isCut == b.isCut else { return false }
    for index in 0..<a.count where a.bytes[index] != b.bytes[index] { return false }
    return true
  }

  /// Whether the text begins with these words.
  public func hasPrefix(_ words: StaticString) -> Bool {
    words.withUTF8Buffer { buffer in
      guard buffer.count <= count else { return false }
      for index in 0..<buffer.count where unsafe buffer[index] != bytes[index] { return false }
      return true
    }
  }

  /// Calls `body` with the text as a C string, which is valid only during the call.
  public func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe withUnsafeBytes(of: bytes) { buffer in
      // A capacity of 0 has no byte to point to.
      guard let base = buffer.baseAddress else {
        var zero: CChar = 0
        return unsafe withUnsafePointer(to: &zero) { unsafe body($0) }
      }
      return unsafe body(base.assumingMemoryBound(to: CChar.self))
    }
  }

  /// Calls `body` with the bytes of the text.
  package func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(first: count))
  }

  /// Appends a byte.
  package mutating func append(byte: UInt8) {
    guard count < capacity &- 1 else {
      isCut = true
      return
    }
    bytes[count] = byte
    count &+= 1
  }

  /// Appends fixed words.
  @inline(never)
  package mutating func append(_ words: StaticString) {
    words.withUTF8Buffer { buffer in
      for index in 0..<buffer.count { append(byte: unsafe buffer[index]) }
    }
  }

  /// Appends other text unchanged.
  @inline(never)
  package mutating func append<let size: Int>(_ text: ShortText<size>) {
    for index in 0..<text.count { append(byte: text[index]) }
  }

  /// Appends text written with interpolation.
  @_disfavoredOverload
  package mutating func append(_ text: ShortText) {
    for index in 0..<text.count { append(byte: text[index]) }
  }

  /// Appends other text in quotation marks, with `\xNN` for what is not printable ASCII, and dots if it was cut.
  @inline(never)
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
}

extension ShortText {
  /// How many letters must be added, removed, changed or swapped to turn the text into `words`; 99 if all of them, or
  /// if either is long. Case is ignored.
  ///
  /// - Source: optimal string alignment, three rows of the table at a time.
  package func distance(to words: StaticString) -> Int { distance(to: ShortText<24>(words)) }

  /// The same for other text.
  package func distance(to wanted: ShortText<24>) -> Int {
    let length = wanted.count
    guard !wanted.isCut && !isCut && count < 24 else { return 99 }
    var twoAbove = InlineArray<24, Int>(repeating: 0)
    var above = InlineArray<24, Int>(repeating: 0)
    var row = InlineArray<24, Int>(repeating: 0)
    for column in 0...length { row[column] = column }
    for line in 0..<count {
      (twoAbove, above) = (above, row)
      row[0] = line &+ 1
      for column in 0..<length {
        let (letter, other) = (lowered(line), wanted.lowered(column))
        let changed = above[column] &+ (letter == other ? 0 : 1)
        var least = min(changed, min(above[column &+ 1], row[column]) &+ 1)
        let isSwap =
          line > 0 && column > 0 && letter == wanted.lowered(column &- 1)
          && lowered(line &- 1) == other
        if isSwap { least = min(least, twoAbove[column &- 1] &+ 1) }
        row[column &+ 1] = least
      }
    }
    return row[length] < length ? row[length] : 99
  }

  private func lowered(_ index: Int) -> UInt8 {
    let byte = self[index]
    return byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}

extension ShortText: ExpressibleByStringInterpolation {
  /// Fixed words, cut if they do not fit.
  public init(stringLiteral words: StaticString) { self.init(words) }

  /// Words and values, cut if they do not fit.
  public init(stringInterpolation: Interpolation) { self = stringInterpolation.text }

  /// Collects words and values.
  public typealias StringInterpolation = Interpolation

  /// Words and values, stored in place.
  public struct Interpolation: StringInterpolationProtocol {
    private(set) var text = ShortText()

    /// Empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends fixed words.
    public mutating func appendLiteral(_ words: StaticString) { text.append(words) }

    /// Appends fixed words.
    public mutating func appendInterpolation(_ words: StaticString) { text.append(words) }

    /// Appends other text unchanged.
    public mutating func appendInterpolation<let size: Int>(_ other: ShortText<size>) {
      text.append(other)
    }

    /// Appends other text in quotation marks: see `append(quoted:)`.
    public mutating func appendInterpolation<let size: Int>(quoted other: ShortText<size>) {
      text.append(quoted: other)
    }

    /// Appends a number in decimal digits.
    public mutating func appendInterpolation(_ number: Int32) { text.append(decimal: number) }

    /// Appends a number in decimal digits.
    public mutating func appendInterpolation(_ number: UInt32) {
      text.append(decimal: widened(number))
    }

    /// Appends a number in decimal digits.
    public mutating func appendInterpolation(_ number: UInt64) { text.append(decimal: number) }

    /// Appends a number in decimal digits, truncated to its lowest 32 bits.
    public mutating func appendInterpolation(_ number: Int) {
      text.append(decimal: Int32(truncatingIfNeeded: number))
    }

    /// Appends a number with its noun: see `append(_:_:_:)`.
    public mutating func appendInterpolation(_ number: UInt64, _ one: StaticString, _ more: StaticString) {
      text.append(number, one, more)
    }

    /// Appends `number / denominator` in decimal digits: see `append(_:over:places:)`.
    public mutating func appendInterpolation(
      _ number: UInt64, over denominator: UInt64, places: Int
    ) {
      text.append(number, over: denominator, places: places)
    }

    /// Appends a byte as in `0x0A`.
    public mutating func appendInterpolation(hex byte: UInt8) { text.append(hex: byte) }

    /// Appends an address as in `0x53`.
    public mutating func appendInterpolation(_ address: I2CAddress) {
      text.append(hex: address.rawValue)
    }
  }
}

#if !hasFeature(Embedded)
  extension ShortText: CustomStringConvertible {
    /// The text; invalid UTF-8 shows as replacement characters.
    public var description: String { String(decoding: (0..<count).map { self[$0] }, as: UTF8.self) }

    /// A string's bytes in UTF-8, cut if they do not fit.
    public init(cutting text: String) {
      self.init()
      for byte in text.utf8 { append(byte: byte) }
    }
  }
#endif
