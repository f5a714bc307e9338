internal import FixedPoint

/// When the next task is due. Deadlines follow each other at the exact period, whatever the lateness of each sample.
struct Schedule: Equatable, Sendable {
  /// When the next task is to be done.
  private(set) var due: Instant
  private(set) var task: Monitor.Task = .start
  /// The point of the grid that `due` belongs to; a repetition is due later than that.
  private var deadline: Instant

  init(startingAt now: Instant) { (due, deadline) = (now, now) }

  /// Begins a new grid at `instant`.
  mutating func set(_ task: Monitor.Task, at instant: Instant) {
    self.task = task
    (due, deadline) = (instant, instant)
  }

  /// The same task again, at once; the grid stays.
  mutating func repeatTask(at now: Instant) { due = now }

  /// Moves on to the first deadline after `now`; returns whether the sample was late by a whole period or more.
  ///
  /// Deadlines that have passed are skipped, not made up for in a burst.
  mutating func advance(past now: Instant, period: Microseconds) -> Bool {
    task = .sample
    guard period > .zero else { return false }
    deadline = deadline + period
    defer { due = deadline }
    guard deadline <= now else { return false }
    let missed = (now - deadline).count / period.count &+ 1
    deadline = deadline + period * missed
    return true
  }
}
