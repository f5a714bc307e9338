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

/// The sample clock of a sensor: tick k (from 1) is k periods after its origin, rounded down to a microsecond.
///
/// The period is a number of microseconds halved repeatedly, so that rounding errors never accumulate. Origin and ticks
/// are times of a clock that may jump; one that runs backwards makes no tick.
public struct SampleClock {
  private let origin: Instant
  /// The period before it is halved, in microseconds of true time.
  private let longestPeriod: Int64
  private let halvings: Int64
  private var taken: Int64 = 0
  /// The times from the origin to the next tick and to the one after it, in microseconds; saturated.
  private var toNext: Int64
  private var toSecond: Int64

  /// A clock with a period of `period` / 2^`halvings` (0…15), running faster by this many ppm, ±500 000.
  public init(origin: Instant, period: Microseconds, halvings: UInt8 = 0, partsPerMillion: Int32 = 0) {
    self.origin = origin
    self.halvings = Int64(halvings & 0x0F)
    longestPeriod = period.stretched(byClockOf: partsPerMillion).count
    (toNext, toSecond) = (0, 0)
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
    // floor(k·P / 2^h) ≤ elapsed holds up to this k. Below 2^46 µs, two years, 64 bits suffice.
    if elapsed < 1 << 46 { return (((elapsed + 1) << halvings) - 1) / longestPeriod - taken }
    return Int64(clamping: (((Int128(elapsed) + 1) << halvings) - 1) / Int128(longestPeriod)) - taken
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
  private func distance(of number: Int64) -> Int64 {
    let (product, isTooLong) = number.multipliedReportingOverflow(by: longestPeriod)
    if !isTooLong { return product >> halvings }
    return Int64(clamping: (Int128(number) * Int128(longestPeriod)) >> halvings)
  }
}

extension Microseconds {
  /// The true time that corresponds to this span of a part's own clock, when that clock is too fast by this many ppm,
  /// ±500 000.
  func stretched(byClockOf partsPerMillion: Int32) -> Microseconds {
    Microseconds(count * 1_000_000 / (1_000_000 + max(-500_000, min(500_000, Int64(partsPerMillion)))))
  }
}
