import Emulation
import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import TestSupport
import Testing

/// Coded lines as the whole loop writes them, on an emulated board.
struct CodedLinesTests {
  /// The levels of the poses, in order, in each code; bit 0 is the valid line.
  static let levels: [LineCode: [UInt32]] = [
    .oneHot: [0b11, 0b101, 0b1001, 0b1_0001, 0b10_0001, 0b100_0001], .binary: [1, 3, 5, 7, 9, 11],
  ]

  /// Through all poses, with a fault during the third.
  private static func tumble(_ code: LineCode, crossFades: Bool = false, seconds: Int64 = 12) -> Rig.Outcome {
    let poses: [Pose] = [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .faceDown]
    let stops = poses.map { pose -> AttitudePath.Stop in
      switch pose {
      case .faceUp: AttitudePath.Stop(Attitude(deviceAngle: .zero, tilt: .quarterTurn), held: .seconds(2))
      case .faceDown: AttitudePath.Stop(Attitude(deviceAngle: .zero, tilt: .zero - .quarterTurn), held: .seconds(2))
      default: AttitudePath.Stop(Attitude(deviceAngle: pose.deviceAngle, tilt: .zero), held: .seconds(2))
      }
    }
    let silence = FaultPlan.Rule(
      .noAcknowledge, .during(.milliseconds(4_500)..<Microseconds.milliseconds(4_900)))
    return Rig(
      motion: AttitudePath(stops), plan: [silence], movement: Movement.Configuration(crossFades: crossFades),
      indicator: Indicator.Configuration(code: code)
    ).run(for: .seconds(seconds))
  }

  @Test(arguments: [LineCode.oneHot, .binary])
  static func `a pose takes three writes, 5 ms apart, a fault two, and the valid line always changes alone`(
    _ code: LineCode
  ) throws {
    let outcome = Self.tumble(code)
    let known = try require(Self.levels[code])
    expect(
      outcome.poses,
      equals: [
        .portrait, .landscapeLeft, .portraitUpsideDown, .portraitUpsideDown, .landscapeRight, .faceUp, .faceDown,
      ])
    expect(outcome.troubles.map(\.reason), equals: [.fault])
    // In binary, portrait has the levels of darkness, so the start takes one write less.
    let start: UInt64 = code == .binary ? 1 : 2
    expect(outcome.outputWrites, equals: start + 5 * 3 + 2 + 2)
    var last: UInt32 = 0
    var lastInstant = Instant(microseconds: -1_000_000)
    for write in outcome.outputs.writes {
      let bits = write.levels.bits
      expect(bits, isNot: last)
      #expect((bits ^ last) & 1 == 0 || bits ^ last == 1)
      #expect(bits & 1 == 0 || known.contains(bits))
      #expect(last & 1 == 1 || write.instant - lastInstant >= .milliseconds(5))
      (last, lastInstant) = (bits, write.instant)
    }
    expect(last, equals: known[5])
    // The pose is valid within 10 ms of its event.
    for event in outcome.events {
      guard case .pose(_, let pose, _) = event.event else { continue }
      let shown = outcome.outputs.writes.first { $0.instant >= event.at && $0.levels.bits & 1 == 1 }
      expect(shown?.levels.bits, equals: known[Int(pose.rawValue)])
      try expect(require(shown).instant - event.at, isAtMost: .milliseconds(10))
    }
  }

  @Test(arguments: [LineCode.oneHot, .binary])
  static func `coded lines do not fade, even if the configuration asks for it`(_ code: LineCode) {
    let plain = Self.tumble(code)
    let fading = Self.tumble(code, crossFades: true)
    expect(fading.outputs.writes, equals: plain.outputs.writes)
  }

  @Test(arguments: [LineCode.oneHot, .binary])
  static func `a lost sensor leaves all lines off, without changes`(_ code: LineCode) {
    let gone = FaultPlan.Rule(.noAcknowledge, .during(.seconds(2)..<Microseconds.seconds(100)))
    let outcome = Rig(plan: [gone], indicator: Indicator.Configuration(code: code)).run(for: .seconds(20))
    expect(outcome.finalState, equals: .unknown(.fault))
    expect(outcome.outputs.levels, equals: .off)
    let still = outcome.outputs.writes.filter { $0.instant >= Instant(microseconds: 3_000_000) }
    expect(empty: still)
  }
}
