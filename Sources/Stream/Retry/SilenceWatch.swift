package import FixedPoint

/// Whether the other end of a connection is still there, of which something should come all the time: after a while of
/// silence it is asked for a sign of life, and where none comes it is lost.
package struct SilenceWatch: Equatable, Sendable {
  /// What is to be done about the silence.
  package enum Verdict: Equatable, Sendable {
    /// Nothing until then.
    case wait(until: Instant)
    /// The other end is to be asked; until then it may answer.
    case ask(until: Instant)
    /// The other end has not answered.
    case lost
  }

  /// When something came last.
  package private(set) var heard: Instant
  private let patience: Microseconds
  private let answerTime: Microseconds
  private var asked: Instant?

  /// A watch from `now` on that asks after `patience`, and gives up `answerTime` later.
  package init(patience: Microseconds, answerTime: Microseconds, at now: Instant) {
    (self.patience, self.answerTime, heard) = (patience, answerTime, now)
  }

  /// Something has come.
  package mutating func hear(at now: Instant) { (heard, asked) = (now, nil) }

  /// Nothing has come until `now`.
  package mutating func check(at now: Instant) -> Verdict {
    if let asked {
      // Counted from the question: this program may have been stopped for long.
      return now - asked < answerTime ? .wait(until: asked + answerTime) : .lost
    }
    guard now - heard >= patience else { return .wait(until: heard + patience) }
    asked = now
    return .ask(until: now + answerTime)
  }
}
