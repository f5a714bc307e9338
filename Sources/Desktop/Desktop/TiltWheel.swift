package import CDesktop
package import FixedPoint
internal import Gestures
package import Monitor
internal import Orientation

/// A mouse wheel that turns while the board is tilted from its rest, the faster the further.
///
/// Rest is that of ``Gestures/TiltScroll``: leaning back 30°, or the attitude of the tare. Leaning further back scrolls
/// down, upright scrolls up. Nothing turns near the rest, while the board is still, or while it lies flat.
///
/// 120 units of REL_WHEEL_HI_RES are a detent, and with each goes one of REL_WHEEL. libinput takes wheels from mice
/// only, so a mouse's axes and button are declared, and never sent.
/// - Source: Linux, Documentation/input/event-codes.rst.
package struct TiltWheel: InputLogic {
  package var kind: cdesktop_input_kind { CDESKTOP_INPUT_SCROLL }
  package var samples: Int32 { 50 }

  /// Units of 1/120 detent a second at full tilt.
  private let speed: Int32
  private var up = Detents()
  private var right = Detents()
  private var last: Instant?

  /// Within this of rest nothing turns: 0.2, which is 11.5° to the side and about 6.5° to the front and back.
  static var deadZone: Int32 { 13_107 }
  /// A longer pause between samples turns nothing.
  static var longestGap: Microseconds { .milliseconds(250) }

  /// A wheel with at most `speed`, 1…100, detents a second.
  package init(speed: Int32) { self.speed = max(1, min(100, speed)) * 120 }

  package mutating func take(_ seen: borrowing Observation, at now: Instant, _ report: inout InputReport) {
    if seen.snapshot.silence != nil { last = nil }
    guard let reading = seen.reading else { return }
    let elapsed = last.map { reading.instant - $0 } ?? .zero
    last = reading.instant
    guard elapsed > .zero && elapsed <= Self.longestGap, let rest = Self.rest(seen.snapshot) else {
      (up, right) = (Detents(), Detents())
      return
    }
    let inputs = rest.inputs(reading.gravity)
    let span = Int32(truncatingIfNeeded: elapsed.count)
    up.turn(inputs.y, speed, span, CDESKTOP_REL_WHEEL_HI_RES, CDESKTOP_REL_WHEEL, &report)
    right.turn(0 &- inputs.x, speed, span, CDESKTOP_REL_HWHEEL_HI_RES, CDESKTOP_REL_HWHEEL, &report)
  }

  /// The attitude from which tilt counts; nil while nothing turns.
  private static func rest(_ snapshot: borrowing Snapshot) -> TiltScroll.Rest? {
    guard snapshot.isStill != true, let pose = snapshot.state.pose else { return nil }
    guard let up = snapshot.tare.up else { return pose == .faceUp || pose == .faceDown ? nil : .published }
    // Upside down and face down there is no rest.
    do throws(TiltScrollError) { return try TiltScroll.Rest(up.vector) } catch { return .published }
  }
}

/// One direction of a wheel.
private struct Detents {
  /// What is not a whole unit yet, in units / (one · 1 s).
  private var part: Int64 = 0
  /// The units since the last whole detent.
  private var units: Int32 = 0

  /// The tilt from the end of the dead zone to full speed.
  private static var one: Int32 { 65_536 - TiltWheel.deadZone }

  /// Turns for `span` µs at the tilt `input`, Q16.16.
  mutating func turn(
    _ input: Int32, _ speed: Int32, _ span: Int32, _ fine: Int, _ coarse: Int, _ report: inout InputReport
  ) {
    let excess = min(Self.one, Int32(bitPattern: min(input.magnitude, 65_536)) &- TiltWheel.deadZone)
    guard excess > 0 else {
      self = Detents()
      return
    }
    let unit = widened(Self.one) &* 1_000_000
    part = part &+ widened(excess) &* widened(speed) &* widened(input < 0 ? 0 &- span : span)
    let moved = Int32(truncatingIfNeeded: part / unit)
    guard moved != 0 else { return }
    part = part &- widened(moved) &* unit
    units = units &+ moved
    let detents = units / 120
    units = units &- detents &* 120
    report.add(fine, moved)
    if detents != 0 { report.add(coarse, detents) }
  }
}
