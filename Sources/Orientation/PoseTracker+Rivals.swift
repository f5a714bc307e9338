internal import FixedPoint

extension PoseTracker {
  /// A rival that has been inside its own region, with what has been gathered for it.
  struct Candidate: Equatable, Sendable {
    /// Whose claim it is; nil where there is none.
    var pose: Pose?
    var since = Instant(microseconds: 0)
    /// In 2^-16 g · µs, 0 up to the limit.
    var evidence: Int64 = 0

    /// What each excess must exceed to gather anything, 0.0039 g: 0.2° upright, 0.5° at 62° of tilt. Noise about a force a
    /// degree short of a boundary then gathers nothing, however long it is held there.
    private static var allowance: Int32 { 256 }

    /// Takes in that the force lay `excess` inside the region of `claimant` for the time of `span`; `most` is as much as
    /// can be gathered.
    #if _pointerBitWidth(_64)
      @inline(__always)
    #endif
    mutating func gather(_ claimant: Pose?, _ excess: Int32, _ span: Microseconds, at now: Instant, _ most: Int64) {
      if pose != claimant {
        pose = claimant
        since = now
        evidence = 0
      }
      evidence = min(evidence &+ widened(excess &- Self.allowance) &* span.count, most)
      guard evidence <= 0 else { return }
      evidence = 0
      if excess <= 0 { pose = nil }
    }
  }

  /// The poses that contend with a settled one, and how far the force lies inside the region of each.
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

  /// The rivals of `settled`. A rival in the plane remains so for as long as the force is within its own hold region, so
  /// that two neighbours of equal claim do not take turns for ever.
  @inline(__always)
  func rivals(of settled: Pose, _ boundaries: Boundaries) -> Rivals {
    let limits = configuration.limits
    let face = boundaries.nearestFace
    let entry = boundaries.inside(face, isCornered ? limits.faceStart : limits.faceEnter)
    let left =
      settled.isFace
      ? 0 &- boundaries.inside(settled, limits.faceLeave) : boundaries.beyond(settled, limits.leave)
    var plane = boundaries.nearestInPlane
    if let candidate = self.plane.pose, candidate != settled, boundaries.beyond(candidate, limits.leave) <= 0 {
      plane = candidate
    }
    return Rivals(
      face: face == settled ? nil : face, faceExcess: entry, plane: plane, planeExcess: min(left, 0 &- entry),
      leaveExcess: face == settled ? left : max(left, entry))
  }
}
