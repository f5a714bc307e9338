package import FixedPoint

/// Limits how often a token can be guessed: 60 wrong tokens at once, and 60 a minute from then on. The stream and
/// `plumb serve` share it.
///
/// Beyond the limit no token is checked, right or wrong; otherwise guessing could go on.
package struct AttemptLimit: Equatable, Sendable {
  /// What a wrong token costs, and the maximum credit.
  private static var price: Microseconds { .seconds(1) }
  private static var most: Microseconds { .seconds(60) }

  private var credit = AttemptLimit.most
  private var last: Instant

  /// A limit against which nothing has been tried yet at `now`.
  package init(at now: Instant) { last = now }

  /// Whether a token may be checked at `now`.
  package mutating func allows(at now: Instant) -> Bool {
    credit = min(Self.most, credit + max(.zero, now - last))
    last = max(last, now)
    return credit >= Self.price
  }

  /// Notes a wrong token.
  package mutating func noteWrong() { credit = max(.zero, credit - Self.price) }
}
