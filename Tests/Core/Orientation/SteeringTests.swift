import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

struct SteeringTests {
  /// The published formula, in degrees, with its conventions.
  private static func model(_ vector: Vector3) -> Double {
    func clamped(_ value: Q16) -> Double { max(-1, min(1, -Double(value.raw) / 65_536)) }
    let room = .pi - 2 * abs(Glibc.asin(clamped(vector.z)))
    if abs(clamped(vector.z)) == 1 { return 0 }
    return max(-90, min(90, 180 * Glibc.asin(clamped(vector.y)) / room))
  }

  @Test
  static func `over the sphere, at 0.6 to 1.4 g, steering matches the published formula`() {
    var generator = SplitMix64(seed: 11)
    for _ in 0..<200_000 {
      let direction = Force().noisy(1, &generator)
      let length = (direction.x * direction.x + direction.y * direction.y + direction.z * direction.z).squareRoot()
      let factor = Double.random(in: 0.6...1.4, using: &generator) / max(length, 1e-9)
      let vector = Force(x: direction.x * factor, y: direction.y * factor, z: direction.z * factor).vector
      let exact = model(vector)
      let difference = Double(vector.steeringAngle.degrees.raw) / 65_536 - exact
      // Near flat both arguments leave little to divide by, so 1 LSB of Q16.16 weighs more.
      let isFlat = abs(vector.z.raw) >= 65_000
      if abs(difference) > (isFlat ? 1e-2 : 2e-5) { Issue.record("\(vector): \(difference)° off") }
      let ofSample = Double(Angles(of: vector, gravity: vector).steering.degrees.raw) / 65_536 - exact
      if abs(ofSample) > (isFlat ? 1e-2 : 5e-4) { Issue.record("\(vector): sample \(ofSample)° off") }
    }
  }

  @Test
  static func `at any tilt short of flat, a quarter turn reads 90° and level reads 0`() {
    for tilt in stride(from: -85.0, through: 85, by: 2.5) {
      let level = Force.held(at: 90, tilt: tilt).vector.steeringAngle
      expect(abs(Double(level.degrees.raw) / 65_536), isBelow: 0.02)
      for (angle, expected) in [(0.0, -90.0), (180, 90)] {
        let turned = Force.held(at: angle, tilt: tilt).vector.steeringAngle
        expect(abs(Double(turned.degrees.raw) / 65_536 - expected), isBelow: 0.05, "tilt \(tilt)°")
      }
    }
  }

  @Test
  static func `lying flat it is 0 by convention, and noise never takes it beyond ±90°`() {
    var generator = SplitMix64(seed: 12)
    expect(Force(z: 1).vector.steeringAngle, equals: .zero)
    expect(Force(z: -1.3).vector.steeringAngle, equals: .zero)
    for _ in 0..<100_000 {
      let vector = Force(z: Bool.random(using: &generator) ? 1 : -1).noisy(0.3, &generator).vector
      expect(abs(vector.steeringAngle.degrees.raw), isAtMost: 90 << 16)
    }
  }
}
