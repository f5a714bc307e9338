internal import FixedPoint
public import HAL

/// A sentence for people.
public typealias Message = ShortText<384>

/// Text in place, without the heap: at most `capacity - 1` bytes, always followed by a zero byte, as C wants it.
///
/// Literals and interpolation need no heap either: `let message: Message = "no response at \(address)"`.
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

  /// The byte at `index`, or 0 beyond the text.
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

  /// Calls `body` with the text as a C string, which is only there during the call.
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
  @inline(never)
  package mutating func append(_ words: StaticString) {
    words.withUTF8Buffer { buffer in
      for index in 0..<buffer.count { append(byte: unsafe buffer[index]) }
    }
  }

  /// Adds other text as it is.
  @inline(never)
  package mutating func append<let size: Int>(_ text: ShortText<size>) {
    for index in 0..<text.count { append(byte: text[index]) }
  }

  /// Adds text that is written with interpolation.
  @_disfavoredOverload
  package mutating func append(_ text: ShortText) {
    for index in 0..<text.count { append(byte: text[index]) }
  }

  /// Adds other text in quotation marks, with `\xNN` for what is not printable ASCII, and dots where it was cut.
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
  /// How many letters must be added, taken away, changed or swapped to come from the text to `words`, 99 for all of
  /// them or for long text. Upper and lower case are the same.
  ///
  /// - Source: optimal string alignment, three rows of the table at a time.
  package func distance(to words: StaticString) -> Int { distance(to: ShortText<24>(words)) }

  /// The same to other text.
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
  /// Fixed words, cut where they do not fit.
  public init(stringLiteral words: StaticString) { self.init(words) }

  /// Words with values between, cut where they do not fit.
  public init(stringInterpolation: Interpolation) { self = stringInterpolation.text }

  /// What collects words and values.
  public typealias StringInterpolation = Interpolation

  /// Words and values, in place.
  public struct Interpolation: StringInterpolationProtocol {
    private(set) var text = ShortText()

    /// Nothing yet.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds fixed words.
    public mutating func appendLiteral(_ words: StaticString) { text.append(words) }

    /// Adds fixed words.
    public mutating func appendInterpolation(_ words: StaticString) { text.append(words) }

    /// Adds other text as it is.
    public mutating func appendInterpolation<let size: Int>(_ other: ShortText<size>) {
      text.append(other)
    }

    /// Adds other text in quotation marks: see `append(quoted:)`.
    public mutating func appendInterpolation<let size: Int>(quoted other: ShortText<size>) {
      text.append(quoted: other)
    }

    /// Adds a number in decimal digits.
    public mutating func appendInterpolation(_ number: Int32) { text.append(decimal: number) }

    /// Adds a number in decimal digits.
    public mutating func appendInterpolation(_ number: UInt32) {
      text.append(decimal: widened(number))
    }

    /// Adds a number in decimal digits.
    public mutating func appendInterpolation(_ number: UInt64) { text.append(decimal: number) }

    /// Adds a number in decimal digits; of its lowest 32 bits.
    public mutating func appendInterpolation(_ number: Int) {
      text.append(decimal: Int32(truncatingIfNeeded: number))
    }

    /// Adds `number / denominator` in decimal digits: see `append(_:over:places:)`.
    public mutating func appendInterpolation(
      _ number: UInt64, over denominator: UInt64, places: Int
    ) {
      text.append(number, over: denominator, places: places)
    }

    /// Adds `0x0A` and the like.
    public mutating func appendInterpolation(hex byte: UInt8) { text.append(hex: byte) }

    /// Adds `0x53` and the like.
    public mutating func appendInterpolation(_ address: I2CAddress) {
      text.append(hex: address.rawValue)
    }
  }
}

#if !hasFeature(Embedded)
  extension ShortText: CustomStringConvertible {
    /// The text; what is no UTF-8 in it shows as replacement characters.
    public var description: String { String(decoding: (0..<count).map { self[$0] }, as: UTF8.self) }

    /// The bytes of a string in UTF-8, cut where they do not fit.
    public init(cutting text: String) {
      self.init()
      for byte in text.utf8 { append(byte: byte) }
    }
  }
#endif
