public import FixedPoint
public import Gestures
public import Orientation
public import Sensors

/// Something a user wants to know, reported once.
public enum Event: Equatable, Sendable {
  /// Another pose is known than `from`, which is nil where none was. `force` is the sample that decided, in the board
  /// frame, with fusion its gravity: what the angles of that moment are of. Nil where the owner of a stream does not
  /// give it.
  case pose(from: Pose?, to: Pose, force: Vector3?)
  /// The pose is not known any more, or for another reason than before. `cause` comes with `fault`. Here and below a
  /// cause is nil where the owner of a stream names one that is not known here, or does not give its figures.
  case trouble(UnknownReason, cause: SensorError?)
  /// The sensor delivers again, configured from scratch, `outage` after the first fault.
  case recovered(from: SensorError?, outage: Microseconds)
  /// The sensor is given up for good, as ``FaultPolicy`` asks, `outage` after the first fault; `cause` is the last
  /// error. Nothing comes after it but the end of a rotation that is under way.
  case gaveUp(cause: SensorError?, outage: Microseconds)
  /// The sensor works, but deserves a word: reported when it is first started, and again only if it changes. Nil where
  /// the owner of a stream has described it in words alone.
  case notice(SensorNotice?)
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
  /// The board has been at rest for so long that the sensor is left to watch for movement by itself: no samples come,
  /// and what is known of the pose stays, until ``awake``.
  case asleep
  /// The board has moved while the sensor watched, or that it does cannot be relied on: samples come again.
  case awake
}

extension Event {
  /// What can happen, without what comes with it.
  ///
  /// Whatever lists the kinds of events reads them here: JSON and the stream, the words of `plumb on`, the types of
  /// Home Assistant, the journal of `plumbd` and its limits, and what views note.
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

    /// What is so of a kind.
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

    /// The event of a kind with which nothing comes; nil for the others.
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
    /// What it is about.
    public var group: Group { row.group }
    /// Whether its name is a word of `plumb on`. Trouble is, and covers giving up; `any` covers all.
    public var triggers: Bool { row.triggers }
    /// Whether a daemon writes a line about it to the journal.
    public var isLogged: Bool { row.isLogged }
    /// Whether views note it: what their figures do not show by themselves.
    public var isNoted: Bool { row.isNoted }
  }

  /// What kinds of events are about. In one step one of a group comes, but for what `mostInStep` says.
  public enum Group: UInt8, Equatable, Sendable {
    /// Another pose.
    case pose
    /// The sensor, or why there is no pose: trouble, recovery and the like. What a device publishes as its state.
    case sensor
    /// Shakes.
    case shake
    /// Rest and its end.
    case rest
    /// The interface that turns.
    case rotation
    /// A machine that works, or is done.
    case vibration
    /// Taps.
    case tap
    /// Falls.
    case fall
    /// Whether the sensor watches for movement by itself.
    case sleep

    /// How many events of the group one step can bring, beside those of all others.
    package var mostInStep: Int {
      switch self {
      case .pose, .shake, .rest, .vibration, .tap, .fall: 1
      // Trouble that had gone unnoticed, and a recovery.
      case .sensor: 2
      // The phases of turns.
      case .rotation: 4
      // Comes with no sample, and so beside none of the others but trouble.
      case .sleep: 0
      }
    }
  }

  /// What kind of event it is.
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
  /// A value for each kind. Its size is the one number of kinds that is written down: a test compares it with
  /// ``allCases``.
  package typealias Table<Element> = InlineArray<16, Element>

  /// All kinds, in order.
  public static var allCases: EnumCases<Event.Kind> { EnumCases(first: .pose) }
}

extension Event.Group {
  /// All groups, in order.
  public static var allCases: EnumCases<Event.Group> { EnumCases(first: .pose) }
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
  /// As many as all groups together can bring in one step: `Event.Group.mostInStep`.
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

  mutating func removeAll() { count = 0 }

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
