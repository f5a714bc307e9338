import Desktop
import FixedPoint
import Foundation
import Orientation
import TestSupport
import Testing

/// Gravity with the face up by `degrees`.
private func gravity(_ degrees: Double) -> Vector3 {
  let angle = degrees * .pi / 180
  return Vector3(
    x: .zero, y: Q16(raw: Int32((cos(angle) * 65_536).rounded())), z: Q16(raw: Int32((sin(angle) * 65_536).rounded())))
}

@Suite("What net.hadess.SensorProxy says of a board")
struct ProxyPostureTests {
  @Test(
    "Each upright pose has its orientation",
    arguments: [
      (Pose.portrait, ProxyPosture.Word.normal), (.portraitUpsideDown, .bottomUp), (.landscapeLeft, .rightUp),
      (.landscapeRight, .leftUp),
    ])
  static func orientation(of pose: Pose, is word: ProxyPosture.Word) {
    var posture = ProxyPosture()
    posture.take(.known(pose))
    expect(posture.orientation, equals: word)
    for face in [Pose.faceUp, .faceDown] {
      posture.take(.known(face))
      expect(posture.orientation, equals: word, "flat, the last one stays")
    }
  }

  @Test("A board that was only ever flat has no orientation")
  static func flat() {
    var posture = ProxyPosture()
    posture.take(.known(.faceUp))
    expect(posture.orientation, equals: .undefined)
  }

  @Test(
    "What is unknown is undefined at once, and does not come back by lying flat",
    arguments: [UnknownReason.notYetSampled, .ambiguous, .accelerating, .freeFall, .stale, .fault])
  static func unknown(_ reason: UnknownReason) {
    var posture = ProxyPosture()
    posture.take(.known(.landscapeLeft))
    posture.take(gravity: gravity(0))
    posture.take(.unknown(reason))
    expect(posture, equals: ProxyPosture())
    posture.take(.known(.faceUp))
    expect(posture.orientation, equals: .undefined)
  }

  @Test(
    "The first measurement decides the tilt by 20° and 70°",
    arguments: [
      (-90.0, ProxyPosture.Word.faceDown), (-72, .faceDown), (-68, .tiltedDown), (-22, .tiltedDown), (-18, .vertical),
      (0, .vertical), (18, .vertical), (22, .tiltedUp), (68, .tiltedUp), (72, .faceUp), (90, .faceUp),
    ])
  static func tilt(at degrees: Double, is word: ProxyPosture.Word) {
    var posture = ProxyPosture()
    posture.take(gravity: gravity(degrees))
    expect(posture.tilt, equals: word)
  }

  @Test("The tilt changes once on the way through each limit, past it by the margin", arguments: [1.0, -1])
  static func hysteresis(_ direction: Double) {
    var posture = ProxyPosture()
    var changes: [Double] = []
    for step in -89...89 {
      let old = posture.tilt
      posture.take(gravity: gravity(direction * Double(step)))
      if old != .undefined && posture.tilt != old { changes.append(Double(step)) }
    }
    let margin = Double(ProxyPosture.margin)
    expect(changes.count, equals: 4)
    for (change, limit) in zip(changes, [-70.0, -20, 20, 70]) {
      #expect(change > limit + margin - 1.5 && change < limit + margin + 1.5, "\(change) for \(limit)")
    }
    expect(posture.tilt, equals: (direction > 0 ? .faceUp : .faceDown))
  }

  @Test("A board that trembles by less than the margin changes at most once", arguments: [-70.0, -20, 20, 70])
  static func trembling(at limit: Double) {
    var posture = ProxyPosture()
    var changes = -1
    for step in 0..<1_000 {
      let old = posture.tilt
      posture.take(gravity: gravity(limit + (step % 2 == 0 ? 4 : -4)))
      if posture.tilt != old { changes += 1 }
    }
    expect(changes, isAtMost: 1)
  }
}
