import FixedPoint

/// The direction and size of a motion in 2^-9 g, limited to ±32 g on each axis, so that products of two fit in 32 bits.
struct Swing: Equatable, Sendable {
  private var x: Int32
  private var y: Int32
  private var z: Int32

  /// What a motion is beside a swing, seen along that swing's direction.
  enum Side {
    case along, aside, against
  }

  /// No direction.
  init() { (x, y, z) = (0, 0, 0) }

  /// `motion` rounded to nearest.
  init(_ motion: Vector3) {
    x = Self.coarse(motion.x)
    y = Self.coarse(motion.y)
    z = Self.coarse(motion.z)
  }

  /// The size squared, in 2^-18 g²; below 2^30.
  var square: Int32 { dot(self) }

  /// On which side `motion` lies: its part along this direction counts where the square of that part is `limit` or
  /// more.
  ///
  /// `limit` is in 2^-18 g², at most 2^24. With d the product of both and s the size of this, the part is d / s: no
  /// root and no division is needed for d² ≥ limit · s².
  func side(of motion: Swing, _ limit: Int64) -> Side {
    let product = widened(dot(motion))
    guard product &* product >= limit &* widened(square) else { return .aside }
    return product < 0 ? .against : .along
  }

  /// Below 3 · 2^28 in size.
  private func dot(_ other: Swing) -> Int32 { x &* other.x &+ y &* other.y &+ z &* other.z }

  private static func coarse(_ value: Q16) -> Int32 {
    let limit: Int32 = 16_383 &<< 7
    return (min(max(value.raw, 0 &- limit), limit) &+ 64) &>> 7
  }
}
