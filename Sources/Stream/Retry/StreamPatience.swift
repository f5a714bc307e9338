package import FixedPoint

/// How long a stream's clients wait for its owner: see docs/stream.md.
package enum StreamPatience {
  /// How long connecting may take.
  package static var connecting: Microseconds { .seconds(20) }
  /// How long the hello may take once connected.
  package static var greeting: Microseconds { .seconds(12) }
  /// After how long a board on a serial line is asked for its hello again.
  package static var asking: Microseconds { .seconds(3) }
  /// After how long a connection counts as good, so that the next delay is short again.
  package static var good: Microseconds { .seconds(5) }
  /// The delays before retries.
  package static var delay: RetryDelay { RetryDelay(first: .milliseconds(500), longest: .seconds(30), jitter: 25) }

  /// A watch over an owner that was heard at `now`.
  package static func silence(at now: Instant) -> SilenceWatch {
    SilenceWatch(patience: .seconds(2), answerTime: .seconds(3), at: now)
  }
}
