internal import CSupport
internal import FixedPoint
internal import HAL
internal import LinuxHAL
internal import Service
internal import Text

/// The clock of Linux; and the sensor's data-ready line, where the board has one.
///
/// The program waits when its work is done: that is when the service manager is notified that it is alive, at half of the
/// watchdog's time. A longer wait is done in parts.
struct DaemonClock: ~Copyable, MonotonicClock {
  /// How often the service manager is notified; 0 where it did not ask.
  private let interval: Microseconds
  private var due: Instant

  private let clock = LinuxClock()
  private var line: DataReadyLine?
  private let period: Microseconds
  /// How many waits for a sample in a row have ended without an edge of the line.
  private(set) var silence: UInt32 = 0
  /// How many waits for a sample have ended without an edge of the line.
  private(set) var missedEdges: UInt64 = 0

  /// A clock that notifies the service manager at its first wait. Samples come every `period`.
  init(line: consuming DataReadyLine?, period: Microseconds) {
    interval = Microseconds(csupport_notify_watchdog() &>> 1)
    due = clock.now
    self.line = line
    self.period = period
  }

  var now: Instant { clock.now }

  /// Waits until `deadline`; returns false as soon as a request has come.
  mutating func sleep(until deadline: Instant) -> Bool {
    line?.doze()
    while interval > .zero && due < deadline {
      guard clock.sleep(until: due) else { return false }
      notifyAlive(at: now)
    }
    return clock.sleep(until: deadline)
  }

  /// Waits for the line's next edge, until two and a half periods after the last sample. Where that brought none, the wire
  /// may be broken: from then on until `sample` only, which makes the samples come by timer, until there is an edge again.
  ///
  /// A sample that is late already, or asked for again after a fault, is not waited for: the line may be up since before.
  /// Edges that come faster than any sensor makes samples are held back.
  mutating func awaitSample(due sample: Instant) -> Awakening {
    // Without a line, without a look at the clock, which is a system call on ARMv6.
    guard line != nil, case let now = self.now, sample > now else { return sleepToSample(until: sample) }
    let end = silence == 0 ? sample + halfPeriods(3) : sample
    if interval > .zero && due < end { notifyAlive(at: now) }
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

  private mutating func notifyAlive(at now: Instant) {
    LogLine("WATCHDOG=1").notify()
    due = now + interval
  }
}
