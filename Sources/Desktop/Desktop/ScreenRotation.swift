package import FixedPoint
package import Monitor
internal import Orientation
package import Service
internal import Text

/// Turns a screen with the pose of the board, where the desktop does not do so by itself, and its touch screen with it.
package struct ScreenRotation: DesktopFunction {
  private let wanted: ScreenWord
  private let check: Microseconds
  private var decision: ScreenTurn
  /// When the outputs are looked at again: a compositor may have been started again, an output plugged in again.
  private var next: Instant
  /// The output, as soon as it has been found.
  private var output = ScreenWord()
  /// How it was at first.
  private var original: ScreenTransform?
  private var hasTurned = false
  private var trouble: ShortText<256>?

  /// Finds the output to turn. A trouble that may end while it runs, such as an output that is not plugged in, is reported
  /// by ``turn(at:)``.
  package init(_ settings: DesktopSettings, at now: Instant) throws(ProgramError) {
    (wanted, check, next) = (settings.output, settings.check, now)
    decision = ScreenTurn(
      settle: settings.settle, lockPose: settings.lockPose, isLocked: settings.isLocked, at: now)
    do throws(ScreenError) {
      _ = try Compositor.find().outputs()
    } catch {
      throw ProgramError(.unavailable, Message(cutting: error.message))
    }
  }

  package var due: Instant? { decision.due.map { min($0, next) } ?? next }

  package mutating func take(_ seen: borrowing Observation, at now: Instant) {
    decision.take(seen.snapshot.state, at: now)
  }

  package mutating func lose(at now: Instant) { decision.take(.unknown(.stale), at: now) }

  /// Locks or unlocks the rotation: SIGUSR1.
  package mutating func toggleLock() { decision.toggleLock() }

  package mutating func turn(at now: Instant) -> DesktopNotice? {
    let change = decision.turn(at: now)
    if change == .locked { return DesktopNotice(decision.isLocked ? "rotation locked" : "rotation unlocked") }
    guard change == .turned || now >= next else { return nil }
    next = now + check
    do throws(ScreenError) {
      let line = try follow()
      trouble = nil
      return line.map { DesktopNotice($0) }
    } catch {
      guard trouble != error.message else { return nil }
      trouble = error.message
      return DesktopNotice(error.message, isTrouble: true)
    }
  }

  /// Looks at the outputs, and turns the chosen one if it is not as wanted. Returns a line for people if it was turned.
  private mutating func follow() throws(ScreenError) -> ShortText<256>? {
    let compositor = try Compositor.find()
    let found = try compositor.outputs().choose(wanted, else: output)
    let isNew = output != found.name || trouble != nil
    output = found.name
    if original == nil { original = found.transform }
    guard let transform = decision.wanted, found.transform != transform else {
      if isNew { try mapTouch(compositor) }
      return nil
    }
    try compositor.turn(output, to: transform)
    hasTurned = true
    try mapTouch(compositor)
    return "\(output) turned: \(compositor.name(of: transform))"
  }

  private func mapTouch(_ compositor: Compositor) throws(ScreenError) {
    do throws(ScreenError) {
      _ = try compositor.mapTouch(to: output)
    } catch {
      throw ScreenError(message: "the touch screen does not follow \(output): \(error.message)")
    }
  }

  package mutating func end() {
    guard hasTurned, let original else { return }
    do throws(ScreenError) {
      let compositor = try Compositor.find()
      try compositor.turn(output, to: original)
      try mapTouch(compositor)
    } catch {
      // The session has ended before: nothing to put back.
    }
  }

  /// Says what is found for turning a screen, and what is missing. Returns the exit code of a program.
  package static func check(_ settings: DesktopSettings, _ say: (DesktopNotice) -> Void) -> Int32 {
    do throws(ScreenError) {
      let compositor = try Compositor.find()
      say(DesktopNotice("session: \(compositor == .x11 ? "X11" : "Wayland"), turned by \(compositor.tool)"))
      let outputs = try compositor.outputs()
      for index in 0..<outputs.count {
        let transform = outputs[index].transform.map { compositor.name(of: $0) } ?? "mirrored"
        say(DesktopNotice("output: \(outputs[index].name), \(transform)"))
      }
      let chosen = try outputs.choose(settings.output, else: ScreenWord())
      say(DesktopNotice("turns: \(chosen.name)"))
      if let count = try compositor.mapTouch(to: chosen.name) {
        say(DesktopNotice("touch screens: \(count), which follow it"))
      } else if compositor == .sway {
        say(DesktopNotice("touch screens: follow it, by swaymsg"))
      } else {
        say(DesktopNotice("touch screens: in labwc's rc.xml put <touch mapToOutput=\"\(chosen.name)\"/>"))
      }
      return 0
    } catch {
      say(DesktopNotice(error.message, isTrouble: true))
      return ProgramError.Code.unavailable.rawValue
    }
  }
}
