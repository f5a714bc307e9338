import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

/// A tracker's state for a force that it is not stepped with, against a model of the regions in Double.
struct PoseQueryTests {
  /// The device angle at the centre of each upright pose, in degrees.
  private static let centres: [(pose: Pose, degrees: Double)] = [
    (.portrait, 0), (.landscapeRight, 90), (.portraitUpsideDown, 180), (.landscapeLeft, -90),
  ]

  private struct Seen {
    var length: Double
    var device: Double
    var inclination: Double

    init(_ force: Force) {
      length = (force.x * force.x + force.y * force.y + force.z * force.z).squareRoot()
      device = atan2(-force.x, force.y) * 180 / .pi
      inclination = acos(max(-1, min(1, force.z / length))) * 180 / .pi
    }

    /// The distance of the device angle from an upright pose.
    func offset(_ degrees: Double) -> Double { abs(remainder(device - degrees, 360)) }

    /// The nearest face, and its distance.
    var face: (pose: Pose, degrees: Double) {
      inclination <= 90 ? (.faceUp, inclination) : (.faceDown, 180 - inclination)
    }

    /// Whether it lies within `margin` degrees of any boundary.
    func isNearBoundary(_ margin: Double) -> Bool {
      let fromFaces = [21.875, 25, 40, 90].contains { abs(face.degrees - $0) < margin }
      let diagonals = PoseQueryTests.centres.contains { abs(offset($0.degrees) - 45) < margin }
      let kept = PoseQueryTests.centres.contains { abs(offset($0.degrees) - 60) < margin }
      return fromFaces || diagonals || kept
    }

    /// The pose by one sample alone.
    var alone: Pose {
      if face.degrees < 21.875 { return face.pose }
      return PoseQueryTests.centres.min { offset($0.degrees) < offset($1.degrees) }?.pose ?? .portrait
    }

    /// Whether it keeps a settled pose.
    func keeps(_ settled: Pose) -> Bool {
      guard let centre = PoseQueryTests.centres.first(where: { $0.pose == settled }) else {
        return face.pose == settled && face.degrees <= 40
      }
      return offset(centre.degrees) <= 60 && face.degrees >= 25
    }
  }

  /// A force of any direction and of a length within the gate.
  private static func anyForce(_ generator: inout SplitMix64) -> Force {
    let raw = Force(x: generator.normal(), y: generator.normal(), z: generator.normal())
    let size = Seen(raw).length
    let length = Double.random(in: 0.61...1.39, using: &generator) / max(size, 1e-6)
    return Force(x: raw.x * length, y: raw.y * length, z: raw.z * length)
  }

  private static func settled(in pose: Pose) -> PoseTracker {
    var tracker = PoseTracker()
    _ = tracker.step(Force.at(rest: pose).vector, at: Instant(microseconds: 0))
    return tracker
  }

  @Test static func `a query keeps a settled pose in its region, and elsewhere decides like a first sample`() {
    var generator = SplitMix64(seed: 11)
    let now = Instant(microseconds: 20_000)
    var (kept, left) = (0, 0)
    for pose in Pose.all {
      let tracker = settled(in: pose)
      for _ in 0..<20_000 {
        let force = anyForce(&generator)
        let seen = Seen(force)
        // An undecided face's least force in the plane is accurate to a thousandth of a degree and the last bit.
        if seen.isNearBoundary(0.02) { continue }
        let keeps = seen.keeps(pose)
        expect(
          tracker.state(seeing: force.vector, at: now), equals: .known(keeps ? pose : seen.alone), "\(pose), \(seen)")
        if keeps { kept += 1 } else { left += 1 }
      }
      expect(tracker, equals: settled(in: pose))
    }
    expect(kept, isAbove: 15_000, "\(kept), \(left)")
    expect(left, isAbove: 60_000, "\(kept), \(left)")
  }

  @Test static func `without a settled pose one sample decides, for any reason`() {
    var generator = SplitMix64(seed: 12)
    var failed = settled(in: .portrait)
    _ = failed.fail()
    var stale = settled(in: .landscapeLeft)
    _ = stale.expire(at: Instant(microseconds: 5_000_000))
    for tracker in [PoseTracker(), failed, stale] {
      expect(tracker.state.pose, equals: nil)
      for _ in 0..<20_000 {
        let force = anyForce(&generator)
        let seen = Seen(force)
        if seen.isNearBoundary(0.02) { continue }
        expect(tracker.state(seeing: force.vector, at: Instant(microseconds: 6_000_000)), equals: .known(seen.alone))
      }
    }
  }

  @Test static func `a pose whose last sample is too old does not count, even before it expires`() {
    let tracker = settled(in: .portrait)
    // 50° from portrait: inside its dead band, but nearer to landscape right.
    let force = Force.held(at: 50).vector
    expect(tracker.state(seeing: force, at: Instant(microseconds: 1_000_000)), equals: .known(.portrait))
    expect(tracker.state(seeing: force, at: Instant(microseconds: 1_000_001)), equals: .known(.landscapeRight))
    expect(tracker.state, equals: .known(.portrait))
  }

  @Test static func `outside the gate the state is unknown, with its reason, for any settled pose`() {
    for tracker in [PoseTracker()] + Pose.all.map({ settled(in: $0) }) {
      for (length, reason) in [
        (0.0, UnknownReason.freeFall), (0.3, .freeFall), (0.599, .freeFall), (1.401, .accelerating), (2, .accelerating),
        (15.9, .accelerating),
      ] {
        let force = Force(y: 0.6 * length, z: -0.8 * length).vector
        expect(tracker.state(seeing: force, at: Instant(microseconds: 1)), equals: .unknown(reason))
      }
    }
    let greatest = Q16(raw: Int32.min)
    let extreme = Vector3(x: greatest, y: greatest, z: greatest)
    expect(PoseTracker().state(seeing: extreme, at: Instant(microseconds: 1)), equals: .unknown(.accelerating))
  }

  @Test static func `another configuration has its own gate and angles`() throws {
    let narrow = PoseTracker(
      try PoseTracker.Configuration(
        minimumMagnitude: Q16(9, over: 10), maximumMagnitude: Q16(11, over: 10), leaveAngle: BinaryAngle(degrees: 50)))
    var tracker = narrow
    _ = tracker.step(Force.at(rest: .portrait).vector, at: Instant(microseconds: 0))
    let now = Instant(microseconds: 1)
    expect(tracker.state(seeing: Force.held(at: 49).vector, at: now), equals: .known(.portrait))
    expect(tracker.state(seeing: Force.held(at: 51).vector, at: now), equals: .known(.landscapeRight))
    expect(tracker.state(seeing: Force(y: 0.8).vector, at: now), equals: .unknown(.freeFall))
    expect(tracker.state(seeing: Force(y: 1.2).vector, at: now), equals: .unknown(.accelerating))
  }

  @Test static func `a query keeps a pose in the corner of a face as the tracker would`() {
    // Portrait, left for landscape right 27° from face up; from then on a face begins only at 21.9°.
    var tracker = PoseTracker()
    var time: Int64 = 0
    func step(_ tracker: inout PoseTracker, _ force: Force) {
      _ = tracker.step(force.vector, at: Instant(microseconds: time))
      time += 20_000
    }
    step(&tracker, .held(at: 0, tilt: 63))
    for _ in 0..<20 { step(&tracker, .held(at: 80, tilt: 63)) }
    expect(tracker.state, equals: .known(.landscapeRight))
    let now = Instant(microseconds: time)
    // 23.5° from face up: kept. One sample alone would give an upright pose too, the nearer of the two.
    expect(tracker.state(seeing: Force.held(at: 40, tilt: 66.5).vector, at: now), equals: .known(.landscapeRight))
    expect(tracker.state(seeing: Force.held(at: 40, tilt: 69).vector, at: now), equals: .known(.faceUp))
    let elsewhere = settled(in: .landscapeRight)
    expect(elsewhere.state(seeing: Force.held(at: 40, tilt: 66.5).vector, at: now), equals: .known(.portrait))
  }
}
