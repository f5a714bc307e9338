public import FixedPoint
public import Gestures
public import Orientation
public import Sensors

/// Something a user wants to know, reported once.
public enum Event: Equatable, Sendable {
  /// Another pose is known. `force` is the sample that decided, in the board frame.
  case pose(from: PoseState, to: Pose, force: Vector3)
  /// The pose is not known any more, or for another reason than before. `cause` comes with `fault`.
  case trouble(UnknownReason, cause: SensorError?)
  /// The sensor delivers again, configured from scratch, `outage` after the first fault.
  case recovered(from: SensorError, outage: Microseconds)
  /// The sensor is given up for good, as ``FaultPolicy`` asks, `outage` after the first fault; `cause` is the last error.
  /// Nothing comes after it but the end of a rotation that is under way.
  case gaveUp(cause: SensorError, outage: Microseconds)
  /// The sensor works, but deserves a word: reported when it is first started, and again only if it changes.
  case notice(SensorNotice)
  /// The board is shaken: once a shake.
  case shake
  /// The board has come to rest: there was nothing but the sensor's noise for 1.2 s, and longer below 20 Hz.
  case still
  /// The board moves after a rest. Without fusion both are also there when it becomes known again, after trouble.
  case moving
  /// The interface turns after the pose: its phases, in order.
  case rotation(RotationEvent)
  /// A machine that the board is on works: it has vibrated since `since`, for as long as was asked for.
  case busy(since: Instant)
  /// The machine is done: it was busy, and has been at rest since `since`, for as long as was asked for.
  case quiet(since: Instant)
  /// The board is tapped once, or with a first tap that no second follows.
  case tap(Tap)
  /// The board is tapped twice; axis and sign are those of the first tap where the samples show it.
  case doubleTap(Tap)
  /// The board has landed, after so long in free fall.
  case freeFall(Microseconds)
  /// The board has been at rest for so long that the sensor is left to watch for movement by itself: no samples come, and
  /// what is known of the pose stays, until ``awake``.
  case asleep
  /// The board has moved while the sensor watched, or that it does cannot be relied on: samples come again.
  case awake
}

/// An event and when it happened.
public struct Occurrence: Equatable, Sendable {
  /// When it was noticed.
  public let at: Instant
  /// What happened.
  public let event: Event

  /// An event at an instant.
  public init(at: Instant, _ event: Event) {
    self.at = at
    self.event = event
  }
}

/// The events of one step, in order.
public struct Events: Sendable {
  /// One step can bring trouble that had gone unnoticed, a recovery, a pose, a shake, rest or its end, a tap, a landing, four
  /// phases of rotations, and what was noticed beside the monitor.
  public static var capacity: Int { 12 }

  private var storage = InlineArray<12, Occurrence?>(repeating: nil)
  /// How many there are.
  public private(set) var count = 0

  /// No events.
  public init() {}

  /// The event number `index`; nil beyond the last.
  public subscript(index: Int) -> Occurrence? {
    index >= 0 && index < count && index < Self.capacity ? storage[index] : nil
  }

  mutating func append(_ event: Event, at now: Instant) {
    guard count >= 0 && count < Self.capacity else { return }
    storage[count] = Occurrence(at: now, event)
    count &+= 1
  }

  /// Puts event `index` off to `instant`.
  mutating func move(_ index: Int, to instant: Instant) {
    guard let event = self[index]?.event else { return }
    storage[index] = Occurrence(at: instant, event)
  }
}
