package import FixedPoint

/// Notices when two clients of a broker take the connection from each other: the broker closes the first one's when a
/// second one connects with the same client id.
package struct TakeOverWatch {
  /// How long a good connection lasts at least.
  package static var good: Microseconds { .seconds(30) }
  /// After how many shorter ones in a row a take-over is likely.
  package static var most: Int { 3 }

  private var count = 0

  /// A watch before any connection was lost.
  package init() {}

  /// Whether the last connections were lost so soon that another client probably took them.
  package var isContested: Bool { count >= Self.most }

  /// Notes that a connection was lost after `span`. Returns whether it was a good one.
  package mutating func lost(after span: Microseconds) -> Bool {
    let isGood = span >= Self.good
    count = isGood ? 0 : min(count &+ 1, Self.most)
    return isGood
  }

  /// Notes that a connection has lasted for ``good``.
  package mutating func lasts() { count = 0 }
}
