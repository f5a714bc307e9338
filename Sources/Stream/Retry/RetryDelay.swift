package import FixedPoint

/// The delays before retries: each twice as long as the one before, up to a limit, with random jitter so that the many
/// clients of one server do not all come back at the same time.
package struct RetryDelay: Equatable, Sendable {
  private let first: Microseconds
  private let longest: Microseconds
  private let percent: Int64
  private var pause: Microseconds

  /// Delays from `first`, at least 1 ms, to `longest`, at least `first` and at most a day; each up to `jitter` percent,
  /// 0 to 100, longer or shorter.
  package init(first: Microseconds, longest: Microseconds, jitter percent: Int) {
    // Limits within which nothing below can overflow.
    let first = min(max(first, .milliseconds(1)), .seconds(86_400))
    self.first = first
    self.longest = min(max(longest, first), .seconds(86_400))
    self.percent = widened(Int32(truncatingIfNeeded: min(max(percent, 0), 100)))
    pause = first
  }

  /// The delay before the next try; `random` is a uniformly distributed random number.
  package mutating func next(random: UInt64) -> Microseconds {
    let length = pause
    pause = min(longest, length * 2)
    // -1000 to 1000 thousandths of the jitter.
    let chance = Int64(bitPattern: random % 2_001) &- 1_000
    return length + Microseconds(length.count &* percent / 100 &* chance / 1_000)
  }

  /// Starts again with the first delay, after a successful try.
  package mutating func reset() { pause = first }
}
