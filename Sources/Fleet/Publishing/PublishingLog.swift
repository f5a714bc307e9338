package import FixedPoint
package import Text

/// What a log says of a connection: each change once, and a trouble that lasts every 10 minutes.
package struct ConnectionLog {
  /// A line for people.
  package typealias Line = ShortText<640>

  /// After how long a trouble that lasts is repeated.
  package static var repetition: Microseconds { .seconds(600) }

  /// The present trouble.
  private struct Trouble {
    var why: ShortText<256>
    var since: Instant
    var reported: Instant
  }

  private let peer: ShortText<280>
  private var trouble: Trouble?
  private var isFine = false

  /// A log of the connection to `peer`, such as "the broker at 192.0.2.1:1883".
  package init(_ peer: ShortText<280>) { self.peer = peer }

  /// The connection is there: a line unless that is known.
  package mutating func connected() -> Line? {
    guard !isFine else { return nil }
    isFine = true
    trouble = nil
    return "connected to \(peer)"
  }

  /// There is no connection, because of `why`: a line unless that is known.
  package mutating func failed(_ why: ShortText<256>, at now: Instant) -> Line? {
    let isLost = isFine
    isFine = false
    if let known = trouble, known.why == why { return nil }
    trouble = Trouble(why: why, since: trouble?.since ?? now, reported: now)
    return isLost ? "connection to \(peer) lost: \(why)" : "no connection to \(peer): \(why)"
  }

  /// When ``reminder(at:)`` has something to say; nil while all is fine.
  package var due: Instant? { trouble.map { $0.reported + Self.repetition } }

  /// The trouble again, when it has lasted for long.
  package mutating func reminder(at now: Instant) -> Line? {
    guard let known = trouble, now >= known.reported + Self.repetition else { return nil }
    trouble?.reported = now
    let minutes = UInt64(bitPattern: (now - known.since).count / 60_000_000)
    return "no connection to \(peer) for \(minutes) min: \(known.why)"
  }

  /// How things are, in a few words.
  package var status: Line {
    if isFine { return "connected to \(peer)" }
    guard let trouble else { return "connecting to \(peer)" }
    return "no connection to \(peer): \(trouble.why)"
  }
}

/// Notices when two clients of a broker take its connection from each other: the broker closes that of the first when a
/// second one comes with the same client id.
package struct TakeOverWatch {
  /// A connection that lasts as long as this is a good one.
  package static var good: Microseconds { .seconds(30) }
  /// After how many others in a row a take-over is likely.
  package static var most: Int { 3 }

  private var count = 0

  /// No connection was lost yet.
  package init() {}

  /// Whether the last connections were lost so soon that another client is likely to have taken them.
  package var isContested: Bool { count >= Self.most }

  /// A connection was lost that had been there for `span`. Returns whether it was a good one.
  package mutating func lost(after span: Microseconds) -> Bool {
    let isGood = span >= Self.good
    count = isGood ? 0 : min(count &+ 1, Self.most)
    return isGood
  }

  /// A connection has been there for ``good``.
  package mutating func lasts() { count = 0 }
}

/// Where a ``PublishingLoop`` writes what people should know.
package protocol PublishingJournal: ~Copyable {
  /// Writes a line; `isTrouble` where something does not work.
  mutating func write(_ line: ConnectionLog.Line, isTrouble: Bool)
  /// How things are, in a few words; after each change.
  mutating func show(status: ConnectionLog.Line)
  /// How often ``noteAlive()`` is called at least; nil for never.
  var aliveInterval: Microseconds? { get }
  /// The loop still turns.
  mutating func noteAlive()
}
