public import FixedPoint

/// Turns an interface after the device pose, through four phases in real time.
///
/// The **goal** is the orientation that stands upright in the last pose whose orientation is supported. Faces, unknown
/// poses and poses of unsupported orientations leave it as it is. In each step the phases that are due by the clock come
/// first, then the pose:
///
/// | state | due at | told then, and next state | goal is another orientation |
/// |---|---|---|---|
/// | at rest | never | | `willRotate`, `firstHalf`; first half |
/// | first half | ½ duration | `secondHalf`; second half | `redirected`; first half, same end |
/// | second half | 1 duration | `didRotate`; at rest | is kept until this turn is over, on time |
///
/// So the phases are told as `(willRotate firstHalf redirected* secondHalf didRotate)*`: who stops work at `willRotate` may
/// resume it at the next `didRotate`. A redirected turn does not tell `willRotate` a second time, because its phases would
/// no longer come in pairs; one that is redirected to where it began ends with a `didRotate` in the same orientation. What
/// was kept in the second half begins at once after `didRotate`, in the same step, unless the goal has come back meanwhile.
///
/// The first pose that is known is followed by a turn like any other, unless the interface stands upright already.
///
/// A turn begins when it is told and not when it was due. A long gap tells all that is due at once, in order; after it a
/// kept goal gets its whole duration. Time that runs backwards counts as no time: what was left of a phase is still left.
///
/// - Source: behaviour.md of the project, "Interface rotation". That page lets a new change finish or redirect the running
///   one; which of the two happens when is decided here.
public struct InterfaceRotation: Equatable, Sendable {
  /// How the interface turns; it cannot change while there is state.
  public let configuration: Configuration
  /// The orientation of the interface: that before the turn until `didRotate`. Always a supported one.
  public private(set) var orientation: InterfaceOrientation
  /// Where the interface is to be in the end. Always a supported one.
  public private(set) var goal: InterfaceOrientation
  /// The turn that is under way.
  public private(set) var turn: Turn?

  private(set) var lastStep: Instant?

  /// An interface at rest in the orientation that the configuration begins with.
  public init(_ configuration: Configuration = .standard) {
    self.configuration = configuration
    orientation = configuration.start
    goal = configuration.start
  }

  /// When the next phase is due, if no pose changes anything; nil at rest.
  ///
  /// Whoever has no steady samples must call ``step(_:at:)`` again then, with the pose as it was.
  public var nextChange: Instant? {
    guard let turn, let lastStep else { return nil }
    return lastStep + ((turn.isPastHalf ? configuration.duration : configuration.half) - turn.elapsed)
  }

  /// Takes in what is known of the pose at `now`, and returns the events that are due.
  ///
  /// At most four events. A step with the same pose and at the same time again does nothing.
  public mutating func step(_ state: PoseState, at now: Instant) -> RotationEvents {
    var events = RotationEvents()
    let span = lastStep.map { now - $0 } ?? .zero
    lastStep = now
    advance(by: span, &events)
    if let pose = state.pose, let wanted = InterfaceOrientation(for: pose), configuration.supported.contains(wanted) {
      goal = wanted
    }
    if let turn {
      redirect(turn, &events)
    } else if goal != orientation {
      begin(&events)
    }
    return events
  }
}

extension InterfaceRotation {
  /// A turn under way.
  public struct Turn: Equatable, Sendable {
    /// Where it began.
    public let from: InterfaceOrientation
    /// Where it leads; the same only if it was redirected to where it began.
    public fileprivate(set) var to: InterfaceOrientation
    /// How long it takes as a whole, 0…60 s.
    public let duration: Microseconds
    /// How much of it has passed up to the last step, 0…`duration`.
    public fileprivate(set) var elapsed = Microseconds.zero
    /// Whether the second half has begun, so that the goal is settled.
    public fileprivate(set) var isPastHalf = false

    /// How much is left after the last step.
    public var remaining: Microseconds { duration - elapsed }
  }

  private mutating func begin(_ events: inout RotationEvents) {
    turn = Turn(from: orientation, to: goal, duration: configuration.duration)
    events.append(.willRotate(from: orientation, to: goal, duration: configuration.duration))
    events.append(.firstHalf)
    // A turn or a first half that takes no time is over already.
    advance(by: .zero, &events)
  }

  private mutating func redirect(_ turn: Turn, _ events: inout RotationEvents) {
    guard !turn.isPastHalf, turn.to != goal else { return }
    self.turn?.to = goal
    events.append(.redirected(to: goal, remaining: turn.remaining))
  }

  /// Tells the phases that are due when `span` more has passed.
  private mutating func advance(by span: Microseconds, _ events: inout RotationEvents) {
    guard var current = turn else { return }
    // Compared before it is added, so that no gap is too long.
    current.elapsed = span >= current.remaining ? current.duration : current.elapsed + max(.zero, span)
    if !current.isPastHalf && current.elapsed >= configuration.half {
      current.isPastHalf = true
      events.append(.secondHalf)
    }
    if current.elapsed >= current.duration {
      orientation = current.to
      events.append(.didRotate(from: current.from))
      turn = nil
    } else {
      turn = current
    }
  }
}
