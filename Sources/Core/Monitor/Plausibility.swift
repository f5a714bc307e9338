internal import FixedPoint
internal import Sensors

/// Detects samples that no working sensor produces: the same one again and again, one at the end of the range, hardly
/// any force for longer than a board can fall, or a rotation that does not match the board.
struct Plausibility: Sendable {
  private var last: Vector3?
  private var repeats: UInt32 = 0
  /// The number of small steps between samples since the last overlong run of equal ones. Steps from pose to pose, as
  /// from a register file that is written once for each, do not count.
  private var smallSteps: UInt32 = 0
  /// When the present run of equal samples began, and whether samples were lively before it.
  private var row = (since: Instant(microseconds: 0), wasLively: false)
  private var atFullScale: UInt32 = 0
  /// Since when every sample was below the policy's force on each axis.
  private var weightlessSince: Instant?
  private var rotation = RotationPlausibility()

  /// The verdict on one sample: nil for a plausible one.
  mutating func check(
    _ measurement: Measurement, at now: Instant, fullScale: Q16, rotationFullScale: Q16?, _ policy: FaultPolicy
  ) -> SensorError? {
    let ofForce = check(measurement.force, at: now, fullScale: fullScale, policy)
    guard let measured = measurement.rotation, policy.implausibleLimit > 0 else { return ofForce }
    let ofRotation = rotation.check(measured, measurement.force, at: now, fullScale: rotationFullScale, policy)
    return ofForce ?? ofRotation
  }

  /// The verdict on the force of one sample.
  private mutating func check(_ force: Vector3, at now: Instant, fullScale: Q16, _ policy: FaultPolicy) -> SensorError?
  {
    let greatest = max(force.x.raw.magnitude, max(force.y.raw.magnitude, force.z.raw.magnitude))
    let isWeightless =
      policy.weightlessLimit > .zero && isWeightless(greatest < policy.weightlessForce.raw.magnitude, at: now, policy)
    let limit = policy.implausibleLimit
    if limit > 0 {
      compare(force, at: now, limit)
      atFullScale = greatest >= fullScale.raw.magnitude ? Self.more(atFullScale) : 0
      // Full scale first: there, the repetition is only its consequence.
      if atFullScale >= limit { return .stuckAtFullScale }
    }
    // Then weightless, which says more about a part that reads zeros than that they are equal.
    if isWeightless { return .weightless }
    return limit > 0 && isFrozen(at: now, policy) ? .frozen : nil
  }

  /// A sensor that has never shown noise may be quiet by nature, for example in a coarse range, so more evidence is
  /// needed.
  private func isFrozen(at now: Instant, _ policy: FaultPolicy) -> Bool {
    repeats >= policy.implausibleLimit && (row.wasLively || now - row.since >= policy.quietLimit)
  }

  private mutating func compare(_ force: Vector3, at now: Instant, _ limit: UInt32) {
    defer { last = force }
    guard let before = last, force != before else {
      if repeats == 0 { row = (now, smallSteps >= Self.lively) }
      repeats = last == nil ? 0 : Self.more(repeats)
      return
    }
    if repeats >= limit { smallSteps = 0 }
    repeats = 0
    if Self.isSmall(force, before) { smallSteps = min(smallSteps &+ 1, Self.lively) }
  }

  /// Adds one, saturating, so that a run of samples never looks new.
  fileprivate static func more(_ count: UInt32) -> UInt32 { min(count, UInt32.max &- 1) &+ 1 }

  /// This many small steps in succession, none of them after an overlong run, show that the sensor has noise.
  private static var lively: UInt32 { 4 }

  /// Whether the two could differ by noise alone: no axis differs by more than a quarter of a g.
  fileprivate static func isSmall(_ a: Vector3, _ b: Vector3) -> Bool {
    func differs(_ a: Q16, _ b: Q16) -> Bool { (widened(a.raw) &- widened(b.raw)).magnitude > 16_384 }
    return !differs(a.x, b.x) && !differs(a.y, b.y) && !differs(a.z, b.z)
  }

  /// Whether the sample just checked still shows the earlier error: it must vary, leave the end of the range and have
  /// weight before the sensor is trusted again.
  var remainsDoubtful: Bool { repeats > 0 || atFullScale > 0 || weightlessSince != nil || rotation.remainsDoubtful }

  /// No samples came for a while, so the board's weight in the meantime is unknown.
  mutating func interrupt() {
    weightlessSince = nil
    rotation.interrupt()
  }

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

/// Detects a gyroscope that does not work beside an accelerometer that does.
///
/// A coarse range or a narrow filter leaves a gyroscope at rest less than one LSB of noise, so a run of equal samples
/// alone says little. It is a fault if samples had noise before it; also, after `FaultPolicy.quietLimit`, if the board
/// moved during the run, as shown by the force or by the rate itself. A rate at the end of the range may be a fast
/// turn; it is a fault after `FaultPolicy.quietLimit`.
private struct RotationPlausibility: Sendable {
  private var last: Vector3?
  private var repeats: UInt32 = 0
  /// The recent share of samples that differed from the previous one, as a moving average over 64; 65536 for all.
  private var changes: Int32 = 0
  /// When the present run of equal samples began, whether samples were lively before it, and the force then.
  private var row = (since: Instant(microseconds: 0), wasLively: false, force: Vector3.zero)
  /// Whether the force has changed since the run began.
  private var hasMoved = false
  /// Since when every sample had an axis at the end of the range.
  private var fullSince: Instant?
  /// Whether a fault was found and the rotation has not improved since.
  private(set) var remainsDoubtful = false

  mutating func check(
    _ measured: Vector3, _ force: Vector3, at now: Instant, fullScale: Q16?, _ policy: FaultPolicy
  ) -> SensorError? {
    compare(measured, force, at: now)
    let greatest = max(measured.x.raw.magnitude, max(measured.y.raw.magnitude, measured.z.raw.magnitude))
    let isFull = fullScale.map { greatest >= $0.raw.magnitude } ?? false
    fullSince = isFull ? fullSince ?? now : nil
    let isStuck = fullSince.map { now - $0 >= policy.quietLimit } ?? false
    let isFrozen =
      repeats >= policy.implausibleLimit && isFrozen(at: now, isTurning: greatest >= Self.greatestAtRest, policy)
    remainsDoubtful = isStuck || isFrozen || remainsDoubtful && (repeats > 0 || isFull)
    return isStuck ? .stuckAtFullScale : isFrozen ? .frozen : nil
  }

  private func isFrozen(at now: Instant, isTurning: Bool, _ policy: FaultPolicy) -> Bool {
    row.wasLively || (hasMoved || isTurning) && now - row.since >= policy.quietLimit
  }

  private mutating func compare(_ measured: Vector3, _ force: Vector3, at now: Instant) {
    guard let before = last, measured == before else {
      changes = min(65_536, changes &+ (65_536 &- changes &+ 63) &>> 6)
      last = measured
      repeats = 0
      row = (now, changes >= Self.lively, force)
      hasMoved = false
      return
    }
    repeats = Plausibility.more(repeats)
    hasMoved = hasMoved || !Plausibility.isSmall(force, row.force)
    changes &-= changes &>> 6
  }

  /// No samples came for a while, so the board's rotation in the meantime is unknown.
  mutating func interrupt() { fullSince = nil }

  /// From this share of changes on, 0.85, a long run of equal samples is not chance: at that share, 32 in a row occur
  /// once in 10^26 samples.
  private static var lively: Int32 { 55_706 }

  /// A rate that no gyroscope shows at rest, in °/s: twice the ±20 that the data sheet allows, to cover temperature.
  ///
  /// - Datasheet: PS-MPU-6000A rev. 3.4, 6.1.
  private static var greatestAtRest: UInt32 { 40 &<< 16 }
}
