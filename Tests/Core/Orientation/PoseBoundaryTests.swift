import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

/// Forces exactly on the tracker's boundaries, to the last bit.
struct PoseBoundaryTests {
  /// A path across a boundary, raw: the pose and a force on this side, and the step from one force to the next.
  struct Crossing: CustomTestStringConvertible, Sendable {
    var settled: Pose
    var beyond: Pose
    /// The boundary, in degrees in the plane and leaning back.
    var angle: Double
    var tilt: Double
    var testDescription: String { "\(settled) to \(beyond)" }

    /// Forces of 1 g around the boundary, one LSB apart.
    var forces: [Vector3] {
      let middle = Force.held(at: angle, tilt: tilt).vector
      let isFlat = settled.isFace || beyond.isFace
      return (-40...40).map { (off: Int32) in
        let (x, z) = (middle.x.raw &+ (isFlat ? 0 : off), middle.z.raw &+ (isFlat ? off : 0))
        return Vector3(x: Q16(raw: x), y: middle.y, z: Q16(raw: z))
      }
    }
  }

  @Test static func `face down begins exactly where the mirrored face up does, to the last bit`() {
    func start(y: Int32, sign: Int32) -> Int32 {
      var (low, high) = (Int32(40_000), Int32(85_000))
      while high - low > 1 {
        let middle = (low + high) / 2
        var tracker = PoseTracker()
        _ = tracker.step(
          Vector3(x: .zero, y: Q16(raw: y), z: Q16(raw: middle * sign)), at: Instant(microseconds: 0))
        if tracker.state.pose?.isFace == true { high = middle } else { low = middle }
      }
      return high
    }
    for y in Int32(19_000)...19_200 {
      let up = start(y: y, sign: 1)
      expect(up, isAbove: 41_000, "\(y)")
      expect(up, isBelow: 84_000, "\(y)")
      expect(up, equals: start(y: y, sign: -1), "\(y)")
    }
  }

  @Test static func `each upright pose ends exactly where the mirrored opposite pose does, to the last bit`() {
    /// The least force along X, or along Y if `isUpright`, raw, at which a pose of that axis is kept for two seconds.
    func end(across: Int32, sign: Int32, isUpright: Bool) -> Int32 {
      func vector(_ along: Int32, _ across: Int32) -> Vector3 {
        let (along, across) = (Q16(raw: along * sign), Q16(raw: across))
        return isUpright ? Vector3(x: across, y: along, z: .zero) : Vector3(x: along, y: across, z: .zero)
      }
      var (low, high) = (Int32(20_000), Int32(60_000))
      while high - low > 1 {
        let middle = (low + high) / 2
        var tracker = PoseTracker()
        _ = tracker.step(vector(65_536, 0), at: Instant(microseconds: 0))
        let settled = tracker.state
        for sample in 1...200 as ClosedRange<Int64> {
          _ = tracker.step(vector(middle, across), at: Instant(microseconds: sample * 10_000))
        }
        if tracker.state == settled { high = middle } else { low = middle }
      }
      return high
    }
    for across in stride(from: Int32(45_000), to: 45_500, by: 41) {
      for isUpright in [false, true] {
        let least = end(across: across, sign: 1, isUpright: isUpright)
        expect(least, isAbove: 21_000, "\(least)")
        expect(least, isBelow: 59_000, "\(least)")
        expect(least, equals: end(across: across, sign: -1, isUpright: isUpright), "\(across)")
        expect(least, equals: end(across: -across, sign: 1, isUpright: isUpright), "\(across)")
      }
    }
  }

  static let crossings = [
    Crossing(settled: .portrait, beyond: .landscapeRight, angle: 60, tilt: 0),
    Crossing(settled: .portrait, beyond: .landscapeLeft, angle: -60, tilt: 20),
    Crossing(settled: .landscapeLeft, beyond: .portraitUpsideDown, angle: -150, tilt: -30),
    Crossing(settled: .portrait, beyond: .faceUp, angle: 10, tilt: 65),
    Crossing(settled: .landscapeRight, beyond: .faceDown, angle: 80, tilt: -65),
    Crossing(settled: .faceUp, beyond: .portrait, angle: 3, tilt: 50),
    Crossing(settled: .faceDown, beyond: .landscapeLeft, angle: -93, tilt: -50),
  ]

  @Test(arguments: crossings)
  static func `a held force leaves a pose at one boundary for the pose beyond, and a query agrees`(
    _ crossing: Crossing
  ) {
    var start = PoseTracker()
    _ = start.step(Force.at(rest: crossing.settled).vector, at: Instant(microseconds: 0))
    let ends = crossing.forces.map { force in
      var tracker = start
      for sample in 1...300 as ClosedRange<Int64> {
        _ = tracker.step(force, at: Instant(microseconds: sample * 10_000))
        // Never in between two poses.
        expect(tracker.state.pose, isNot: nil, "\(force)")
      }
      return tracker.state
    }
    // A single boundary, within these forces.
    let (kept, left) = (PoseState.known(crossing.settled), PoseState.known(crossing.beyond))
    expect(all: ends) { $0 == kept || $0 == left }
    expect(zip(ends, ends.dropFirst()).count { $0 != $1 }, equals: 1)
    expect(ends.count { $0 == kept }, isAtLeast: 5)
    expect(ends.count { $0 == left }, isAtLeast: 5)
    // A query of a force that has just entered a face judges the sample alone, which is not yet the face.
    guard !crossing.beyond.isFace else { return }
    for (force, end) in zip(crossing.forces, ends) {
      expect(start.state(seeing: force, at: Instant(microseconds: 10_000)), equals: end, "\(force)")
    }
  }

  /// Clearly beyond the boundary in the plane, but outside the entry of a face by less than the allowance, so no
  /// rival gains.
  private static let cornered = Force.held(at: 80, tilt: 64.9).vector

  /// How long after `start` of the corner a tracker at 50 Hz, settled upright, leaves its pose.
  private static func leaves(
    from start: Int64, _ force: (Int64) -> Vector3, _ configuration: PoseTracker.Configuration
  ) -> Int64? {
    var tracker = PoseTracker(configuration)
    for milliseconds in stride(from: 0 as Int64, through: 2_000, by: 20) {
      let change = tracker.step(force(milliseconds), at: Instant(microseconds: milliseconds * 1_000))
      if change != nil && milliseconds > 0 { return milliseconds - start }
    }
    return nil
  }

  @Test static func `a pose that was clearly left goes after four times the dwell, even if no rival gains`() throws {
    let upright = Force.at(rest: .portrait).vector
    let fall = Vector3.zero
    for dwell in [40, 60, 100] as [Int64] {
      let configuration = try PoseTracker.Configuration(dwell: .milliseconds(dwell))
      let at = leaves(from: 100, { $0 < 100 ? upright : Self.cornered }, configuration)
      expect(at, equals: 4 * dwell)
      // A sample without gravity, or one that confirms the pose, restarts the count.
      for between in [fall, upright] {
        let again = 100 + 3 * dwell + 20
        let at = leaves(
          from: again, { $0 < 100 ? upright : $0 == again - 20 ? between : Self.cornered }, configuration)
        expect(at, equals: 4 * dwell, "\(between)")
      }
    }
  }

  @Test static func `a clock that runs backwards restarts the dwell from the new time`() {
    var tracker = PoseTracker()
    func step(_ milliseconds: Int64, _ force: Vector3) -> PoseChange? {
      tracker.step(force, at: Instant(microseconds: milliseconds * 1_000))
    }
    _ = step(10_000, Force.at(rest: .portrait).vector)
    for time in stride(from: 10_020 as Int64, through: 10_140, by: 20) {
      expect(step(time, Self.cornered), equals: nil)
    }
    let changes = stride(from: 5_000 as Int64, through: 5_400, by: 20).filter { step($0, Self.cornered) != nil }
    expect(changes, equals: [5_160])
  }

  @Test static func `what one rival has gained does not count for another`() {
    let (right, left) = (Force.held(at: 70).vector, Force.held(at: -62).vector)
    // Almost enough to the right, 50 ms at 0.17 g; then 40 ms at 0.03 g to the left.
    var tracker = PoseTracker()
    var changes = 0
    for sample in 0..<20 as Range<Int64> {
      let force = sample < 6 ? Force.at(rest: .portrait).vector : sample < 11 ? right : left
      if tracker.step(force, at: Instant(microseconds: sample * 10_000)) != nil { changes += 1 }
    }
    expect(changes, equals: 1)
    expect(tracker.state, equals: .known(.portrait))
  }
}
