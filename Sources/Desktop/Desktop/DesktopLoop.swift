internal import CSupport
package import FixedPoint
internal import JSON
internal import Monitor
internal import Orientation
package import Service
package import StreamService
internal import StreamCodec
package import Text

/// What a board does for a desktop: each function that is enabled gets what the owner of the sensor says, until asked to
/// stop, with one wait for all of them.
package struct DesktopLoop<Owner: OwnerSource & ~Copyable, Journal: ServiceJournal & ~Copyable>: ~Copyable {
  private typealias Service = OwnerService<Owner, Journal>

  private var proxy: SensorProxy?
  private var rotation: ScreenRotation?
  private var wheel: InputDevice<SteeringWheel>?
  private var scroll: InputDevice<TiltWheel>?
  private var motion: InputDevice<MotionAxes>?
  private var service: OwnerService<Owner, Journal>
  private var reader = StreamReader()
  /// The requested samples a second; nil without an owner.
  private var requested: Int32?

  /// Starts the functions that the settings enable: with `serve` those of the computer, which are the system bus and
  /// input devices; with `rotate` that of a user's session, which needs no key. Signals end the loop's waits if they
  /// are installed (csupport_signals.h).
  package init(
    _ settings: DesktopSettings, serve: Bool, rotate: Bool, owner: consuming Owner, journal: consuming Journal
  ) throws(ProgramError) {
    service = OwnerService(owner: owner, called: "the owner of the sensor", journal: journal, at: Service.now)
    if rotate { rotation = try ScreenRotation(settings) }
    guard serve else { return }
    if settings.has(.sensorProxy) { proxy = SensorProxy() }
    if settings.has(.wheel) {
      wheel = try InputDevice(SteeringWheel(range: settings[.range], hasButtons: settings.has(.buttons)))
    }
    if settings.has(.scroll) { scroll = try InputDevice(TiltWheel(speed: settings[.speed])) }
    if settings.has(.motion) { motion = try InputDevice(MotionAxes()) }
  }

  /// Runs until a signal asks it to stop, the owner has ended for good, or `span` is over; then each function puts back
  /// what it has changed.
  package mutating func run(for span: Microseconds?) {
    let end = span.map { Service.now + $0 }
    while true {
      let now = Service.now
      let requests = Service.requests()
      if requests & UInt32(truncatingIfNeeded: CSUPPORT_COUNTERS) != 0 { rotation?.decision.toggleLock() }
      takeOwner(at: now)
      while let notice = turn(at: now) { service.report(ShortText(cutting: notice.line), isTrouble: notice.isTrouble) }
      if let requested, requested != samples {
        self.requested = samples
        service.request("{\"samples\":\(samples)}")
      }
      guard service.goesOn(after: requests, at: now, until: end) else { break }
      service.wait(for: proxy?.descriptor ?? -1, until: [end, proxy?.due, rotation?.due, wheel?.report.due])
    }
    self.end()
  }

  /// Puts back what the functions have changed.
  package mutating func end() {
    proxy?.end()
    rotation?.end()
    wheel?.end()
    scroll?.end()
    motion?.end()
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
      take(Observation(hello.snapshot), at: now)
    case .observed(let seen, _): take(seen, at: now)
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
    take(Observation(nothing), at: now)
  }

  private mutating func take(_ seen: borrowing Observation, at now: Instant) {
    proxy?.take(seen, at: now)
    rotation?.decision.take(seen.snapshot.state, at: now)
    wheel?.take(seen, at: now)
    scroll?.take(seen, at: now)
    motion?.take(seen, at: now)
  }

  /// How many samples a second the functions need at present; 0 for events alone.
  private var samples: Int32 {
    max(
      max(proxy?.samples ?? 0, wheel?.logic.samples ?? 0), max(scroll?.logic.samples ?? 0, motion?.logic.samples ?? 0))
  }

  /// Does what is due. Returns a line for people if something has changed for them; it is then to be called again.
  private mutating func turn(at now: Instant) -> DesktopNotice? {
    proxy?.turn(at: now) ?? rotation?.turn(at: now) ?? wheel?.turn(at: now) ?? scroll?.turn(at: now)
      ?? motion?.turn(at: now)
  }
}

/// A line for people about a function, and whether something does not work.
package typealias DesktopNotice = (line: ShortText<256>, isTrouble: Bool)
