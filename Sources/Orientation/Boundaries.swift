internal import FixedPoint

/// How far one specific force lies beyond the boundaries between poses, each distance in Q16.16 g.
///
/// A distance is the component of the force at right angles to the boundary: linear in the force (in the plane), so that
/// noise of either sign cancels, and needing neither divide nor arc tangent.
struct Boundaries {
  private let force: Vector3
  private let inPlane: Int32
  private let configuration: PoseTracker.Configuration

  /// `force` must have passed the magnitude gate: components of at most 16 g.
  init(_ force: Vector3, _ configuration: PoseTracker.Configuration) {
    self.force = force
    inPlane = Int32(truncatingIfNeeded: magnitude(force.x.raw, force.y.raw))
    self.configuration = configuration
  }

  /// The pose that the force is in when nothing was known before: a face inside its entry cone, else the nearest of the
  /// four in the plane (upright before sideways on the diagonal).
  var nearestPose: Pose {
    let face: Pose = force.z.raw >= 0 ? .faceUp : .faceDown
    return beyondFaceEntry(face) > 0 ? face : nearestInPlane
  }

  /// The pose that contends with `settled`, and how far the force lies beyond the boundary towards it.
  ///
  /// `candidate` is kept as long as the force is within its own hold region, so that two neighbours of equal claim do
  /// not take turns for ever.
  func contender(to settled: Pose, candidate: Pose?) -> (pose: Pose, excess: Int32) {
    let face: Pose = force.z.raw >= 0 ? .faceUp : .faceDown
    let entry = beyondFaceEntry(face)
    if settled.isFace {
      let excess = beyondFaceExit(settled)
      if face != settled && (entry > 0 || (candidate == face && beyondFaceExit(face) <= 0)) { return (face, excess) }
      return (keptInPlane(candidate, notBeing: settled), excess)
    }
    let excess = beyondLeaveAngle(settled)
    // A face counts before the plane where it is being entered, and while it is, until the plane leads.
    if entry > 0 || (candidate == face && excess <= 0) { return (face, entry) }
    return (keptInPlane(candidate, notBeing: settled), excess)
  }

  /// The candidate where it is in the plane and still holds, else the nearest pose in the plane.
  private func keptInPlane(_ candidate: Pose?, notBeing settled: Pose) -> Pose {
    if let candidate, !candidate.isFace, candidate != settled, beyondLeaveAngle(candidate) <= 0 { return candidate }
    return nearestInPlane
  }

  private var nearestInPlane: Pose {
    if force.y.raw.magnitude >= force.x.raw.magnitude {
      return force.y.raw >= 0 ? .portrait : .portraitUpsideDown
    }
    return force.x.raw >= 0 ? .landscapeLeft : .landscapeRight
  }

  /// r · sin(|θ - centre| - leave angle), r being the force in the plane.
  private func beyondLeaveAngle(_ pose: Pose) -> Int32 {
    let (along, across) = components(about: pose)
    return product(Int32(bitPattern: across.magnitude), configuration.leave.cosine)
      &- product(along, configuration.leave.sine)
  }

  /// |f| · sin(entry angle - inclination from the face's direction).
  private func beyondFaceEntry(_ face: Pose) -> Int32 {
    product(towards(face), configuration.faceEnter.sine) &- product(inPlane, configuration.faceEnter.cosine)
  }

  /// |f| · sin(inclination from the face's direction - exit angle).
  private func beyondFaceExit(_ face: Pose) -> Int32 {
    product(inPlane, configuration.faceLeave.cosine) &- product(towards(face), configuration.faceLeave.sine)
  }

  private func towards(_ face: Pose) -> Int32 { face == .faceUp ? force.z.raw : 0 &- force.z.raw }

  /// The force along the edge that is up in `pose`, and across it in the plane.
  private func components(about pose: Pose) -> (along: Int32, across: Int32) {
    switch pose {
    case .portrait, .faceUp, .faceDown: (force.y.raw, force.x.raw)
    case .portraitUpsideDown: (0 &- force.y.raw, force.x.raw)
    case .landscapeLeft: (force.x.raw, force.y.raw)
    case .landscapeRight: (0 &- force.x.raw, force.y.raw)
    }
  }

  /// Q16.16 by Q1.31, rounded.
  private func product(_ value: Int32, _ factor: Int32) -> Int32 {
    Int32(truncatingIfNeeded: (widened(value) &* widened(factor) &+ 0x4000_0000) &>> 31)
  }
}
