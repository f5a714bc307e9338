internal import FixedPoint
internal import HAL
internal import Orientation

/// How far a change of coded lines has come.
enum CodeStep: Equatable, Sendable {
  /// The lines say what is known, and the valid line whether that is a pose.
  case settled
  /// The valid line has gone off; the others still stand.
  case withdrawn
  /// The others stand anew; the valid line is still off.
  case prepared
}

// A request of several lines is one call, but the kernel sets one line after another, and may be interrupted in between.
// A reader must not see a mixture of two codes that is said to be valid, however long that takes. So the valid line never
// changes together with another:
//
//   known A:  A, valid │ A │ B │ B, valid       known → unknown:  A, valid │ A │ nothing
//                      └hold┘hold┘                                        └hold┘
//
// Each pause is counted from a time that was read after the request before it was done, so that the valid line is off for
// `hold` at least between two codes, whatever delays the requests.
extension Indicator {
  /// Shows `state` on coded lines: does the step that is due at `now`.
  mutating func show(_ state: PoseState, in code: LineCode, holding hold: Microseconds, at now: Instant) {
    let target = state.pose.map { code.levels(of: $0) } ?? .off
    if step == .settled && levels == target { return }
    if let due = nextChange, now < due { return }
    let data = target.without(code.valid)
    let pause = now + max(hold, .zero)
    if levels != levels.without(code.valid) {
      levels = levels.without(code.valid)
      (step, nextChange) = (.withdrawn, pause)
    } else if step == .prepared && levels == data && target != data {
      levels = target
      (step, nextChange) = (.settled, nil)
    } else {
      levels = data
      (step, nextChange) = target == data ? (.settled, nil) : (.prepared, pause)
    }
  }
}
