import Emulation
import FixedPoint
import Orientation

/// A board that is turned into another pose every ten seconds, for ever.
///
/// Each turn takes 0.4 s along the shortest way, through no third pose; no turn passes through the sensor's poles of
/// noise.
struct Carousel: Motion {
  /// The time from one turn to the next.
  static let hold: Int64 = 10_000_000
  /// The duration of a turn.
  static let turning: Int64 = 400_000
  /// The poses in order, repeated, with the axis that points up in each (X, Y or Z) and its sign.
  static let poses: [(pose: Pose, axis: Int, sign: Int32)] = [
    (.portrait, 1, 1), (.landscapeLeft, 0, 1), (.portraitUpsideDown, 1, -1), (.landscapeRight, 0, -1),
    (.faceUp, 2, 1), (.portrait, 1, 1), (.faceDown, 2, -1),
  ]

  private let table: [(axis: Int, sign: Int32)] = poses.map { ($0.axis, $0.sign) }

  var duration: Microseconds { .zero }

  /// The pose in which the board is held, or into which it is turned, at `time` after the start.
  static func pose(at time: Int64) -> Pose { poses[Int(max(0, time) / hold) % poses.count].pose }

  /// The pose before that.
  static func previousPose(at time: Int64) -> Pose { pose(at: time - hold) }

  func specificForce(at time: Microseconds) -> Vector3 {
    let count = max(0, time.count)
    let number = Int(count / Self.hold)
    let phase = count % Self.hold
    let next = table[number % table.count]
    guard number > 0 && phase < Self.turning else { return force(next, 65_536) }
    let angle = BinaryAngle(raw: Int32(phase * (1 << 30) / Self.turning)).sinCos
    return force(table[(number - 1) % table.count], angle.cosine >> 15).adding(force(next, angle.sine >> 15))
  }

  private func force(_ place: (axis: Int, sign: Int32), _ size: Int32) -> Vector3 {
    let value = Q16(raw: size * place.sign)
    return Vector3(
      x: place.axis == 0 ? value : .zero, y: place.axis == 1 ? value : .zero, z: place.axis == 2 ? value : .zero)
  }
}

extension Vector3 {
  /// The sum; for forces of a few g.
  fileprivate func adding(_ other: Vector3) -> Vector3 {
    Vector3(x: Q16(raw: x.raw + other.x.raw), y: Q16(raw: y.raw + other.y.raw), z: Q16(raw: z.raw + other.z.raw))
  }
}
