import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

/// A board whose sensor has unknown mounting and errors, from calibration to angles.
struct SeatedCalibrationTests {
  @Test static func `24 mountings, calibrated and found, give the right pose and angles in each of six poses`() throws {
    var generator = SplitMix64(seed: 81)
    var worst = 0.0
    for sensor in SeatedSensor.all {
      for _ in 0..<3 {
        var session = CalibrationSession(generator: SplitMix64(seed: generator.next()))
        session.sensor = .random(&session.generator)
        session.holdAllExactly()
        let calibration = try session.calibration.result().calibration
        let mounting = try mounting(of: sensor, in: &session)
        expect(that: sensor.isDescribed(by: mounting))
        let alignment = Alignment(calibration, mounting)
        for pose in Pose.all {
          for turned in [Force.at(rest: pose)] + near(pose) {
            let read = alignment.applied(to: session.sensor.ideal(sensor.sensed(turned)).vector)
            var tracker = PoseTracker()
            _ = tracker.step(read, at: Instant(microseconds: 0))
            expect(tracker.state.pose, equals: pose, "\(sensor.rows), \(pose)")
            worst = max(worst, degrees(from: turned, to: read.doubles))
            compare(Angles(of: read, gravity: read), with: turned)
          }
        }
      }
    }
    expect(worst, isBelow: 0.2, "\(worst)°")
  }

  @Test static func `without calibration the same sensors err by more than 2° in some pose`() {
    // The error that the test above would find if the calibration did nothing.
    var generator = SplitMix64(seed: 82)
    let worst = (0..<72).map { _ in
      let session = CalibrationSession(sensor: .random(&generator))
      return session.worstTilt(.none, MountingTests.axes.map(Force.up))
    }
    expect(that: worst.allSatisfy { $0 > 1 })
    expect(worst.max() ?? 0, isAbove: 5)
  }

  /// Found from two poses, read with noise and without calibration.
  private static func mounting(of sensor: SeatedSensor, in session: inout CalibrationSession) throws -> Mounting {
    let (upright, faceUp) = (sensor.sensed(Force(y: 1)), sensor.sensed(Force(z: 1)))
    return try MountingFinder.mounting(
      upright: session.sensor.reading(upright, &session.generator),
      faceUp: session.sensor.reading(faceUp, &session.generator))
  }

  /// The pose slanted by 15° in eight directions.
  private static func near(_ pose: Pose) -> [Force] {
    (0..<8).map { Force.at(rest: pose).slanted(15, towards: Double($0) * 45) }
  }

  /// Compares angles whose direction is at least half a g long: there 0.2° of tilt changes them by at most 0.4°.
  private static func compare(_ angles: Angles, with force: Force) {
    func check(_ angle: BinaryAngle, _ expected: Double, _ length: Double, _ comment: Comment) {
      guard length > 0.5 else { return }
      let parts = expected / 360 * 4_294_967_296
      let difference = Double(angle.raw &- Int32(truncatingIfNeeded: Int64(parts.rounded())))
      expect(abs(difference) / 4_294_967_296 * 360, isBelow: 0.2 / length, "\(comment) of \(force)")
    }
    let (x, y, z) = (force.x, force.y, force.z)
    func length(_ a: Double, _ b: Double) -> Double { (a * a + b * b).squareRoot() }
    func degrees(_ y: Double, _ x: Double) -> Double { atan2(y, x) * 180 / .pi }
    check(angles.device, degrees(-x, y), length(x, y), "device")
    check(angles.roll, degrees(-x, z), length(x, z), "roll")
    check(angles.pitch, degrees(y, length(x, z)), 1, "pitch")
    check(angles.inclination, degrees(length(x, y), z), 1, "inclination")
  }
}
