public import FixedPoint

/// A change of what is known of the pose: exactly one for each change.
public struct PoseChange: Equatable, Sendable {
  /// What was known before.
  public let from: PoseState
  /// What is known now; never the same.
  public let to: PoseState

  /// A change from one state to another.
  public init(from: PoseState, to: PoseState) {
    self.from = from
    self.to = to
  }
}

/// Decides which pose a board is held in, from specific force: once per change, and never by a default.
///
/// The boundaries have a dead band that does not depend on tilt, because angles are compared, not components.
/// A face and a pose in the plane contend with the settled pose. What lies inside a rival's region is gathered as evidence
/// for it, in proportion to how far inside and how long; what lies outside is taken off again. This cumulative sum tells a
/// real turn from noise sooner than a low-pass of equal steadiness: a quick turn is far beyond the boundary at once, while
/// noise about the boundary cancels itself.
///
/// The inner steps are inlined, because a configuration that is passed on is copied onto the stack each time.
///
/// - Source: behaviour.md of the project, "From gravity to a pose"; E. S. Page, "Continuous inspection schemes",
///   Biometrika 41 (1954), for the cumulative sum.
public struct PoseTracker: Equatable, Sendable {
  /// What is known of the pose now.
  public private(set) var state: PoseState = .unknown(.notYetSampled)

  private var face: Candidate?
  private var plane: Candidate?
  /// What has been gathered against the settled pose, whoever gains by it.
  private var leaving: Candidate?
  /// Whether the settled pose was taken in the corner where a face begins too. Until the force has been clear of the
  /// face, that is entered only well inside its cone: else noise would make a second change of one movement.
  private var isCornered = false
  private var lastSample: Instant?
  /// Whether a pose is settled, nobody contends with it, and it is not cornered.
  private var isSteady = false
  /// When a sample last agreed with the settled pose.
  private var lastConfirmed = Instant(microseconds: 0)

  /// A tracker that knows nothing yet.
  public init() {}

  /// Takes the specific force at `now` in, and returns the change it brings, if any.
  ///
  /// A pause must have been reported by `expire(at:)` before.
  public mutating func step(_ force: Vector3, at now: Instant, _ configuration: Configuration) -> PoseChange? {
    if passes(force, at: now, configuration.steady) { return nil }
    return decide(force, at: now, configuration)
  }

  /// A step that may change something.
  @inline(__always)
  package mutating func decide(_ force: Vector3, at now: Instant, _ configuration: Configuration) -> PoseChange? {
    let change = weighed(force, at: now, configuration)
    isSteady = state.pose != nil && leaving == nil && face == nil && plane == nil && !isCornered
    return change
  }

  /// Takes the force in where it only confirms the settled pose, or the gate is closed to it for a while, as with nearly
  /// every sample; returns whether it did. Otherwise nothing has happened. Decides as a weighing would, but for forces
  /// within about 1 LSB of a boundary.
  @inline(__always)
  package mutating func passes(_ force: Vector3, at now: Instant, _ steady: Steady) -> Bool {
    guard isSteady, case .known(let settled) = state, let lastSample else { return false }
    let elapsed = now - lastSample
    guard elapsed >= .zero && elapsed <= steady.longestGap else { return false }
    let square = force.squaredMagnitude
    if square >= steady.minimumSquare && square <= steady.maximumSquare {
      guard settled.holds(force, square, steady) else { return false }
      lastConfirmed = now
    } else if now - lastConfirmed > steady.patience {
      return false
    }
    self.lastSample = now
    return true
  }

  @inline(__always)
  private mutating func weighed(_ force: Vector3, at now: Instant, _ configuration: Configuration) -> PoseChange? {
    let elapsed = lastSample.map { now - $0 } ?? .zero
    lastSample = now
    if elapsed < .zero {
      forgetCandidates()
      lastConfirmed = now
    }
    let square = force.squaredMagnitude
    guard square >= configuration.steady.minimumSquare && square <= configuration.steady.maximumSquare else {
      forgetCandidates()
      return lose(to: square < configuration.steady.minimumSquare ? .freeFall : .accelerating, at: now, configuration)
    }
    guard case .known(let settled) = state else {
      lastConfirmed = now
      return change(to: .known(Boundaries(force, configuration.limits).nearestPose))
    }
    return weigh(Boundaries(force, configuration.limits), settled, at: now, since: elapsed, configuration)
  }

  /// Makes the pose stale if the last sample is too old at `now`, and returns that change.
  @inline(__always)
  public mutating func expire(at now: Instant, _ configuration: Configuration) -> PoseChange? {
    guard let lastSample, state.pose != nil, now - lastSample > configuration.longestGap else { return nil }
    return change(to: .unknown(.stale))
  }

  /// Gives the pose up for a fault of the sensor, and returns that change. The next sample decides anew.
  public mutating func fail() -> PoseChange? {
    lastSample = nil
    return change(to: .unknown(.fault))
  }

  /// Without a sample that confirms it, a pose is kept for as long as patience lasts; a reason gives way at once.
  @inline(__always)
  private mutating func lose(to reason: UnknownReason, at now: Instant, _ configuration: Configuration) -> PoseChange? {
    if state.pose != nil && now - lastConfirmed <= configuration.patience { return nil }
    return change(to: .unknown(reason))
  }

  private mutating func forgetCandidates() {
    face = nil
    plane = nil
    leaving = nil
  }

  private mutating func change(to next: PoseState) -> PoseChange? {
    forgetCandidates()
    isSteady = false
    if next.pose == nil { isCornered = false }
    guard next != state else { return nil }
    defer { state = next }
    return PoseChange(from: state, to: next)
  }

  /// Weighs one sample for or against the settled pose.
  @inline(__always)
  private mutating func weigh(
    _ boundaries: Boundaries, _ settled: Pose, at now: Instant, since elapsed: Microseconds,
    _ configuration: Configuration
  ) -> PoseChange? {
    if boundaries.isClearOfFaces { isCornered = false }
    let rivals = boundaries.rivals(of: settled, candidate: plane?.pose, isCornered: isCornered)
    let span = max(.zero, min(elapsed, configuration.longestGap))
    face.gather(rivals.face, rivals.faceExcess, span, at: now, configuration)
    plane.gather(rivals.plane, rivals.planeExcess, span, at: now, configuration)
    leaving.gather(settled, rivals.leaveExcess, span, at: now, configuration)
    guard rivals.leaveExcess > 0 else {
      lastConfirmed = now
      return nil
    }
    // At most one rival gains by one sample.
    guard let leader = rivals.face != nil && rivals.faceExcess > 0 ? face : plane else { return nil }
    let hasHeld = now - leader.since >= configuration.dwell
    if hasHeld && (leader.isRipe(configuration) || isOverdue(at: now, configuration)) {
      lastConfirmed = now
      isCornered = !settled.isFace && !leader.pose.isFace && !boundaries.isClearOfFaces
      return change(to: .known(leader.pose))
    }
    guard now - lastConfirmed > configuration.patience else { return nil }
    return change(to: .unknown(.ambiguous))
  }

  /// Whether the settled pose must go although no rival is ripe, because the force lies on their common boundary: it has
  /// long been left for certain, or has been contradicted by every sample for so long.
  @inline(__always)
  private func isOverdue(at now: Instant, _ configuration: Configuration) -> Bool {
    if now - lastConfirmed > configuration.patience { return true }
    guard let leaving else { return false }
    return leaving.isRipe(configuration) && now - leaving.since >= configuration.dwell * 4
  }
}

extension PoseTracker {
  /// A rival that has been inside its own region, with what has been gathered for it.
  fileprivate struct Candidate: Equatable, Sendable {
    var pose: Pose
    var since: Instant
    /// In 2^-16 g · µs, 0 up to the limit.
    var evidence: Int64

    @inline(__always)
    func isRipe(_ configuration: Configuration) -> Bool { evidence >= configuration.evidenceLimit }
  }
}

extension Optional<PoseTracker.Candidate> {
  /// Takes in that the force lay `excess` inside the region of `pose` for the time of `span`.
  @inline(__always)
  fileprivate mutating func gather(
    _ pose: Pose?, _ excess: Int32, _ span: Microseconds, at now: Instant, _ configuration: PoseTracker.Configuration
  ) {
    guard let pose else {
      self = nil
      return
    }
    var candidate = PoseTracker.Candidate(pose: pose, since: now, evidence: 0)
    if let current = self, current.pose == pose { candidate = current }
    let gathered = candidate.evidence &+ widened(excess) &* span.count
    candidate.evidence = min(gathered, configuration.evidenceLimit)
    self = candidate.evidence > 0 || excess > 0 ? candidate : nil
  }
}
