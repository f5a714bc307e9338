internal import CPico
public import FixedPoint
public import HAL

/// The chip's timer, the sensor's data-ready pin, and the watchdog, which only a wait feeds: what hangs elsewhere for
/// ``patience`` resets the chip.
///
/// Between samples the processor sleeps. What a host sends ends a wait, but never delays a sample that is due.
public struct PicoClock: ~Copyable, MonotonicClock {
  private let hasLine: Bool
  private let period: Microseconds
  /// How many waits for a sample in a row have ended without an edge.
  private var silence: UInt32 = 0

  /// How long the program may go without a wait.
  public static var patience: Microseconds { .seconds(2) }

  /// The clock of a board whose samples are due every `period`; starts the watchdog. `line` is the GPIO of the sensor's
  /// data-ready pin.
  public init(line: UInt32?, period: Microseconds) {
    self.period = period
    hasLine = line != nil
    if let line {
      Pin(line).select(.program)
      cpico_watch_edges(line)
    }
    // Everything but the two oscillators.
    cpico_write(Registers.watchdogResets, 0x1_FFFC)
    Self.feed()
    cpico_set(Registers.watchdogControl, 1 &<< 30)
  }

  /// The time since the chip was reset.
  public var now: Instant { Self.now }

  static var now: Instant {
    while true {
      let high = cpico_read(Registers.timerHigh)
      let low = cpico_read(Registers.timerLow)
      guard cpico_read(Registers.timerHigh) == high else { continue }
      return Instant(microseconds: Int64(bitPattern: widened(high) &<< 32 | widened(low)))
    }
  }

  /// It counts by two each microsecond (erratum RP2040-E1).
  private static func feed() {
    cpico_write(Registers.watchdogLoad, UInt32(truncatingIfNeeded: patience.count &* 2))
  }

  private enum Ending {
    case edge, time, request
  }

  /// Sleeps until `deadline`, an edge if `isForEdge`, or a request.
  private mutating func wait(until deadline: Instant, forEdge isForEdge: Bool) -> Ending {
    while true {
      Self.feed()
      // A part of the wait, so that the watchdog is fed.
      let end = min(deadline, now + .milliseconds(500))
      cpico_alarm(UInt32(truncatingIfNeeded: end.microseconds))
      if isForEdge && cpico_take_edges() > 0 { return .edge }
      let now = now
      if now >= deadline { return .time }
      if cpico_take_request() { return .request }
      // An alarm that was set too late would never come.
      if now < end && self.now < end { cpico_wait() }
    }
  }

  /// Waits until `deadline`; returns false as soon as a host sends something.
  public mutating func sleep(until deadline: Instant) -> Bool { wait(until: deadline, forEdge: false) == .time }

  /// Waits for the pin's next edge, at most until two and a half periods after the last sample. If none arrives, the
  /// wire may be broken: until there is an edge again, samples are read by timer.
  public mutating func awaitSample(due sample: Instant) -> Awakening {
    guard hasLine, sample > now else { return sleepToSample(until: sample) }
    let end = silence == 0 ? sample + Microseconds((period.count &* 3) &>> 1) : sample
    switch wait(until: end, forEdge: true) {
    case .edge:
      silence = 0
      // Edges that arrive faster than any sensor samples are held back.
      let earliest = sample - Microseconds(period.count &>> 1)
      return now >= earliest || sleepToSample(until: earliest) == .time ? .data : .interrupted
    case .time:
      silence = silence == UInt32.max ? silence : silence &+ 1
      return .time
    case .request: return .interrupted
    }
  }

  /// Waits for the pin's next edge, or one that no wait has taken yet.
  public mutating func awaitMovement(until deadline: Instant) -> Awakening {
    switch wait(until: deadline, forEdge: hasLine) {
    case .edge: .data
    case .time: .time
    case .request: .interrupted
    }
  }

  /// Discards the edges so far.
  public mutating func forgetEdges() { _ = cpico_take_edges() }

  /// Sleeps until a sample is read; all edges up to then belong to it.
  private mutating func sleepToSample(until deadline: Instant) -> Awakening {
    guard sleep(until: deadline) else { return .interrupted }
    forgetEdges()
    return .time
  }
}
