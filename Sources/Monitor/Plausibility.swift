internal import Accelerometers
internal import FixedPoint

/// Notices samples that come from no working sensor: the same one again and again, or one at the end of the range.
struct Plausibility: Equatable, Sendable {
  private var last: Vector3?
  private var repeats: UInt32 = 0
  private var atFullScale: UInt32 = 0

  /// The verdict on one sample: nil for a plausible one.
  ///
  /// `limit` samples in a row are a fault; 0 finds no fault with anything.
  mutating func check(_ force: Vector3, fullScale: Q16, limit: UInt32) -> SensorError? {
    guard limit > 0 else { return nil }
    repeats = force == last ? repeats &+ 1 : 0
    last = force
    atFullScale = reaches(fullScale, force) ? atFullScale &+ 1 : 0
    // At full scale first: there the repetition is only its consequence.
    if atFullScale >= limit { return .stuckAtFullScale }
    if repeats >= limit { return .frozen }
    return nil
  }

  /// Whether the sample just checked still shows what was found before: it must vary and leave the end of the range
  /// before the sensor is trusted again.
  var remainsDoubtful: Bool { repeats > 0 || atFullScale > 0 }

  private func reaches(_ fullScale: Q16, _ force: Vector3) -> Bool {
    max(force.x.raw.magnitude, max(force.y.raw.magnitude, force.z.raw.magnitude)) >= fullScale.raw.magnitude
  }
}
