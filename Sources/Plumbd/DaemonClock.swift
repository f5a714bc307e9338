internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import HAL

/// The kernel's `CLOCK_MONOTONIC`, waited for until an absolute instant, one system call a wait; and the sensor's
/// data-ready line, where the board has one.
///
/// Who waits has done its work: that is when the service manager is told that the program is alive, at half of the time
/// within which it wants to hear so. A wait for longer is done in parts.
struct DaemonClock: ~Copyable, MonotonicClock {
  /// How often the service manager is told; 0 where it did not ask.
  private let interval: Microseconds
  private var due: Instant

  private var line: ReadyLine
  private let period: Microseconds
  /// How many waits for a sample in a row have ended without an edge of the line.
  private(set) var silence: UInt32 = 0
  /// How many waits for a sample have ended without an edge of the line.
  private(set) var missedEdges: UInt64 = 0

  /// A clock that tells the service manager at its first wait. Samples come every `period`.
  init(line: consuming ReadyLine, period: Microseconds) {
    interval = Microseconds(csupport_notify_watchdog() &>> 1)
    due = Instant(microseconds: csupport_clock_now())
    self.line = line
    self.period = period
  }

  var now: Instant { Instant(microseconds: csupport_clock_now()) }

  /// Waits until `deadline`; returns false as soon as a request has come.
  mutating func sleep(until deadline: Instant) -> Bool {
    line.doze()
    while interval > .zero && due < deadline {
      guard csupport_daemon_wait(due.microseconds) == 0 else { return false }
      tellAlive(at: now)
    }
    return csupport_daemon_wait(deadline.microseconds) == 0
  }

  /// Waits for the line's next edge, until two and a half periods after the last sample. Where that brought none, the wire
  /// may be broken: from then on until `sample` only, which makes the samples come by timer, until there is an edge again.
  ///
  /// A sample that is late already, or asked for again after a fault, is not waited for: the line may be up since before.
  /// Edges that come faster than any sensor makes samples are held back.
  mutating func awaitSample(due sample: Instant) -> Awakening {
    let now = self.now
    guard line.isOpen && sample > now else { return sleepToSample(until: sample) ? .time : .interrupted }
    let end = silence == 0 ? sample + halfPeriods(3) : sample
    if interval > .zero && due < end { tellAlive(at: now) }
    switch line.wait(for: end - now) {
    case .edge:
      silence = 0
      let earliest = sample - halfPeriods(1)
      return self.now >= earliest || sleepToSample(until: earliest) ? .data : .interrupted
    case .time:
      note()
      return .time
    case .request: return .interrupted
    case .fault:
      note()
      return sleepToSample(until: sample) ? .time : .interrupted
    }
  }

  /// Sleeps before a sample is read, to which all edges up to then belong.
  private mutating func sleepToSample(until deadline: Instant) -> Bool {
    guard sleep(until: deadline) else { return false }
    line.discard()
    return true
  }

  private func halfPeriods(_ count: Int64) -> Microseconds { Microseconds((period.count &* count) &>> 1) }

  /// Notes that no edge came.
  private mutating func note() {
    silence = silence == UInt32.max ? silence : silence &+ 1
    missedEdges &+= 1
  }

  private mutating func tellAlive(at now: Instant) {
    Line("WATCHDOG=1").notify()
    due = now + interval
  }
}
