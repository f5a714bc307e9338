public import FixedPoint
public import HAL
public import Orientation

/// Shows the pose on one line for each pose, or the reason for an unknown pose on all of them together.
///
/// | state | lines |
/// |---|---|
/// | a pose | only its own lit: line 0 for portrait, line 5 for face down |
/// | `notYetSampled` | dark |
/// | `ambiguous` | all flash once, pause, … |
/// | `accelerating` | all flash twice, pause, … |
/// | `freeFall` | all flash three times, pause, … |
/// | `stale` | all blink slowly |
/// | `fault` | all blink fast |
/// | `fault`, and given up | all lit |
///
/// All lines are lit or none, so an unknown pose never looks like a pose, even for an instant. Patterns begin lit.
///
/// With a code other than `leds`, the lines are for another controller: nothing blinks, and a change of pose takes
/// three steps, so that the valid line is never on while others change. See ``LineCode`` and `Configuration.hold`.
public struct Indicator: Equatable, Sendable {
  /// The levels of all lines now.
  public internal(set) var levels: Levels = .off
  /// The time of the next change of levels without new input; nil if nothing blinks and no code change is in progress.
  public internal(set) var nextChange: Instant?

  private var shown = Shown(state: .unknown(.notYetSampled), hasGivenUp: false)
  /// The present stretch of the pattern, from 0; even ones are lit.
  private var stretch: UInt8 = 0
  /// The progress of a change of coded lines.
  var step = CodeStep.settled

  private struct Shown: Equatable, Sendable {
    var state: PoseState
    var hasGivenUp: Bool
  }

  /// An indicator of dark lines.
  public init() {}

  /// Shows `state` at `now`; returns whether the levels differ from before.
  ///
  /// `hasGivenUp` means that there is no further attempt to find the pose; it matters only while the pose is unknown.
  /// `configuration` must be the same at every call: for another code, use another indicator.
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

  /// Lit and dark `count` times, each for `flash`; the last dark stretch lasts `pause`.
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
    // After a long wait the pattern restarts rather than catching up.
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

extension Indicator {
  /// The use of the lines, and how LEDs blink.
  public struct Configuration: Equatable, Sendable {
    /// Half the period of the blinking that means `stale`; 0 or less: lit, without blinking. Default 500 ms.
    public var slowHalfPeriod: Microseconds
    /// Half the period of the blinking that means `fault`; 0 or less: lit, without blinking. Default 125 ms.
    public var fastHalfPeriod: Microseconds
    /// The length of each flash for `ambiguous`, `accelerating` and `freeFall`, and of the dark time
    /// between two; 0 or less: no flashes, dark. Default 200 ms.
    public var flash: Microseconds
    /// The dark time after the last flash; at least `flash`. Default 1 s.
    public var pause: Microseconds

    /// The use of the lines. Default `leds`; other codes ignore the properties above.
    public var code: LineCode
    /// With a code for another controller: the minimum time that the valid line is off before the others change, and
    /// again afterwards; 0 or less: only as long as a request takes. Default 5 ms.
    public var hold: Microseconds

    /// The defaults: 1 Hz and 4 Hz, flashes of 200 ms and a pause of 1 s; LEDs.
    public init(
      slowHalfPeriod: Microseconds = .milliseconds(500), fastHalfPeriod: Microseconds = .milliseconds(125),
      flash: Microseconds = .milliseconds(200), pause: Microseconds = .seconds(1), code: LineCode = .leds,
      hold: Microseconds = .milliseconds(5)
    ) {
      self.slowHalfPeriod = slowHalfPeriod
      self.fastHalfPeriod = fastHalfPeriod
      self.flash = flash
      self.pause = pause
      self.code = code
      self.hold = hold
    }
  }
}

/// The behaviour of the lines while a state lasts.
enum Pattern {
  /// The levels do not change.
  case steady(Levels)
  /// All are lit this many times for `flash`, dark for `flash` in between, and dark for `pause` after the last.
  case flashes(UInt8, flash: Microseconds, pause: Microseconds)
}

extension Indicator.Configuration {
  func pattern(of state: PoseState, _ hasGivenUp: Bool) -> Pattern {
    switch state {
    case .known(let pose): .steady(.oneHot(pose))
    case .unknown(_) where hasGivenUp: .steady(.all)
    case .unknown(.notYetSampled): .steady(.off)
    case .unknown(.ambiguous): counted(1)
    case .unknown(.accelerating): counted(2)
    case .unknown(.freeFall): counted(3)
    case .unknown(.stale): blinking(slowHalfPeriod)
    case .unknown(.fault): blinking(fastHalfPeriod)
    }
  }

  private func counted(_ count: UInt8) -> Pattern {
    flash > .zero ? .flashes(count, flash: flash, pause: max(flash, pause)) : .steady(.off)
  }

  private func blinking(_ half: Microseconds) -> Pattern {
    half > .zero ? .flashes(1, flash: half, pause: half) : .steady(.all)
  }
}

/// The progress of a change of coded lines.
enum CodeStep: Equatable, Sendable {
  /// The lines show the state, and the valid line whether it is a pose.
  case settled
  /// The valid line is off; the others have not changed yet.
  case withdrawn
  /// The others have changed; the valid line is still off.
  case prepared
}

// A request for several lines is one call, but the kernel sets one line after another, and may be interrupted in
// between. A reader must never take a mixture of two codes for a valid one, however long that takes. So the valid line
// never changes together with another:
//
//   known A:  A, valid │ A │ B │ B, valid       known → unknown:  A, valid │ A │ nothing
//                      └hold┘hold┘                                        └hold┘
//
// Each pause is counted from a time read after the previous request had completed, so the valid line is off for at
// least `hold` between two codes, whatever delays the requests.
extension Indicator {
  /// Shows `state` on coded lines by taking the step that is due at `now`.
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
