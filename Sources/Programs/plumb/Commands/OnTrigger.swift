import FixedPoint
import Gestures
import HAL
import JSON
import Monitor
import Orientation
import PlumbViews
import Stream

/// What `plumb on` runs its command at: a word of its command line.
enum OnTrigger: Hashable {
  case known(Pose)
  case pose, unknown, trouble, recovery, shake, still, moving, rotation, busy, quiet, tap, doubleTap, freeFall, asleep,
    awake, any

  /// All words, with what they stand for.
  static let all: [(word: String, trigger: OnTrigger)] =
    Pose.names.map { name in
      (
        name,
        (0..<UInt8(Pose.count)).compactMap(Pose.init(rawValue:)).first { "\($0.name)" == name }.map { .known($0) }
          ?? .pose
      )
    } + [
      ("pose", .pose), ("unknown", .unknown), ("trouble", .trouble), ("recovery", .recovery), ("shake", .shake),
      ("still", .still), ("moving", .moving), ("rotation", .rotation), ("busy", .busy), ("quiet", .quiet),
      ("tap", .tap), ("doubleTap", .doubleTap), ("freeFall", .freeFall), ("asleep", .asleep), ("awake", .awake),
      ("any", .any),
    ]

  /// Whether it is the word for `event`.
  func matches(_ event: Event) -> Bool {
    switch (self, event) {
    case (.any, _), (.pose, .pose), (.unknown, .trouble), (.trouble, .gaveUp), (.recovery, .recovered),
      (.shake, .shake),
      (.still, .still), (.moving, .moving), (.rotation, .rotation), (.busy, .busy), (.quiet, .quiet),
      (.tap, .tap), (.doubleTap, .doubleTap), (.freeFall, .freeFall),
      (.asleep, .asleep), (.awake, .awake):
      true
    case (.known(let pose), .pose(_, let to, _)): pose == to
    case (.trouble, .trouble(let reason, _)): reason == .fault || reason == .stale
    default: false
    }
  }
}

/// An event for which a command is run.
struct OnEvent {
  let event: Event
  /// The attitude in which angles are zero.
  let tare: Tare
  /// Since the start of the source.
  let time: Microseconds
  /// The event in words.
  let words: String
  /// The event as an object.
  let json: String

  /// The names of all variables that some event has.
  static let names: Set = [
    "PLUMB_EVENT", "PLUMB_TIME", "PLUMB_JSON", "PLUMB_DETAIL", "PLUMB_POSE", "PLUMB_FROM", "PLUMB_ANGLE_DEG",
    "PLUMB_PITCH_DEG", "PLUMB_ROLL_DEG", "PLUMB_REASON", "PLUMB_PHASE", "PLUMB_AXIS", "PLUMB_SIGN", "PLUMB_FALL_S",
  ]

  /// The variables that the command gets beside those of plumb.
  var variables: [(name: String, value: String)] {
    var variables = [
      ("PLUMB_EVENT", "\(event.name)"), ("PLUMB_TIME", time.secondsText), ("PLUMB_JSON", json), ("PLUMB_DETAIL", words),
    ]
    switch event {
    case .pose(let from, let to, let decisive):
      let force = tare.applied(to: decisive)
      variables += [("PLUMB_POSE", "\(to.name)"), ("PLUMB_FROM", "\(from.name)")]
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
