public import FixedPoint
public import HAL

/// What was written to a ``RecordingOutputBank``: a reference, so that it stays readable after the bank was consumed.
public final class OutputLog {
  /// One request.
  public struct Write: Equatable, Sendable {
    /// When it was made.
    public var instant: Instant
    /// The levels it asked for.
    public var levels: Levels
    /// The fault it ended in, if any: the levels then stayed as they were.
    public var fault: OutputFault?
  }

  /// All requests, those that failed among them.
  public internal(set) var writes: [Write] = []

  /// An empty log.
  public init() {}

  /// The levels that the lines have now; nil before the first write that went through.
  public var levels: Levels? { writes.last { $0.fault == nil }?.levels }
}

/// Output lines that remember every request, and fail when told to.
public struct RecordingOutputBank: OutputBank, ~Copyable {
  /// What was written.
  public let log: OutputLog
  private let failing: Range<Int>
  private let fault: OutputFault
  private let now: () -> Instant

  /// A bank whose writes with the numbers `failing` (the first is 0) throw `fault`.
  ///
  /// The default fault is code 5 (`EIO` on Linux).
  public init(
    failingAt failing: Range<Int> = 0..<0, with fault: OutputFault = OutputFault(code: 5), log: OutputLog = OutputLog(),
    now: @escaping () -> Instant
  ) {
    self.failing = failing
    self.fault = fault
    self.log = log
    self.now = now
  }

  /// Records the request; throws the fault where it was told to fail.
  public mutating func write(_ levels: Levels) throws(OutputFault) {
    let fails = failing.contains(log.writes.count)
    log.writes.append(OutputLog.Write(instant: now(), levels: levels, fault: fails ? fault : nil))
    if fails { throw fault }
  }
}
