/// A JSON value as read by a plain reader of RFC 8259: recursive, with a heap, sharing nothing with the module
/// `JSON`.
indirect enum PlainJSON: Equatable {
  case word(String)
  /// The digits as written.
  case number(String)
  case string(String)
  case array([PlainJSON])
  case object([Field])

  struct Field: Equatable {
    var key: String
    var value: PlainJSON
  }

  /// The value in `bytes`; nil if they are not JSON of at most `depth` levels.
  init?(_ bytes: [UInt8], depth: Int = 8) {
    var rest = bytes[...]
    guard let value = Self.value(&rest, depth), Self.skip(&rest).isEmpty else { return nil }
    self = value
  }

  /// The last value of `key` in an object.
  subscript(key: String) -> PlainJSON? {
    guard case .object(let fields) = self else { return nil }
    return fields.last { $0.key == key }?.value
  }

  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  var double: Double? {
    guard case .number(let digits) = self else { return nil }
    return Double(digits)
  }

  /// As bytes, with blanks, and with everything but ASCII escaped.
  var written: [UInt8] {
    switch self {
    case .word(let text), .number(let text): return Array(text.utf8)
    case .string(let text): return Self.escaped(text)
    case .array(let items): return [0x5B] + items.map(\.written).joined(separator: [0x20, 0x2C]) + [0x5D]
    case .object(let fields):
      let parts = fields.map { Self.escaped($0.key) + [0x3A, 0x09] + $0.value.written }
      return [0x7B] + parts.joined(separator: [0x2C]) + [0x7D]
    }
  }

  private static func escaped(_ text: String) -> [UInt8] {
    let units = text.utf16.flatMap { unit -> [UInt8] in
      let isPlain = (0x20..<0x7F).contains(unit) && unit != 0x22 && unit != 0x5C
      if isPlain { return [UInt8(unit)] }
      let hex = String(unit, radix: 16)
      return Array(("\\u" + String(repeating: "0", count: 4 - hex.count) + hex).utf8)
    }
    return [0x22] + units + [0x22]
  }

  @discardableResult
  private static func skip(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return rest
  }

  /// Takes the next byte that is not a blank.
  private static func next(_ rest: inout ArraySlice<UInt8>) -> UInt8? {
    skip(&rest)
    return rest.popFirst()
  }

  private static func value(_ rest: inout ArraySlice<UInt8>, _ depth: Int) -> PlainJSON? {
    switch skip(&rest).first {
    case 0x7B: return object(&rest, depth)
    case 0x5B: return array(&rest, depth)
    case 0x22: return quoted(&rest).map { .string($0) }
    default: break
    }
    for word in ["true", "false", "null"] where rest.starts(with: word.utf8) {
      rest = rest.dropFirst(word.utf8.count)
      return .word(word)
    }
    return number(&rest)
  }

  private static func object(_ rest: inout ArraySlice<UInt8>, _ depth: Int) -> PlainJSON? {
    guard depth > 0 else { return nil }
    var fields: [Field] = []
    rest.removeFirst()
    if skip(&rest).first == 0x7D {
      rest.removeFirst()
      return .object([])
    }
    while true {
      guard skip(&rest).first == 0x22, let key = quoted(&rest), next(&rest) == 0x3A,
        let value = value(&rest, depth - 1)
      else { return nil }
      fields.append(Field(key: key, value: value))
      switch next(&rest) {
      case 0x2C: continue
      case 0x7D: return .object(fields)
      default: return nil
      }
    }
  }

  private static func array(_ rest: inout ArraySlice<UInt8>, _ depth: Int) -> PlainJSON? {
    guard depth > 0 else { return nil }
    var items: [PlainJSON] = []
    rest.removeFirst()
    if skip(&rest).first == 0x5D {
      rest.removeFirst()
      return .array([])
    }
    while true {
      guard let value = value(&rest, depth - 1) else { return nil }
      items.append(value)
      switch next(&rest) {
      case 0x2C: continue
      case 0x5D: return .array(items)
      default: return nil
      }
    }
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) -> PlainJSON? {
    let text = String(decoding: rest.prefix { "+-.0123456789eE".utf8.contains($0) }, as: UTF8.self)
    guard isNumber(text.utf8) else { return nil }
    rest = rest.dropFirst(text.utf8.count)
    return .number(text)
  }

  /// Whether all bytes form a number: a sign, digits without a leading zero, a fraction, an exponent.
  private static func isNumber(_ text: String.UTF8View) -> Bool {
    var rest = text[...]
    func digits() -> Substring.UTF8View { rest.prefix { (0x30...0x39).contains($0) } }
    if rest.first == 0x2D { rest.removeFirst() }
    let whole = digits()
    guard !whole.isEmpty, whole.first != 0x30 || whole.count == 1 else { return false }
    rest = rest.dropFirst(whole.count)
    if rest.first == 0x2E {
      rest.removeFirst()
      guard !digits().isEmpty else { return false }
      rest = rest.dropFirst(digits().count)
    }
    if rest.first == 0x65 || rest.first == 0x45 {
      rest.removeFirst()
      if rest.first == 0x2B || rest.first == 0x2D { rest.removeFirst() }
      guard !digits().isEmpty else { return false }
      rest = rest.dropFirst(digits().count)
    }
    return rest.isEmpty
  }

  private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
    rest.removeFirst()
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case 0x22: return String(validating: text, as: UTF8.self)
      case 0x5C:
        guard let escape = escape(&rest) else { return nil }
        text += escape.utf8
      case ..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  private static func escape(_ rest: inout ArraySlice<UInt8>) -> String? {
    let short: [UInt8: String] = [
      0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
    ]
    guard let letter = rest.popFirst() else { return nil }
    guard letter == 0x75 else { return short[letter] }
    guard let unit = unit(&rest) else { return nil }
    guard unit & 0xF800 == 0xD800 else { return String(decoding: [unit], as: UTF16.self) }
    guard unit < 0xDC00, rest.popFirst() == 0x5C, rest.popFirst() == 0x75, let low = self.unit(&rest),
      low & 0xFC00 == 0xDC00
    else { return nil }
    return String(decoding: [unit, low], as: UTF16.self)
  }

  private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
    let digits = rest.prefix(4)
    guard digits.count == 4, !digits.contains(0x2B), !digits.contains(0x2D) else { return nil }
    rest = rest.dropFirst(4)
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
