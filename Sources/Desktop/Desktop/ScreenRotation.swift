internal import CDesktop
internal import FixedPoint
internal import Monitor
internal import Orientation
internal import Service
package import Text

/// Turns a screen with the pose of the board, where the desktop does not do so by itself, and its touch screen with it.
package struct ScreenRotation {
  private typealias Word = ShortText<44>

  private let wanted: Word
  private let check: Microseconds
  private var decision: ScreenTurn
  /// When the outputs are looked at again: a compositor may have been started again, an output plugged in again.
  private var next: Instant
  /// The output, as soon as it has been found.
  private var output = Word()
  /// Its transform before it was turned; nil as long as it is not turned.
  private var original: Int32?
  private var trouble: DesktopNotice?

  /// Fails where there is nothing to turn screens with. A trouble that may end while it runs, such as an output that is
  /// not plugged in, is reported by ``turn(at:)``.
  init(_ settings: DesktopSettings, at now: Instant) throws(ProgramError) {
    (wanted, check, next) = (settings.output, .seconds(widened(settings[.check])), now)
    decision = ScreenTurn(
      settle: .milliseconds(widened(settings[.settle])), lockPose: settings.lockPose, isLocked: settings.has(.lock),
      at: now)
    do throws(DesktopNotice) { _ = try Self.checked(cdesktop_screens_find()) } catch {
      throw ProgramError(.unavailable, Message(cutting: error.line))
    }
  }

  var due: Instant? { decision.due.map { min($0, next) } ?? next }

  mutating func take(_ seen: borrowing Observation, at now: Instant) { decision.take(seen.snapshot.state, at: now) }

  mutating func toggleLock() { decision.toggleLock() }

  mutating func turn(at now: Instant) -> DesktopNotice? {
    let change = decision.turn(at: now)
    if change == .locked { return DesktopNotice(line: decision.isLocked ? "rotation locked" : "rotation unlocked") }
    guard change == .turned || now >= next else { return nil }
    next = now + check
    do throws(DesktopNotice) {
      let notice = try follow()
      trouble = nil
      return notice
    } catch {
      let isKnown = trouble.map { Self.isSame($0.line, error.line) } ?? false
      trouble = error
      return isKnown ? nil : error
    }
  }

  /// Looks at the outputs, and turns the chosen one if it is not as wanted. Returns a line for people if it was turned.
  private mutating func follow() throws(DesktopNotice) -> DesktopNotice? {
    _ = try Self.checked(cdesktop_screens_find())
    let index = try Self.choose(wanted, else: output)
    let (name, transform) = (unsafe Word(cString: cdesktop_screens_name(index)), cdesktop_screens_transform(index))
    let isNew = output != name || trouble != nil
    if output != name { (output, original) = (name, nil) }
    guard let turned = decision.wanted, turned != transform else {
      if isNew { try mapTouch(to: index) }
      return nil
    }
    _ = try Self.checked(cdesktop_screens_turn(index, turned))
    original = original ?? transform
    try mapTouch(to: index)
    return DesktopNotice(line: "\(output) turned: \(Self.word(turned))")
  }

  private func mapTouch(to index: Int32) throws(DesktopNotice) {
    do throws(DesktopNotice) { _ = try Self.checked(cdesktop_screens_map_touch(index)) } catch {
      throw DesktopNotice(line: "the touch screen does not follow \(output): \(error.line)", isTrouble: true)
    }
  }

  func end() {
    guard let original else { return }
    do throws(DesktopNotice) {
      _ = try Self.checked(cdesktop_screens_find())
      let index = try Self.choose(output, else: output)
      _ = try Self.checked(cdesktop_screens_turn(index, original))
      try mapTouch(to: index)
    } catch {}
  }

  /// Says what there is for turning a screen, and what is missing; turns nothing. Returns the exit code of a program.
  package static func check(_ settings: DesktopSettings, _ say: (ShortText<256>) -> Void) -> Int32 {
    do throws(DesktopNotice) {
      let count = try checked(cdesktop_screens_find())
      let session = cdesktop_screens_session()
      say("session: \(session == CDESKTOP_X11 ? "X11, with xrandr" : "Wayland, with wlr-randr")")
      for index in 0..<count {
        let name = unsafe Word(cString: cdesktop_screens_name(index))
        say("output: \(name), \(word(cdesktop_screens_transform(index)))")
      }
      let chosen = unsafe Word(cString: cdesktop_screens_name(try choose(settings.output, else: Word())))
      say("turns: \(chosen)")
      let touched = try checked(cdesktop_screens_map_touch(-1))
      switch session {
      case CDESKTOP_X11: say("touch screens: \(touched), mapped with xinput")
      case CDESKTOP_SWAY: say("touch screens: mapped with swaymsg")
      default: say("touch screens: in rc.xml of labwc write <touch mapToOutput=\"\(chosen)\"/>")
      }
      return 0
    } catch {
      say("error: \(error.line)")
      return ProgramError.Code.unavailable.rawValue
    }
  }

  private static func word(_ transform: Int32) -> Word { unsafe Word(cString: cdesktop_screens_word(transform)) }

  private static func choose(_ wanted: Word, else last: Word) throws(DesktopNotice) -> Int32 {
    try checked(
      unsafe wanted.withCString { wanted in
        unsafe last.withCString { unsafe cdesktop_screens_choose(wanted, $0) }
      })
  }

  /// A result of CDesktop that is no error.
  private static func checked(_ result: Int32) throws(DesktopNotice) -> Int32 {
    if result < 0 { throw DesktopNotice(line: unsafe ShortText(cString: cdesktop_screens_error()), isTrouble: true) }
    return result
  }

  /// Whether two lines are of the same trouble: after the first colon are a tool's own words, with times in them.
  private static func isSame(_ a: ShortText<256>, _ b: ShortText<256>) -> Bool {
    for index in 0..<a.count {
      if a[index] != b[index] { return false }
      if a[index] == UInt8(ascii: ":") { return true }
    }
    return a == b
  }
}
