public import FixedPoint
public import HAL

/// A clock that advances only when a test advances it, so that a minute of tests takes no time and is always the same.
///
/// It is a reference: everything that holds it sees the same time. Emulated parts take it as `{ clock.now }`.
public final class VirtualClock: MonotonicClock {
  /// The present instant.
  public private(set) var now: Instant

  /// A clock at `start`.
  public init(startingAt start: Instant = Instant(microseconds: 0)) { now = start }

  /// Advances to `instant`; does nothing if that has passed.
  public func advance(to instant: Instant) { now = max(now, instant) }

  /// Advances by `span`; does nothing if it is negative.
  public func advance(by span: Microseconds) { advance(to: now + span) }

  /// Advances to `deadline` at once; always true.
  public func sleep(until deadline: Instant) -> Bool {
    advance(to: deadline)
    return true
  }
}

/// A clock to which the interrupt pin of an emulated part is wired.
///
/// It checks the pin every 5 ms while it waits for it.
public struct WiredClock<Base: MonotonicClock>: MonotonicClock {
  private var base: Base
  private let isHigh: () -> Bool

  /// `base` with a pin: `{ part.isInterruptHigh }`.
  public init(_ base: Base, isHigh: @escaping () -> Bool) {
    self.base = base
    self.isHigh = isHigh
  }

  /// The time of `base`.
  public var now: Instant { base.now }

  /// Sleeps as `base` does.
  public mutating func sleep(until deadline: Instant) -> Bool { base.sleep(until: deadline) }

  /// Waits as `base` does.
  public mutating func awaitSample(due: Instant) -> Awakening { base.awaitSample(due: due) }

  /// Waits until the pin is high, and returns at once if it is.
  public mutating func awaitMovement(until deadline: Instant) -> Awakening {
    while !isHigh() {
      let now = base.now
      guard now < deadline else { return .time }
      guard base.sleep(until: min(deadline, now + .milliseconds(5))) else { return .interrupted }
    }
    return .data
  }
}

/// The sample clock of a sensor: tick k is k periods after its origin, rounded down to a microsecond.
///
/// The period is a fraction, so that rounding errors never accumulate. Origin and ticks are times of a clock that may
/// jump; one that runs backwards makes no tick.
public struct SampleClock {
  /// The instant of tick 0.
  let origin: Instant
  /// The period in microseconds of true time, times ``divisor``.
  private let dividend: Int64
  private let divisor: Int64
  private var taken: Int64
  /// The times from the origin to the next tick and to the one after it, in microseconds; saturated.
  private var toNext: Int64
  private var toSecond: Int64

  /// A clock with a period of `period` / 2^`halvings` (0…15), running faster by this many ppm, ±500 000; the period
  /// before it is halved is rounded down to a microsecond of true time. Its first tick comes a period after its origin.
  public init(origin: Instant, period: Microseconds, halvings: UInt8 = 0, partsPerMillion: Int32 = 0) {
    self.origin = origin
    (dividend, divisor) = (period.stretched(byClockOf: partsPerMillion).count, 1 << Int64(halvings & 0x0F))
    (taken, toNext, toSecond) = (0, 0, 0)
    lookAhead()
  }

  /// A clock whose first tick is at `first`, with a period of exactly `period`, less than 100 days, running faster by
  /// this many ppm, ±500 000.
  public init(first: Instant, period: Microseconds, partsPerMillion: Int32 = 0) {
    origin = first
    (dividend, divisor) = (period.count * 1_000_000, Microseconds.counted(byClockOf: partsPerMillion))
    (taken, toNext, toSecond) = (-1, 0, 0)
    lookAhead()
  }

  /// The instant of the next tick.
  public var next: Instant { origin + Microseconds(toNext) }

  /// Whether a tick up to `now` has not been taken.
  func isDue(at now: Instant) -> Bool { (now - origin).count >= toNext }

  /// The number of ticks up to `now` that have not been taken.
  func due(until now: Instant) -> Int64 {
    let elapsed = (now - origin).count
    guard elapsed >= toNext else { return 0 }
    guard elapsed >= toSecond else { return 1 }
    // floor(k × dividend / divisor) ≤ elapsed holds up to this k. Mostly 64 bits suffice.
    let (product, isTooLong) = elapsed.multipliedReportingOverflow(by: divisor)
    if !isTooLong, product < .max - divisor { return (product + divisor - 1) / dividend - taken }
    return Int64(clamping: ((Int128(elapsed) + 1) * Int128(divisor) - 1) / Int128(dividend)) - taken
  }

  /// Takes `count` ticks, whether due or not; returns the instant of the last.
  @discardableResult mutating func take(_ count: Int64 = 1) -> Instant {
    taken += count
    let last = count == 1 ? toNext : distance(of: taken)
    lookAhead()
    return origin + Microseconds(last)
  }

  private mutating func lookAhead() {
    toNext = distance(of: taken + 1)
    toSecond = distance(of: taken + 2)
  }

  /// The time from the origin to tick `number`.
  private func distance(of number: Int64) -> Int64 { number.scaled(by: dividend, over: divisor) }
}

extension Microseconds {
  /// The true time that corresponds to this span, 0 or more, of a part's own clock, when that clock is too fast by this
  /// many ppm, ±500 000; rounded down.
  func stretched(byClockOf partsPerMillion: Int32) -> Microseconds {
    Microseconds(count.scaled(by: 1_000_000, over: Self.counted(byClockOf: partsPerMillion)))
  }

  /// The microseconds that such a clock counts in a second.
  fileprivate static func counted(byClockOf partsPerMillion: Int32) -> Int64 {
    1_000_000 + max(-500_000, min(500_000, Int64(partsPerMillion)))
  }
}

extension Int64 {
  /// This number, 0 or more, times a fraction of positive numbers, rounded down; saturated.
  fileprivate func scaled(by dividend: Int64, over divisor: Int64) -> Int64 {
    let (product, overflows) = multipliedReportingOverflow(by: dividend)
    return overflows ? Int64(clamping: Int128(self) * Int128(dividend) / Int128(divisor)) : product / divisor
  }
}
