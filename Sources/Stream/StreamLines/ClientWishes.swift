package import FixedPoint

/// What a client asked for.
package struct ClientWishes: Equatable, Sendable {
  /// Which samples it wants.
  package private(set) var samples = SampleWish.none
  /// How often it wants the counters; zero for never.
  private var countersInterval = Microseconds.zero
  /// Whether it wants the vibration of each second.
  package var wantsVibration = false
  /// How many fresh readings it waits for.
  package var readings: UInt8 = 0
  /// The commands that it waits for, one bit each.
  private var commands: UInt8 = 0

  private var thinning = Thinning()
  private var nextCounters = Instant(microseconds: 0)

  /// Nothing yet.
  package init() {}

  /// Whether it wants nothing.
  package var isEmpty: Bool {
    samples == .none && countersInterval == .zero && !wantsVibration && readings == 0 && commands == 0
  }

  /// Whether it waits for `command`.
  package func awaits(_ command: Request.Command) -> Bool { commands & 1 &<< command.rawValue != 0 }

  /// Sets whether it waits for `command`.
  package mutating func setAwaits(_ command: Request.Command, _ isAwaited: Bool) {
    let bit: UInt8 = 1 &<< command.rawValue
    commands = isAwaited ? commands | bit : commands & ~bit
  }

  /// Adds one to the fresh readings that it waits for.
  package mutating func awaitReading() { readings = min(readings, UInt8.max &- 1) &+ 1 }

  /// Sets which samples it wants from now on.
  package mutating func ask(for samples: SampleWish) {
    self.samples = samples
    thinning = Thinning()
  }

  /// Sets how often it wants the counters from `now` on.
  package mutating func askForCounters(every interval: Microseconds, at now: Instant) {
    countersInterval = interval
    nextCounters = now + interval
  }

  /// Whether it wants the sample at `now`, with one every `period`.
  package mutating func wantsSample(at now: Instant, period: Microseconds) -> Bool {
    switch samples {
    case .none: false
    case .all, .raw: true
    case .every(let interval): thinning.chooses(now, every: interval, period: period)
    }
  }

  /// Whether the counters are due.
  package mutating func wantsCounters(at now: Instant) -> Bool {
    guard countersInterval > .zero, now >= nextCounters else { return false }
    nextCounters = max(nextCounters, now - countersInterval) + countersInterval
    return true
  }
}
