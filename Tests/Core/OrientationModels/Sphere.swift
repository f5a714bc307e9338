package import FixedPoint
import Glibc
package import Orientation
import TestSupport

/// White noise, faster than `Force.noisy`: Marsaglia's polar method, which yields two numbers at once.
package struct Noise {
  package var generator: SplitMix64
  private var spare: Double?

  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  package mutating func number(_ range: ClosedRange<Double>) -> Double {
    let part = Double(generator.next() >> 11) / 9_007_199_254_740_992
    return range.lowerBound + (range.upperBound - range.lowerBound) * part
  }

  package mutating func normal() -> Double {
    if let spare {
      self.spare = nil
      return spare
    }
    while true {
      let (u, v) = (number(-1...1), number(-1...1))
      let square = u * u + v * v
      guard square > 0 && square < 1 else { continue }
      let factor = (-2 * log(square) / square).squareRoot()
      spare = v * factor
      return u * factor
    }
  }

  package mutating func added(to force: Force, _ deviation: Double) -> Force {
    guard deviation > 0 else { return force }
    return Force(
      x: force.x + deviation * normal(), y: force.y + deviation * normal(), z: force.z + deviation * normal())
  }
}

extension Force {
  /// On the great circle from `a` through the perpendicular `b`, at `angle` degrees from `a`.
  package static func onCircle(from a: Force, through b: Force, at angle: Double) -> Force {
    let (c, s) = (cos(angle * .pi / 180), sin(angle * .pi / 180))
    return Force(x: c * a.x + s * b.x, y: c * a.y + s * b.y, z: c * a.z + s * b.z)
  }

  /// Directions over the whole sphere, `step` degrees apart along meridians and about as much along parallels.
  package static func sphere(step: Double) -> [Force] {
    stride(from: -90.0, through: 90, by: step).flatMap { tilt in
      let count = max(1, (360 * cos(tilt * .pi / 180) / step).rounded())
      return stride(from: 0.0, to: count, by: 1).map { Force.held(at: $0 * 360 / count - 180, tilt: tilt) }
    }
  }

  /// The board's turn in its plane, and the angle of its face from straight up, in degrees.
  package var device: Double { atan2(-x, y) * 180 / .pi }
  package var inclination: Double { atan2(hypot(x, y), z) * 180 / .pi }

  /// Degrees inside the boundary of a settled pose, negative outside: 60° in the plane, 40° for a face.
  package func inside(_ pose: Pose) -> Double {
    switch pose {
    case .portrait: 60 - abs(device)
    case .portraitUpsideDown: 60 - abs(remainder(device - 180, 360))
    case .landscapeLeft: 60 - abs(remainder(device + 90, 360))
    case .landscapeRight: 60 - abs(remainder(device - 90, 360))
    case .faceUp: 40 - inclination
    case .faceDown: 40 - (180 - inclination)
    }
  }

  /// Degrees inside the 25° cone in which `face` is entered.
  package func entry(_ face: Pose) -> Double { 25 - (face == .faceUp ? inclination : 180 - inclination) }
}

extension Pose {
  package static let faces: [Pose] = [.faceUp, .faceDown]

  package var opposite: Pose {
    switch self {
    case .portrait: .portraitUpsideDown
    case .portraitUpsideDown: .portrait
    case .landscapeLeft: .landscapeRight
    case .landscapeRight: .landscapeLeft
    case .faceUp: .faceDown
    case .faceDown: .faceUp
    }
  }
}

/// A tracker settled in a pose, at a constant rate.
package struct SettledBoard {
  package var tracker: PoseTracker
  private var micros: Int64
  private let period: Int64
  package private(set) var changes: [(time: Double, to: PoseState)] = []

  /// Settled by one second at `force`, or without a pose.
  package init(at force: Force?, rate: Double = 50, _ tracker: PoseTracker = PoseTracker()) {
    self.tracker = tracker
    period = Int64((1e6 / rate).rounded())
    micros = 0
    guard let force else { return }
    for _ in 0..<Int(rate) { step(force) }
    changes = []
  }

  /// The time of the next sample, in s.
  package var time: Double { Double(micros) / 1e6 }

  package mutating func step(_ force: Force) {
    if let change = tracker.step(force.vector, at: Instant(microseconds: micros)) { changes.append((time, change.to)) }
    micros += period
  }

  package mutating func hold(_ force: Force, for duration: Double) {
    for _ in 0..<Int((duration * 1e6).rounded()) / Int(period) { step(force) }
  }

  package mutating func hold(_ force: Force, for duration: Double, _ deviation: Double, _ noise: inout Noise) {
    for _ in 0..<Int((duration * 1e6).rounded()) / Int(period) { step(noise.added(to: force, deviation)) }
  }

  package var pose: Pose? { tracker.state.pose }
}
