public import FixedPoint

/// Why a configuration is invalid.
public enum TiltScrollError: Error, Equatable, Sendable {
  /// The viscosity must be 0…1 000 000 millionths.
  case viscosity
  /// The initial acceleration must be 1…1 000 000 millionths.
  case acceleration
  /// The interval must be 1 ms…1 s.
  case interval
  /// The longest gap between samples must be 1 µs…1 h.
  case longestGap
  /// The force of a rest pose must be 0.5…1.5 g: the board must be held still.
  case restMagnitude
  /// A rest pose within about 15° of the opposite of the published one (upside down, 30° face down) has no unambiguous
  /// turn.
  case restOpposite
}

extension TiltScroll {
  /// The pose in which nothing scrolls.
  ///
  /// The published rest is p = (0, √3/2, 1/2): upright, leaning back 30°. Any other rest r is rotated to it, and the
  /// recipe is applied to the force after the same rotation: with R the shortest rotation that takes r / |r| to p,
  ///
  ///     x = (R f).x - (R r).x        y = 2 (R r).z - 2 (R f).z
  ///
  /// For r = p, this is the published `x = -ax, y = (az + 0.5) * 2` to the last bit, and in every rest the same tilt
  /// from rest scrolls equally fast. For a rest that only leans back or forth (r.x = 0), the rotation is about X, and x
  /// is f.x itself. At f = r both are exactly 0, whatever the length of r.
  public struct Rest: Equatable, Sendable {
    /// The rows of R for x and for z, Q2.30.
    let rowX: Row
    let rowZ: Row
    /// (R r).x and 2 (R r).z in 2^-16.
    let restX: Int64
    let restZ: Int64

    /// The published rest.
    public static var published: Rest {
      Rest(rowX: Row(x: unit, y: 0, z: 0), rowZ: Row(x: 0, y: 0, z: unit), restX: 0, restZ: 65_536)
    }

    /// The rest pose with specific force `force`, g: preferably gravity from a low-pass, not a raw sample.
    ///
    /// Throws `restMagnitude` or `restOpposite`. The rows are accurate to 1e-8 of the direction of `force`.
    public init(_ force: Vector3) throws(TiltScrollError) {
      let size = force.squaredMagnitude
      // 0.25…2.25 g² in 2^-32.
      guard size >= 0x4000_0000 && size <= 0x2_4000_0000 else { throw .restMagnitude }
      let row = Row(direction: force)
      let sum = Row(x: row.x, y: row.y &+ Self.publishedY, z: row.z &+ Self.publishedZ)
      // 1 + r·p, Q30: 0.034 means 165° between them.
      let divisor = widened(Self.unit) &+ (row.wideY(Self.publishedY) &+ row.wideZ(Self.publishedZ)) &>> 30
      guard divisor >= 36_586_000 else { throw .restOpposite }
      // R v = v - (s·v) s / (1 + r·p) + 2 (r·v) p, with s = r + p.
      let partX = ratio(row.x, UInt64(bitPattern: divisor))
      let partZ = ratio(sum.z, UInt64(bitPattern: divisor))
      let x = Row(
        x: Self.unit &- sum.scaled(partX).x, y: 0 &- sum.scaled(partX).y, z: 0 &- sum.scaled(partX).z)
      let z = Row(
        x: row.x &- sum.scaled(partZ).x, y: row.y &- sum.scaled(partZ).y,
        z: Self.unit &+ row.z &- sum.scaled(partZ).z)
      self.init(rowX: x, rowZ: z, restX: x.single(force), restZ: z.double(force))
    }

    private init(rowX: Row, rowZ: Row, restX: Int64, restZ: Int64) {
      self.rowX = rowX
      self.rowZ = rowZ
      self.restX = restX
      self.restZ = restZ
    }

    /// The distance of `force` from rest on both axes, Q16.16, saturating.
    ///
    /// Error at most 1 LSB (x) and 2 LSB (y) of the formula with these rows; none at the published rest.
    package func inputs(_ force: Vector3) -> (x: Int32, y: Int32) {
      (
        saturated(rowX.single(force) &- restX),
        saturated(restZ &- rowZ.double(force))
      )
    }

    /// 1 in Q2.30, and the published rest.
    private static var unit: Int32 { 0x4000_0000 }
    private static var publishedY: Int32 { 929_887_697 }
    private static var publishedZ: Int32 { 0x2000_0000 }
  }

  /// Three numbers in Q2.30.
  struct Row: Equatable, Sendable {
    var x: Int32
    var y: Int32
    var z: Int32

    init(x: Int32, y: Int32, z: Int32) { (self.x, self.y, self.z) = (x, y, z) }

    /// The direction of `force`, which is 0.5…1.5 g long; 12 more bits make its length accurate to 2^-27.
    init(direction force: Vector3) {
      let fine = Vector3(
        x: Q16(raw: force.x.raw &<< 12), y: Q16(raw: force.y.raw &<< 12), z: Q16(raw: force.z.raw &<< 12))
      let length = widened(fine.magnitude)
      x = Int32(truncatingIfNeeded: ratio(fine.x.raw, length))
      y = Int32(truncatingIfNeeded: ratio(fine.y.raw, length))
      z = Int32(truncatingIfNeeded: ratio(fine.z.raw, length))
    }

    func wideX(_ factor: Int32) -> Int64 { widened(x) &* widened(factor) }
    func wideY(_ factor: Int32) -> Int64 { widened(y) &* widened(factor) }
    func wideZ(_ factor: Int32) -> Int64 { widened(z) &* widened(factor) }

    /// Each number times `factor` in Q30, if the result stays below 2.
    func scaled(_ factor: Int64) -> Row {
      Row(
        x: Int32(truncatingIfNeeded: (widened(x) &* factor) &>> 30),
        y: Int32(truncatingIfNeeded: (widened(y) &* factor) &>> 30),
        z: Int32(truncatingIfNeeded: (widened(z) &* factor) &>> 30))
    }

    /// The product with a force in 2^-46; no overflow for a row of length 1.
    private func product(_ force: Vector3) -> Int64 { wideX(force.x.raw) &+ wideY(force.y.raw) &+ wideZ(force.z.raw) }

    /// The product with a force, and twice that, in 2^-16, rounded to nearest.
    func single(_ force: Vector3) -> Int64 { (product(force) &+ 0x2000_0000) &>> 30 }
    func double(_ force: Vector3) -> Int64 { (product(force) &+ 0x1000_0000) &>> 29 }
  }
}

/// `value` / `divisor` in Q30, toward 0.
private func ratio(_ value: Int32, _ divisor: UInt64) -> Int64 {
  // No divisor here is 0; the select avoids a trap for division by 0, and the unsigned division one for overflow.
  let size = Int64(bitPattern: (widened(value.magnitude) &<< 30) / (divisor == 0 ? 1 : divisor))
  return value < 0 ? 0 &- size : size
}
