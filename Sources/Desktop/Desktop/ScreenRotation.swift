internal import CDesktop
package import FixedPoint
package import Orientation
internal import Service
internal import Text

/// Turns a screen with the pose of the board, where the desktop does not do so by itself, and its touch screen with it.
/// The tools that do so are in C (cdesktop.h): only one output in a process.
package struct ScreenRotation {
  private let output: ShortText<44>
  private let check: Microseconds
  var decision: ScreenTurn
  /// When the outputs are looked at again: a compositor may have been started again, an output plugged in again.
  private var next = Instant(microseconds: 0)

  /// Fails where there is nothing to turn screens with. A trouble that may end while it runs, such as an output that is
  /// not plugged in, is reported by ``turn(at:)``.
  init(_ settings: DesktopSettings) throws(ProgramError) {
    (output, check) = (settings.output, .seconds(widened(settings[.check])))
    decision = ScreenTurn(
      settle: .milliseconds(widened(settings[.settle])), lockPose: settings.lockPose, isLocked: settings.has(.lock))
    if cdesktop_screens_find() < 0 {
      throw ProgramError(.unavailable, unsafe Message(cString: cdesktop_screens_line()))
    }
  }

  var due: Instant? { decision.due.map { min($0, next) } ?? next }

  mutating func turn(at now: Instant) -> DesktopNotice? {
    let change = decision.turn(at: now)
    if change == .locked { return (decision.isLocked ? "rotation locked" : "rotation unlocked", false) }
    guard change == .turned || now >= next else { return nil }
    next = now + check
    let transform = decision.wanted ?? -1
    let result = unsafe output.withCString { unsafe cdesktop_screens_follow($0, transform) }
    guard result != 0 else { return nil }
    return (unsafe ShortText(cString: cdesktop_screens_line()), result < 0)
  }

  func end() { cdesktop_screens_restore() }

  /// Prints what there is for turning a screen, and what is missing; turns nothing. Returns the exit code of a program.
  package static func check(_ settings: DesktopSettings) -> Int32 {
    let isComplete = unsafe settings.output.withCString { unsafe cdesktop_screens_check($0, 1) }
    return isComplete ? 0 : ProgramError.Code.unavailable.rawValue
  }
}

/// Decides how a screen is turned from the poses of its board: a pose in the plane that has lasted counts; a face, and
/// a pose that is unknown, leave the screen alone.
package struct ScreenTurn {
  /// What has changed for people: ``wanted``, or ``isLocked``.
  package enum Change: Equatable { case turned, locked }

  /// By how many quarter turns the content should be turned counter-clockwise: those of the board, clockwise. Nil before
  /// the first pose that counts.
  package private(set) var wanted: Int32?
  /// Whether poses are ignored.
  package private(set) var isLocked: Bool

  private let settle: Microseconds
  private let lockPose: Pose?
  private var pose: Pose?
  private var since = Instant(microseconds: 0)
  /// Whether the lock pose may lock: once after each other pose, so that a board that lies there does it once.
  private var isArmed = false
  private var wasToggled = false

  /// How long the lock pose must last.
  private static var hold: Microseconds { .seconds(1) }

  /// Nothing is known yet. The lock pose turns nothing.
  package init(settle: Microseconds, lockPose: Pose?, isLocked: Bool) {
    (self.settle, self.lockPose, self.isLocked) = (settle, lockPose, isLocked)
  }

  package mutating func take(_ state: PoseState, at now: Instant) {
    guard state.pose != pose else { return }
    (pose, since) = (state.pose, now)
    if let pose, pose != lockPose { isArmed = true }
  }

  package mutating func toggleLock() {
    isLocked.toggle()
    wasToggled = true
  }

  /// When ``turn(at:)`` has something to do; nil for never, if nothing arrives.
  package var due: Instant? {
    guard let pose else { return nil }
    if pose == lockPose { return isArmed ? since + Self.hold : nil }
    return isLocked || pose.isFace || pose.quarterTurns == wanted ? nil : since + settle
  }

  /// Does what is due.
  package mutating func turn(at now: Instant) -> Change? {
    defer { wasToggled = false }
    let isDue = due.map { now >= $0 } ?? false
    if isDue && pose == lockPose && !wasToggled {
      isArmed = false
      toggleLock()
    }
    if wasToggled { return .locked }
    if isDue { wanted = pose?.quarterTurns }
    return isDue ? .turned : nil
  }
}

extension Pose {
  /// The clockwise quarter turns of the board in this pose: 0 to 3.
  fileprivate var quarterTurns: Int32 { deviceAngle.raw &>> 30 & 3 }
}
