import FixedPoint
import HAL

extension BusTrace {
  /// Why a text is no trace.
  public struct ParsingError: Error, Equatable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// What is there; empty at the end of the line.
    public var found: String
    /// What should be there.
    public var expected: String

    /// A sentence.
    public var description: String {
      "line \(line): expected \(expected), found \(found.isEmpty ? "the end of the line" : "\"\(found)\"")"
    }
  }

  /// The trace with this text, as ``description`` writes it; spaces, empty lines and lines that begin with `#` do not count.
  public init(parsing text: some StringProtocol) throws(ParsingError) {
    entries = []
    // No `map`: it would lose the type of the error.
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = trimmed(line)
      guard !words.isEmpty && words.first != "#" else { continue }
      var parser = LineParser(number: index + 1, words)
      entries.append(try parser.entry())
    }
  }
}

/// Reads one line, field by field.
private struct LineParser {
  private let number: Int
  private let time: String
  private var fields: ArraySlice<String>

  init(number: Int, _ line: String) {
    self.number = number
    let end = line.firstIndex(where: \.isWhitespace) ?? line.endIndex
    time = String(line[..<end])
    fields = line[end...].split(separator: "|", omittingEmptySubsequences: false).map(trimmed)[...]
  }

  mutating func entry() throws(BusTrace.ParsingError) -> BusTrace.Entry {
    guard let microseconds = parsedMicroseconds(time) else { throw error("seconds with up to 6 decimals", time) }
    let operation: BusTrace.Operation
    switch fields.popFirst() ?? "" {
    case "reopen": operation = .reopen
    case "S": operation = try transaction()
    case let found: throw error("\"S\" or \"reopen\"", found)
    }
    let fault = try ending(isOptional: operation == .reopen)
    if let rest = fields.first { throw error("the end of the line", rest) }
    return BusTrace.Entry(operation, at: Instant(microseconds: microseconds), fault: fault)
  }

  private mutating func transaction() throws(BusTrace.ParsingError) -> BusTrace.Operation {
    let target = fields.popFirst() ?? ""
    guard target.hasSuffix("+W"), let address = parsedByte(target.dropLast(2)).flatMap(I2CAddress.init) else {
      throw error("an address, 08+W to 77+W", target)
    }
    var written: [UInt8] = []
    for byte in try bytes() {
      guard let byte else { throw error("bytes that are known", "??") }
      written.append(byte)
    }
    guard fields.first == "Sr" else { return .write(written, to: address) }
    fields.removeFirst()
    let again = fields.popFirst() ?? ""
    guard again.hasSuffix("+R"), parsedByte(again.dropLast(2)) == address.rawValue else {
      throw error("\(hexadecimal(address.rawValue))+R", again)
    }
    return .writeRead(written, reply: try bytes(), at: address)
  }

  /// The bytes of the next field; none where it is another sort of field.
  private mutating func bytes() throws(BusTrace.ParsingError) -> [UInt8?] {
    guard let field = fields.first, field != "P", field != "Sr", field.first != "!" else { return [] }
    fields.removeFirst()
    var bytes: [UInt8?] = []
    for word in field.split(whereSeparator: \.isWhitespace) {
      guard let byte = parsedByte(word) else {
        guard word == "??" else { throw error("a byte as two hexadecimal digits", String(word)) }
        bytes.append(nil)
        continue
      }
      bytes.append(byte)
    }
    guard !bytes.isEmpty else { throw error("bytes, \"P\" or a fault", field) }
    return bytes
  }

  private mutating func ending(isOptional: Bool) throws(BusTrace.ParsingError) -> I2CFault? {
    if isOptional && fields.isEmpty { return nil }
    let field = fields.popFirst() ?? ""
    if field == "P" && !isOptional { return nil }
    guard field.first == "!" else { throw error("\"P\" or \"!\" and a fault", field) }
    guard let fault = parsedFault(field.dropFirst()) else { throw error("a fault that there is", field) }
    return fault
  }

  private func error(_ expected: String, _ found: String) -> BusTrace.ParsingError {
    BusTrace.ParsingError(line: number, found: found, expected: expected)
  }
}

private func parsedFault(_ text: Substring) -> I2CFault? {
  let words = text.split(whereSeparator: \.isWhitespace)
  let simple: [I2CFault] = [
    .noAcknowledge, .arbitrationLost, .timedOut, .unsupported, .notPermitted, .busy, .unavailable,
  ]
  if words.count == 1 { return simple.first { $0.traceWords == words[0] } }
  if words.count == 2, words[0] == "other", let code = Int32(words[1]) { return .other(code: code) }
  guard words.count == 4, words[0] == "shortRead", words[2] == "of" else { return nil }
  guard let received = Int(words[1]), let expected = Int(words[3]) else { return nil }
  return .shortRead(expected: expected, received: received)
}

private func parsedByte(_ text: Substring) -> UInt8? {
  guard text.utf8.count == 2, text.first != "+", text.first != "-" else { return nil }
  return UInt8(text, radix: 16)
}

private func parsedMicroseconds(_ text: String) -> Int64? {
  let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
  let decimals = parts.count == 2 ? parts[1] : "0"
  let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  guard (1...6).contains(decimals.utf8.count), decimals.utf8.allSatisfy(digits.contains) else { return nil }
  let whole = parts[0].first == "-" ? parts[0].dropFirst() : parts[0]
  guard !whole.isEmpty, whole.utf8.allSatisfy(digits.contains) else { return nil }
  return Int64(parts[0] + decimals + String(repeating: "0", count: 6 - decimals.utf8.count))
}

private func trimmed(_ text: some StringProtocol) -> String {
  let start = text.drop(while: \.isWhitespace)
  guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
  return String(start[...last])
}
