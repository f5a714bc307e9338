package import FixedPoint
import Glibc
package import Orientation
import TestSupport

/// Specific force in Double, for the tests alone.
package struct Force {
  package var x = 0.0
  package var y = 0.0
  package var z = 0.0

  package init(x: Double = 0, y: Double = 0, z: Double = 0) { (self.x, self.y, self.z) = (x, y, z) }

  /// A board at rest, turned by `angle` in its own plane and leaning back by `tilt`, both in degrees.
  package static func held(at angle: Double, tilt: Double = 0) -> Force {
    let (a, t) = (angle * .pi / 180, tilt * .pi / 180)
    return Force(x: -sin(a) * cos(t), y: cos(a) * cos(t), z: sin(t))
  }

  package static func at(rest pose: Pose) -> Force {
    switch pose {
    case .portrait: Force(y: 1)
    case .portraitUpsideDown: Force(y: -1)
    case .landscapeLeft: Force(x: 1)
    case .landscapeRight: Force(x: -1)
    case .faceUp: Force(z: 1)
    case .faceDown: Force(z: -1)
    }
  }

  package func noisy(_ deviation: Double, _ generator: inout SplitMix64) -> Force {
    Force(
      x: x + deviation * generator.normal(), y: y + deviation * generator.normal(),
      z: z + deviation * generator.normal())
  }

  package var vector: Vector3 {
    func q16(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }
    return Vector3(x: q16(x), y: q16(y), z: q16(z))
  }
}

extension Pose {
  package static let all: [Pose] = [
    .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown,
  ]
}

/// A tracker at 50 Hz and its reports, with times in seconds.
package struct TrackedBoard {
  package var tracker = PoseTracker()
  package var period = 0.02
  package var time = 0.0
  package var changes: [(time: Double, change: PoseChange)] = []

  package init(tracker: PoseTracker = PoseTracker(), period: Double = 0.02) {
    (self.tracker, self.period) = (tracker, period)
  }

  /// Plays `force` as a function of the time since this call, for `duration` seconds.
  package mutating func play(for duration: Double, _ force: (Double) -> Force) {
    let start = time
    for index in 0..<Int((duration / period).rounded()) {
      time = start + Double(index) * period
      let now = Instant(microseconds: Int64((time * 1e6).rounded()))
      if let change = tracker.step(force(time - start).vector, at: now) {
        changes.append((time, change))
      }
    }
    time = start + duration
  }

  /// Holds `force` for `duration` seconds, with noise.
  package mutating func hold(
    _ force: Force, for duration: Double, noise: Double = 0, _ generator: inout SplitMix64
  ) {
    var own = generator
    play(for: duration) { _ in force.noisy(noise, &own) }
    generator = own
  }

  package var pose: Pose? { tracker.state.pose }
}
