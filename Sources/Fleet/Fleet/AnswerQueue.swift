internal import FixedPoint

/// Answers to commands that the broker has not acknowledged: at most 8, at intervals of at least 0.1 s.
struct AnswerQueue {
  private static var most: Int { 8 }
  private static var pause: Microseconds { .milliseconds(100) }

  /// What waits, and what is in flight.
  var backlog = Backlog()
  private var earliest: Instant?
  /// How many answers were left out for lack of room.
  private(set) var leftOut: UInt64 = 0

  /// Appends an answer; leaves it out if there is no room.
  mutating func append(_ payload: [UInt8]) {
    guard backlog.places.count < Self.most else {
      leftOut = leftOut &+ 1
      return
    }
    backlog.places.append(Backlog.Place(payload: payload))
  }

  /// Whether all answers have been delivered or are in flight.
  var isEmpty: Bool { backlog.next == nil }

  /// When the next one may be sent; nil for none, and for at once.
  var due: Instant? { isEmpty ? nil : earliest }

  /// The oldest answer that is not in flight; nil if there is none, or it is not due.
  func next(at now: Instant) -> [UInt8]? {
    if let earliest, now < earliest, earliest - now <= Self.pause { return nil }
    return backlog.next.map { backlog.places[$0].payload }
  }

  /// Notes that ``next(at:)`` is in flight from `now` on, with `token`.
  mutating func send(as token: UInt16, at now: Instant) {
    backlog.send(as: token)
    earliest = now + Self.pause
  }
}
