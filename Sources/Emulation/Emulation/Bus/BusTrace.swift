public import FixedPoint
public import HAL

/// What was transferred on a bus, transaction by transaction: from a ``BusLog``, from text, or made by hand.
///
/// Its text has one line for each, as a logic analyser shows it, and its format does not change from release to
/// release: seconds, then the wire, bytes in hexadecimal. A transaction that failed ends in its fault instead of `P`,
/// and the bytes that were not received are `??`. How far it got is not known: the line shows what was requested.
///
///         0.000000  S | 53+W | 00 | Sr | 53+R | E5 | P
///         0.000000  S | 53+W | 2D 08 | P
///         0.011100  S | 53+W | 32 | Sr | 53+R | ?? ?? ?? ?? ?? ?? | ! timedOut
///         0.061100  reopen
public struct BusTrace: Equatable, Sendable {
  /// What the controller did.
  public enum Operation: Equatable, Sendable {
    /// Wrote these bytes.
    ///
    ///     S | addr+W | b0 … bn | P
    case write([UInt8], to: I2CAddress)
    /// Wrote bytes and read as many as the reply has; nil is a byte that was not received.
    ///
    ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
    case writeRead([UInt8], reply: [UInt8?], at: I2CAddress)
    /// Closed and reopened the bus.
    case reopen
  }

  /// One line.
  public struct Entry: Equatable, Sendable {
    /// When it began.
    public var instant: Instant
    /// What the controller did.
    public var operation: Operation
    /// The fault it ended in, if any.
    public var fault: I2CFault?

    /// An entry.
    public init(_ operation: Operation, at instant: Instant, fault: I2CFault? = nil) {
      self.instant = instant
      self.operation = operation
      self.fault = fault
    }
  }

  /// The entries, oldest first.
  public var entries: [Entry]

  /// A trace of these entries.
  public init(_ entries: [Entry] = []) { self.entries = entries }

  /// The same trace, with times that count from the first entry.
  public var fromZero: BusTrace {
    guard let first = entries.first?.instant else { return self }
    return BusTrace(
      entries.map { entry in
        var entry = entry
        entry.instant = Instant(microseconds: (entry.instant - first).count)
        return entry
      })
  }

  /// The steps with which a ``ScriptedBus`` replays it, including faults; a byte that was not received is 0 in a reply.
  ///
  /// Reopenings are left out: a scripted bus has none.
  public var script: [BusScript.Step] {
    entries.compactMap { entry in
      switch entry.operation {
      case .write(let bytes, let address): .write(bytes, to: address, throwing: entry.fault)
      case .writeRead(let bytes, let reply, let address):
        .writeRead(bytes, reply: reply.map { $0 ?? 0 }, at: address, throwing: entry.fault)
      case .reopen: nil
      }
    }
  }
}

extension BusTrace: CustomStringConvertible {
  /// The lines, without a newline after the last.
  public var description: String { entries.map(\.description).joined(separator: "\n") }
}

extension BusTrace.Entry: CustomStringConvertible {
  /// Its line: the time in seconds, at least 12 characters wide, two spaces, and the wire.
  public var description: String { "\(seconds(instant))  \(wire)" }

  /// The line without its time.
  var wire: String {
    var fields: [String]
    switch operation {
    case .reopen: fields = ["reopen"]
    case .write(let bytes, let address):
      fields = ["S", "\(hexadecimal(address.rawValue))+W", hexadecimal(bytes)]
    case .writeRead(let bytes, let reply, let address):
      fields = [
        "S", "\(hexadecimal(address.rawValue))+W", hexadecimal(bytes), "Sr", "\(hexadecimal(address.rawValue))+R",
        reply.map { $0.map(hexadecimal) ?? "??" }.joined(separator: " "),
      ]
    }
    if let fault { fields.append("! \(fault.traceWords)") } else if operation != .reopen { fields.append("P") }
    // A presence check writes no bytes at all.
    return fields.filter { !$0.isEmpty }.joined(separator: " | ")
  }

  /// As a transaction of a log; nil for a reopening, which is not a transaction and has no address.
  func asTransaction(number: Int) -> BusLog.Transaction? {
    switch operation {
    case .reopen: nil
    case .write(let bytes, let address):
      BusLog.Transaction(
        number: number, instant: instant, address: address, written: bytes, read: [], fault: fault)
    case .writeRead(let bytes, let reply, let address):
      BusLog.Transaction(
        number: number, instant: instant, address: address, written: bytes, read: reply.compactMap(\.self), fault: fault
      )
    }
  }
}

extension I2CFault {
  /// The fault in a trace.
  var traceWords: String {
    switch self {
    case .noAcknowledge: "noAcknowledge"
    case .arbitrationLost: "arbitrationLost"
    case .timedOut: "timedOut"
    case .shortRead(let expected, let received): "shortRead \(received) of \(expected)"
    case .unsupported: "unsupported"
    case .notPermitted: "notPermitted"
    case .busy: "busy"
    case .unavailable: "unavailable"
    case .other(let code): "other \(code)"
    }
  }
}

/// An instant in seconds with six decimals, padded to 12 characters.
func seconds(_ instant: Instant) -> String {
  let (whole, rest) = instant.microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
  let decimals = String(String(rest + 1_000_000).dropFirst())
  let text = "\(instant.microseconds < 0 ? "-" : "")\(whole).\(decimals)"
  return String(repeating: " ", count: max(0, 12 - text.count)) + text
}

/// A byte as two digits, `0A`.
func hexadecimal(_ byte: UInt8) -> String { (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true) }

/// Bytes separated by spaces, `2D 08`.
func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map(hexadecimal).joined(separator: " ") }

extension BusTrace {
  /// The reason why a text is not a trace.
  public struct ParsingError: Error, Equatable, CustomStringConvertible {
    /// The line, counting from 1.
    public var line: Int
    /// What was found; empty at the end of the line.
    public var found: String
    /// What was expected.
    public var expected: String

    /// A sentence.
    public var description: String {
      "line \(line): expected \(expected), found \(found.isEmpty ? "the end of the line" : "\"\(found)\"")"
    }
  }

  /// The trace with this text, as written by ``description``; spaces, empty lines and lines that begin with `#` are
  /// ignored.
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

/// Parses one line, field by field.
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

  /// The bytes of the next field; none if it is another kind of field.
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
