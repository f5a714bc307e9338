/// The states of all output lines, one bit for each: bit 0 is the first line.
///
/// A bit is the logical state (LED lit), not the voltage; the bank handles active-low lines.
public struct Levels: Equatable, Sendable {
  /// Bit *n* is the state of line *n*; up to 32 lines.
  public var bits: UInt32

  /// Levels from their bits.
  public init(bits: UInt32) { self.bits = bits }

  /// All lines off.
  public static var off: Levels { Levels(bits: 0) }

  /// Whether line `index` is on; false beyond 31.
  public func isOn(_ index: Int) -> Bool {
    index >= 0 && index < 32 && (bits &>> UInt32(truncatingIfNeeded: index)) & 1 == 1
  }
}

/// The error of a bank that could not set levels, with the system's code (`errno` on Linux).
public struct OutputFault: Error, Equatable, Sendable {
  /// The system's code.
  public var code: Int32

  /// A fault with the system's code.
  public init(code: Int32) { self.code = code }
}

/// Output lines that change together.
public protocol OutputBank: ~Copyable {
  /// Sets all lines in one request, so that they change as nearly together as the system allows.
  ///
  /// This is not simultaneous: Linux sets the lines of a Raspberry Pi one after another. A code that must never be read
  /// as a mixture of two takes more than one request (`Indicator.Configuration.hold`).
  mutating func write(_ levels: Levels) throws(OutputFault)
}

/// The bank of a board without lines.
public struct NoLines: OutputBank, Sendable {
  /// No lines.
  public init() {}

  /// Does nothing.
  public mutating func write(_ levels: Levels) throws(OutputFault) {}
}
