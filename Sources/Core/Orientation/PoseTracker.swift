public import FixedPoint

/// A change in what is known of the pose: exactly one for each change.
public struct PoseChange: Equatable, Sendable {
  /// What was known before.
  public let from: PoseState
  /// What is known now; always different from `from`.
  public let to: PoseState

  /// A change from one state to another.
  public init(from: PoseState, to: PoseState) {
    self.from = from
    self.to = to
  }
}

/// Decides which pose a board is held in, from specific force: once per change, and never by default.
///
/// The boundaries have a dead band that does not depend on tilt, because angles are compared, not components. A face
/// and a pose in the plane compete with the settled pose. A force inside a rival's region counts as evidence for it, in
/// proportion to how far inside and for how long; a force outside takes evidence away. This cumulative sum
/// distinguishes a real turn from noise sooner than a low-pass of equal steadiness: a quick turn is far beyond the
/// boundary at once, while noise about the boundary cancels out.
///
/// The configuration is stored with the state: passed in with each step, it would be copied onto the stack each time.
///
/// - Source: E. S. Page, "Continuous inspection schemes", Biometrika 41 (1954), for the cumulative sum.
public struct PoseTracker: Equatable, Sendable {
  /// How poses are decided; it cannot change while there is state.
  public let configuration: Configuration
  /// What is known of the pose now.
  public private(set) var state: PoseState = .unknown(.notYetSampled)

  private var face = Candidate()
  private(set) var plane = Candidate()
  /// The evidence against the settled pose, whichever pose benefits.
  private var leaving = Candidate()
  /// Whether the settled pose was chosen in the corner next to a face's region. Until the force has been clear of the
  /// face, that face is entered only well inside its cone; otherwise noise would turn one movement into two changes.
  private(set) var isCornered = false
  /// The settled pose if no other competes with it and it is not cornered.
  private var unopposed: Pose?
  /// Where a force confirms the settled pose.
  private var region = Region()
  private var lastSample = Self.never
  /// When a sample last agreed with the settled pose.
  private var lastConfirmed = Instant(microseconds: 0)

  /// The time of the last sample before there is one.
  private static var never: Instant { Instant(microseconds: Int64.min) }

  /// A tracker without samples.
  public init(_ configuration: Configuration = .standard) { self.configuration = configuration }

  /// Takes in the specific force at `now`, and returns the change it causes, if any.
  ///
  /// A pause must have been reported by ``expire(at:)`` before.
  public mutating func step(_ force: Vector3, at now: Instant) -> PoseChange? {
    let angles = Angles(of: force, gravity: .zero)
    return confirms(force, angles, at: now) == nil ? decide(force, at: now) : nil
  }

  /// Takes in a force that only confirms the settled pose, or that the gate rejects for a while, as with nearly every
  /// sample; returns the pose in that case. Otherwise does nothing. Decides as a full evaluation would, except for
  /// forces within about 1 LSB of a boundary.
  @inline(__always)
  package mutating func confirms(_ force: Vector3, _ angles: Angles, at now: Instant) -> Pose? {
    guard let unopposed else { return nil }
    let elapsed = UInt64(bitPattern: (now - lastSample).count)
    guard elapsed <= UInt64(bitPattern: configuration.longestGap.count) else { return nil }
    if isWithinGate(force.squaredMagnitude) {
      guard region.contains(angles) else { return nil }
      lastConfirmed = now
    } else if now - lastConfirmed > configuration.patience {
      return nil
    }
    lastSample = now
    return unopposed
  }

  /// The same for the angles of gravity itself, without a gate.
  @inline(__always)
  package mutating func confirms(_ angles: Angles, at now: Instant) -> Pose? {
    guard let unopposed else { return nil }
    let elapsed = UInt64(bitPattern: (now - lastSample).count)
    guard elapsed <= UInt64(bitPattern: configuration.longestGap.count), region.contains(angles) else { return nil }
    (lastSample, lastConfirmed) = (now, now)
    return unopposed
  }

  /// Whether a force is below the gate, as in free fall.
  @inline(__always)
  package func isFalling(_ force: Vector3) -> Bool { force.squaredMagnitude < configuration.minimumSquare }

  /// Makes the pose unknown because of free fall, and returns that change.
  package mutating func fall() -> PoseChange? { change(to: .unknown(.freeFall)) }

  /// A step that may change something.
  package mutating func decide(_ force: Vector3, at now: Instant) -> PoseChange? {
    let change = weighed(force, at: now)
    let isOpposed = leaving.pose != nil || face.pose != nil || plane.pose != nil
    unopposed = isOpposed || isCornered ? nil : state.pose
    if change != nil, let settled = state.pose { region = Region(of: settled, configuration) }
    return change
  }

  /// Makes the pose stale if the last sample is too old at `now`, and returns that change.
  public mutating func expire(at now: Instant) -> PoseChange? {
    // Before the first sample the difference wraps, and is negative.
    guard state.pose != nil, now - lastSample > configuration.longestGap else { return nil }
    return change(to: .unknown(.stale))
  }

  /// Keeps the pose through a time without samples in which the board does not move: it does not become stale, and the
  /// next sample decides afresh.
  public mutating func suspend(at now: Instant) {
    (lastSample, lastConfirmed) = (Self.never, now)
    forgetCandidates()
    (unopposed, isCornered) = (nil, false)
  }

  /// Makes the pose unknown because of a sensor fault, and returns that change. The next sample decides afresh.
  public mutating func fail() -> PoseChange? {
    lastSample = Self.never
    return change(to: .unknown(.fault))
  }
}

extension PoseTracker {
  @inline(__always)
  private func isWithinGate(_ square: UInt64) -> Bool {
    square &- configuration.minimumSquare <= configuration.squareWidth
  }

  @inline(__always)
  private mutating func weighed(_ force: Vector3, at now: Instant) -> PoseChange? {
    let isFirst = lastSample == Self.never
    let elapsed = isFirst ? .zero : now - lastSample
    lastSample = now
    if elapsed < .zero {
      forgetCandidates()
      lastConfirmed = now
    }
    let square = force.squaredMagnitude
    guard isWithinGate(square) else {
      forgetCandidates()
      return lose(to: square < configuration.minimumSquare ? .freeFall : .accelerating, at: now)
    }
    let boundaries = Boundaries(force)
    guard !isFirst, case .known(let settled) = state else {
      lastConfirmed = now
      return change(to: .known(nearestPose(boundaries)))
    }
    return weigh(boundaries, settled, at: now, since: elapsed)
  }

  /// The pose of a force when nothing was known before: a face well inside its entry cone, otherwise the nearest of the
  /// four in the plane (upright before sideways on the diagonal).
  @inline(__always)
  func nearestPose(_ boundaries: Boundaries) -> Pose {
    let face = boundaries.nearestFace
    return boundaries.inside(face, configuration.limits.faceStart) > 0 ? face : boundaries.nearestInPlane
  }

  /// A pose that no sample confirms is kept until patience runs out; a reason is replaced at once.
  private mutating func lose(to reason: UnknownReason, at now: Instant) -> PoseChange? {
    if state.pose != nil && now - lastConfirmed <= configuration.patience { return nil }
    return change(to: .unknown(reason))
  }

  private mutating func forgetCandidates() {
    face.pose = nil
    plane.pose = nil
    leaving.pose = nil
  }

  @inline(never)
  private mutating func change(to next: PoseState) -> PoseChange? {
    forgetCandidates()
    unopposed = nil
    if next.pose == nil { isCornered = false }
    let before = state
    state = next
    return next == before ? nil : PoseChange(from: before, to: next)
  }

  /// Weighs one sample for or against the settled pose.
  @inline(__always)
  private mutating func weigh(
    _ boundaries: Boundaries, _ settled: Pose, at now: Instant, since elapsed: Microseconds
  ) -> PoseChange? {
    if isCornered {
      // Expected noise does not take a force from the entry of a face to where it is left.
      isCornered = boundaries.inside(boundaries.nearestFace, configuration.limits.faceLeave) >= 0
    }
    let rivals = rivals(of: settled, boundaries)
    let span = max(.zero, min(elapsed, configuration.longestGap))
    let most = configuration.evidenceLimit
    face.gather(rivals.face, rivals.faceExcess, span, at: now, most)
    plane.gather(rivals.plane, rivals.planeExcess, span, at: now, most)
    // The larger of two values, of which noise of 0.03 g alone makes 0.017 g of excess: that much more is required.
    leaving.gather(settled, rivals.leaveExcess &- 1_024, span, at: now, most)
    guard rivals.leaveExcess > 0 else {
      lastConfirmed = now
      return nil
    }
    // One sample benefits at most one rival.
    let leader = rivals.face != nil && rivals.faceExcess > 0 ? face : plane
    let isUnconfirmed = now - lastConfirmed > configuration.patience
    // Exactly at the entry of a face no rival gains evidence, however long ago the settled pose was left.
    if let next = leader.pose, now - leader.since >= configuration.dwell,
      leader.evidence >= most || isUnconfirmed || isOverdue(at: now)
    {
      lastConfirmed = now
      isCornered = !next.isFace && !isClearOfFaces(boundaries)
      return change(to: .known(next))
    }
    return isUnconfirmed ? change(to: .unknown(.ambiguous)) : nil
  }

  /// Whether the force is too far from both faces for expected noise to take it into one.
  private func isClearOfFaces(_ boundaries: Boundaries) -> Bool {
    boundaries.inside(boundaries.nearestFace, configuration.limits.faceMiddle) < 0
  }

  /// Whether the settled pose must go although no rival has enough evidence, because the force lies on their common
  /// boundary: it has certainly been left for a long time.
  private func isOverdue(at now: Instant) -> Bool {
    leaving.pose != nil && leaving.evidence >= configuration.evidenceLimit
      && now - leaving.since >= configuration.dwell * 4
  }
}

extension PoseTracker {
  /// A rival that has been inside its own region, with the evidence gathered for it.
  struct Candidate: Equatable, Sendable {
    /// The pose that the evidence is for; nil if there is none.
    var pose: Pose?
    var since = Instant(microseconds: 0)
    /// In 2^-16 g · µs, from 0 to the limit.
    var evidence: Int64 = 0

    /// What each excess must exceed to gather evidence, 0.0039 g: 0.2° upright, 0.5° at 62° of tilt. Noise about a
    /// force one degree short of a boundary then gathers nothing, however long it is held there.
    private static var allowance: Int32 { 256 }

    /// Records that the force lay `excess` inside the region of `claimant` for `span`; `most` limits the evidence.
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

  /// The poses that compete with a settled one, and how far the force lies inside the region of each.
  struct Rivals {
    /// The face on the side of the force; nil if that is the settled pose.
    var face: Pose?
    /// How far the force is inside its entry cone.
    var faceExcess: Int32
    /// The pose in the plane.
    var plane: Pose
    /// How far the force is both beyond the settled pose's boundary and outside the entry cone of the face.
    var planeExcess: Int32
    /// How far outside the settled pose, whichever pose benefits; 0 or less if the force confirms that pose.
    var leaveExcess: Int32
  }

  /// The rivals of `settled`. A rival in the plane remains one as long as the force is within its own hold region, so
  /// that two neighbours with equal claims do not alternate for ever.
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

extension PoseTracker {
  /// Where a force confirms a settled pose: neither past the pose's own boundary nor inside the entry cone of a face.
  /// Two spans of angle, so that one comparison for each decides.
  struct Region: Equatable, Sendable {
    private var device = Span()
    private var inclination = Span()

    /// The whole sphere.
    init() {}

    /// The region of `pose`.
    init(of pose: Pose, _ configuration: Configuration) {
      let halfTurn = UInt32(1) &<< 31
      let enter = UInt32(bitPattern: configuration.faceEnterAngle.raw)
      let faceLeave = UInt32(bitPattern: configuration.faceLeaveAngle.raw)
      let leave = UInt32(bitPattern: configuration.leaveAngle.raw)
      switch pose {
      case .faceUp: inclination = Span(from: 0, width: faceLeave)
      case .faceDown: inclination = Span(from: halfTurn &- faceLeave, width: faceLeave)
      default:
        device = Span(from: UInt32(bitPattern: pose.deviceAngle.raw) &- leave, width: leave &* 2)
        inclination = Span(from: enter, width: halfTurn &- enter &* 2)
      }
    }

    /// Whether a force with these angles confirms the pose.
    @inline(__always)
    func contains(_ angles: Angles) -> Bool {
      device.contains(angles.device) && inclination.contains(angles.inclination)
    }
  }
}

/// A span of angle, counter-clockwise, in 2^-32 turn.
private struct Span: Equatable, Sendable {
  var from: UInt32 = 0
  var width = UInt32.max

  @inline(__always)
  func contains(_ angle: BinaryAngle) -> Bool { UInt32(bitPattern: angle.raw) &- from <= width }
}

extension PoseTracker {
  /// The pose that `force` at `now` indicates, without taking the force in: nothing changes.
  ///
  /// The result is the settled pose if the force still confirms it (it may lie within the dead band). If it does not,
  /// or nothing is settled, or the last sample is too old, the result is what the very first sample would give: a
  /// single sample is enough, so the board need not be turned. Outside the magnitude gate the pose is unknown, with the
  /// reason, whatever is settled.
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
