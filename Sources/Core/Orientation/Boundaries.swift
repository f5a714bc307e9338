internal import FixedPoint

/// How far one specific force lies beyond the boundaries between poses, each distance in Q16.16 g.
///
/// A distance is the component of the force at right angles to the boundary. It is linear in the force (in the plane),
/// so noise of either sign cancels, and it needs neither division nor arc tangent.
struct Boundaries {
  private let force: Vector3
  private let inPlane: Int32

  /// `force` must have passed the magnitude gate: components of at most 16 g.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #endif
  init(_ force: Vector3) {
    self.force = force
    let (sizeX, sum) = (force.x.raw.magnitude, force.x.raw.magnitude &+ force.y.raw.magnitude)
    inPlane = Int32(truncatingIfNeeded: Quarter(sizeX, of: sum).length(of: sum) &>> Quarter.fractionBits)
  }

  /// The face on the side of the force.
  var nearestFace: Pose { force.z.raw >= 0 ? .faceUp : .faceDown }

  /// The nearest of the four poses in the plane: upright before sideways on the diagonal.
  var nearestInPlane: Pose {
    if force.y.raw.magnitude >= force.x.raw.magnitude {
      return force.y.raw >= 0 ? .portrait : .portraitUpsideDown
    }
    return force.x.raw >= 0 ? .landscapeLeft : .landscapeRight
  }

  /// r · sin(|θ - centre| - angle), where r is the force in the plane: how far beyond `angle` the force lies from the
  /// centre of `pose`.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #endif
  func beyond(_ pose: Pose, _ angle: PoseTracker.Direction) -> Int32 {
    let (along, across) = pose.components(of: force)
    return product(Int32(bitPattern: across.magnitude), angle.cosine) &- product(along, angle.sine)
  }

  /// |f| · sin(angle - inclination from the face's direction): how far inside the cone of `angle` the force lies.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #endif
  func inside(_ face: Pose, _ angle: PoseTracker.Direction) -> Int32 {
    product(face == .faceUp ? force.z.raw : 0 &- force.z.raw, angle.sine) &- product(inPlane, angle.cosine)
  }
}

extension Pose {
  /// The force along the edge that is up in this pose, and across it in the plane.
  func components(of force: Vector3) -> (along: Int32, across: Int32) {
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
