import Glibc

/// Attitudes as the tests compute them, independent of any module under test. In an optimised module, because SIMD
/// vectors are fifty times slower without.
package struct Quaternion {
  package var w: Double
  package var v: SIMD3<Double>

  package static func * (a: Quaternion, b: Quaternion) -> Quaternion {
    Quaternion(w: a.w * b.w - dot(a.v, b.v), v: a.w * b.v + b.w * a.v + cross(a.v, b.v))
  }

  /// A rotation by `vector` radians about its own direction.
  package init(turning vector: SIMD3<Double>) {
    let angle = length(vector)
    let share = angle < 1e-12 ? 0.5 : sin(angle / 2) / angle
    (w, v) = (cos(angle / 2), share * vector)
  }

  /// A rotation by `factor` times `vector` radians.
  package init(turning vector: SIMD3<Double>, times factor: Double) { self.init(turning: vector * factor) }

  package init(w: Double, v: SIMD3<Double>) { (self.w, self.v) = (w, v) }

  /// A vector of the world in the board's frame.
  package func seen(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    (Quaternion(w: w, v: -v) * Quaternion(w: 0, v: vector) * self).v
  }
}

package func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double { a.x * b.x + a.y * b.y + a.z * b.z }

package func length(_ a: SIMD3<Double>) -> Double { dot(a, a).squareRoot() }

package func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
  SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// `a` and `factor` times `b`.
package func sum(_ a: SIMD3<Double>, _ b: SIMD3<Double>, times factor: Double) -> SIMD3<Double> { a + b * factor }

/// A vector that stays where it is, as seen after a turn by `turn` radians about its own direction (Rodrigues).
package func seen(_ vector: SIMD3<Double>, afterTurn turn: SIMD3<Double>) -> SIMD3<Double> {
  let angle = length(turn)
  guard angle > 0 else { return vector }
  let axis = turn / angle
  let share = dot(axis, vector) * (1 - cos(angle))
  return cos(angle) * vector + sin(angle) * cross(vector, axis) + share * axis
}

/// The angle between two directions in degrees, exact for small ones too.
package func angle(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
  atan2(length(cross(a, b)), dot(a, b)) * 180 / Double.pi
}
