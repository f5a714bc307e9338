import Emulation
import FixedPoint
import TestSupport
import Testing

/// The motions of a hand that holds a board for calibration, against forces spelt out here.
struct HandMotionTests {
  /// The specific force of each pose in g.
  static let poses: [(name: String, force: [Int32])] = [
    ("portrait", [0, 1, 0]), ("portraitUpsideDown", [0, -1, 0]), ("landscapeLeft", [1, 0, 0]),
    ("landscapeRight", [-1, 0, 0]), ("faceUp", [0, 0, 1]), ("faceDown", [0, 0, -1]),
  ]

  static func force(_ pose: String) -> [Int32] { poses.first { $0.name == pose }?.force ?? [] }

  static func force(_ motion: any Motion, _ milliseconds: Int64) -> Vector3 {
    motion.specificForce(at: .milliseconds(milliseconds))
  }

  /// Whether `force` is `g` within 1 LSB of Q16.16 on each axis.
  static func isExactly(_ force: Vector3, _ g: [Int32]) -> Bool {
    g.count == 3
      && zip([force.x.raw, force.y.raw, force.z.raw], g).allSatisfy { raw, whole in abs(raw - whole * 65_536) <= 1 }
  }

  @Test static func `a motion named after a pose holds exactly that pose for 5 s`() throws {
    for (name, force) in Self.poses {
      let motion = try require(NamedMotion(rawValue: name)).motion
      expect(motion.duration, equals: .seconds(5))
      for time: Int64 in [-1, 0, 2_500, 5_000] {
        expect(that: Self.isExactly(Self.force(motion, time), force), "\(name)")
      }
    }
  }

  @Test static func `six faces are held exactly for 3 s each, in order, with 0,8 s between`() {
    let motion = NamedMotion.sixFaces.motion
    let order = ["portrait", "landscapeLeft", "portraitUpsideDown", "landscapeRight", "faceUp", "faceDown"]
    for (index, pose) in order.enumerated() {
      let start = Int64(index) * 3_800
      for time in stride(from: start, to: start + 3_000, by: 50) {
        expect(that: Self.isExactly(Self.force(motion, time), Self.force(pose)), "\(pose) at \(time) ms")
      }
      guard index < 5 else { continue }
      expect(none: order) { Self.isExactly(Self.force(motion, start + 3_200), Self.force($0)) }
    }
    expect(motion.duration, equals: .milliseconds(22_000))
  }

  @Test static func `a clumsy hand holds each of the six faces exactly at the documented times`() {
    let motion = NamedMotion.sixFacesClumsy.motion
    let holds: [(from: Int64, pose: String)] = [
      (12_000, "landscapeLeft"), (15_000, "portraitUpsideDown"), (18_000, "landscapeRight"), (21_200, "faceUp"),
      (25_000, "faceDown"), (28_800, "portrait"),
    ]
    for (time, pose) in holds { expect(that: Self.isExactly(Self.force(motion, time), Self.force(pose)), "\(pose)") }
    expect(motion.duration, equals: .milliseconds(31_800))
    // Until it is held again at the end, portrait is slanted by 8°: its sine is 0.1392.
    for time: Int64 in [0, 2_999, 7_200] { expect(abs(Self.force(motion, time).z.raw - 9_121), isAtMost: 2) }
    // At 45° both sines are 0.7071.
    expect(abs(Self.force(motion, 4_000).x.raw - 46_341), isAtMost: 2)
    expect(abs(Self.force(motion, 4_000).y.raw - 46_341), isAtMost: 2)
  }

  @Test static func `two poses are held from the table, upright and face up, by a clumsy hand with others between`() {
    let motion = NamedMotion.twoPoses.motion
    for (time, pose) in [
      (0, "faceDown"), (1_800, "portrait"), (4_799, "portrait"), (5_600, "faceUp"), (8_600, "faceUp"),
    ] {
      expect(that: Self.isExactly(Self.force(motion, Int64(time)), Self.force(pose)), "\(pose)")
    }
    expect(motion.duration, equals: .milliseconds(8_600))
    let clumsy = NamedMotion.twoPosesClumsy.motion
    for (time, pose) in [(0, "faceDown"), (7_100, "portrait"), (10_400, "portraitUpsideDown"), (13_700, "faceUp")] {
      expect(that: Self.isExactly(Self.force(clumsy, Int64(time)), Self.force(pose)), "\(pose)")
    }
    expect(clumsy.duration, equals: .milliseconds(16_200))
  }
}
