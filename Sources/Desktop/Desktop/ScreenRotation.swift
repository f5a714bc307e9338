internal import CDesktop
internal import FixedPoint
internal import Orientation
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
