public import FixedPoint
public import Orientation

/// One sample and what was made of it.
public struct Reading: Equatable, Sendable {
  /// When the sample was taken.
  public let instant: Instant
  /// The specific force in the board frame, calibrated, g.
  public let force: Vector3
  /// The force low-passed, g.
  public let gravity: Vector3
  /// What is left of the force without gravity, g: the high-passed force, in the same time constant.
  public let motion: Vector3
  /// All angles.
  public let angles: Angles
  /// What is known of the pose after this sample.
  public let state: PoseState
  /// The pose given up before this sample because the one before was too old, if so.
  public let expired: PoseChange?
  /// The change that this sample brought, if any.
  public let change: PoseChange?
}

/// What becomes of a sample, from the sensor's force to the pose: the same for a live sensor, a recording and firmware.
///
/// Pure: the time is handed in. The configuration lies beside the state, which spares a copy of it in each step.
public struct Pipeline: Equatable, Sendable {
  /// How samples are turned into poses.
  public struct Configuration: Equatable, Sendable {
    /// Calibration and mounting of the sensor.
    public var alignment: Alignment
    /// The low-pass that yields gravity.
    public var gravity: LowPass.Configuration
    /// How poses are decided.
    public var tracker: PoseTracker.Configuration

    /// A configuration; what is left out has its default.
    public init(
      alignment: Alignment = Alignment(), gravity: LowPass.Configuration = LowPass.Configuration(),
      tracker: PoseTracker.Configuration = .standard
    ) {
      self.alignment = alignment
      self.gravity = gravity
      self.tracker = tracker
    }
  }

  /// How samples are turned into poses; it cannot change while there is state.
  public let configuration: Configuration
  private var tracker = PoseTracker()
  private var gravity = LowPass()

  /// A pipeline that has seen nothing.
  public init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

  /// What is known of the pose.
  public var state: PoseState { tracker.state }

  /// Takes in that the sensor measured `measured`, in g and in its own frame, at `now`.
  @inline(__always)
  public mutating func step(_ measured: Vector3, at now: Instant) -> Reading {
    let force = configuration.alignment.applied(to: measured)
    let smooth = gravity.step(force, at: now, configuration.gravity)
    var changes: (expired: PoseChange?, change: PoseChange?) = (nil, nil)
    if !tracker.passes(force, at: now, configuration.tracker.steady) { changes = decide(force, at: now) }
    return Reading(
      instant: now, force: force, gravity: smooth, motion: force.subtracting(smooth),
      angles: Angles(of: force, gravity: smooth), state: tracker.state, expired: changes.expired,
      change: changes.change)
  }

  /// What the tracker makes of a force that does more than confirm the settled pose. Apart, because it is rare.
  @inline(never)
  private mutating func decide(_ force: Vector3, at now: Instant) -> (expired: PoseChange?, change: PoseChange?) {
    let expired = tracker.expire(at: now, configuration.tracker)
    return (expired, tracker.decide(force, at: now, configuration.tracker))
  }

  /// Gives the pose up if the last sample is too old at `now`, and returns that change.
  public mutating func expire(at now: Instant) -> PoseChange? { tracker.expire(at: now, configuration.tracker) }

  /// Gives the pose up for a fault of the sensor, and returns that change. The next sample decides anew.
  public mutating func fail() -> PoseChange? { tracker.fail() }
}
