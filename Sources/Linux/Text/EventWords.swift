package import FixedPoint
internal import Gestures
package import Monitor
internal import Orientation
internal import Sensors

/// An event in words.
package typealias EventText = ShortText<640>

// Events in words, for everything that people read. `Event.Kind.name` is the identifier in JSON and in arguments.
extension Event {
  /// What happened, such as "busy: the machine vibrates". `detail`, the words of an owner in another process, replaces
  /// those about a fault or a notice of `sensor`.
  package func words(of sensor: SensorPlace, detail: Message? = nil) -> EventText {
    switch self {
    case .pose(_, let to, _): return EventText(to.words)
    case .trouble(let reason, let cause):
      guard let detail else { return EventText(cutting: reason.sentence(cause, of: sensor)) }
      return "pose unknown: \(detail)"
    case .recovered(let cause, let outage):
      return "recovered after \(seconds: outage) s from: \(detail ?? cause.message(of: sensor))"
    case .gaveUp(let cause, let outage): return Self.wordsOfGivingUp(detail ?? cause.message(of: sensor), after: outage)
    case .notice(let notice): return EventText(cutting: detail ?? notice.message(of: sensor))
    case .shake: return "shake"
    case .still: return "still"
    case .moving: return "moving"
    case .rotation(let phase): return phase.sentence
    case .busy: return "busy: the machine vibrates"
    case .quiet: return "quiet: the machine is done"
    case .tap(let tap): return tap.sentence
    case .doubleTap(let tap): return "double \(tap.sentence)"
    case .freeFall(let time):
      let millimetres = FallDetector.millimetres(in: time)
      return "free fall: \(seconds: time) s, \(widened(millimetres.magnitude), over: 1_000, places: 2) m"
    case .asleep: return "asleep until the board moves"
    case .awake: return "awake"
    }
  }

  /// The words of the event that a stream carries: about a fault or a notice of `sensor`, or why there is no pose. Nil
  /// for other events.
  package func detail(of sensor: SensorPlace) -> Message? {
    switch self {
    case .trouble(let reason, nil): Message(reason.message)
    case .trouble(_, let cause?): cause.message(of: sensor)
    case .recovered(let cause, _), .gaveUp(let cause, _): cause?.message(of: sensor)
    case .notice(let notice): notice?.message(of: sensor)
    default: nil
    }
  }

  /// The same as a line on its own, which names a pose or a notice as such.
  package func sentence(of sensor: SensorPlace, detail: Message? = nil) -> EventText {
    let words = words(of: sensor, detail: detail)
    return switch self {
    case .pose(_, let to, _): EventText(cutting: to.sentence)
    case .notice: "notice: \(words)"
    default: words
    }
  }

  /// The words for a sensor given up after `outage`, because of `cause`.
  package static func wordsOfGivingUp(_ cause: Message, after outage: Microseconds) -> EventText {
    "gave up after \(seconds: outage) s: \(cause)"
  }
}

extension SensorError? {
  /// The message of an owner's fault; nil stands for a fault unknown here.
  package func message(of sensor: SensorPlace) -> Message {
    self?.message(of: sensor) ?? "a fault that this program does not know"
  }
}

extension SensorNotice? {
  /// The message of an owner's notice; nil stands for a notice unknown here.
  package func message(of sensor: SensorPlace) -> Message {
    self?.message(of: sensor) ?? "a notice that this program does not know"
  }
}

extension Event.Kind {
  /// The kind called `name`.
  package init?<let size: Int>(_ name: ShortText<size>) {
    let kinds = Event.Kind.allCases
    for index in 0..<kinds.count where name == kinds[index].name {
      self = kinds[index]
      return
    }
    return nil
  }

  /// When it occurs, as the help of `plumb on` explains it.
  package var meaning: StaticString {
    switch self {
    case .pose: "any pose"
    case .trouble: "the sensor does not deliver"
    case .recovery: "it delivers again"
    case .giveUp: "Plumb gives up on it"
    case .notice: "the sensor works, but not as the board file says"
    case .shake: "the board is shaken"
    case .still: "it has come to rest"
    case .moving: "it moves after a rest"
    case .rotation: "the interface turns, each phase"
    case .busy: "a machine vibrates, with [vibration] in the board file"
    case .quiet: "it is done"
    case .tap: "the board is tapped"
    case .doubleTap: "it is tapped twice"
    case .freeFall: "it has fallen"
    case .asleep: "the sensor watches for movement by itself, with [power] in the board file"
    case .awake: "samples come again"
    }
  }
}

extension RotationEvent {
  /// The phase in words.
  fileprivate var sentence: EventText {
    switch self {
    case .willRotate(let from, let to, let duration):
      "interface rotation: \(from.words) to \(to.words), \(seconds: duration) s"
    case .firstHalf: "interface rotation: first half"
    case .secondHalf: "interface rotation: second half"
    case .didRotate(let from): "interface rotation: done, from \(from.words)"
    case .redirected(let to, let remaining):
      "interface rotation: redirected to \(to.words), \(seconds: remaining) s remaining"
    }
  }
}

extension Tap {
  /// Which way the board was pushed, such as "tap: +x (on the left)".
  fileprivate var sentence: EventText {
    let sides: (minus: StaticString, plus: StaticString) =
      switch axis {
      case .x: ("left", "right")
      case .y: ("bottom", "top")
      case .z: ("back", "face")
      }
    guard sign != 0 else { return "tap: \(axis.name) (on the \(sides.minus) or the \(sides.plus))" }
    return sign > 0 ? "tap: +\(axis.name) (on the \(sides.minus))" : "tap: -\(axis.name) (on the \(sides.plus))"
  }
}

extension ShortText.Interpolation {
  /// Appends seconds with exactly two places, rounded to nearest.
  package mutating func appendInterpolation(seconds time: Microseconds) {
    let hundredths = (time.count.magnitude &+ 5_000) / 10_000
    if time.count < 0 && hundredths > 0 { appendLiteral("-") }
    let (whole, rest) = (hundredths / 100, hundredths % 100)
    appendInterpolation(whole)
    appendLiteral(rest < 10 ? ".0" : ".")
    appendInterpolation(rest)
  }
}
