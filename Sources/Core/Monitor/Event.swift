public import FixedPoint
public import Gestures
public import Orientation
public import Sensors

/// Something of interest to the user, reported once.
public enum Event: Equatable, Sendable {
  /// The pose has changed from `from`, nil if unknown. `force` is the deciding sample, in the board frame, or with
  /// fusion its gravity: the angles of that moment follow from it. Nil if a stream's owner does not report it.
  case pose(from: Pose?, to: Pose, force: Vector3?)
  /// The pose is no longer known, or is unknown for a different reason. `cause` comes with `fault`. Here and below, a
  /// cause is nil if a stream's owner reports one that is not known here, or omits its details.
  case trouble(UnknownReason, cause: SensorError?)
  /// The sensor delivers again, configured from scratch, `outage` after the first fault.
  case recovered(from: SensorError?, outage: Microseconds)
  /// The sensor is given up permanently, as ``FaultPolicy`` requires, `outage` after the first fault; `cause` is the
  /// last error. The only event that can follow is the end of a rotation in progress.
  case gaveUp(cause: SensorError?, outage: Microseconds)
  /// The sensor works, but something about it should be mentioned: reported when it is first started, and again only if
  /// it changes. Nil if a stream's owner has described it only in words.
  case notice(SensorNotice?)
  /// The board is shaken: once per shake.
  case shake
  /// The board has come to rest: only the sensor's noise for 1.2 s, or longer below 20 Hz.
  case still
  /// The board moves after a rest. Without fusion, `still` or `moving` is also reported when the state becomes known
  /// again after trouble.
  case moving
  /// The interface rotates to follow the pose: its phases, in order.
  case rotation(RotationEvent)
  /// A machine that the board is attached to is working: it has vibrated since `since`, for the configured time.
  case busy(since: Instant)
  /// The machine has finished: it was busy, and has been at rest since `since`, for the configured time.
  case quiet(since: Instant)
  /// The board is tapped once; no second tap followed.
  case tap(Tap)
  /// The board is tapped twice; axis and sign are those of the first tap if the samples show it.
  case doubleTap(Tap)
  /// The board has landed after a free fall of this duration.
  case freeFall(Microseconds)
  /// The board has been at rest long enough to leave the sensor watching for movement by itself: no samples arrive, and
  /// the known pose is kept, until ``awake``.
  case asleep
  /// The board has moved while the sensor watched, or the watching is no longer reliable: samples arrive again.
  case awake
}

extension Event {
  /// The kinds of events, without their associated values.
  ///
  /// The single list of event kinds, used by JSON and the stream, the words of `plumb on`, the event types of Home
  /// Assistant, the journal of `plumbd` and its limits, and the notes in views.
  public enum Kind: UInt8, Equatable, Sendable {
    /// ``Event/pose(from:to:force:)``.
    case pose
    /// ``Event/trouble(_:cause:)``.
    case trouble
    /// ``Event/recovered(from:outage:)``.
    case recovery
    /// ``Event/gaveUp(cause:outage:)``.
    case giveUp
    /// ``Event/notice(_:)``.
    case notice
    /// ``Event/shake``.
    case shake
    /// ``Event/still``.
    case still
    /// ``Event/moving``.
    case moving
    /// ``Event/rotation(_:)``.
    case rotation
    /// ``Event/busy(since:)``.
    case busy
    /// ``Event/quiet(since:)``.
    case quiet
    /// ``Event/tap(_:)``.
    case tap
    /// ``Event/doubleTap(_:)``.
    case doubleTap
    /// ``Event/freeFall(_:)``.
    case freeFall
    /// ``Event/asleep``.
    case asleep
    /// ``Event/awake``.
    case awake

    /// The properties of a kind.
    private struct Row {
      let name: StaticString
      let group: Group
      var triggers = false
      var isLogged = false
      var isNoted = false
    }

    private var row: Row {
      switch self {
      case .pose: Row(name: "pose", group: .pose, triggers: true, isLogged: true)
      case .trouble: Row(name: "trouble", group: .sensor, triggers: true, isLogged: true, isNoted: true)
      case .recovery: Row(name: "recovery", group: .sensor, triggers: true, isLogged: true, isNoted: true)
      case .giveUp: Row(name: "give-up", group: .sensor, isLogged: true)
      case .notice: Row(name: "notice", group: .sensor, isLogged: true, isNoted: true)
      case .shake: Row(name: "shake", group: .shake, triggers: true, isNoted: true)
      case .still: Row(name: "still", group: .rest, triggers: true)
      case .moving: Row(name: "moving", group: .rest, triggers: true)
      case .rotation: Row(name: "rotation", group: .rotation, triggers: true)
      case .busy: Row(name: "busy", group: .vibration, triggers: true, isLogged: true, isNoted: true)
      case .quiet: Row(name: "quiet", group: .vibration, triggers: true, isLogged: true, isNoted: true)
      case .tap: Row(name: "tap", group: .tap, triggers: true, isNoted: true)
      case .doubleTap: Row(name: "doubleTap", group: .tap, triggers: true, isNoted: true)
      case .freeFall: Row(name: "freeFall", group: .fall, triggers: true, isNoted: true)
      case .asleep: Row(name: "asleep", group: .sleep, triggers: true, isLogged: true, isNoted: true)
      case .awake: Row(name: "awake", group: .sleep, triggers: true, isLogged: true, isNoted: true)
      }
    }

    /// The event of a kind without associated values; nil for other kinds.
    package var plain: Event? {
      switch self {
      case .shake: .shake
      case .still: .still
      case .moving: .moving
      case .asleep: .asleep
      case .awake: .awake
      case .pose, .trouble, .recovery, .giveUp, .notice, .rotation, .busy, .quiet, .tap, .doubleTap, .freeFall: nil
      }
    }

    /// The name in JSON.
    public var name: StaticString { row.name }
    /// The subject of the event.
    public var group: Group { row.group }
    /// Whether its name is a word of `plumb on`. Trouble is one and includes giving up; `any` includes all.
    public var triggers: Bool { row.triggers }
    /// Whether a daemon logs it to the journal.
    public var isLogged: Bool { row.isLogged }
    /// Whether views note it, because their values do not show it.
    public var isNoted: Bool { row.isNoted }
  }

  /// The subjects of events. One step brings at most one event per group, except as `mostInStep` states.
  public enum Group: UInt8, Equatable, Sendable {
    /// Another pose.
    case pose
    /// The sensor, or why there is no pose: trouble, recovery and so on. A device publishes it as its state.
    case sensor
    /// Shakes.
    case shake
    /// Rest and its end.
    case rest
    /// The rotation of the interface.
    case rotation
    /// A machine that is working, or has finished.
    case vibration
    /// Taps.
    case tap
    /// Falls.
    case fall
    /// Whether the sensor watches for movement by itself.
    case sleep

    /// The largest number of events of the group in one step, in addition to those of other groups.
    package var mostInStep: Int {
      switch self {
      case .pose, .shake, .rest, .vibration, .tap, .fall: 1
      // Trouble that had gone unnoticed, and a recovery.
      case .sensor: 2
      // The phases of turns.
      case .rotation: 4
      // Comes without a sample, and therefore only together with trouble.
      case .sleep: 0
      }
    }
  }

  /// The kind of the event.
  public var kind: Kind {
    switch self {
    case .pose: .pose
    case .trouble: .trouble
    case .recovered: .recovery
    case .gaveUp: .giveUp
    case .notice: .notice
    case .shake: .shake
    case .still: .still
    case .moving: .moving
    case .rotation: .rotation
    case .busy: .busy
    case .quiet: .quiet
    case .tap: .tap
    case .doubleTap: .doubleTap
    case .freeFall: .freeFall
    case .asleep: .asleep
    case .awake: .awake
    }
  }
}

extension Event.Kind {
  /// A value for each kind. Its size is the only place that states the number of kinds: a test compares it with
  /// ``allCases``.
  package typealias Table<Element> = InlineArray<16, Element>

  /// All kinds, in order.
  public static var allCases: EnumCases<Event.Kind> { EnumCases(first: .pose) }
}

extension Event {
  /// A set of groups.
  public struct Groups: Equatable, Sendable {
    private var bits: UInt32 = 0

    /// The empty set.
    public init() {}

    /// Whether `group` is in the set.
    public func contains(_ group: Group) -> Bool { bits & Self.bit(of: group) != 0 }

    /// Adds `group`.
    public mutating func insert(_ group: Group) { bits |= Self.bit(of: group) }

    private static func bit(of group: Group) -> UInt32 { 1 &<< UInt32(truncatingIfNeeded: group.rawValue) }
  }
}

extension Event.Group {
  /// All groups, in order.
  public static var allCases: EnumCases<Event.Group> { EnumCases(first: .pose) }
}

/// An event and its time.
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
  /// The most events that all groups together can bring in one step: `Event.Group.mostInStep`.
  public static var capacity: Int { 12 }

  private var storage = InlineArray<12, Occurrence?>(repeating: nil)
  /// The number of events.
  public private(set) var count = 0

  /// No events.
  public init() {}

  /// Event number `index`; nil beyond the last.
  public subscript(index: Int) -> Occurrence? {
    index >= 0 && index < count && index < Self.capacity ? storage[index] : nil
  }

  mutating func removeAll() { count = 0 }

  mutating func append(_ event: Event, at now: Instant) {
    guard count >= 0 && count < Self.capacity else { return }
    storage[count] = Occurrence(at: now, event)
    count &+= 1
  }

  /// Moves event `index` to a later `instant`.
  mutating func move(_ index: Int, to instant: Instant) {
    guard let event = self[index]?.event else { return }
    storage[index] = Occurrence(at: instant, event)
  }
}
