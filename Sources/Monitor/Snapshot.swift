public import FixedPoint
public import Orientation

/// The pose and all angles from one fresh sample: the answer to a one-shot query.
///
/// The angles are those of the sample itself, not of a filtered force, and are made when they are asked for.
public struct Snapshot: Equatable, Sendable {
  /// When the sample was taken.
  public let instant: Instant
  /// The specific force in the board frame, calibrated, g.
  public let force: Vector3
  /// The pose, or the reason for not knowing it.
  public let state: PoseState

  /// A force and the pose that goes with it.
  public init(instant: Instant, force: Vector3, state: PoseState) {
    self.instant = instant
    self.force = force
    self.state = state
  }

  /// What a monitor made of a sample, as a snapshot of that moment.
  public init(_ reading: Reading) {
    self.init(instant: reading.instant, force: reading.force, state: reading.state)
  }

  /// The turn in the board's own plane; see `Vector3.deviceAngle`. Means nothing lying flat.
  public var deviceAngle: BinaryAngle { force.deviceAngle }

  /// The turn that keeps a label horizontal; see `Vector3.levelAngle`. Means nothing lying flat.
  public var levelAngle: BinaryAngle { force.levelAngle }

  /// How far the top edge points up; see `Vector3.pitch`.
  public var pitch: BinaryAngle { force.pitch }

  /// The turn about the long axis; see `Vector3.roll`. Means nothing with the top edge straight up or down.
  public var roll: BinaryAngle { force.roll }

  /// The face's normal from straight up; see `Vector3.inclination`.
  public var inclination: BinaryAngle { force.inclination }

  /// The angle as a steering wheel, of this sample alone; see `Vector3.steeringAngle`.
  public var steeringAngle: BinaryAngle { force.steeringAngle }

  /// The device angle as `reference` sees it; a face has no angle of its own, and counts as 0. Means nothing lying flat.
  public func relativeAngle(to reference: Pose) -> BinaryAngle { force.relativeAngle(to: reference) }
}

extension Pipeline {
  /// What `measured`, in g and in the sensor's own frame, tells at `now`, without being taken in: nothing changes.
  ///
  /// The pose is as `PoseTracker.state(seeing:at:)` says.
  public func snapshot(of measured: Vector3, at now: Instant) -> Snapshot {
    let force = alignment.applied(to: measured)
    return Snapshot(instant: now, force: force, state: tracker.state(seeing: force, at: now))
  }
}
