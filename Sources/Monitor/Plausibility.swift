internal import FixedPoint
internal import Sensors

/// Notices samples that come from no working sensor: the same one again and again, one at the end of the range, or hardly
/// any force for longer than a board can fall.
struct Plausibility: Sendable {
  private var last: Vector3?
  private var repeats: UInt32 = 0
  /// How many small steps there were between samples since a row of equal ones was too long; steps from pose to pose, as
  /// a register file makes that is written once for each, do not count.
  private var smallSteps: UInt32 = 0
  /// When the present row of equal samples began, and whether samples were lively before it.
  private var row = (since: Instant(microseconds: 0), wasLively: false)
  private var atFullScale: UInt32 = 0
  /// Since when every sample was below the policy's force on each axis.
  private var weightlessSince: Instant?

  /// The verdict on one sample: nil for a plausible one.
  mutating func check(_ force: Vector3, at now: Instant, fullScale: Q16, _ policy: FaultPolicy) -> SensorError? {
    let greatest = max(force.x.raw.magnitude, max(force.y.raw.magnitude, force.z.raw.magnitude))
    let isWeightless =
      policy.weightlessLimit > .zero && isWeightless(greatest < policy.weightlessForce.raw.magnitude, at: now, policy)
    let limit = policy.implausibleLimit
    if limit > 0 {
      compare(force, at: now, limit)
      atFullScale = greatest >= fullScale.raw.magnitude ? atFullScale &+ 1 : 0
      // At full scale first: there the repetition is only its consequence.
      if atFullScale >= limit { return .stuckAtFullScale }
    }
    // Then weightless, which says more of a part that reads zeros than that they are the same.
    if isWeightless { return .weightless }
    return limit > 0 && isFrozen(at: now, policy) ? .frozen : nil
  }

  /// What has never shown noise may be quiet by nature, as a coarse range is, so more is asked of it.
  private func isFrozen(at now: Instant, _ policy: FaultPolicy) -> Bool {
    repeats >= policy.implausibleLimit && (row.wasLively || now - row.since >= policy.quietLimit)
  }

  private mutating func compare(_ force: Vector3, at now: Instant, _ limit: UInt32) {
    defer { last = force }
    guard let before = last, force != before else {
      if repeats == 0 { row = (now, smallSteps >= Self.lively) }
      repeats = last == nil ? 0 : repeats &+ 1
      return
    }
    if repeats >= limit { smallSteps = 0 }
    repeats = 0
    if Self.isSmall(force, before) { smallSteps = min(smallSteps &+ 1, Self.lively) }
  }

  /// So many small steps on end, none of them after a row that was too long, and the sensor has noise.
  private static var lively: UInt32 { 4 }

  /// Whether noise could have made one of the other: no axis differs by more than a quarter of a g.
  private static func isSmall(_ a: Vector3, _ b: Vector3) -> Bool {
    func differs(_ a: Q16, _ b: Q16) -> Bool { (widened(a.raw) &- widened(b.raw)).magnitude > 16_384 }
    return !differs(a.x, b.x) && !differs(a.y, b.y) && !differs(a.z, b.z)
  }

  /// Whether the sample just checked still shows what was found before: it must vary, leave the end of the range and
  /// weigh something before the sensor is trusted again.
  var remainsDoubtful: Bool { repeats > 0 || atFullScale > 0 || weightlessSince != nil }

  /// No samples came for a while: what the board weighed meanwhile is not known.
  mutating func interrupt() { weightlessSince = nil }

  private mutating func isWeightless(_ isNow: Bool, at now: Instant, _ policy: FaultPolicy) -> Bool {
    guard isNow else {
      weightlessSince = nil
      return false
    }
    let since = weightlessSince ?? now
    weightlessSince = since
    return now - since > policy.weightlessLimit
  }
}
