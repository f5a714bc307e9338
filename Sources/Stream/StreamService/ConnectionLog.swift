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
