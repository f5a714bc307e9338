package import FixedPoint

/// Limits how often a token can be guessed: 60 wrong ones at once, and 60 a minute from then on. The one limit of the
/// stream and of `plumb serve`.
///
/// Beyond that no token is looked at, right or wrong; otherwise guessing could go on.
package struct AttemptLimit: Equatable, Sendable {
  /// How many wrong ones there may be in a minute.
  package static var perMinute: Int { 60 }
  /// What a wrong one costs, and what may be saved at most.
  private static var price: Microseconds { .seconds(1) }
  private static var most: Microseconds { .seconds(60) }

  private var credit = AttemptLimit.most
  private var last: Instant

  /// A limit that nothing was tried against until `now`.
  package init(at now: Instant) { last = now }

  /// Whether a token may be looked at, at `now`.
  package mutating func allows(at now: Instant) -> Bool {
    credit = min(Self.most, credit + max(.zero, now - last))
    last = max(last, now)
    return credit >= Self.price
  }

  /// A token was wrong.
  package mutating func noteWrong() { credit = max(.zero, credit - Self.price) }
}
