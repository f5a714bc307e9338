internal import FixedPoint

/// How far one specific force lies beyond the boundaries between poses, each distance in Q16.16 g.
///
/// A distance is the component of the force at right angles to the boundary: linear in the force (in the plane), so that
/// noise of either sign cancels, and needing neither divide nor arc tangent.
struct Boundaries {
  private let force: Vector3
  private let inPlane: Int32
  private let limits: PoseTracker.Limits

  /// `force` must have passed the magnitude gate: components of at most 16 g.
  @inline(__always)
  init(_ force: Vector3, _ limits: PoseTracker.Limits) {
    self.force = force
    inPlane = Int32(truncatingIfNeeded: magnitude(force.x.raw, force.y.raw))
    self.limits = limits
  }

  /// The pose that the force is in when nothing was known before: a face well inside its entry cone, else the nearest of
  /// the four in the plane (upright before sideways on the diagonal).
  var nearestPose: Pose {
    inside(nearestFace, limits.faceStart) > 0 ? nearestFace : nearestInPlane
  }

  private var nearestFace: Pose { force.z.raw >= 0 ? .faceUp : .faceDown }

  /// Whether the force is so far from both faces that no noise to be expected takes it into one.
  var isClearOfFaces: Bool { inside(nearestFace, limits.faceMiddle) < 0 }

  /// The two poses that contend with a settled one, and how far the force lies inside the region of each.
  struct Rivals {
    /// The face on whose side the force is; nil where that is the settled pose.
    var face: Pose?
    /// How far inside its entry cone.
    var faceExcess: Int32
    /// The pose in the plane.
    var plane: Pose
    /// How far beyond the settled pose's boundary and at the same time outside the entry cone of the face.
    var planeExcess: Int32
    /// How far outside the settled pose, whoever it is that gains by it; 0 or less where the force confirms that pose.
    var leaveExcess: Int32
  }

  /// The rivals of `settled`. `candidate`, a rival in the plane so far, remains so for as long as the force is within its
  /// own hold region, so that two neighbours of equal claim do not take turns for ever.
  @inline(__always)
  func rivals(of settled: Pose, candidate: Pose?, isCornered: Bool) -> Rivals {
    let face = nearestFace
    let entry = inside(face, isCornered ? limits.faceStart : limits.faceEnter)
    let left = settled.isFace ? 0 &- inside(settled, limits.faceLeave) : beyondLeaveAngle(settled)
    var plane = nearestInPlane
    if let candidate, candidate != settled, beyondLeaveAngle(candidate) <= 0 { plane = candidate }
    return Rivals(
      face: face == settled ? nil : face, faceExcess: entry, plane: plane, planeExcess: min(left, 0 &- entry),
      leaveExcess: face == settled ? left : max(left, entry))
  }

  private var nearestInPlane: Pose {
    if force.y.raw.magnitude >= force.x.raw.magnitude {
      return force.y.raw >= 0 ? .portrait : .portraitUpsideDown
    }
    return force.x.raw >= 0 ? .landscapeLeft : .landscapeRight
  }

  /// r · sin(|θ - centre| - leave angle), r being the force in the plane.
  @inline(__always)
  private func beyondLeaveAngle(_ pose: Pose) -> Int32 {
    let (along, across) = pose.components(of: force)
    return product(Int32(bitPattern: across.magnitude), limits.leave.cosine)
      &- product(along, limits.leave.sine)
  }

  /// |f| · sin(angle - inclination from the face's direction): how far inside the cone of `angle` about it.
  @inline(__always)
  private func inside(_ face: Pose, _ angle: PoseTracker.Direction) -> Int32 {
    product(towards(face), angle.sine) &- product(inPlane, angle.cosine)
  }

  private func towards(_ face: Pose) -> Int32 { face == .faceUp ? force.z.raw : 0 &- force.z.raw }
}

extension Pose {
  /// Whether `force`, the square of whose length is `square`, lies within this pose when it is the settled one: neither
  /// past its own boundary nor inside the entry cone of a face. Without a root; at 1 g and
  /// the default angles it agrees with `Boundaries` but for forces within about 1 LSB of a boundary.
  @inline(__always)
  func holds(_ force: Vector3, _ square: UInt64, _ steady: PoseTracker.Steady) -> Bool {
    let z = widened(force.z.raw)
    let zSquare = UInt64(bitPattern: z &* z)
    guard !isFace else {
      return (z > 0) == (self == .faceUp) && zSquare >= (square &* steady.faceLeaveCosineSquare) &>> 20
    }
    let (along, across) = components(of: force)
    return product(Int32(bitPattern: across.magnitude), steady.leave.cosine)
      <= product(along, steady.leave.sine)
      && zSquare <= (square &* steady.faceEnterCosineSquare) &>> 20
  }

  /// The force along the edge that is up in this pose, and across it in the plane.
  fileprivate func components(of force: Vector3) -> (along: Int32, across: Int32) {
    switch self {
    case .portrait, .faceUp, .faceDown: (force.y.raw, force.x.raw)
    case .portraitUpsideDown: (0 &- force.y.raw, force.x.raw)
    case .landscapeLeft: (force.x.raw, force.y.raw)
    case .landscapeRight: (0 &- force.x.raw, force.y.raw)
    }
  }
}

/// Q16.16 by Q1.31, rounded.
private func product(_ value: Int32, _ factor: Int32) -> Int32 {
  Int32(truncatingIfNeeded: (widened(value) &* widened(factor) &+ 0x4000_0000) &>> 31)
}
