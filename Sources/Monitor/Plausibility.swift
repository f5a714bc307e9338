internal import Accelerometers
internal import FixedPoint

/// Notices samples that come from no working sensor: the same one again and again, one at the end of the range, or hardly
/// any force for longer than a board can fall.
struct Plausibility: Sendable {
  private var last: Vector3?
  private var repeats: UInt32 = 0
  /// How many rows of equal samples were short, up to the present one, since one that was not.
  private var shortRows: UInt32 = 0
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
      compare(force, at: now)
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

  private mutating func compare(_ force: Vector3, at now: Instant) {
    if force == last {
      if repeats == 0 { row = (now, shortRows >= Self.lively) }
      repeats = repeats &+ 1
      if repeats == Self.longRow { shortRows = 0 }
    } else {
      repeats = 0
      shortRows = min(shortRows &+ 1, Self.lively)
    }
    last = force
  }

  /// So many short rows of equal samples on end, and the sensor has noise. A value that is written once makes one or two.
  private static var lively: UInt32 { 4 }
  /// From so many repetitions on a row is not short. A sensor asked several times as often as it measures makes short ones.
  private static var longRow: UInt32 { 8 }

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
