import FixedPoint
import Gestures
import HAL
import JSON
import Monitor
import Orientation
import PlumbViews
import Stream
import ToolInputs
import ToolOutput

/// An event that `plumb on` runs its command at: a word on its command line.
enum OnTrigger: Hashable {
  case pose(Pose)
  case kind(Event.Kind)
  /// Trouble for any reason.
  case unknown
  case any

  /// All words and what they stand for.
  static let all: [(word: String, trigger: OnTrigger)] =
    PoseMark.poses.map { ("\($0.name)", .pose($0)) }
    + Event.Kind.allCases.filter(\.triggers).map { ("\($0.name)", .kind($0)) }
    + [("unknown", .unknown), ("any", .any)]

  /// The group of the events that match; nil if there are several.
  var group: Event.Group? {
    switch self {
    case .pose: .pose
    case .kind(let kind): kind.group
    case .unknown: .sensor
    case .any: nil
    }
  }

  /// Whether it matches `event`.
  func matches(_ event: Event) -> Bool {
    switch (self, event) {
    case (.any, _), (.unknown, .trouble), (.kind(.trouble), .gaveUp): true
    case (.pose(let pose), .pose(_, let to, _)): pose == to
    case (.kind(.trouble), .trouble(let reason, _)): reason == .fault || reason == .stale
    case (.kind(let kind), _): kind == event.kind
    default: false
    }
  }
}

/// An event for which the command is run.
struct OnEvent {
  let event: Event
  /// The attitude in which angles are zero.
  let tare: Tare
  /// Since the start of the source.
  let time: Microseconds
  /// The event in words.
  let words: String
  /// The event as a JSON object.
  let json: String

  /// The names of all variables that any event sets.
  static let names: Set = [
    "PLUMB_EVENT", "PLUMB_TIME", "PLUMB_JSON", "PLUMB_DETAIL", "PLUMB_POSE", "PLUMB_FROM", "PLUMB_ANGLE_DEG",
    "PLUMB_PITCH_DEG", "PLUMB_ROLL_DEG", "PLUMB_REASON", "PLUMB_PHASE", "PLUMB_AXIS", "PLUMB_SIGN", "PLUMB_FALL_S",
  ]

  /// The variables that the command gets in addition to the environment of plumb.
  var variables: [(name: String, value: String)] {
    var variables = [
      ("PLUMB_EVENT", "\(event.kind.name)"), ("PLUMB_TIME", time.secondsText), ("PLUMB_JSON", json),
      ("PLUMB_DETAIL", words),
    ]
    switch event {
    case .pose(let from, let to, let decisive):
      variables += [("PLUMB_POSE", "\(to.name)"), ("PLUMB_FROM", "\(from?.name ?? "unknown")")]
      guard let force = decisive.map({ tare.applied(to: $0) }) else { break }
      let angles: [(String, BinaryAngle?)] = [
        ("PLUMB_ANGLE_DEG", force.isFlat ? nil : force.deviceAngle), ("PLUMB_PITCH_DEG", force.pitch),
        ("PLUMB_ROLL_DEG", force.isOnEnd ? nil : force.roll),
      ]
      variables += angles.compactMap { name, angle in angle.map { (name, $0.degreesText) } }
    case .trouble(let reason, _): variables += [("PLUMB_POSE", "unknown"), ("PLUMB_REASON", "\(reason.name)")]
    case .gaveUp: variables += [("PLUMB_POSE", "unknown"), ("PLUMB_REASON", "\(UnknownReason.fault.name)")]
    case .rotation(let phase): variables.append(("PLUMB_PHASE", "\(phase.name)"))
    case .tap(let tap), .doubleTap(let tap):
      variables += [("PLUMB_AXIS", "\(tap.axis.name)"), ("PLUMB_SIGN", "\(tap.sign)")]
    case .freeFall(let time): variables.append(("PLUMB_FALL_S", time.secondsText))
    default: break
    }
    return variables
  }
}
