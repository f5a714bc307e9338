package import FixedPoint
public import Gestures
internal import HAL
internal import Indication
public import Orientation

/// A board's behaviour over time, beside its pose: shakes, scrolling by tilt, and an interface that rotates to follow
/// the pose.
///
/// Pure, like the monitor that it belongs to: the time is a parameter. Scrolling uses each sample as measured, or fused
/// gravity; shakes are detected in its motion without gravity; both stop while no samples arrive. The interface keeps
/// turning by the clock.
public struct Movement: Equatable, Sendable {
  /// The settings of movement. Omitted values have their defaults.
  public struct Configuration: Equatable, Sendable {
    /// The supported orientations of the interface, and how it turns.
    public var rotation: InterfaceRotation.Configuration
    /// What counts as a shake.
    public var shake: ShakeDetector.Configuration
    /// How tilt scrolls.
    public var scroll: TiltScroll.Configuration
    /// Whether the lines of the old and the new pose alternate while the interface turns (`CrossFade`), if both were
    /// known. Default: the new one is shown at once.
    public var crossFades: Bool
    /// Whether the pose in which the board is first held still becomes the rest pose for scrolling. Default: the rest
    /// of `scroll` is used.
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

  /// The rotating interface.
  public private(set) var rotation: InterfaceRotation
  /// The scroll position.
  public var position: TiltScroll.Position { scroll.position }

  private var scroll: TiltScroll
  private var shake: ShakeDetector
  private let crossFades: Bool
  /// Whether the rest pose must still be captured.
  private var awaitsRest: Bool
  /// The force of the last sample without motion, g; zero before the first.
  private var gravity = Vector3.zero
  /// The pose before this step, if known.
  private var lastPose: Pose?
  /// Whether the turn in progress starts from a known pose, so that its line may be shown in between.
  private var isFading = false
  private var lastStep = Instant(microseconds: 0)

  /// The movement of a board without samples.
  public init(_ configuration: Configuration = Configuration()) {
    rotation = InterfaceRotation(configuration.rotation)
    scroll = TiltScroll(configuration.scroll)
    shake = ShakeDetector(configuration.shake)
    crossFades = configuration.crossFades
    awaitsRest = configuration.capturesRest
  }

  /// Makes the present pose the one in which nothing scrolls. On an error nothing changes.
  ///
  /// Throws `restMagnitude` before the first sample or while the board is not held still, and `restOpposite`.
  public mutating func captureRest() throws(TiltScrollError) { try scroll.captureRest(gravity) }

  /// Makes `rest` the pose in which nothing scrolls.
  package mutating func rest(at rest: TiltScroll.Rest) {
    awaitsRest = false
    scroll.rest(at: rest)
  }

  /// Scrolls to `position` and stops there, until the tilt continues.
  public mutating func scroll(to position: TiltScroll.Position) {
    scroll.jump(to: position)
    scroll.settle()
  }

  /// Takes in a sample: the specific force, its gravity and its motion, and the force for scrolling, g. Returns whether
  /// it completes a shake.
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
      // A turn that immediately follows another continues from what was shown.
      if case .willRotate(let from, _, _) = phase { isFading = isFading || lastPose == from.pose }
      index &+= 1
    }
    if rotation.turn == nil { isFading = false }
    lastPose = state.pose
    lastStep = now
    return phases
  }

  private mutating func captureFirstRest() {
    // A board that is not held still gives no rest pose: the next sample is another attempt.
    do throws(TiltScrollError) {
      try captureRest()
      awaitsRest = false
    } catch {}
  }
}

extension Movement {
  /// Takes in a sample, or nil if there was none, and the pose state after it, at `now`. A sample has its own time.
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

  /// When something next changes without a sample; nil if nothing is turning.
  var nextChange: Instant? {
    guard let phase = rotation.nextChange else { return nil }
    guard crossFades && isFading, let flip = rotation.nextFlip(after: lastStep), flip < phase else { return phase }
    return flip
  }

  /// Replaces `levels`, which show `state`, at the last step: while old and new alternate, by those that are due.
  func faded(_ levels: Levels, of state: PoseState) -> Levels {
    guard crossFades && isFading && rotation.goal.pose == state.pose else { return levels }
    return .oneHot(rotation.shown(at: lastStep).pose)
  }
}
