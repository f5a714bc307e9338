package import FixedPoint
public import Gestures
internal import HAL
internal import Indication
public import Orientation

/// What a board does over time, beside its pose: shakes, scrolling by tilt, and an interface that turns after the pose.
///
/// Pure, as the monitor that it belongs to: the time is handed in. Scrolling takes each sample as it is, or fused
/// gravity; shakes are looked for in its motion without gravity; both rest while no samples come. The interface goes on
/// turning by the clock.
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
    /// Whether nothing scrolls in the pose in which the board is held when it is first seen to be held still. Default:
    /// the rest of `scroll` stays.
    public var capturesRest: Bool

    /// A configuration.
    public init(
      rotation: InterfaceRotation.Configuration = .standard, shake: ShakeDetector.Configuration = .standard,
      scroll: TiltScroll.Configuration = .standard, crossFades: Bool = false, capturesRest: Bool = false
    ) {
      self.rotation = rotation
      self.shake = shake
      self.scroll = scroll
      self.crossFades = crossFades
      self.capturesRest = capturesRest
    }
  }

  /// The interface that turns.
  public private(set) var rotation: InterfaceRotation
  /// Where tilt has scrolled to.
  public var position: TiltScroll.Position { scroll.position }

  private var scroll: TiltScroll
  private var shake: ShakeDetector
  private let crossFades: Bool
  /// Whether the rest is still to be captured.
  private var awaitsRest: Bool
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
    awaitsRest = configuration.capturesRest
  }

  /// Makes the pose in which the board is held the one in which nothing scrolls. On an error nothing changes.
  ///
  /// Throws `restMagnitude` before the first sample or while the board is not held still, and `restOpposite`.
  public mutating func captureRest() throws(TiltScrollError) { try scroll.captureRest(gravity) }

  /// Makes `rest` the pose in which nothing scrolls.
  package mutating func rest(at rest: TiltScroll.Rest) {
    awaitsRest = false
    scroll.rest(at: rest)
  }

  /// Goes to `position` and stops there, until tilt goes on.
  public mutating func scroll(to position: TiltScroll.Position) {
    scroll.jump(to: position)
    scroll.settle()
  }

  /// Takes a sample in: the specific force, what of it is gravity and what motion, and what scrolls, g. Whether it
  /// makes a shake.
  package mutating func take(
    _ force: Vector3, gravity: Vector3, motion: Vector3, tilt: Vector3, at now: Instant
  ) -> Bool {
    self.gravity = gravity
    if awaitsRest { captureFirstRest() }
    scroll.step(tilt, at: now)
    return shake.step(force, motion: motion, at: now)
  }

  /// Takes in what is known of the pose at `now`, and returns the phases that are due.
  package mutating func turn(_ state: PoseState, at now: Instant) -> RotationEvents {
    let phases = rotation.step(state, at: now)
    var index = 0
    while let phase = phases[index] {
      // A turn that follows another at once goes on from what was shown.
      if case .willRotate(let from, _, _) = phase { isFading = isFading || lastPose == from.pose }
      index &+= 1
    }
    if rotation.turn == nil { isFading = false }
    lastPose = state.pose
    lastStep = now
    return phases
  }

  private mutating func captureFirstRest() {
    // A board that is not held still is no rest: the next sample is another try.
    do throws(TiltScrollError) {
      try captureRest()
      awaitsRest = false
    } catch {}
  }
}

extension Movement {
  /// Takes in a sample, or that there was none, and what is known of the pose after it, at `now`. A sample has its own
  /// time.
  mutating func step(_ reading: Reading?, _ state: PoseState, at now: Instant, _ events: inout Events) {
    let tilt = reading.map { $0.isFused ? $0.gravity : $0.force } ?? .zero
    if let reading,
      take(reading.force, gravity: reading.gravity, motion: reading.motion, tilt: tilt, at: reading.instant)
    {
      events.append(.shake, at: reading.instant)
    }
    let phases = turn(state, at: now)
    for index in 0..<phases.count {
      if let phase = phases[index] { events.append(.rotation(phase), at: now) }
    }
  }

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
