public import FixedPoint
public import HAL

/// What a program does now and then while it waits: ``ReadyClock`` sees to it.
public protocol Chore: ~Copyable {
  /// When it is to be done; nil for never.
  var due: Instant? { get }
  /// Does it, at `now`, and sets when it is due again.
  mutating func perform(at now: Instant)
}

/// No chore.
public struct NoChore: Chore {
  /// Nothing to do.
  public init() {}

  /// Never.
  public var due: Instant? { nil }

  /// Does nothing.
  public mutating func perform(at now: Instant) {}
}

/// The clock of Linux; and the sensor's data-ready line, where the board has one.
///
/// The program waits when its work is done: that is when its chore is done, if it has one. A longer wait is done in
/// parts.
public struct ReadyClock<Duty: Chore>: ~Copyable, MonotonicClock {
  private let clock = LinuxClock()
  private var duty: Duty
  private var line: DataReadyLine?
  private let period: Microseconds
  /// How many waits for a sample in a row have ended without an edge of the line.
  public private(set) var silence: UInt32 = 0
  /// How many waits for a sample have ended without an edge of the line.
  public private(set) var missedEdges: UInt64 = 0

  /// A clock that waits for the edges of `line`, and does `duty` meanwhile. Samples come every `period`.
  public init(line: consuming DataReadyLine?, period: Microseconds, duty: consuming Duty) {
    self.line = line
    self.period = period
    self.duty = duty
  }

  /// The present instant.
  public var now: Instant { clock.now }

  /// Waits until `deadline`; returns false as soon as a request has come.
  public mutating func sleep(until deadline: Instant) -> Bool {
    line?.doze()
    while let due = duty.due, due < deadline {
      guard clock.sleep(until: due) else { return false }
      duty.perform(at: now)
    }
    return clock.sleep(until: deadline)
  }

  /// Waits for the line's next edge, until two and a half periods after the last sample. Where that brought none, the
  /// wire may be broken: from then on until `sample` only, which makes the samples come by timer, until there is an
  /// edge again.
  ///
  /// A sample that is late already, or asked for again after a fault, is not waited for: the line may be up since
  /// before. Edges that come faster than any sensor makes samples are held back.
  public mutating func awaitSample(due sample: Instant) -> Awakening {
    // Without a line, without a look at the clock, which is a system call on ARMv6.
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

  /// Waits for the line's next edge, or one that no wait has taken yet, and does what is to be done meanwhile.
  ///
  /// Without a line, or where it fails, it sleeps.
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

  /// Forgets the edges so far.
  public mutating func forgetEdges() { line?.discard() }

  /// Sleeps before a sample is read, to which all edges up to then belong.
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

/// Notices once that a data-ready line shows no edges while the sensor gives samples, and once that it does again.
public struct ReadySilence {
  private enum Reported {
    case nothing, silence, edges
  }

  private var reported = Reported.nothing

  /// As many samples without an edge before them are no accident.
  private static var patience: UInt32 { 8 }

  /// Nothing has been noticed.
  public init() {}

  /// Takes a good sample, before which `silence` waits in a row ended without an edge. Returns whether there is silence
  /// now, where that is to be reported.
  public mutating func note(silence: UInt32) -> Bool? {
    switch reported {
    case .nothing where silence >= Self.patience: reported = .silence
    case .silence where silence == 0: reported = .edges
    default: return nil
    }
    return reported == .silence
  }
}
