public import FixedPoint
public import HAL

/// Work that a program does now and then while it waits; ``ReadyClock`` calls it.
public protocol Chore: ~Copyable {
  /// When it is due; nil for never.
  var due: Instant? { get }
  /// Performs it at `now`, and sets when it is due again.
  mutating func perform(at now: Instant)
}

/// No chore.
public struct NoChore: Chore {
  /// A chore that does nothing.
  public init() {}

  /// Never.
  public var due: Instant? { nil }

  /// Does nothing.
  public mutating func perform(at now: Instant) {}
}

/// Linux's clock, with the sensor's data-ready line if the board has one.
///
/// It performs the chore, if there is one, while the program waits, and splits a longer wait for it.
public struct ReadyClock<Duty: Chore>: ~Copyable, MonotonicClock {
  private let clock = LinuxClock()
  private var duty: Duty
  private var line: DataReadyLine?
  private let period: Microseconds
  /// How many waits for a sample in a row have ended without an edge.
  public private(set) var silence: UInt32 = 0
  /// How many waits for a sample have ended without an edge in total.
  public private(set) var missedEdges: UInt64 = 0

  /// A clock that waits for the edges of `line` and performs `duty` meanwhile. Samples are due every `period`.
  public init(line: consuming DataReadyLine?, period: Microseconds, duty: consuming Duty) {
    self.line = line
    self.period = period
    self.duty = duty
  }

  /// The present instant.
  public var now: Instant { clock.now }

  /// Waits until `deadline`; returns false as soon as a request arrives.
  public mutating func sleep(until deadline: Instant) -> Bool {
    line?.doze()
    while let due = duty.due, due < deadline {
      guard clock.sleep(until: due) else { return false }
      duty.perform(at: now)
    }
    return clock.sleep(until: deadline)
  }

  /// Waits for the line's next edge, at most until two and a half periods after the last sample. If none arrives, the
  /// wire may be broken: until there is an edge again, later waits end at `sample`, so that samples are read by timer.
  ///
  /// Does not wait for a sample that is late already or is read again after a fault: the line may have been high since
  /// before. Edges that arrive faster than any sensor samples are held back.
  public mutating func awaitSample(due sample: Instant) -> Awakening {
    // Without a line, spare the look at the clock, which is a system call on ARMv6.
    guard line != nil, case let now = self.now, sample > now else { return sleepToSample(until: sample) }
    let end = silence == 0 ? sample + halfPeriods(3) : sample
    if let due = duty.due, due < end { duty.perform(at: now) }
    switch line?.wait(until: end) {
    case .edge:
      silence = 0
      let earliest = sample - halfPeriods(1)
      return self.now >= earliest || sleepToSample(until: earliest) == .time ? .data : .interrupted
    case .time:
      noteMissedEdge()
      return .time
    case .signal, .stream: return .interrupted
    case .fault, nil:
      noteMissedEdge()
      return sleepToSample(until: sample)
    }
  }

  /// Waits for the line's next edge, or one that no wait has taken yet, and performs the chore meanwhile.
  ///
  /// Sleeps if there is no line, or if it fails.
  public mutating func awaitMovement(until deadline: Instant) -> Awakening {
    while line != nil {
      let chore = duty.due.map { min($0, deadline) } ?? deadline
      switch line?.wait(until: chore) {
      case .edge: return .data
      case .time where chore < deadline: duty.perform(at: now)
      case .time: return .time
      case .signal, .stream: return .interrupted
      case .fault, nil: return sleep(until: deadline) ? .time : .interrupted
      }
    }
    return sleep(until: deadline) ? .time : .interrupted
  }

  /// Discards the edges so far.
  public mutating func forgetEdges() { line?.discard() }

  /// Sleeps until a sample is read; all edges up to then belong to it.
  private mutating func sleepToSample(until deadline: Instant) -> Awakening {
    guard sleep(until: deadline) else { return .interrupted }
    line?.discard()
    return .time
  }

  private func halfPeriods(_ count: Int64) -> Microseconds { Microseconds((period.count &* count) &>> 1) }

  private mutating func noteMissedEdge() {
    silence = silence == UInt32.max ? silence : silence &+ 1
    missedEdges &+= 1
  }
}

/// Notices once that the data-ready line is silent while the sensor samples, and once that its edges are back.
public struct ReadySilence {
  private enum Reported {
    case nothing, silence, edges
  }

  private var reported = Reported.nothing

  /// This many samples without an edge are no accident.
  private static var patience: UInt32 { 8 }

  /// The state in which nothing has been noticed.
  public init() {}

  /// Takes a good sample, before which `silence` waits in a row ended without an edge. Returns whether the line is
  /// silent now, if that is news; otherwise nil.
  public mutating func note(silence: UInt32) -> Bool? {
    switch reported {
    case .nothing where silence >= Self.patience: reported = .silence
    case .silence where silence == 0: reported = .edges
    default: return nil
    }
    return reported == .silence
  }
}
