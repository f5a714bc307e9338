public import Accelerometers
public import FixedPoint
public import Orientation

/// Something a user wants to know, told once.
public enum Event: Equatable, Sendable {
  /// Another pose is known. `force` is the sample that decided, in the board frame.
  case pose(from: PoseState, to: Pose, force: Vector3)
  /// The pose is not known any more, or for another reason than before. `cause` comes with `fault`.
  case trouble(UnknownReason, cause: SensorError?)
  /// The sensor delivers again, configured from scratch, `outage` after the first fault.
  case recovered(from: SensorError, outage: Microseconds)
  /// The sensor is given up for good, as `FaultPolicy` asks, `outage` after the first fault; `cause` is the last error.
  /// The last event there is.
  case gaveUp(cause: SensorError, outage: Microseconds)
  /// The sensor works, but deserves a word: told when it is first started, and again only if it changes.
  case notice(SensorNotice)
}

/// The events of one step, in order.
public struct Events: Sendable {
  /// One step can bring trouble that had gone unnoticed, a recovery and a pose.
  public static var capacity: Int { 4 }

  private var storage = InlineArray<4, (at: Instant, event: Event)?>(repeating: nil)
  /// How many there are.
  public private(set) var count = 0

  /// No events.
  public init() {}

  /// The event number `index` and when it happened; nil beyond the last.
  public subscript(index: Int) -> (at: Instant, event: Event)? {
    index >= 0 && index < count ? storage[index] : nil
  }

  mutating func append(_ event: Event, at now: Instant) {
    guard count < Self.capacity else { return }
    storage[count] = (now, event)
    count &+= 1
  }
}
