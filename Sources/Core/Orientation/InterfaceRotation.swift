public import FixedPoint

/// Rotates an interface to follow the device pose, in four phases in real time.
///
/// The **goal** is the orientation that is upright in the last pose with a supported orientation. Faces, unknown poses
/// and poses of unsupported orientations do not change it. In each step, the phases that are due by the clock come
/// first, then the pose:
///
/// | state | due at | event then, and next state | if the goal changes |
/// |---|---|---|---|
/// | at rest | never | | `willRotate`, `firstHalf`; first half |
/// | first half | ½ duration | `secondHalf`; second half | `redirected`; first half, same end |
/// | second half | 1 duration | `didRotate`; at rest | kept until this turn ends, on time |
///
/// The phases therefore come as `(willRotate firstHalf redirected* secondHalf didRotate)*`: work that stops at
/// `willRotate` may resume at the next `didRotate`. A redirected turn has no second `willRotate`, because its phases
/// would no longer come in pairs; a turn redirected to its starting orientation ends with a `didRotate` in that
/// orientation. A goal kept during the second half starts a turn right after `didRotate`, in the same step, unless the
/// goal has changed back meanwhile.
///
/// The first known pose causes a turn like any other, unless the interface is already upright.
///
/// A turn begins when it is reported, not when it was due. After a long gap, everything that is due comes at once, in
/// order; a kept goal then gets its whole duration. Time that runs backwards counts as no time: the rest of a phase
/// remains.
///
/// - Source: the four phases of the phone frameworks. Those may either finish or redirect the running turn on a new
///   change; which happens when is defined here.
public struct InterfaceRotation: Equatable, Sendable {
  /// How the interface rotates; it cannot change while there is state.
  public let configuration: Configuration
  /// The orientation of the interface: until `didRotate`, the one before the turn. Always a supported one.
  public private(set) var orientation: InterfaceOrientation
  /// The final orientation of the interface. Always a supported one.
  public private(set) var goal: InterfaceOrientation
  /// The turn in progress.
  public private(set) var turn: Turn?

  private(set) var lastStep: Instant?

  /// An interface at rest in the start orientation of the configuration.
  public init(_ configuration: Configuration = .standard) {
    self.configuration = configuration
    orientation = configuration.start
    goal = configuration.start
  }

  /// When the next phase is due, unless a pose changes it; nil at rest.
  ///
  /// Without steady samples, call ``step(_:at:)`` again at that instant, with the same pose.
  public var nextChange: Instant? {
    guard let turn, let lastStep else { return nil }
    return lastStep + ((turn.isPastHalf ? configuration.duration : configuration.half) - turn.elapsed)
  }

  /// Takes in what is known of the pose at `now`, and returns the events that are due.
  ///
  /// At most four events. Repeating a step with the same pose and time does nothing.
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
  /// A turn in progress.
  public struct Turn: Equatable, Sendable {
    /// The orientation it started from.
    public let from: InterfaceOrientation
    /// The orientation it leads to; the same as `from` only if the turn was redirected there.
    public fileprivate(set) var to: InterfaceOrientation
    /// The duration of the whole turn, 0…60 s.
    public let duration: Microseconds
    /// The part of it that had passed at the last step, 0…`duration`.
    public fileprivate(set) var elapsed = Microseconds.zero
    /// Whether the second half has begun; the goal is then settled.
    public fileprivate(set) var isPastHalf = false

    /// The time left after the last step.
    public var remaining: Microseconds { duration - elapsed }
  }

  private mutating func begin(_ events: inout RotationEvents) {
    turn = Turn(from: orientation, to: goal, duration: configuration.duration)
    events.append(.willRotate(from: orientation, to: goal, duration: configuration.duration))
    events.append(.firstHalf)
    // A turn or a first half with zero duration is over already.
    advance(by: .zero, &events)
  }

  private mutating func redirect(_ turn: Turn, _ events: inout RotationEvents) {
    guard !turn.isPastHalf, turn.to != goal else { return }
    self.turn?.to = goal
    events.append(.redirected(to: goal, remaining: turn.remaining))
  }

  /// Reports the phases that become due when `span` more has passed.
  private mutating func advance(by span: Microseconds, _ events: inout RotationEvents) {
    guard var current = turn else { return }
    // Compared before adding, so that no gap can be too long.
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

/// An event of a rotating interface: the four phases of a turn in order, and a change of its goal.
public enum RotationEvent: Equatable, Sendable {
  /// The first phase: a turn that takes `duration` is about to begin. The two orientations differ.
  case willRotate(from: InterfaceOrientation, to: InterfaceOrientation, duration: Microseconds)
  /// The second phase: the first half begins, at the same instant.
  case firstHalf
  /// The third phase: the second half begins. From here on, the goal of this turn is settled.
  case secondHalf
  /// The fourth phase: the turn is over.
  case didRotate(from: InterfaceOrientation)
  /// Not a phase: in its first half, the turn in progress got another goal; it will be over in `remaining`. The goal
  /// can be the orientation the turn started from.
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
  /// One step can end an overdue turn and begin another: four phases.
  public static var capacity: Int { 4 }

  private var storage = InlineArray<4, RotationEvent?>(repeating: nil)
  /// The number of events.
  public private(set) var count = 0

  /// No events.
  public init() {}

  /// Event number `index`; nil beyond the last.
  public subscript(index: Int) -> RotationEvent? {
    index >= 0 && index < count && index < Self.capacity ? storage[index] : nil
  }

  mutating func append(_ event: RotationEvent) {
    guard count >= 0 && count < Self.capacity else { return }
    storage[count] = event
    count &+= 1
  }
}

/// Why a configuration of a rotating interface is invalid.
public enum InterfaceRotationError: Error, Equatable, Sendable {
  /// No orientation is supported: nothing could be shown.
  case noOrientation
  /// The mask has bits beyond the four orientations.
  case unknownOrientation
  /// The start orientation is not a supported one.
  case unsupportedStart
  /// A turn must take between 0 and 60 s.
  case duration
}

/// The orientations that an interface supports: at least one.
public struct SupportedOrientations: Equatable, Sendable {
  /// Bit n represents the orientation with raw value n; 1…15.
  public let bits: UInt8

  /// The orientations in a mask: bit n represents the orientation with raw value n.
  ///
  /// Throws `noOrientation` for 0 and `unknownOrientation` beyond 15.
  public init(bits: UInt8) throws(InterfaceRotationError) {
    guard bits != 0 else { throw .noOrientation }
    guard bits <= 15 else { throw .unknownOrientation }
    self.bits = bits
  }

  /// A single orientation; the interface never turns.
  public init(_ orientation: InterfaceOrientation) { bits = orientation.bit }

  private init(checked bits: UInt8) { self.bits = bits }

  /// All four.
  public static var all: SupportedOrientations { SupportedOrientations(checked: 15) }
  /// All except upside down, as is usual on a phone.
  public static var allButUpsideDown: SupportedOrientations {
    SupportedOrientations(checked: 15 & ~InterfaceOrientation.portraitUpsideDown.bit)
  }
  /// The two landscape orientations.
  public static var landscape: SupportedOrientations {
    SupportedOrientations(.landscapeLeft).and(.landscapeRight)
  }

  /// These orientations plus another.
  public func and(_ orientation: InterfaceOrientation) -> SupportedOrientations {
    SupportedOrientations(checked: bits | orientation.bit)
  }

  /// These orientations without one; throws `noOrientation` if none is left.
  public func without(_ orientation: InterfaceOrientation) throws(InterfaceRotationError) -> SupportedOrientations {
    try SupportedOrientations(bits: bits & ~orientation.bit)
  }

  /// Whether `orientation` is supported.
  public func contains(_ orientation: InterfaceOrientation) -> Bool { bits & orientation.bit != 0 }

  /// The supported orientation with the lowest raw value: portrait if supported.
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
  /// Which orientations an interface can turn to, and how long a turn takes.
  public struct Configuration: Equatable, Sendable {
    /// The only orientations that are ever shown. Default: all four.
    public let supported: SupportedOrientations
    /// The orientation shown before any pose is known. Default: portrait if supported, otherwise the first supported
    /// one.
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

    /// When the second half begins, from the start of a turn; if the duration is odd, the second half is longer.
    var half: Microseconds { Microseconds(duration.count &>> 1) }
  }
}

/// Selects the orientation lamps of the old or the new orientation while an interface turns, so that one fades into the
/// other.
///
/// A turn is divided into sixteen equal parts. The old orientation (`.`) is shown for most of the first half and the
/// new one (`#`) for most of the second; they alternate until `didRotate`:
///
///     first half ...#...# | second half .###.### | didRotate #
///
/// With the standard 300 ms one part takes 18.75 ms. A pure function of the time since `willRotate`: it has no state.
public struct CrossFade: Equatable, Sendable {
  /// The duration of the turn, clamped to 0…60 s.
  public let duration: Microseconds

  /// The cross-fade of a turn that takes `duration`.
  public init(over duration: Microseconds) {
    self.duration = max(.zero, min(duration, .seconds(60)))
  }

  /// The number of parts in a turn.
  public static var parts: Int64 { 16 }

  /// Bit n is set where part n shows the new orientation.
  private static var pattern: UInt32 { 0b1110_1110_1000_1000 }

  /// Whether the new orientation is shown `elapsed` after `willRotate`: never before `willRotate`, always from
  /// `didRotate` on.
  public func showsNew(after elapsed: Microseconds) -> Bool {
    guard elapsed >= .zero else { return false }
    return elapsed >= duration || Self.isNew(part(at: elapsed))
  }

  /// The next time after `elapsed`, counted from `willRotate`, at which the other orientation appears; nil once the new
  /// one stays. Rounded up to a whole microsecond, so that ``showsNew(after:)`` has changed by then.
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

  /// The part that contains `elapsed`, for 0 ≤ `elapsed` < `duration`; found by comparing, because division would add
  /// code on a target without a divide instruction.
  private func part(at elapsed: Microseconds) -> Int64 {
    var part: Int64 = 0
    while elapsed >= beginning(of: part &+ 1) { part &+= 1 }
    return part
  }

  /// The start of a part, rounded up to a whole microsecond.
  private func beginning(of part: Int64) -> Microseconds {
    Microseconds((duration.count &* part &+ Self.parts &- 1) &>> 4)
  }
}

extension InterfaceRotation {
  /// The orientation that the lamps show at `now`, which must not be before the last step. During a turn, the old and
  /// the new orientation alternate as described at ``CrossFade``.
  public func shown(at now: Instant) -> InterfaceOrientation {
    guard let turn else { return orientation }
    return CrossFade(over: turn.duration).showsNew(after: elapsed(of: turn, at: now)) ? turn.to : turn.from
  }

  /// When ``shown(at:)`` next changes after `now`, if nothing else happens; nil if it does not.
  public func nextFlip(after now: Instant) -> Instant? {
    guard let turn, turn.from != turn.to else { return nil }
    let elapsed = elapsed(of: turn, at: now)
    return CrossFade(over: turn.duration).nextFlip(after: elapsed).map { now + ($0 - elapsed) }
  }

  /// The part of `turn` that has passed at `now`, from 0 to its duration.
  private func elapsed(of turn: Turn, at now: Instant) -> Microseconds {
    let span = lastStep.map { now - $0 } ?? .zero
    return span >= turn.remaining ? turn.duration : turn.elapsed + max(.zero, span)
  }
}
