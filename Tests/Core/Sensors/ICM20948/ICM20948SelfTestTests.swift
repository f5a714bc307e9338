import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The self-test of a specimen without noise, which answers each axis by as much as its factory codes say.
struct ICM20948SelfTestTests {
  @Test static func `each axis answers as its codes say, whatever force is on it`() throws {
    let rig = ICM20948Rig(ICM20948Rig.force, ICM20948.Configuration(gyroscope: .dps250))
    try rig.start()
    var clock = rig.clock
    let result = try require(rig.driver.selfTest(clock: &clock))
    let rotation = try require(result.rotation)
    // 2620 · 1.01^(code - 1): of the force at ±2 g, while the result is at ±8 g; of the rotation at ±250 °/s.
    let expected =
      [
        (result.x, 7_017), (result.y, 7_751), (result.z, 6_352),
      ].map { ($0.0, $0.1 / 4) } + [(rotation.x, 8_561), (rotation.y, 9_457), (rotation.z, 7_750)]
    for (number, (axis, response)) in expected.enumerated() {
      expect(abs(Int(axis.response) - response), isAtMost: 2, "axis \(number): \(axis)")
      expect(abs(Int(axis.trim) - response), isAtMost: 2, "axis \(number): \(axis)")
      expect(axis.isWithinLimits, equals: true)
    }
  }

  @Test(arguments: 0..<3)
  static func `an axis of the gyroscope that does not answer is found, and the others pass`(_ dead: Int) throws {
    let rig = ICM20948Rig(ICM20948Rig.force, ICM20948.Configuration(gyroscope: .dps250)) {
      var test = $0.rotationSelfTest
      test =
        [
          Vector3(x: .zero, y: test.y, z: test.z), Vector3(x: test.x, y: .zero, z: test.z),
          Vector3(x: test.x, y: test.y, z: .zero),
        ][dead]
      $0.rotationSelfTest = test
    }
    try rig.start()
    var clock = rig.clock
    let result = try require(rig.driver.selfTest(clock: &clock))
    let rotation = try require(result.rotation)
    for (number, axis) in [rotation.x, rotation.y, rotation.z].enumerated() {
      expect(axis.isWithinLimits, equals: number != dead, "axis \(number): \(axis)")
    }
  }
}
