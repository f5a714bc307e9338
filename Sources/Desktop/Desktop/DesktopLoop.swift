internal import CSupport
package import FixedPoint
internal import JSON
internal import Monitor
internal import Orientation
package import StreamService
internal import StreamCodec
internal import Text

/// Gives what the owner of a sensor says to a desktop's functions until asked to stop, with one wait for all of them.
package struct DesktopLoop<Owner: OwnerSource & ~Copyable, Journal: ServiceJournal & ~Copyable>: ~Copyable {
  private typealias Service = OwnerService<Owner, Journal>

  private var service: OwnerService<Owner, Journal>
  private var functions: DesktopFunctions
  private var reader = StreamReader()
  /// The requested samples a second; nil without an owner.
  private var requested: Int32?

  /// A loop over `functions`. Signals end its waits if they are installed (csupport_signals.h).
  package init(owner: consuming Owner, functions: DesktopFunctions, journal: consuming Journal) {
    service = OwnerService(owner: owner, called: "the owner of the sensor", journal: journal, at: Service.now)
    self.functions = functions
  }

  /// Runs until a signal asks it to stop, the owner has ended for good, or `span` is over; then each function puts back
  /// what it has changed.
  package mutating func run(for span: Microseconds?) {
    let end = span.map { Service.now + $0 }
    while true {
      let now = Service.now
      let requests = Service.requests()
      if requests & UInt32(truncatingIfNeeded: CSUPPORT_COUNTERS) != 0 { functions.rotation?.decision.toggleLock() }
      takeOwner(at: now)
      while let notice = functions.turn(at: now) {
        service.report(ShortText(cutting: notice.line), isTrouble: notice.isTrouble)
      }
      // As many samples as the functions need at present.
      if let requested, requested != functions.samples {
        self.requested = functions.samples
        service.request("{\"samples\":\(functions.samples)}")
      }
      guard service.goesOn(after: requests, at: now, until: end) else { break }
      service.wait(
        for: functions.proxy?.descriptor ?? -1,
        until: [end, functions.proxy?.due, functions.rotation?.due, functions.wheel?.report.due])
    }
    functions.end()
  }

  private mutating func takeOwner(at now: Instant) {
    for _ in 0..<Service.mostNews {
      switch service.receive(at: now) {
      case .line(let object): take(object, at: now)
      case .gone: lose(at: now)
      case nil: return
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
    case .missed: service.request("{\"query\":\"hello\"}")
    case .bye: lose(at: now)
    default: break
    }
  }

  /// Without an owner nothing is known any more.
  private mutating func lose(at now: Instant) {
    guard requested != nil else { return }
    requested = nil
    reader.forget()
    var nothing = Snapshot.unknown
    nothing.state = .unknown(.stale)
    functions.take(Observation(nothing), at: now)
  }
}
