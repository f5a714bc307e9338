internal import Glibc

/// How to draw a board: the directions of its axes as seen (X to the right, Y up, Z towards the eye).
///
/// Gravity does not determine the heading of a board; a gyroscope shows how it changes. With gravity alone, the picture
/// turns the board from one sample to the next no more than gravity requires, and slowly turns its face towards the
/// eye, so that it moves like a board in a hand.
package struct BoardAttitude: Equatable, Sendable {
  private var x: Point3
  private var y: Point3
  private var z: Point3
  /// The offset added to the gyroscope's headings so that the first picture faces the eye, in rad; nil before that.
  private var turn: Double?

  private init(x: Point3, y: Point3, z: Point3) { (self.x, self.y, self.z) = (x, y, z) }

  /// Upright, facing the eye.
  package static let upright = BoardAttitude(x: Point3(1, 0, 0), y: Point3(0, 1, 0), z: Point3(0, 0, 1))

  /// The directions of the X, Y and Z axes, each as x, y and z.
  package var axes: [[Double]] { [x, y, z].map { [$0.x, $0.y, $0.z] } }

  /// A point on the board, as seen.
  func seen(_ point: Point3) -> Point3 { x * point.x + y * point.y + z * point.z }

  /// Turns the board so that `force` (in the board frame) points up, `seconds` after the previous call. A force of 0.1
  /// g or less changes nothing.
  package mutating func follow(_ force: Scene.Force, after seconds: Double) {
    let length = force.magnitude
    guard length > 0.1 else { return }
    raise(seen(Point3(force.x / length, force.y / length, force.z / length)))
    // The flatter the board lies, the less of its heading can be seen, and the less it is turned.
    let lead = (z.x * z.x + z.z * z.z).squareRoot()
    guard lead > 0.1 else { return straighten() }
    let wrong = atan2(z.x, z.z)
    turn(about: Point3(0, 1, 0), by: -wrong * min(1, max(0, seconds) * 3 * lead * lead))
    straighten()
  }

  /// Turns the board at once to the attitude of the fusion with a gyroscope. The first time, its face is turned to the
  /// eye; from then on the picture turns about the vertical as the board does.
  ///
  /// `up` is the direction of up in the board frame, of length 1. `heading` is the rotation about the vertical that
  /// remains after the board has been turned the shortest way until its face points up, in rad, counter-clockwise seen
  /// from above.
  package mutating func show(up: Scene.Force, heading: Double) {
    if turn == nil {
      follow(up, after: 10)
      let level = Self.level(up)
      // The axis closest to level gives the most accurate angle.
      let pairs = zip([x, y, z], level).map { (seen: $0, level: $1) }
      let pair = pairs.min { abs($0.seen.y) < abs($1.seen.y) } ?? pairs[0]
      turn = atan2(pair.seen.x, pair.seen.z) - atan2(pair.level.x, pair.level.z) - heading
    }
    let axes = Self.level(up).map { $0.turned(Point3(0, 1, 0), heading + (turn ?? 0)) }
    (x, y, z) = (axes[0], axes[1], axes[2])
    straighten()
  }

  /// The axes, as seen, of a board with heading 0.
  private static func level(_ up: Scene.Force) -> [Point3] {
    let up = Point3(up.x, up.y, up.z)
    let axis = up.cross(Point3(0, 0, 1))
    let sine = axis.length
    let direction = sine > 1e-9 ? axis * (1 / sine) : Point3(1, 0, 0)
    // In the room Z is up; in the picture Y is up, and Z points towards the eye.
    return [Point3(1, 0, 0), Point3(0, 1, 0), Point3(0, 0, 1)].map {
      let turned = $0.turned(direction, atan2(sine, up.z))
      return Point3(turned.x, turned.z, -turned.y)
    }
  }

  /// Turns the board by the smallest angle that brings `up`, as seen now, to the vertical.
  private mutating func raise(_ up: Point3) {
    let axis = up.cross(Point3(0, 1, 0))
    let sine = axis.length
    if sine > 1e-9 {
      turn(about: axis * (1 / sine), by: atan2(sine, up.y))
    } else if up.y < 0 {
      turn(about: Point3(0, 0, 1), by: .pi)
    }
  }

  private mutating func turn(about axis: Point3, by angle: Double) {
    (x, y, z) = (x.turned(axis, angle), y.turned(axis, angle), z.turned(axis, angle))
  }

  /// Keeps the axes orthonormal despite rounding errors.
  private mutating func straighten() {
    x = x * (1 / x.length)
    y = y - x * x.dot(y)
    y = y * (1 / y.length)
    z = x.cross(y)
  }
}

/// A vector in space.
struct Point3: Equatable, Sendable {
  var x: Double
  var y: Double
  var z: Double

  init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  static func + (a: Point3, b: Point3) -> Point3 { Point3(a.x + b.x, a.y + b.y, a.z + b.z) }
  static func - (a: Point3, b: Point3) -> Point3 { Point3(a.x - b.x, a.y - b.y, a.z - b.z) }
  static func * (a: Point3, factor: Double) -> Point3 { Point3(a.x * factor, a.y * factor, a.z * factor) }

  var length: Double { dot(self).squareRoot() }

  func dot(_ other: Point3) -> Double { x * other.x + y * other.y + z * other.z }

  func cross(_ other: Point3) -> Point3 {
    Point3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }

  /// The vector rotated by `angle` about `axis`, of length 1 (Rodrigues).
  func turned(_ axis: Point3, _ angle: Double) -> Point3 {
    let (sine, cosine) = (sin(angle), cos(angle))
    return self * cosine + axis.cross(self) * sine + axis * (axis.dot(self) * (1 - cosine))
  }
}
