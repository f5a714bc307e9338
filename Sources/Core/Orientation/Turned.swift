internal import FixedPoint

/// A vector that stands still in the room, expressed in the frame of a board that turns. The caller chooses the unit.
struct Turned: Equatable, Sendable {
  var x: Int32
  var y: Int32
  var z: Int32

  init(x: Int32, y: Int32, z: Int32) { (self.x, self.y, self.z) = (x, y, z) }

  /// A force of at most ±16 g in Q8.24 g.
  @inline(__always)
  init(_ force: Vector3) { self.init(x: force.x.raw &<< 8, y: force.y.raw &<< 8, z: force.z.raw &<< 8) }

  static var zero: Turned { Turned(x: 0, y: 0, z: 0) }

  /// Applies a turn of the board.
  @inline(__always)
  mutating func turn(by turn: borrowing BoardTurn) {
    let (x, y, z) = turned(by: turn)
    self = Turned(
      x: Int32(truncatingIfNeeded: x), y: Int32(truncatingIfNeeded: y), z: Int32(truncatingIfNeeded: z))
  }

  /// The same vector after the board has turned, in the target's native word size.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  func turned(by turn: borrowing BoardTurn) -> (x: Int, y: Int, z: Int) {
    (
      Int(truncatingIfNeeded: scalar(turn.xx, turn.xy, turn.xz) &>> 30),
      Int(truncatingIfNeeded: scalar(turn.yx, turn.yy, turn.yz) &>> 30),
      Int(truncatingIfNeeded: scalar(turn.zx, turn.zy, turn.zz) &>> 30)
    )
  }

  /// The scalar product with another vector.
  #if SCARCE_FLASH
    @inline(never)
  #else
    @inline(__always)
  #endif
  func scalar(_ x: Int, _ y: Int, _ z: Int) -> Int64 {
    product(x, Int(self.x)) &+ product(y, Int(self.y)) &+ product(z, Int(self.z))
  }

  /// The vector product, in 2^-`places` of the product of the two units.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  func cross(_ other: Turned, places: Int64) -> Turned {
    Turned(
      x: minor(y, z, other.y, other.z, places), y: minor(z, x, other.z, other.x, places),
      z: minor(x, y, other.x, other.y, places))
  }

  @inline(never)
  private func minor(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32, _ places: Int64) -> Int32 {
    Int32(truncatingIfNeeded: (widened(a) &* widened(d) &- widened(b) &* widened(c)) &>> places)
  }
}

/// The effect of a turn of the board on vectors that stand still in the room: the matrix of the opposite turn, Q2.30.
///
/// From the rotation vector θ, Q2.30 rad, at most 0.44 long: 1 - (1 - θ²/6) [θ] + [θ]² / 2. It turns too far by θ⁴/30
/// of the angle: at most 1.3e-3, and 5.4e-5 at 0.2 rad (1150 °/s at 100 Hz); lengths shrink by θ⁴/24. Below 2^-5 rad
/// (179 °/s at 100 Hz) θ²/6, then at most 1.7e-4, is omitted: a hundredth of the scale error of a gyroscope.
struct BoardTurn {
  let xx, xy, xz, yx, yy, yz, zx, zy, zz: Int

  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  init(_ x: Int, _ y: Int, _ z: Int) {
    let (squareX, squareY, squareZ) = (half(x, x), half(y, y), half(z, z))
    let (crossXY, crossXZ, crossYZ) = (half(x, y), half(x, z), half(y, z))
    let one = 1 &<< 30
    let square = squareX &+ squareY &+ squareZ
    var (dx, dy, dz) = (x, y, z)
    if square >= 1 &<< 19 {
      let scale = one &- times(square, 357_913_941)
      (dx, dy, dz) = (times(scale, x), times(scale, y), times(scale, z))
    }
    (xx, xy, xz) = (one &- squareY &- squareZ, crossXY &+ dz, crossXZ &- dy)
    (yx, yy, yz) = (crossXY &- dz, one &- squareX &- squareZ, crossYZ &+ dx)
    (zx, zy, zz) = (crossXZ &+ dy, crossYZ &- dx, one &- squareX &- squareY)
  }
}

/// The product of two numbers in Q2.30.
#if _pointerBitWidth(_64)
  @inline(__always)
#else
  @inline(never)
#endif
private func times(_ a: Int, _ b: Int) -> Int { Int(truncatingIfNeeded: product(a, b) &>> 30) }

/// Half the product of two numbers in Q2.30.
#if _pointerBitWidth(_64)
  @inline(__always)
#else
  @inline(never)
#endif
private func half(_ a: Int, _ b: Int) -> Int { Int(truncatingIfNeeded: product(a, b) &>> 31) }

/// The share `gain`, Q1.31, of a 32-bit number.
@inline(__always)
func share(_ gain: Int, of value: Int) -> Int { Int(truncatingIfNeeded: product(value, gain) &>> 31) }
