internal import FixedPoint

/// Answers to commands that the broker has not acknowledged: at most 8, each at least 0.1 s after the one before.
struct AnswerQueue {
  private static var most: Int { 8 }
  private static var pause: Microseconds { .milliseconds(100) }

  private var backlog = Backlog()
  private var earliest: Instant?
  /// How many found no place.
  private(set) var leftOut: UInt64 = 0

  /// Adds an answer; where there is no room, it is left out.
  mutating func append(_ payload: [UInt8]) {
    guard backlog.places.count < Self.most else {
      leftOut = leftOut &+ 1
      return
    }
    backlog.places.append(Backlog.Place(payload: payload))
  }

  /// Whether all have arrived or are in flight.
  var isEmpty: Bool { backlog.next == nil }

  /// When the next one may be sent; nil for none, and for at once.
  var due: Instant? { isEmpty ? nil : earliest }

  /// The oldest that is not in flight; nil where there is none, or it is not time.
  func next(at now: Instant) -> [UInt8]? {
    if let earliest, now < earliest, earliest - now <= Self.pause { return nil }
    return backlog.next.map { backlog.places[$0].payload }
  }

  /// ``next(at:)`` is in flight from `now` on, with `token`.
  mutating func send(as token: UInt16, at now: Instant) {
    backlog.send(as: token)
    earliest = now + Self.pause
  }

  /// What has `token` has arrived.
  mutating func delivered(_ token: UInt16) { backlog.delivered(token) }

  /// What has `token` has not arrived, and is to be sent again.
  mutating func failed(_ token: UInt16) { backlog.failed(token) }
}
