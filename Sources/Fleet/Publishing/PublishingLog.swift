package import FixedPoint
package import Text

/// Logs a connection: each change once, and a lasting trouble every 10 minutes.
package struct ConnectionLog {
  /// A line for people.
  package typealias Line = ShortText<640>

  /// After how long a lasting trouble is reported again.
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

  /// Notes that the connection exists; returns a line unless that is known.
  package mutating func connected() -> Line? {
    guard !isFine else { return nil }
    isFine = true
    trouble = nil
    return "connected to \(peer)"
  }

  /// Notes that there is no connection, because of `why`; returns a line unless that is known.
  package mutating func failed(_ why: ShortText<256>, at now: Instant) -> Line? {
    let isLost = isFine
    isFine = false
    if let known = trouble, known.why == why { return nil }
    trouble = Trouble(why: why, since: trouble?.since ?? now, reported: now)
    return isLost ? "connection to \(peer) lost: \(why)" : "no connection to \(peer): \(why)"
  }

  /// When ``reminder(at:)`` will have a line; nil while there is no trouble.
  package var due: Instant? { trouble.map { $0.reported + Self.repetition } }

  /// A line about a trouble that has lasted for long.
  package mutating func reminder(at now: Instant) -> Line? {
    guard let known = trouble, now >= known.reported + Self.repetition else { return nil }
    trouble?.reported = now
    let minutes = UInt64(bitPattern: (now - known.since).count / 60_000_000)
    return "no connection to \(peer) for \(minutes) min: \(known.why)"
  }

  /// The status in a few words.
  package var status: Line {
    if isFine { return "connected to \(peer)" }
    guard let trouble else { return "connecting to \(peer)" }
    return "no connection to \(peer): \(trouble.why)"
  }
}

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

/// Where a ``PublishingLoop`` writes messages for people.
package protocol PublishingJournal: ~Copyable {
  /// Writes a line; `isTrouble` if something does not work.
  mutating func write(_ line: ConnectionLog.Line, isTrouble: Bool)
  /// Shows the status in a few words, after each change.
  mutating func show(status: ConnectionLog.Line)
  /// How often ``noteAlive()`` is called at least; nil for never.
  var aliveInterval: Microseconds? { get }
  /// Notes that the loop is still running.
  mutating func noteAlive()
}
