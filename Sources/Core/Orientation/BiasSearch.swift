internal import FixedPoint

/// Estimates the gyroscope's bias until the first rest.
///
/// A bias makes gravity appear to turn: the filter's first stage leads its second by the angle turned in the time
/// constant of one stage. That turn is attributed to the bias in proportion to how much is known of each axis, as in
/// recursive least squares with a diagonal covariance: an axis that has been vertical so far has revealed nothing, and
/// learns most when it no longer is. Fast rotation gets little weight, because the pushes on a board that moves in a
/// circle do not average to zero.
struct BiasSearch: Equatable, Sendable {
  // What is known of each axis, in 2^24 µs² of smoothed time; 2^16 of these units are 1.1 s².
  private var x: Int32
  private var y: Int32
  private var z: Int32
  /// The mean square of the rate of rotation over half a second, (°/s)².
  private var speed: Int32 = 0

  /// A search that starts as if 1 s² of smoothed time had confirmed the present bias; 15 s² if the bias `isSettled` by
  /// half a second at rest.
  init(isSettled: Bool = false) {
    let known: Int32 = isSettled ? 15 &<< 16 : 1 &<< 16
    (x, y, z) = (known, known, known)
  }

  /// The change to apply to the bias, °/s. `stage` is the time constant of each stage, µs; `up` is in Q2.30.
  mutating func step(
    _ trend: Turned, _ gravity: Turned, up: UnitVector, rate: Vector3, stage: UInt32, _ time: UInt32
  ) -> Vector3 {
    let square = Int64(bitPattern: min(rate.squaredMagnitude &>> 32, 0xFF_FFFF))
    let time = widened(Int32(bitPattern: min(time, 500_000)))
    speed &+= Int32(truncatingIfNeeded: (square &- widened(speed)) &* time / 500_000)
    // 1 / (1 + (speed / (300 °/s)²)²), Q16.
    let ratio = widened(speed) &* 256 / 90_000
    let weight = (1 &<< 32) / max(1, 65_536 &+ ratio &* ratio)
    let weighted = time &* weight
    let gained = weighted &* (Int64(bitPattern: widened(stage)))
    // The angle that gravity appears to turn in the time constant of a stage: rad, Q24.
    let turn = trend.cross(gravity, places: 24)
    return Vector3(
      x: Self.change(&x, turn.x, up.x, weighted, gained, time),
      y: Self.change(&y, turn.y, up.y, weighted, gained, time),
      z: Self.change(&z, turn.z, up.z, weighted, gained, time))
  }

  /// -turn · weighted / known as °/s in Q16, at most 20 °/s per second, after `known` has grown.
  ///
  /// It does not grow while the axis is vertical, and never beyond 15 s², so that what was learned while gravity was
  /// still wrong is forgotten.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  private static func change(
    _ known: inout Int32, _ turn: Int32, _ up: Int32, _ weighted: Int64, _ gained: Int64, _ time: Int64
  ) -> Q16 {
    let level = (1 &<< 30) &- (widened(up) &* widened(up)) &>> 30
    known = min(known, 15 &<< 16) &+ Int32(truncatingIfNeeded: ((gained &>> 20) &* level) &>> 50)
    let wanted = 0 &- ((weighted &* widened(turn)) &>> 14) / max(1, 300 &* widened(known))
    let most = time &+ time &>> 2
    return Q16(raw: Int32(truncatingIfNeeded: max(0 &- most, min(most, wanted))))
  }
}
