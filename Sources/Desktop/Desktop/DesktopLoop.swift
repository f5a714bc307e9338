internal import CSupport
package import FixedPoint
internal import JSON
internal import Monitor
package import StreamService
internal import StreamCodec
package import Text

/// Gives what the owner of a sensor says to a desktop's functions until asked to stop, with one wait for the owner, the
/// bus, signals and time.
package struct DesktopLoop<Owner: OwnerSource & ~Copyable, Journal: ServiceJournal & ~Copyable>: ~Copyable {
  private var owner: Owner
  private var functions: DesktopFunctions
  private var journal: Journal
  private var reader = StreamReader()
  private var ownerLog: ConnectionLog
  /// The requested samples a second; nil without an owner.
  private var requested: Int32?
  private var alive: Instant

  /// How many lines of the owner are taken before the functions, time and signals are served.
  private static var mostNews: Int { 64 }

  /// A loop over `functions`; its log calls the owner `name`. Signals end its waits if they are installed
  /// (csupport_signals.h).
  package init(
    owner: consuming Owner, called name: ShortText<280> = "the owner of the sensor",
    functions: consuming DesktopFunctions, journal: consuming Journal, at now: Instant
  ) {
    self.owner = owner
    self.functions = functions
    self.journal = journal
    ownerLog = ConnectionLog(name)
    alive = now
  }

  /// Runs until a signal asks it to stop, the owner has ended for good, or `end`; then each function puts back what it
  /// has changed.
  package mutating func run(until end: Instant?) {
    while true {
      let now = Self.now
      takeOwner(at: now)
      while let notice = functions.turn(at: now) {
        journal.write(ShortText(cutting: notice.line), isTrouble: notice.isTrouble)
      }
      request()
      if let line = ownerLog.reminder(at: now) { journal.write(line, isTrouble: true) }
      if let interval = journal.aliveInterval, now >= alive {
        alive = now + interval
        journal.noteAlive()
      }
      let requests = csupport_signals_requests()
      if requests & UInt32(truncatingIfNeeded: CSUPPORT_STOP) != 0 || owner.hasEnded { break }
      if requests & UInt32(truncatingIfNeeded: CSUPPORT_COUNTERS) != 0 { functions.toggleLock() }
      if let end, now >= end { break }
      wait(until: end)
    }
    functions.end()
  }

  private static var now: Instant { Instant(microseconds: csupport_clock_now()) }

  private mutating func takeOwner(at now: Instant) {
    for _ in 0..<Self.mostNews {
      guard let news = owner.receive() else { return }
      switch news {
      case .line(let object):
        if let line = ownerLog.connected() { journal.write(line, isTrouble: false) }
        take(object, at: now)
      case .gone(let why):
        if let line = ownerLog.failed(why, at: now) { journal.write(line, isTrouble: true) }
        lose(at: now)
      }
    }
  }

  private mutating func take(_ object: JSONObject, at now: Instant) {
    let message: StreamMessage?
    // A line that cannot be read says nothing about the board.
    do throws(StreamLineError) { message = try reader.read(object) } catch { return }
    switch message {
    case .hello(let hello):
      requested = 0
      functions.take(Observation(hello.snapshot), at: now)
    case .observed(let seen, _): functions.take(seen, at: now)
    // It is unknown which lines those were, so the owner is asked for the present state.
    case .missed: owner.request("{\"query\":\"hello\"}")
    case .bye: lose(at: now)
    default: break
    }
  }

  private mutating func lose(at now: Instant) {
    requested = nil
    reader.forget()
    functions.lose(at: now)
  }

  /// Asks for as many samples as the functions need at present.
  private mutating func request() {
    let wanted = functions.samples
    guard let requested, requested != wanted else { return }
    self.requested = wanted
    owner.request("{\"samples\":\(wanted)}")
  }

  private func wait(until end: Instant?) {
    let now = Self.now
    var deadline = now + .seconds(3_600)
    if let end { deadline = min(deadline, end) }
    if owner.milliseconds >= 0 { deadline = min(deadline, now + .milliseconds(widened(owner.milliseconds))) }
    if let due = functions.due { deadline = min(deadline, due) }
    if let due = ownerLog.due { deadline = min(deadline, due) }
    if journal.aliveInterval != nil { deadline = min(deadline, alive) }
    var descriptors: InlineArray<3, csupport_wait_descriptor> = [
      csupport_wait_descriptor(descriptor: owner.descriptor, is_written_to: owner.waitsToWrite, is_ready: false),
      csupport_wait_descriptor(descriptor: functions.descriptor, is_written_to: false, is_ready: false),
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
