public import FixedPoint
public import HAL

/// What was written to a ``RecordingOutputBank``: a reference, so that it stays readable after the bank was consumed.
public final class OutputLog {
  /// One request.
  public struct Write: Equatable, Sendable {
    /// When it was made.
    public var instant: Instant
    /// The levels it requested.
    public var levels: Levels
    /// The fault it ended in, if any: the levels then remained unchanged.
    public var fault: OutputFault?
  }

  /// The first requests, including those that failed, up to the capacity.
  public private(set) var writes: [Write] = []
  /// The number of requests, kept or not.
  public private(set) var writeCount = 0
  /// The present levels of the lines; nil before the first successful write.
  public private(set) var levels: Levels?
  /// The number of requests that are kept.
  public let capacity: Int

  /// An empty log that keeps the first `capacity` requests (0 or more).
  public init(capacity: Int = 65_536) { self.capacity = max(0, capacity) }

  func append(_ write: Write) {
    writeCount += 1
    if write.fault == nil { levels = write.levels }
    if writes.count < capacity { writes.append(write) }
  }
}

/// Output lines that record every request, and fail on demand.
public struct RecordingOutputBank: OutputBank, ~Copyable {
  /// What was written.
  public var log: OutputLog {
    // Not inlined: Swift 6.3.1 may crash, or free too soon what is taken out of a struct that is consumed later.
    @inline(never) get { ownLog }
  }
  private let ownLog: OutputLog
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
    ownLog = log
    self.now = now
  }

  /// Records the request; throws the fault if it is to fail.
  public mutating func write(_ levels: Levels) throws(OutputFault) {
    let fails = failing.contains(ownLog.writeCount)
    ownLog.append(OutputLog.Write(instant: now(), levels: levels, fault: fails ? fault : nil))
    if fails { throw fault }
  }
}
