public import FixedPoint
public import HAL

/// What went over a bus, transaction by transaction: from a ``BusLog``, from text, or made by hand.
///
/// Its text is a line each, as a logic analyser shows it, and does not change from release to release: seconds, then the
/// wire, bytes in hexadecimal. A transaction that failed ends in its fault instead of `P`, and the bytes that did not come
/// are `??`. How far it came is not known: the line shows it as it was asked for.
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
    /// Wrote bytes and read as many as the reply has; nil is a byte that did not come.
    ///
    ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
    case writeRead([UInt8], reply: [UInt8?], at: I2CAddress)
    /// Closed and opened the bus.
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

  /// The same with times that count from the first entry.
  public var fromZero: BusTrace {
    guard let first = entries.first?.instant else { return self }
    return BusTrace(
      entries.map { entry in
        var entry = entry
        entry.instant = Instant(microseconds: (entry.instant - first).count)
        return entry
      })
  }

  /// The steps with which a ``ScriptedBus`` plays it back, faults among them; a byte that did not come is 0 in a reply.
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
  /// The lines, without a newline behind the last.
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
    // A presence check writes nothing at all.
    return fields.filter { !$0.isEmpty }.joined(separator: " | ")
  }

  /// As a transaction of a log; a reopening is none, and has no address of its own.
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

/// Bytes with a space between, `2D 08`.
func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map(hexadecimal).joined(separator: " ") }
