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
/// Pure: the time is handed in. The configuration lies beside the state, which spares a copy of it in each step, and
/// cannot change while there is state.
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

  let alignment: Alignment
  private var gravity: LowPass
  private(set) var tracker: PoseTracker

  /// A pipeline that has seen nothing.
  @inline(__always)
  public init(_ configuration: Configuration = Configuration()) {
    alignment = configuration.alignment
    gravity = LowPass(configuration.gravity)
    tracker = PoseTracker(configuration.tracker)
  }

  /// What is known of the pose.
  public var state: PoseState { tracker.state }

  /// The steering angle after the last sample, from gravity as the filter has it, before it is rounded to Q16.16: within
  /// 0.01° of the formula where `Reading.angles.steering` is up to some hundredths off, at the ends of its arc sines.
  public var steeringAngle: BinaryAngle { gravity.steeringAngle }

  /// Takes in that the sensor measured `measured`, in g and in its own frame, at `now`.
  public mutating func step(_ measured: Vector3, at now: Instant) -> Reading {
    let (force, gravity) = filter(measured, at: now)
    let angles = Angles(ofBounded: force, gravity: gravity)
    var changes: Changes = (nil, nil)
    if confirms(force, angles, at: now) == nil { changes = decide(force, at: now) }
    return Reading(
      instant: now, force: force, gravity: gravity, motion: force.subtracting(gravity), angles: angles,
      state: tracker.state, expired: changes.expired, change: changes.change)
  }

  /// The first part of a step: the force in the board's frame, and gravity.
  @inline(__always)
  package mutating func filter(_ measured: Vector3, at now: Instant) -> (force: Vector3, gravity: Vector3) {
    let force = alignment.applied(to: measured)
    return (force, gravity.step(force, at: now))
  }

  /// The second: takes in a force that does no more than confirm the settled pose, and returns that; else nil.
  @inline(__always)
  package mutating func confirms(_ force: Vector3, _ angles: Angles, at now: Instant) -> Pose? {
    tracker.confirms(force, angles, at: now)
  }

  /// The pose given up before a sample, because the one before was too old, and the change that the sample brought.
  package typealias Changes = (expired: PoseChange?, change: PoseChange?)

  /// The third, where the second does not do: what the tracker makes of the force.
  @inline(__always)
  package mutating func decide(_ force: Vector3, at now: Instant) -> Changes {
    let expired = tracker.expire(at: now)
    return (expired, tracker.decide(force, at: now))
  }

  /// Gives the pose up if the last sample is too old at `now`, and returns that change.
  public mutating func expire(at now: Instant) -> PoseChange? { tracker.expire(at: now) }

  /// Gives the pose up for a fault of the sensor, and returns that change. The next sample decides anew.
  public mutating func fail() -> PoseChange? { tracker.fail() }
}
