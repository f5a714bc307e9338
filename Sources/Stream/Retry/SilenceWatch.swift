package import FixedPoint

/// Watches a connection on which something should arrive all the time: after some silence it asks the other end for a
/// sign of life, and without an answer the connection is lost.
package struct SilenceWatch: Equatable, Sendable {
  /// What to do about the silence.
  package enum Verdict: Equatable, Sendable {
    /// Nothing until then.
    case wait(until: Instant)
    /// Ask the other end, which has until then to answer.
    case ask(until: Instant)
    /// The other end has not answered in time.
    case lost
  }

  /// When something last arrived.
  package private(set) var heard: Instant
  private let patience: Microseconds
  private let answerTime: Microseconds
  private var asked: Instant?

  /// A watch that starts at `now`, asks after `patience`, and gives up `answerTime` later.
  package init(patience: Microseconds, answerTime: Microseconds, at now: Instant) {
    (self.patience, self.answerTime, heard) = (patience, answerTime, now)
  }

  /// Something has arrived.
  package mutating func hear(at now: Instant) { (heard, asked) = (now, nil) }

  /// Nothing has arrived by `now`.
  package mutating func check(at now: Instant) -> Verdict {
    if let asked {
      // Counted from the question, because this program may have been stopped for a long time.
      return now - asked < answerTime ? .wait(until: asked + answerTime) : .lost
    }
    guard now - heard >= patience else { return .wait(until: heard + patience) }
    asked = now
    return .ask(until: now + answerTime)
  }
}
