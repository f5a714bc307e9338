package import FixedPoint
package import Monitor

/// Limits the lines about events: at most five of each kind in ten seconds.
///
/// A loose contact causes fifteen lines a second, which would fill the journal and push everything else out of it.
/// Omitted lines are counted, and reported as soon as a line of their kind would be allowed again.
///
/// Strict: no ten seconds, wherever they begin, have more than five lines of a kind. It is plain state that reads no
/// clock; time must not run backwards.
package struct LineLimit: Sendable {
  /// Which lines are counted together: events of one kind, or of two that alternate.
  package struct Kind: RawRepresentable, Equatable, Sendable {
    /// The raw value of the kind of event, or a number after them all.
    package let rawValue: Int

    /// The kind with this number, 0..<``count``.
    package init?(rawValue: Int) {
      guard rawValue >= 0 && rawValue < Self.count else { return nil }
      self.rawValue = rawValue
    }

    private init(behindEvents place: Int) { rawValue = Event.Kind.allCases.count &+ place }

    /// The kind for events of `kind`: one for each kind of event about the sensor, otherwise one for each group.
    package init(_ kind: Event.Kind) {
      var first = 0
      while kind != Event.Kind.allCases[first], kind.group == .sensor || kind.group != Event.Kind.allCases[first].group
      {
        first &+= 1
      }
      rawValue = first
    }

    /// No pose because of the sensor; other reasons are `Event.Kind.trouble`.
    package static var fault: Kind { Kind(behindEvents: 0) }
    /// The data-ready line.
    package static var dataReady: Kind { Kind(behindEvents: 1) }
    /// A board file that was reread without a change to the board.
    package static var boardFile: Kind { Kind(behindEvents: 2) }

    /// The number of kinds.
    package static var count: Int { boardFile.rawValue &+ 1 }
  }

  /// A value for each kind.
  struct Table<Element: Sendable>: Sendable {
    private var events: Event.Kind.Table<Element>
    private var fault: Element
    private var dataReady: Element
    private var boardFile: Element

    init(repeating value: Element) {
      (events, fault, dataReady, boardFile) = (.init(repeating: value), value, value, value)
    }

    subscript(kind: Kind) -> Element {
      get {
        let index = kind.rawValue
        if index >= 0 && index < events.count { return events[index] }
        return kind == .fault ? fault : kind == .dataReady ? dataReady : boardFile
      }
      set {
        let index = kind.rawValue
        if index >= 0 && index < events.count {
          events[index] = newValue
        } else if kind == .fault {
          fault = newValue
        } else if kind == .dataReady {
          dataReady = newValue
        } else {
          boardFile = newValue
        }
      }
    }
  }

  /// Omitted lines.
  package struct Omission: Equatable, Sendable {
    package var kind: Kind
    /// How many lines; at least 1.
    package var count: UInt64
    /// The time between the first of them and now.
    package var span: Microseconds
  }

  /// How many lines of a kind are allowed per `span`.
  package static var most: Int { 5 }
  /// The time over which they are counted.
  package static var span: Microseconds { .seconds(10) }

  /// The lines of one kind.
  private struct Record: Sendable {
    /// When the last five were written, the oldest at `next`; nil for those not written yet.
    private var written = InlineArray<5, Instant?>(repeating: nil)
    private var next = 0
    /// How many were omitted since the last written one, and when the first of them was.
    private(set) var omitted: UInt64 = 0
    private var begin = Instant(microseconds: 0)

    /// Whether a line may be written at `now`.
    private func hasRoom(at now: Instant) -> Bool {
      guard let oldest = written[next] else { return true }
      return now - oldest >= LineLimit.span
    }

    mutating func admit(at now: Instant) -> Bool {
      guard omitted == 0 && hasRoom(at: now) else {
        if omitted == 0 { begin = now }
        omitted &+= 1
        return false
      }
      written[next] = now
      next = next &+ 1 == LineLimit.most ? 0 : next &+ 1
      return true
    }

    mutating func takeOmission(at now: Instant, isLast: Bool) -> (count: UInt64, span: Microseconds)? {
      guard omitted > 0 && (isLast || hasRoom(at: now)) else { return nil }
      defer { omitted = 0 }
      return (omitted, now - begin)
    }
  }

  private var records = Table<Record>(repeating: Record())
  /// How many kinds have omissions that have not been taken yet.
  private var waiting = 0

  /// A limit before the first line.
  package init() {}

  /// Whether there are omissions that have not been taken yet, so that it is worth reading the clock.
  package var isHolding: Bool { waiting > 0 }

  /// Whether a line of `kind` may be written at `now`; if not, counts it.
  package mutating func admit(_ kind: Kind, at now: Instant) -> Bool {
    guard !records[kind].admit(at: now) else { return true }
    if records[kind].omitted == 1 { waiting &+= 1 }
    return false
  }

  /// Takes the omissions of one kind that may be reported at `now`, or of any kind if this `isLast` because the program
  /// ends.
  package mutating func takeOmission(at now: Instant, isLast: Bool = false) -> Omission? {
    guard isHolding else { return nil }
    for index in 0..<Kind.count {
      guard let kind = Kind(rawValue: index), let (count, span) = records[kind].takeOmission(at: now, isLast: isLast)
      else { continue }
      waiting &-= 1
      return Omission(kind: kind, count: count, span: span)
    }
    return nil
  }
}

/// Limits how often a changing state is sent: at most once a second, but always the latest.
package struct StateLimit<State: Equatable & Sendable>: Sendable {
  /// The minimum time between two.
  package static var span: Microseconds { .seconds(1) }

  private var sent: State
  private var at: Instant
  private var waiting: State?

  /// A limit after `state` was sent at `now`.
  package init(sent state: State, at now: Instant) { (sent, at) = (state, now) }

  /// Whether a state is waiting to be sent.
  package var isHolding: Bool { waiting != nil }

  /// Takes the present state for ``due(at:)`` to send; nothing is sent if it equals the last one sent.
  package mutating func take(_ state: State) { waiting = state == sent ? nil : state }

  /// Takes the state to send at `now`; nil for none.
  package mutating func due(at now: Instant) -> State? {
    guard let state = waiting, now - at >= Self.span else { return nil }
    (sent, at, waiting) = (state, now, nil)
    return state
  }
}
