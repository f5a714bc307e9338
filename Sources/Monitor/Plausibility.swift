internal import Accelerometers
internal import FixedPoint

/// Notices samples that come from no working sensor: the same one again and again, one at the end of the range, or hardly
/// any force for longer than a board can fall.
struct Plausibility: Equatable, Sendable {
  private var last: Vector3?
  private var repeats: UInt32 = 0
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
      repeats = force == last ? repeats &+ 1 : 0
      last = force
      atFullScale = greatest >= fullScale.raw.magnitude ? atFullScale &+ 1 : 0
      // At full scale first: there the repetition is only its consequence.
      if atFullScale >= limit { return .stuckAtFullScale }
    }
    // Then weightless, which says more of a part that reads zeros than that they are the same.
    if isWeightless { return .weightless }
    return limit > 0 && repeats >= limit ? .frozen : nil
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
