import Desktop
import FixedPoint
import Orientation
import TestSupport
import Testing

/// When a screen turns, and when it is locked.
struct ScreenTurnTests {
  private var turn = ScreenTurn(settle: .milliseconds(300), lockPose: nil, isLocked: false)

  private static func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1_000) }

  /// One that has turned to portrait after one second, and is locked by lying face down.
  private static func lockable() -> ScreenTurn {
    var turn = ScreenTurn(settle: .milliseconds(300), lockPose: .faceDown, isLocked: false)
    turn.take(.known(.portrait), at: at(0))
    expect(turn.turn(at: at(1_000)), equals: .turned)
    return turn
  }

  @Test(arguments: [
    (Pose.portrait, Int32(0)), (.landscapeRight, 1), (.portraitUpsideDown, 2), (.landscapeLeft, 3),
  ])
  mutating func `a pose in the plane turns the screen once it has settled`(pose: Pose, turns: Int32) {
    turn.take(.known(pose), at: Self.at(1_000))
    expect(turn.due, equals: Self.at(1_300))
    expect(turn.turn(at: Self.at(1_299)), equals: nil)
    expect(turn.turn(at: Self.at(1_300)), equals: .turned)
    expect(turn.wanted, equals: turns)
    expect(turn.due, equals: nil)
    expect(turn.turn(at: Self.at(5_000)), equals: nil)
  }

  @Test mutating func `a pose that does not last turns nothing`() {
    turn.take(.known(.landscapeLeft), at: Self.at(0))
    turn.take(.known(.portrait), at: Self.at(200))
    expect(turn.turn(at: Self.at(400)), equals: nil)
    turn.take(.unknown(.ambiguous), at: Self.at(450))
    expect(turn.due, equals: nil)
    expect(turn.wanted, equals: nil)
    turn.take(.known(.portrait), at: Self.at(500))
    turn.take(.known(.portrait), at: Self.at(700))
    expect(turn.due, equals: Self.at(800))
  }

  @Test(arguments: [PoseState.known(.faceUp), .known(.faceDown), .unknown(.fault), .unknown(.freeFall)])
  mutating func `faces and unknown poses leave the screen alone`(state: PoseState) {
    turn.take(.known(.landscapeLeft), at: Self.at(0))
    expect(turn.turn(at: Self.at(300)), equals: .turned)
    turn.take(state, at: Self.at(1_000))
    expect(turn.due, equals: nil)
    expect(turn.turn(at: Self.at(9_000)), equals: nil)
    expect(turn.wanted, equals: 3)
  }

  @Test mutating func `a locked screen keeps its transform, and turns when it is unlocked`() {
    turn.take(.known(.portrait), at: Self.at(0))
    expect(turn.turn(at: Self.at(300)), equals: .turned)
    turn.toggleLock()
    expect(turn.turn(at: Self.at(400)), equals: .locked)
    expect(that: turn.isLocked)
    turn.take(.known(.landscapeRight), at: Self.at(500))
    expect(turn.due, equals: nil)
    expect(turn.wanted, equals: 0)
    turn.toggleLock()
    expect(turn.turn(at: Self.at(2_000)), equals: .locked)
    expect(that: !turn.isLocked)
    expect(turn.turn(at: Self.at(2_000)), equals: .turned)
    expect(turn.wanted, equals: 1)
  }

  @Test func `a screen that is locked from the start turns to nothing`() {
    var turn = ScreenTurn(settle: .zero, lockPose: nil, isLocked: true)
    turn.take(.known(.landscapeRight), at: Self.at(0))
    expect(turn.due, equals: nil)
    expect(turn.turn(at: Self.at(9_000)), equals: nil)
    expect(turn.wanted, equals: nil)
  }

  @Test func `the lock pose locks after a second, once for each time that the board is put down`() {
    var turn = Self.lockable()
    turn.take(.known(.faceDown), at: Self.at(2_000))
    expect(turn.due, equals: Self.at(3_000))
    expect(turn.turn(at: Self.at(2_999)), equals: nil)
    expect(turn.turn(at: Self.at(3_000)), equals: .locked)
    expect(that: turn.isLocked)
    expect(turn.due, equals: nil)
    // A fault, and the same pose again: nobody has lifted the board.
    turn.take(.unknown(.fault), at: Self.at(4_000))
    turn.take(.known(.faceDown), at: Self.at(5_000))
    expect(turn.due, equals: nil)
    expect(that: turn.isLocked)
    turn.take(.known(.landscapeLeft), at: Self.at(6_000))
    expect(turn.due, equals: nil)
    turn.take(.known(.faceDown), at: Self.at(7_000))
    expect(turn.turn(at: Self.at(8_000)), equals: .locked)
    expect(that: !turn.isLocked)
  }

  @Test func `a board that lies in the lock pose from the start locks nothing`() {
    var turn = ScreenTurn(settle: .zero, lockPose: .faceDown, isLocked: false)
    turn.take(.known(.faceDown), at: Self.at(0))
    expect(turn.due, equals: nil)
    expect(turn.turn(at: Self.at(9_000)), equals: nil)
  }

  @Test func `a lock pose in the plane does not turn the screen`() {
    var turn = ScreenTurn(settle: .zero, lockPose: .portraitUpsideDown, isLocked: false)
    turn.take(.known(.portrait), at: Self.at(0))
    expect(turn.turn(at: Self.at(0)), equals: .turned)
    turn.take(.known(.portraitUpsideDown), at: Self.at(1_000))
    expect(turn.turn(at: Self.at(1_500)), equals: nil)
    expect(turn.turn(at: Self.at(2_000)), equals: .locked)
    expect(turn.wanted, equals: 0)
  }
}
