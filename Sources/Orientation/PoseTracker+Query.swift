public import FixedPoint

extension PoseTracker {
  /// What `force` at `now` says of the pose, without being taken in: nothing changes.
  ///
  /// The settled pose where the force still confirms it (it lies within the dead band too). Where it does not, or nothing
  /// is settled, or the last sample is too old, what the first sample of all would say: that one is enough by itself, so
  /// nobody has to turn the board. Outside the magnitude gate it is unknown, with the reason, whatever is settled.
  public func state(seeing force: Vector3, at now: Instant) -> PoseState {
    let square = force.squaredMagnitude
    guard square >= configuration.minimumSquare else { return .unknown(.freeFall) }
    guard square &- configuration.minimumSquare <= configuration.squareWidth else { return .unknown(.accelerating) }
    let boundaries = Boundaries(force)
    var present = self
    _ = present.expire(at: now)
    if let settled = present.state.pose, present.rivals(of: settled, boundaries).leaveExcess <= 0 {
      return present.state
    }
    return .known(nearestPose(boundaries))
  }
}
