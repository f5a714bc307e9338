internal import FixedPoint

/// When the next task is due. Deadlines follow each other at the exact period, whatever the lateness of each sample.
struct Schedule: Equatable, Sendable {
  private(set) var due: Instant
  private(set) var task: Monitor.Task = .start

  init(startingAt now: Instant) { due = now }

  mutating func set(_ task: Monitor.Task, at instant: Instant) {
    self.task = task
    due = instant
  }

  /// Moves on to the first deadline after `now`; returns whether the sample was late by a whole period or more.
  ///
  /// Deadlines that have passed are skipped, not made up for in a burst.
  mutating func advance(past now: Instant, period: Microseconds) -> Bool {
    task = .sample
    guard period > .zero else { return false }
    due = due + period
    guard due <= now else { return false }
    let missed = (now - due).count / period.count &+ 1
    due = due + period * missed
    return true
  }
}
