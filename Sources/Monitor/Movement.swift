internal import FixedPoint
public import Gestures
internal import HAL
internal import Indication
public import Orientation

/// What a board does over time, beside its pose: shakes, scrolling by tilt, and an interface that turns after the pose.
///
/// Pure, as the monitor that it belongs to: the time is handed in. Scrolling takes each sample as it is, shakes are looked
/// for in its motion without gravity; both rest while no samples come. The interface goes on turning by the clock.
public struct Movement: Equatable, Sendable {
  /// How movement is understood. What is left out has its default.
  public struct Configuration: Equatable, Sendable {
    /// Which way an interface may stand, and how it turns.
    public var rotation: InterfaceRotation.Configuration
    /// What counts as a shake.
    public var shake: ShakeDetector.Configuration
    /// How tilt scrolls.
    public var scroll: TiltScroll.Configuration
    /// Whether the lines of the old and the new pose alternate while the interface turns (`CrossFade`), where both were
    /// known. Default: the new one is shown at once.
    public var crossFades: Bool

    /// A configuration.
    public init(
      rotation: InterfaceRotation.Configuration = .standard, shake: ShakeDetector.Configuration = .standard,
      scroll: TiltScroll.Configuration = .standard, crossFades: Bool = false
    ) {
      self.rotation = rotation
      self.shake = shake
      self.scroll = scroll
      self.crossFades = crossFades
    }
  }

  /// The interface that turns.
  public private(set) var rotation: InterfaceRotation
  /// Where tilt has scrolled to.
  public var position: TiltScroll.Position { scroll.position }

  private var scroll: TiltScroll
  private var shake: ShakeDetector
  private let crossFades: Bool
  /// The force of the last sample without motion, g; zero before any.
  private var gravity = Vector3.zero
  /// The pose before this step, where it was known.
  private var lastPose: Pose?
  /// Whether the turn under way leads from a pose that was known, so that its line may be shown in between.
  private var isFading = false
  private var lastStep = Instant(microseconds: 0)

  /// Movement of a board that has not been seen.
  public init(_ configuration: Configuration = Configuration()) {
    rotation = InterfaceRotation(configuration.rotation)
    scroll = TiltScroll(configuration.scroll)
    shake = ShakeDetector(configuration.shake)
    crossFades = configuration.crossFades
  }

  /// Makes the pose in which the board is held the one in which nothing scrolls. On an error nothing changes.
  ///
  /// Throws `restMagnitude` before the first sample or while the board is not held still, and `restOpposite`.
  public mutating func captureRest() throws(TiltScrollError) { try scroll.captureRest(gravity) }

  /// Goes to `position` and stops there, until tilt goes on.
  public mutating func scroll(to position: TiltScroll.Position) {
    scroll.jump(to: position)
    scroll.settle()
  }

  /// Takes in a sample, or that there was none, and what is known of the pose after it, at `now`.
  mutating func step(_ reading: Reading?, _ state: PoseState, at now: Instant, _ events: inout Events) {
    if let reading {
      gravity = reading.gravity
      scroll.step(reading.force, at: now)
      if shake.step(reading.force, motion: reading.motion, at: now) { events.append(.shake, at: now) }
    }
    turn(state, at: now, &events)
    lastPose = state.pose
    lastStep = now
  }

  private mutating func turn(_ state: PoseState, at now: Instant, _ events: inout Events) {
    let phases = rotation.step(state, at: now)
    for index in 0..<phases.count {
      guard let phase = phases[index] else { break }
      // A turn that follows another at once goes on from what was shown.
      if case .willRotate(let from, _, _) = phase { isFading = isFading || lastPose == from.pose }
      events.append(.rotation(phase), at: now)
    }
    if rotation.turn == nil { isFading = false }
  }
}

extension Movement {
  /// When something changes next although no sample comes; nil while nothing turns.
  var nextChange: Instant? {
    guard let phase = rotation.nextChange else { return nil }
    guard crossFades && isFading, let flip = rotation.nextFlip(after: lastStep), flip < phase else { return phase }
    return flip
  }

  /// The levels in place of `levels`, which show `state`, at the last step: while old and new alternate, the one due.
  func faded(_ levels: Levels, of state: PoseState) -> Levels {
    guard crossFades && isFading && rotation.goal.pose == state.pose else { return levels }
    return .oneHot(rotation.shown(at: lastStep).pose)
  }
}
