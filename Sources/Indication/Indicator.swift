public import FixedPoint
public import HAL
public import Orientation

/// Shows what is known of the pose on one line a pose.
///
/// A known pose lights its own line and no other (line 0 is portrait's, line 5 face-down's). Not knowing never looks like
/// a pose: all lines are dark, or blink together, slowly when the last sample is too old and fast when the sensor is at
/// fault.
public struct Indicator: Equatable, Sendable {
  /// How trouble blinks.
  public struct Configuration: Equatable, Sendable {
    /// Half the period of the blinking that means `stale`. Default 500 ms.
    public var slowHalfPeriod: Microseconds
    /// Half the period of the blinking that means `fault`. Default 125 ms.
    public var fastHalfPeriod: Microseconds

    /// The defaults: 1 Hz and 4 Hz.
    public init(
      slowHalfPeriod: Microseconds = .milliseconds(500), fastHalfPeriod: Microseconds = .milliseconds(125)
    ) {
      self.slowHalfPeriod = slowHalfPeriod
      self.fastHalfPeriod = fastHalfPeriod
    }
  }

  /// What all lines are to be now.
  public private(set) var levels: Levels = .off
  /// When the levels change next although nothing else does; nil while nothing blinks.
  public private(set) var nextChange: Instant?

  private var shown: PoseState = .unknown(.notYetSampled)

  /// An indicator of dark lines.
  public init() {}

  /// Shows `state` at `now`; returns whether the levels differ from before.
  public mutating func show(_ state: PoseState, at now: Instant, _ configuration: Configuration) -> Bool {
    let before = levels
    switch state {
    case .known(let pose):
      levels = .oneHot(pose)
      nextChange = nil
    case .unknown(.stale): blink(state, at: now, configuration.slowHalfPeriod)
    case .unknown(.fault): blink(state, at: now, configuration.fastHalfPeriod)
    case .unknown:
      levels = .off
      nextChange = nil
    }
    shown = state
    return levels != before
  }

  /// All lines on at the beginning of the trouble, then in turn off and on.
  private mutating func blink(_ state: PoseState, at now: Instant, _ halfPeriod: Microseconds) {
    guard halfPeriod > .zero, state == shown, let due = nextChange else {
      levels = .all
      nextChange = halfPeriod > .zero ? now + halfPeriod : nil
      return
    }
    guard now >= due else { return }
    levels = levels == .off ? .all : .off
    // After a long wait the beat starts anew rather than catching up.
    let next = due + halfPeriod
    nextChange = next > now ? next : now + halfPeriod
  }
}

extension Levels {
  /// Only the line of `pose` on.
  public static func oneHot(_ pose: Pose) -> Levels { Levels(bits: 1 &<< UInt32(pose.rawValue)) }

  /// The lines of all six poses on.
  public static var all: Levels { Levels(bits: 0b11_1111) }
}
