package import FixedPoint

/// Why ``JSONObject`` cannot read a line.
public enum JSONError: Error, Equatable, Sendable {
  /// The line has more than 1024 bytes.
  case tooLong
  /// Objects and arrays are nested more than eight deep. `at` is the byte, from 0, at which the ninth begins.
  case tooDeep(at: Int)
  /// Byte `at`, from 0, is not JSON (RFC 8259); at the end of the line, something is missing.
  case syntax(at: Int)
  /// The string at byte `at`, from 0, is not UTF-8, or escapes half of a surrogate pair.
  case encoding(at: Int)
  /// The line is JSON, but not an object.
  case notAnObject
}

/// The object in one line of JSON, of at most 1024 bytes and eight levels, without a heap.
///
/// Strict: RFC 8259 to the letter, in UTF-8. A repeated key has its last value. It stores only a copy of the line (1
/// KiB): each look-up reads the line again.
public struct JSONObject: Sendable {
  /// The maximum length of a line, including its end.
  public static var longestLine: Int { 1_024 }
  /// The maximum depth of objects and arrays.
  public static var deepest: Int { 8 }

  fileprivate var bytes = InlineArray<1_024, UInt8>(repeating: 0)
  private var count = 0
  /// The index at which the object begins.
  private var root = 0

  /// The object in `line`, with or without the end of the line.
  ///
  /// - Throws: ``JSONError``; there are no other errors.
  public init(_ line: Span<UInt8>) throws(JSONError) {
    guard line.count <= Self.longestLine else { throw .tooLong }
    for index in 0..<line.count { bytes[index] = line[index] }
    count = line.count
    let start = line.skippingBlanks(0)
    let end = line.skippingBlanks(try line.checkedValue(at: start, depth: 1))
    guard end == count else { throw .syntax(at: end) }
    guard self[start] == 0x7B else { throw .notAnObject }
    root = start
  }

  /// The object in `line`, with or without the end of the line.
  ///
  /// - Throws: ``JSONError``; there are no other errors.
  public init(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) { unsafe try self.init(line.span) }

  /// The value of `key`; nil if there is none.
  public subscript(key: StaticString) -> JSONValue? { value[key] }

  /// The object as a value.
  public var value: JSONValue { JSONValue(line: self, start: root) }

  /// The byte at `index`; beyond the line 0, which no JSON contains.
  @inline(__always)
  fileprivate subscript(index: Int) -> UInt8 { index >= 0 && index < count && index < 1_024 ? bytes[index] : 0 }
}

// Checks a line. Each function begins at a byte and returns the index after what it found there.
extension Span<UInt8> {
  fileprivate func checkedValue(at start: Int, depth: Int) throws(JSONError) -> Int {
    switch byte(at: start) {
    case 0x7B: return try checkedItems(at: start, depth: depth, end: 0x7D)
    case 0x5B: return try checkedItems(at: start, depth: depth, end: 0x5D)
    case 0x22: return try checkedString(at: start)
    case 0x74: return try checkedWord("true", at: start)
    case 0x66: return try checkedWord("false", at: start)
    case 0x6E: return try checkedWord("null", at: start)
    default: return try checkedNumber(at: start)
    }
  }

  /// Checks an object, which has keys, or an array.
  fileprivate func checkedItems(at start: Int, depth: Int, end: UInt8) throws(JSONError) -> Int {
    guard depth <= JSONObject.deepest else { throw .tooDeep(at: start) }
    var index = skippingBlanks(start &+ 1)
    guard byte(at: index) != end else { return index &+ 1 }
    while true {
      if end == 0x7D {
        guard byte(at: index) == 0x22 else { throw .syntax(at: index) }
        index = skippingBlanks(try checkedString(at: index))
        guard byte(at: index) == 0x3A else { throw .syntax(at: index) }
        index = skippingBlanks(index &+ 1)
      }
      index = skippingBlanks(try checkedValue(at: index, depth: depth &+ 1))
      if byte(at: index) == end { return index &+ 1 }
      guard byte(at: index) == 0x2C else { throw .syntax(at: index) }
      index = skippingBlanks(index &+ 1)
    }
  }

  fileprivate func checkedWord(_ word: StaticString, at start: Int) throws(JSONError) -> Int {
    for index in 0..<word.utf8CodeUnitCount where unsafe byte(at: start &+ index) != word.utf8Start[index] {
      throw .syntax(at: start &+ index)
    }
    return start &+ word.utf8CodeUnitCount
  }

  fileprivate func checkedNumber(at start: Int) throws(JSONError) -> Int {
    var index = byte(at: start) == 0x2D ? start &+ 1 : start
    // No leading zero before another digit.
    index = byte(at: index) == 0x30 ? index &+ 1 : try checkedDigits(at: index)
    if byte(at: index) == 0x2E { index = try checkedDigits(at: index &+ 1) }
    if byte(at: index) | 0x20 == 0x65 {
      index &+= 1
      if byte(at: index) == 0x2B || byte(at: index) == 0x2D { index &+= 1 }
      index = try checkedDigits(at: index)
    }
    return index
  }

  /// Checks one or more digits.
  fileprivate func checkedDigits(at start: Int) throws(JSONError) -> Int {
    guard isDigit(at: start) else { throw .syntax(at: start) }
    return skippingDigits(start)
  }

  fileprivate func checkedString(at start: Int) throws(JSONError) -> Int {
    var index = start &+ 1
    while byte(at: index) != 0x22 {
      let byte = byte(at: index)
      if byte == 0x5C {
        index = try checkedEscape(at: index)
      } else if byte < 0x20 {
        // A control character, or the end of the line.
        throw .syntax(at: index)
      } else if byte < 0x80 {
        index &+= 1
      } else {
        guard let next = lengthOfCharacter(at: index) else { throw .encoding(at: index) }
        index &+= next
      }
    }
    return index &+ 1
  }

  fileprivate func checkedEscape(at start: Int) throws(JSONError) -> Int {
    switch byte(at: start &+ 1) {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return start &+ 2
    case 0x75: break
    default: throw .syntax(at: start &+ 1)
    }
    for index in 2..<6 where hexDigit(at: start &+ index) == nil { throw .syntax(at: start &+ index) }
    let unit = codeUnit(at: start)
    guard unit & 0xF800 == 0xD800 else { return start &+ 6 }
    guard unit < 0xDC00 && byte(at: start &+ 6) == 0x5C && byte(at: start &+ 7) == 0x75 else {
      throw .encoding(at: start)
    }
    for index in 8..<12 where hexDigit(at: start &+ index) == nil { throw .syntax(at: start &+ index) }
    guard codeUnit(at: start &+ 6) & 0xFC00 == 0xDC00 else { throw .encoding(at: start) }
    return start &+ 12
  }
}

// Reads a line that has been checked.
extension Span<UInt8> {
  /// The byte at `index`; beyond the end 0, which no JSON contains.
  @inline(__always)
  fileprivate func byte(at index: Int) -> UInt8 { index >= 0 && index < count ? self[index] : 0 }

  fileprivate func skippingBlanks(_ start: Int) -> Int {
    var index = start
    while byte(at: index) == 0x20 || byte(at: index) == 0x09 || byte(at: index) == 0x0A || byte(at: index) == 0x0D {
      index &+= 1
    }
    return index
  }

  fileprivate func isDigit(at index: Int) -> Bool { byte(at: index) >= 0x30 && byte(at: index) <= 0x39 }

  fileprivate func skippingDigits(_ start: Int) -> Int {
    var index = start
    while isDigit(at: index) { index &+= 1 }
    return index
  }

  /// The index after the string at `start`.
  fileprivate func skippingString(_ start: Int) -> Int {
    var index = start &+ 1
    while index < count && byte(at: index) != 0x22 { index &+= byte(at: index) == 0x5C ? 2 : 1 }
    return index &+ 1
  }

  /// The index after the value at `start`.
  fileprivate func skippingValue(_ start: Int) -> Int {
    var index = start
    var depth = 0
    repeat {
      switch byte(at: index) {
      case 0x22: index = skippingString(index)
      case 0x7B, 0x5B:
        depth &+= 1
        index &+= 1
      case 0x7D, 0x5D:
        depth &-= 1
        index &+= 1
      case 0x2C, 0x3A, 0x20, 0x09, 0x0A, 0x0D: index &+= 1
      default: while isPartOfWord(byte(at: index)) { index &+= 1 }
      }
    } while depth > 0 && index < count
    return index
  }

  /// Whether `byte` can be part of a number, `true`, `false` or `null`.
  fileprivate func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x45: true
    default: false
    }
  }

  fileprivate func hexDigit(at index: Int) -> UInt32? {
    let byte = byte(at: index)
    return switch byte {
    case 0x30...0x39: UInt32(truncatingIfNeeded: byte &- 0x30)
    case 0x41...0x46: UInt32(truncatingIfNeeded: byte &- 0x37)
    case 0x61...0x66: UInt32(truncatingIfNeeded: byte &- 0x57)
    default: nil
    }
  }

  /// The code unit of the escape `\uNNNN` at `start`.
  fileprivate func codeUnit(at start: Int) -> UInt32 {
    var unit: UInt32 = 0
    for index in 2..<6 { unit = unit &<< 4 | (hexDigit(at: start &+ index) ?? 0) }
    return unit
  }

  /// The number of bytes of the non-ASCII character at `index`; nil if it is not UTF-8.
  fileprivate func lengthOfCharacter(at index: Int) -> Int? {
    let character = UTF8Character(byte(at: index), byte(at: index &+ 1), byte(at: index &+ 2), byte(at: index &+ 3))
    return character.isValid ? character.length : nil
  }
}

/// A value in a line of JSON: the line (1 KiB) and the value's index in it.
///
/// Each property is nil if the value is of another kind.
public struct JSONValue: Sendable {
  fileprivate let line: JSONObject
  fileprivate let start: Int

  fileprivate init(line: JSONObject, start: Int) { (self.line, self.start) = (line, start) }

  /// Whether this is null.
  public var isNull: Bool { line[start] == 0x6E }

  /// Whether this is a string.
  public var isString: Bool { line[start] == 0x22 }

  /// Whether this is a number.
  public var isNumber: Bool { line[start] == 0x2D || line.bytes.span.isDigit(at: start) }

  /// Whether this is an object.
  public var isObject: Bool { line[start] == 0x7B }

  /// Whether this is an array.
  public var isArray: Bool { line[start] == 0x5B }

  /// A Boolean.
  public var bool: Bool? { line[start] == 0x74 ? true : line[start] == 0x66 ? false : nil }

  /// A number in units of 10^-`places`, rounded to nearest (ties away from zero): 0.25 with 3 places is 250.
  ///
  /// Exact for any exponent, because no binary fraction is involved. Also nil if it does not fit in 64 bits.
  public func decimal(places: Int) -> Int64? {
    guard isNumber else { return nil }
    let isNegative = line[start] == 0x2D
    guard let magnitude = magnitude(places: places) else { return nil }
    if isNegative { return magnitude <= 1 &<< 63 ? Int64(bitPattern: 0 &- magnitude) : nil }
    return magnitude < 1 &<< 63 ? Int64(bitPattern: magnitude) : nil
  }

  /// A number as Q16.16, rounded to nearest (ties away from zero); nil beyond its range. Six decimals are exact.
  package var q16: Q16? {
    guard let value = decimal(places: 6), value.magnitude < 1 &<< 40 else { return nil }
    let scaled = value &* 65_536
    let rounded = (scaled &+ (scaled < 0 ? -500_000 : 500_000)) / 1_000_000
    let raw = saturated(rounded)
    return widened(raw) == rounded ? Q16(raw: raw) : nil
  }

  /// The first three elements in millionths, rounded to nearest; nil unless they are numbers.
  package var millionths: (x: Int32, y: Int32, z: Int32)? {
    guard let x = self[0]?.decimal(places: 6), let y = self[1]?.decimal(places: 6), let z = self[2]?.decimal(places: 6)
    else { return nil }
    return (saturated(x), saturated(y), saturated(z))
  }

  /// A number without a sign, rounded to the nearest integer; also nil if it does not fit in 64 bits.
  public var count: UInt64? { line.bytes.span.isDigit(at: start) ? magnitude(places: 0) : nil }

  /// The number at `start` without its sign, in units of 10^-`places`.
  private func magnitude(places: Int) -> UInt64? {
    let text = line.bytes.span
    let first = text.byte(at: start) == 0x2D ? start &+ 1 : start
    let point = text.skippingDigits(first)
    let end = text.byte(at: point) == 0x2E ? text.skippingDigits(point &+ 1) : point
    // How many digits, from the first on, belong to the result; beyond the last digit they are zeros.
    var kept = point &- first &+ max(-9_999, min(9_999, places)) &+ exponent(at: end)
    var magnitude: UInt64 = 0
    for index in first..<end where text.byte(at: index) != 0x2E {
      guard kept > 0 else {
        // The first digit left out decides.
        guard kept == 0 && text.byte(at: index) >= 0x35 else { return magnitude }
        return magnitude < UInt64.max ? magnitude &+ 1 : nil
      }
      guard let next = Self.appending(text.byte(at: index) &- 0x30, to: magnitude) else { return nil }
      magnitude = next
      kept &-= 1
    }
    guard magnitude > 0 else { return 0 }
    while kept > 0 {
      guard let next = Self.appending(0, to: magnitude) else { return nil }
      magnitude = next
      kept &-= 1
    }
    return magnitude
  }

  private static func appending(_ digit: UInt8, to number: UInt64) -> UInt64? {
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
    let (sum, overflows) = product.addingReportingOverflow(widened(UInt32(truncatingIfNeeded: digit)))
    return isTooLarge || overflows ? nil : sum
  }

  /// The exponent at `start`, clamped far beyond any that matters; 0 if there is none.
  private func exponent(at start: Int) -> Int {
    let text = line.bytes.span
    guard text.byte(at: start) | 0x20 == 0x65 else { return 0 }
    let isNegative = text.byte(at: start &+ 1) == 0x2D
    var index = start &+ (isNegative || text.byte(at: start &+ 1) == 0x2B ? 2 : 1)
    var exponent = 0
    while text.isDigit(at: index) {
      exponent = min(99_999, exponent &* 10 &+ Int(truncatingIfNeeded: text.byte(at: index) &- 0x30))
      index &+= 1
    }
    return isNegative ? 0 &- exponent : exponent
  }
}

extension JSONWriter {
  /// Copies a field from a line unchanged; `key` is a string.
  package mutating func field(_ key: JSONValue, _ value: JSONValue) {
    separate()
    copy(key)
    text.append(0x3A)
    copy(value)
  }

  private mutating func copy(_ value: JSONValue) {
    for index in value.start..<value.line.bytes.span.skippingValue(value.start) { text.append(value.line[index]) }
  }
}

// Strings.
extension JSONValue {
  /// Calls `body` with each UTF-8 byte of a string, with escapes resolved; returns false for any other value.
  @discardableResult
  public func forEachByte(_ body: (UInt8) -> Void) -> Bool {
    guard isString else { return false }
    let text = line.bytes.span
    var index = start &+ 1
    while let character = Self.character(of: text, at: &index) {
      for place in 0..<character.count { body(character[place]) }
    }
    return true
  }

  /// Calls `body` with each byte of a string for display: see ``TextFilter``. Returns false for any other value.
  @discardableResult
  package func forEachTextByte(_ body: (UInt8) -> Void) -> Bool {
    var filter = TextFilter()
    return forEachByte { byte in filter.take(byte, body) }
  }

  /// Whether this is the string `text`.
  public func isString(_ text: StaticString) -> Bool {
    let line = line.bytes.span
    return line.byte(at: start) == 0x22 && Self.isText(text, in: line, at: start)
  }

  /// Whether the string at `place` is `words`.
  private static func isText(_ words: StaticString, in text: Span<UInt8>, at place: Int) -> Bool {
    var index = place &+ 1
    var matched = 0
    while let character = character(of: text, at: &index) {
      for position in 0..<character.count {
        guard matched < words.utf8CodeUnitCount, unsafe words.utf8Start[matched] == character[position] else {
          return false
        }
        matched &+= 1
      }
    }
    return matched == words.utf8CodeUnitCount
  }

  /// A byte as it is, or the bytes of an escaped character.
  private struct Bytes {
    private let packed: UInt32
    let count: Int

    init(_ byte: UInt8) { (packed, count) = (UInt32(truncatingIfNeeded: byte), 1) }

    /// `scalar` in UTF-8.
    init(scalar: UInt32) {
      switch scalar {
      case ..<0x80: (packed, count) = (scalar, 1)
      case ..<0x800: (packed, count) = (0xC0 | scalar &>> 6 | (0x80 | scalar & 0x3F) &<< 8, 2)
      case ..<0x1_0000:
        let middle = (0x80 | scalar &>> 6 & 0x3F) &<< 8
        (packed, count) = (0xE0 | scalar &>> 12 | middle | (0x80 | scalar & 0x3F) &<< 16, 3)
      default:
        let second = (0x80 | scalar &>> 12 & 0x3F) &<< 8
        let third = (0x80 | scalar &>> 6 & 0x3F) &<< 16
        (packed, count) = (0xF0 | scalar &>> 18 & 0x07 | second | third | (0x80 | scalar & 0x3F) &<< 24, 4)
      }
    }

    subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: packed &>> UInt32(truncatingIfNeeded: index &* 8)) }
  }

  /// The byte or escaped character at `index`, which advances past it; nil at the end of the string.
  private static func character(of text: Span<UInt8>, at index: inout Int) -> Bytes? {
    let byte = text.byte(at: index)
    // 0 is the end of the line, which no checked string reaches.
    guard byte != 0x22 && byte != 0 else { return nil }
    guard byte == 0x5C else {
      index &+= 1
      return Bytes(byte)
    }
    let escape = text.byte(at: index &+ 1)
    guard escape == 0x75 else {
      index &+= 2
      return Bytes(meaning(ofEscape: escape))
    }
    let unit = text.codeUnit(at: index)
    guard unit & 0xF800 == 0xD800 else {
      index &+= 6
      return Bytes(scalar: unit)
    }
    let low = text.codeUnit(at: index &+ 6)
    index &+= 12
    return Bytes(scalar: 0x1_0000 &+ ((unit & 0x3FF) &<< 10 | low & 0x3FF))
  }

  private static func meaning(ofEscape letter: UInt8) -> UInt8 {
    switch letter {
    case 0x62: 0x08
    case 0x66: 0x0C
    case 0x6E: 0x0A
    case 0x72: 0x0D
    case 0x74: 0x09
    default: letter
    }
  }
}

extension JSONValue? {
  /// Whether the value is the string `text`; false for nil.
  public static func == (value: JSONValue?, text: StaticString) -> Bool { value?.isString(text) ?? false }
}

// Objects and arrays.
extension JSONValue {
  /// The value of `key` in an object, the last one if the key is repeated; nil if there is none.
  public subscript(key: StaticString) -> JSONValue? {
    let text = line.bytes.span
    guard isObject else { return nil }
    var found: Int?
    var index = text.skippingBlanks(start &+ 1)
    while text.byte(at: index) == 0x22 {
      let colon = text.skippingBlanks(text.skippingString(index))
      let value = text.skippingBlanks(colon &+ 1)
      if Self.isText(key, in: text, at: index) { found = value }
      index = Self.next(in: text, behind: value)
    }
    return found.map { JSONValue(line: line, start: $0) }
  }

  /// The element at `position` of an array, from 0; nil beyond the last.
  public subscript(position: Int) -> JSONValue? {
    let text = line.bytes.span
    guard isArray && position >= 0 else { return nil }
    var index = text.skippingBlanks(start &+ 1)
    var passed = 0
    while text.byte(at: index) != 0x5D && text.byte(at: index) != 0 {
      if passed == position { return JSONValue(line: line, start: index) }
      index = Self.next(in: text, behind: index)
      passed &+= 1
    }
    return nil
  }

  /// Calls `body` with each key of an object, which is a string, and its value, in order.
  package func forEachField(_ body: (_ key: JSONValue, _ value: JSONValue) -> Void) {
    let text = line.bytes.span
    guard isObject else { return }
    var index = text.skippingBlanks(start &+ 1)
    while text.byte(at: index) == 0x22 {
      let colon = text.skippingBlanks(text.skippingString(index))
      let value = JSONValue(line: line, start: text.skippingBlanks(colon &+ 1))
      body(JSONValue(line: line, start: index), value)
      index = Self.next(in: text, behind: value.start)
    }
  }

  /// The index of the key or element after the value at `value`, or of the closing bracket.
  private static func next(in text: Span<UInt8>, behind value: Int) -> Int {
    let end = text.skippingBlanks(text.skippingValue(value))
    return text.byte(at: end) == 0x2C ? text.skippingBlanks(end &+ 1) : end
  }
}

#if !hasFeature(Embedded)
  extension JSONObject {
    /// The object of `line`.
    ///
    /// - Throws: ``JSONError``; there are no other errors.
    public init(_ line: String) throws(JSONError) { try self.init(line.utf8.span) }
  }

  extension JSONValue {
    /// A string's text.
    public var string: String? {
      var bytes: [UInt8] = []
      return forEachByte { bytes.append($0) } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The `Double` nearest to a number.
    public var number: Double? {
      guard isNumber else { return nil }
      let end = line.bytes.span.skippingValue(start)
      return Double(String(decoding: (start..<end).map { line[$0] }, as: UTF8.self))
    }

    /// The elements of an array.
    public var elements: [JSONValue]? {
      guard isArray else { return nil }
      var elements: [JSONValue] = []
      while let element = self[elements.count] { elements.append(element) }
      return elements
    }

    /// The keys of an object and their values, in order.
    public var fields: [(key: String, value: JSONValue)]? {
      guard isObject else { return nil }
      var fields: [(key: String, value: JSONValue)] = []
      forEachField { key, value in fields.append((key.string ?? "", value)) }
      return fields
    }
  }
#endif
