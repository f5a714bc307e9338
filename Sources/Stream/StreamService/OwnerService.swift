internal import CSupport
package import FixedPoint
package import Text

/// What the loops of services that are clients of a sensor's owner have in common: the owner, what the journal says of
/// it, and one wait for the owner, for signals and for what else a service waits for.
package struct OwnerService<Owner: OwnerSource & ~Copyable, Journal: ServiceJournal & ~Copyable>: ~Copyable {
  /// The owner.
  package private(set) var owner: Owner
  /// The journal.
  package private(set) var journal: Journal
  private var log: ConnectionLog
  private var alive: Instant

  /// How many lines of the owner, or of another peer, are taken before everything else is served.
  package static var mostNews: Int { 64 }

  /// The time of every deadline.
  package static var now: Instant { Instant(microseconds: csupport_clock_now()) }

  /// A service of `owner`, which the log calls `name`. Signals end its waits if they are installed
  /// (csupport_signals.h).
  package init(owner: consuming Owner, called name: ShortText<280>, journal: consuming Journal, at now: Instant) {
    self.owner = owner
    self.journal = journal
    log = ConnectionLog(name)
    alive = now
  }

  /// What the owner says; nil for nothing at present.
  package mutating func receive(at now: Instant) -> OwnerNews? {
    guard let news = owner.receive() else { return nil }
    switch news {
    case .line: report(log.connected(), isTrouble: false)
    case .gone(let why): report(log.failed(why, at: now), isTrouble: true)
    }
    return news
  }

  /// Sends a line, given without its end.
  package mutating func request(_ line: borrowing ShortText<128>) { owner.request(line) }

  /// Writes a line, if there is one.
  package mutating func report(_ line: ConnectionLog.Line?, isTrouble: Bool) {
    if let line { journal.write(line, isTrouble: isTrouble) }
  }

  /// Shows the status in a few words.
  package mutating func show(status: ConnectionLog.Line) { journal.show(status: status) }

  /// What signals have requested since the last call (csupport_signals.h).
  package static func requests() -> UInt32 { csupport_signals_requests() }

  /// Does what is due, and returns whether the service is to go on: not if `requests` has a stop, after the owner has
  /// ended for good, or after `end`.
  package mutating func goesOn(after requests: UInt32, at now: Instant, until end: Instant?) -> Bool {
    report(log.reminder(at: now), isTrouble: true)
    if let interval = journal.aliveInterval, now >= alive {
      alive = now + interval
      journal.noteAlive()
    }
    let isStopped = requests & UInt32(truncatingIfNeeded: CSUPPORT_STOP) != 0
    return !isStopped && !owner.hasEnded && end.map { now < $0 } ?? true
  }

  /// Waits for the owner, for a signal, for `descriptor` (-1: for none), and until the earliest of `deadlines`.
  package func wait<let count: Int>(for descriptor: Int32, until deadlines: InlineArray<count, Instant?>) {
    let now = Self.now
    var deadline = now + .seconds(3_600)
    if owner.milliseconds >= 0 { deadline = min(deadline, now + .milliseconds(widened(owner.milliseconds))) }
    if let due = log.due { deadline = min(deadline, due) }
    if journal.aliveInterval != nil { deadline = min(deadline, alive) }
    for index in 0..<count { if let due = deadlines[index] { deadline = min(deadline, due) } }
    var descriptors: InlineArray<3, csupport_wait_descriptor> = [
      csupport_wait_descriptor(descriptor: owner.descriptor, is_written_to: owner.waitsToWrite, is_ready: false),
      csupport_wait_descriptor(descriptor: descriptor, is_written_to: false, is_ready: false),
      csupport_wait_descriptor(descriptor: csupport_signals_descriptor(), is_written_to: false, is_ready: false),
    ]
    var places = descriptors.mutableSpan
    unsafe places.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      // If it fails, the next turn finds out why.
      _ = unsafe csupport_wait_for(base, buffer.count, deadline.microseconds)
    }
  }
}
