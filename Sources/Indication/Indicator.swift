public import FixedPoint
public import HAL
public import Orientation

/// Shows what is known of the pose on one line a pose, and why it is not known on all of them together.
///
/// | what is known | lines |
/// |---|---|
/// | a pose | its own lit and no other: line 0 is portrait's, line 5 face-down's |
/// | `notYetSampled` | dark |
/// | `ambiguous` | all flash once, pause, … |
/// | `accelerating` | all flash twice, pause, … |
/// | `freeFall` | all flash three times, pause, … |
/// | `stale` | all blink slowly |
/// | `fault` | all blink fast |
/// | `fault`, and given up | all lit |
///
/// All lines are lit or none, so not knowing never looks like a pose, not for an instant. Every pattern begins with light.
///
/// With a code other than `leds` the lines are for another controller: nothing blinks, and a pose takes three changes, so
/// that the valid line is never on while others change. See ``LineCode`` and `Configuration.hold`.
public struct Indicator: Equatable, Sendable {
  /// What all lines are to be now.
  public internal(set) var levels: Levels = .off
  /// When the levels change next although nothing else does; nil while nothing blinks and no code is being changed.
  public internal(set) var nextChange: Instant?

  private var shown = Shown(state: .unknown(.notYetSampled), hasGivenUp: false)
  /// Which stretch of a pattern is shown, from 0; the even ones are lit.
  private var stretch: UInt8 = 0
  /// How far a change of coded lines has come.
  var step = CodeStep.settled

  private struct Shown: Equatable, Sendable {
    var state: PoseState
    var hasGivenUp: Bool
  }

  /// An indicator of dark lines.
  public init() {}

  /// Shows `state` at `now`; returns whether the levels differ from before.
  ///
  /// `hasGivenUp` tells that nothing is tried any more to come to know the pose; it counts only while that is unknown.
  /// `configuration` is the same at every call: another code begins with another indicator.
  public mutating func show(
    _ state: PoseState, hasGivenUp: Bool = false, at now: Instant, _ configuration: Configuration
  ) -> Bool {
    let before = levels
    let next = Shown(state: state, hasGivenUp: hasGivenUp)
    let isNew = next != shown
    shown = next
    if configuration.code != .leds {
      show(state, in: configuration.code, holding: configuration.hold, at: now)
      return levels != before
    }
    switch configuration.pattern(of: state, hasGivenUp) {
    case .steady(let levels):
      self.levels = levels
      nextChange = nil
    case .flashes(let count, let flash, let pause): beat(count, flash, pause, at: now, isNew)
    }
    return levels != before
  }

  /// `count` times lit and dark, each for `flash`; the last darkness lasts `pause`.
  private mutating func beat(
    _ count: UInt8, _ flash: Microseconds, _ pause: Microseconds, at now: Instant, _ isNew: Bool
  ) {
    guard !isNew, let due = nextChange else {
      stretch = 0
      levels = .all
      nextChange = now + flash
      return
    }
    guard now >= due else { return }
    let last = 2 &* count &- 1
    stretch = stretch >= last ? 0 : stretch &+ 1
    levels = stretch & 1 == 0 ? .all : .off
    let span = stretch == last ? pause : flash
    // After a long wait the beat starts anew rather than catching up.
    let next = due + span
    nextChange = next > now ? next : now + span
  }
}

extension Levels {
  /// Only the line of `pose` on.
  public static func oneHot(_ pose: Pose) -> Levels { Levels(bits: 1 &<< UInt32(pose.rawValue)) }

  /// The lines of all six poses on.
  public static var all: Levels { Levels(bits: 0b11_1111) }
}
