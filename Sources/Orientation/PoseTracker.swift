public import FixedPoint

/// A change of what is known of the pose: exactly one for each change.
public struct PoseChange: Equatable, Sendable {
  /// What was known before.
  public let from: PoseState
  /// What is known now; never the same.
  public let to: PoseState
}

/// Decides which pose a board is held in, from specific force: once per change, and never by a default.
///
/// The boundaries have a dead band that does not depend on tilt, because angles are compared, not components.
/// What lies beyond a boundary is gathered as evidence, in proportion to how far beyond and how long; what lies before it
/// is taken off again. This cumulative sum tells a real turn from noise sooner than any low-pass of equal steadiness:
/// a quick turn is far beyond the boundary at once, while noise about the boundary cancels itself.
///
/// - Source: behaviour.md of the project, "From gravity to a pose"; E. S. Page, "Continuous inspection schemes",
///   Biometrika 41 (1954), for the cumulative sum.
public struct PoseTracker: Equatable, Sendable {
  /// What is known of the pose now.
  public private(set) var state: PoseState = .unknown(.notYetSampled)

  private var candidate: Candidate?
  private var lastSample: Instant?
  /// When a sample last agreed with the settled pose.
  private var lastConfirmed = Instant(microseconds: 0)

  private struct Candidate: Equatable, Sendable {
    var pose: Pose
    var since: Instant
    var evidence: Int64
  }

  /// A tracker that knows nothing yet.
  public init() {}

  /// Takes the specific force at `now` in, and returns the change it brings, if any.
  ///
  /// A pause must have been reported by `expire(at:)` before.
  public mutating func step(_ force: Vector3, at now: Instant, _ configuration: Configuration) -> PoseChange? {
    let elapsed = lastSample.map { now - $0 } ?? .zero
    lastSample = now
    if elapsed < .zero {
      candidate = nil
      lastConfirmed = now
    }
    if let reason = Self.closedGate(force, configuration) {
      candidate = nil
      return lose(to: reason, at: now, configuration)
    }
    guard case .known(let settled) = state else {
      lastConfirmed = now
      return change(to: .known(Boundaries(force, configuration).nearestPose))
    }
    return weigh(Boundaries(force, configuration), settled, at: now, since: elapsed, configuration)
  }

  /// Makes the pose stale if the last sample is too old at `now`, and returns that change.
  public mutating func expire(at now: Instant, _ configuration: Configuration) -> PoseChange? {
    guard let lastSample, state.pose != nil, now - lastSample > configuration.longestGap else { return nil }
    return change(to: .unknown(.stale))
  }

  /// Gives the pose up for a fault of the sensor, and returns that change. The next sample decides anew.
  public mutating func fail() -> PoseChange? {
    lastSample = nil
    return change(to: .unknown(.fault))
  }

  /// The reason why the gate is closed to `force`, or nil where it is open.
  private static func closedGate(_ force: Vector3, _ configuration: Configuration) -> UnknownReason? {
    let square = force.squaredMagnitude
    if square < configuration.minimumSquare { return .freeFall }
    if square > configuration.maximumSquare { return .accelerating }
    return nil
  }

  /// Without a sample that confirms it, a pose is kept for as long as patience lasts; a reason gives way at once.
  private mutating func lose(to reason: UnknownReason, at now: Instant, _ configuration: Configuration) -> PoseChange? {
    if state.pose != nil && now - lastConfirmed <= configuration.patience { return nil }
    return change(to: .unknown(reason))
  }

  private mutating func change(to next: PoseState) -> PoseChange? {
    candidate = nil
    guard next != state else { return nil }
    defer { state = next }
    return PoseChange(from: state, to: next)
  }

  /// Weighs one sample for or against the settled pose.
  private mutating func weigh(
    _ boundaries: Boundaries, _ settled: Pose, at now: Instant, since elapsed: Microseconds,
    _ configuration: Configuration
  ) -> PoseChange? {
    let (target, excess) = boundaries.contender(to: settled, candidate: candidate?.pose)
    if excess <= 0 { lastConfirmed = now }
    var contender = candidate ?? Candidate(pose: target, since: now, evidence: 0)
    if contender.pose != target { contender = Candidate(pose: target, since: now, evidence: 0) }
    let span = max(.zero, min(elapsed, configuration.longestGap))
    let gathered = contender.evidence &+ widened(excess) &* span.count
    contender.evidence = min(gathered, configuration.evidenceLimit)
    guard contender.evidence > 0 || excess > 0 else {
      candidate = nil
      return nil
    }
    candidate = contender
    guard excess > 0 else { return nil }
    let held = now - contender.since
    if contender.evidence >= configuration.evidenceLimit && held >= configuration.dwell {
      lastConfirmed = now
      return change(to: .known(target))
    }
    // Contradicted for so long by every sample, however slightly, the pose no longer holds.
    guard now - lastConfirmed > configuration.patience else { return nil }
    let next: PoseState = held >= configuration.patience ? .known(target) : .unknown(.ambiguous)
    lastConfirmed = now
    return change(to: next)
  }
}
