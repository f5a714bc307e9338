import FixedPoint
import Foundation
import Orientation

/// Arithmetic of directions and rotations in Double, for the tests alone.
extension SIMD3<Double> {
  var length: Double { (self * self).sum().squareRoot() }

  func dot(_ other: SIMD3) -> Double { (self * other).sum() }

  func cross(_ other: SIMD3) -> SIMD3 {
    SIMD3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }

  /// The angle between two directions, in degrees.
  func angle(to other: SIMD3) -> Double { atan2(cross(other).length, dot(other)) * 180 / .pi }

  /// Rotated about the direction `axis` by `degrees`, counter-clockwise as seen from its end.
  func turned(about axis: SIMD3, by degrees: Double) -> SIMD3 {
    let angle = degrees * .pi / 180
    return self * cos(angle) + axis.cross(self) * sin(angle) + axis * (axis.dot(self) * (1 - cos(angle)))
  }
}

extension UnitVector {
  var double: SIMD3<Double> { SIMD3(Double(x), Double(y), Double(z)) / 1_073_741_824 }
}

extension Vector3 {
  var double: SIMD3<Double> { SIMD3(Double(x.raw), Double(y.raw), Double(z.raw)) / 65_536 }
}

extension BinaryAngle {
  var degrees: Double { Double(raw) / 4_294_967_296 * 360 }
}

/// The difference of two angles, -180 to 180°.
func difference(_ a: Double, _ b: Double) -> Double { (a - b).remainder(dividingBy: 360) }
