public import FixedPoint
public import Orientation
public import Sensors

/// Something a user wants to know, told once.
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
  /// The sensor works, but deserves a word: told when it is first started, and again only if it changes.
  case notice(SensorNotice)
  /// The board is shaken: once a shake.
  case shake
  /// The interface turns after the pose: its phases, in order.
  case rotation(RotationEvent)
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
  /// One step can bring trouble that had gone unnoticed, a recovery, a pose, a shake, and four phases of rotations.
  public static var capacity: Int { 8 }

  private var storage = InlineArray<8, Occurrence?>(repeating: nil)
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
}
