public import FixedPoint

/// Turns an interface after the device pose, through four phases in real time.
///
/// The **goal** is the orientation that stands upright in the last pose whose orientation is supported. Faces, unknown
/// poses and poses of unsupported orientations leave it as it is. In each step the phases that are due by the clock
/// come first, then the pose:
///
/// | state | due at | event then, and next state | goal is another orientation |
/// |---|---|---|---|
/// | at rest | never | | `willRotate`, `firstHalf`; first half |
/// | first half | ½ duration | `secondHalf`; second half | `redirected`; first half, same end |
/// | second half | 1 duration | `didRotate`; at rest | is kept until this turn is over, on time |
///
/// So the phases come as `(willRotate firstHalf redirected* secondHalf didRotate)*`: work that stops at `willRotate`
/// may resume at the next `didRotate`. A redirected turn has no second `willRotate`, because its phases would no longer
/// come in pairs; one that is redirected to where it began ends with a `didRotate` in the same orientation. What was
/// kept in the second half begins at once after `didRotate`, in the same step, unless the goal has come back meanwhile.
///
/// The first pose that is known is followed by a turn like any other, unless the interface stands upright already.
///
/// A turn begins when it is reported and not when it was due. A long gap brings all that is due at once, in order;
/// after it a kept goal gets its whole duration. Time that runs backwards counts as no time: what was left of a phase
/// is still left.
///
/// - Source: the four phases of the phone frameworks. Those let a new change finish or redirect the running one; which
///   of the two happens when is decided here.
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
  /// Without steady samples, call ``step(_:at:)`` again then, with the pose as it was.
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

  /// Reports the phases that are due when `span` more has passed.
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

/// What happens to an interface that turns: the four phases of a turn in their order, and a change of its goal.
public enum RotationEvent: Equatable, Sendable {
  /// The first phase: a turn is about to begin that takes `duration`. The two orientations differ.
  case willRotate(from: InterfaceOrientation, to: InterfaceOrientation, duration: Microseconds)
  /// The second phase: the first half begins, at the same instant.
  case firstHalf
  /// The third phase: the second half begins. From here on the goal of this turn is settled.
  case secondHalf
  /// The fourth phase: the turn is over.
  case didRotate(from: InterfaceOrientation)
  /// Not a phase: in its first half the turn that is under way got another goal, and will be over in `remaining`. The
  /// goal can be where the turn began.
  case redirected(to: InterfaceOrientation, remaining: Microseconds)

  /// The name as in documentation and JSON.
  public var name: StaticString {
    switch self {
    case .willRotate: "willRotate"
    case .firstHalf: "firstHalf"
    case .secondHalf: "secondHalf"
    case .didRotate: "didRotate"
    case .redirected: "redirected"
    }
  }
}

/// The rotation events of one step, in order.
public struct RotationEvents: Sendable {
  /// One step can end a turn that is overdue, and begin another: four phases.
  public static var capacity: Int { 4 }

  private var storage = InlineArray<4, RotationEvent?>(repeating: nil)
  /// How many there are.
  public private(set) var count = 0

  /// No events.
  public init() {}

  /// The event number `index`; nil beyond the last.
  public subscript(index: Int) -> RotationEvent? {
    index >= 0 && index < count && index < Self.capacity ? storage[index] : nil
  }

  mutating func append(_ event: RotationEvent) {
    guard count >= 0 && count < Self.capacity else { return }
    storage[count] = event
    count &+= 1
  }
}

/// Why an interface cannot rotate so.
public enum InterfaceRotationError: Error, Equatable, Sendable {
  /// No orientation is supported: nothing could be shown.
  case noOrientation
  /// The mask has bits beyond the four orientations.
  case unknownOrientation
  /// The orientation to begin with is not a supported one.
  case unsupportedStart
  /// A turn must take between 0 and 60 s.
  case duration
}

/// The orientations that an interface supports: at least one.
public struct SupportedOrientations: Equatable, Sendable {
  /// Bit n stands for the orientation of raw value n; 1…15.
  public let bits: UInt8

  /// The orientations of a mask: bit n stands for the orientation of raw value n.
  ///
  /// Throws `noOrientation` for 0 and `unknownOrientation` beyond 15.
  public init(bits: UInt8) throws(InterfaceRotationError) {
    guard bits != 0 else { throw .noOrientation }
    guard bits <= 15 else { throw .unknownOrientation }
    self.bits = bits
  }

  /// One orientation alone, so that the interface never turns.
  public init(_ orientation: InterfaceOrientation) { bits = orientation.bit }

  private init(checked bits: UInt8) { self.bits = bits }

  /// All four.
  public static var all: SupportedOrientations { SupportedOrientations(checked: 15) }
  /// All but upside down, as is usual on a phone.
  public static var allButUpsideDown: SupportedOrientations {
    SupportedOrientations(checked: 15 & ~InterfaceOrientation.portraitUpsideDown.bit)
  }
  /// The two sideways ones.
  public static var landscape: SupportedOrientations {
    SupportedOrientations(.landscapeLeft).and(.landscapeRight)
  }

  /// These and one more.
  public func and(_ orientation: InterfaceOrientation) -> SupportedOrientations {
    SupportedOrientations(checked: bits | orientation.bit)
  }

  /// These without one; throws `noOrientation` if none is left.
  public func without(_ orientation: InterfaceOrientation) throws(InterfaceRotationError) -> SupportedOrientations {
    try SupportedOrientations(bits: bits & ~orientation.bit)
  }

  /// Whether `orientation` is supported.
  public func contains(_ orientation: InterfaceOrientation) -> Bool { bits & orientation.bit != 0 }

  /// The supported orientation of the lowest raw value: portrait where it is supported.
  public var first: InterfaceOrientation {
    if contains(.portrait) { return .portrait }
    if contains(.portraitUpsideDown) { return .portraitUpsideDown }
    return contains(.landscapeLeft) ? .landscapeLeft : .landscapeRight
  }
}

extension InterfaceOrientation {
  fileprivate var bit: UInt8 { 1 &<< rawValue }
}

extension InterfaceRotation {
  /// Where an interface can turn to, and how long that takes.
  public struct Configuration: Equatable, Sendable {
    /// Only these orientations are ever shown. Default: all four.
    public let supported: SupportedOrientations
    /// What is shown before any pose is known. Default: portrait if supported, else the first that is.
    public let start: InterfaceOrientation
    /// How long a turn takes, 0…60 s. Default 300 ms. At 0 all four phases come at once, in order.
    public let duration: Microseconds

    /// A checked configuration. Throws `unsupportedStart` and `duration`.
    public init(
      supported: SupportedOrientations = .all, start: InterfaceOrientation? = nil,
      duration: Microseconds = .milliseconds(300)
    ) throws(InterfaceRotationError) {
      let first = start ?? supported.first
      guard supported.contains(first) else { throw .unsupportedStart }
      guard duration >= .zero && duration <= .seconds(60) else { throw .duration }
      self.init(checked: supported, first, duration)
    }

    /// The defaults.
    public static var standard: Configuration { Configuration(checked: .all, .portrait, .milliseconds(300)) }

    private init(
      checked supported: SupportedOrientations, _ start: InterfaceOrientation, _ duration: Microseconds
    ) {
      self.supported = supported
      self.start = start
      self.duration = duration
    }

    /// When the second half begins, from the start of a turn; of an odd duration the second half is the longer.
    var half: Microseconds { Microseconds(duration.count &>> 1) }
  }
}

/// Which of the old and the new orientation lamps show while an interface turns, so that one fades into the other.
///
/// A turn is divided into sixteen equal parts. The old orientation (`.`) is shown for most of the first half and the
/// new one (`#`) for most of the second; they alternate until `didRotate`:
///
///     first half ...#...# | second half .###.### | didRotate #
///
/// With the standard 300 ms one part takes 18.75 ms. A pure function of the time since `willRotate`: it has no state.
public struct CrossFade: Equatable, Sendable {
  /// How long the turn takes, 0…60 s; below 0 taken for 0 and above for 60 s.
  public let duration: Microseconds

  /// The cross-fade of a turn that takes `duration`.
  public init(over duration: Microseconds) {
    self.duration = max(.zero, min(duration, .seconds(60)))
  }

  /// How many parts a turn is divided into.
  public static var parts: Int64 { 16 }

  /// Bit n is set where part n shows the new orientation.
  private static var pattern: UInt32 { 0b1110_1110_1000_1000 }

  /// Whether the new orientation is shown `elapsed` after `willRotate`: never before it, always from `didRotate` on.
  public func showsNew(after elapsed: Microseconds) -> Bool {
    guard elapsed >= .zero else { return false }
    return elapsed >= duration || Self.isNew(part(at: elapsed))
  }

  /// How long after `willRotate` the other orientation comes next, seen from `elapsed` after it; nil once the new one
  /// is shown for good. Rounded up to a whole microsecond, so that ``showsNew(after:)`` has changed by then.
  public func nextFlip(after elapsed: Microseconds) -> Microseconds? {
    guard elapsed < duration else { return nil }
    let shown = showsNew(after: elapsed)
    var part = elapsed < .zero ? 0 : part(at: elapsed) &+ 1
    while part < Self.parts {
      let begin = beginning(of: part)
      if begin > elapsed, showsNew(after: begin) != shown { return begin }
      part &+= 1
    }
    return nil
  }

  private static func isNew(_ part: Int64) -> Bool {
    pattern &>> UInt32(truncatingIfNeeded: part) & 1 != 0
  }

  /// The part that `elapsed` lies in, for 0 ≤ `elapsed` < `duration`; compared rather than divided, since a target
  /// without a divide would carry one.
  private func part(at elapsed: Microseconds) -> Int64 {
    var part: Int64 = 0
    while part < Self.parts &- 1, elapsed >= beginning(of: part &+ 1) { part &+= 1 }
    return part
  }

  /// When a part begins, rounded up to a whole microsecond.
  private func beginning(of part: Int64) -> Microseconds {
    Microseconds((duration.count &* part &+ Self.parts &- 1) &>> 4)
  }
}

extension InterfaceRotation {
  /// The orientation that lamps show at `now`, which must not be before the last step: while a turn is under way the
  /// old and the new one alternate, as ``CrossFade`` says.
  public func shown(at now: Instant) -> InterfaceOrientation {
    guard let turn else { return orientation }
    return CrossFade(over: turn.duration).showsNew(after: elapsed(of: turn, at: now)) ? turn.to : turn.from
  }

  /// When ``shown(at:)`` changes next, seen from `now`, if nothing else happens; nil while it does not.
  public func nextFlip(after now: Instant) -> Instant? {
    guard let turn, turn.from != turn.to else { return nil }
    let elapsed = elapsed(of: turn, at: now)
    return CrossFade(over: turn.duration).nextFlip(after: elapsed).map { now + ($0 - elapsed) }
  }

  /// How much of `turn` has passed at `now`, 0 up to its duration.
  private func elapsed(of turn: Turn, at now: Instant) -> Microseconds {
    let span = lastStep.map { now - $0 } ?? .zero
    return span >= turn.remaining ? turn.duration : turn.elapsed + max(.zero, span)
  }
}
