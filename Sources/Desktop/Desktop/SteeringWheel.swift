package import CDesktop
package import FixedPoint
internal import Gestures
package import Monitor
internal import Orientation

/// A board held like a steering wheel, as a joystick: X is the steering angle, to the right positive; Y is the tilt,
/// positive when the top leans towards the player. A tap is the first button, a double tap the second.
///
/// Two buttons and ABS_X with ABS_Y make a device a joystick for udev and SDL, which do not recognise ABS_WHEEL alone.
/// - Source: systemd 257, udev-builtin-input_id.c; SDL 2.32, SDL_evdev_capabilities.c.
package struct SteeringWheel: InputLogic {
  package var kind: cdesktop_input_kind { CDESKTOP_INPUT_WHEEL }
  package var samples: Int32 { 50 }

  private let range: Int32
  private let hasButtons: Bool
  /// Whether the left edge is down, so that a turn to the left has a positive steering angle.
  private var isLeftDown = false

  /// A wheel with full lock at `range`, 10…90 degrees.
  package init(range: Int32, hasButtons: Bool) { (self.range, self.hasButtons) = (max(1, range), hasButtons) }

  package mutating func take(_ seen: borrowing Observation, at now: Instant, _ report: inout InputReport) {
    var button: Int?
    seen.forEachEvent { occurrence in
      switch occurrence.event {
      case .tap: button = CDESKTOP_BTN_TRIGGER
      case .doubleTap: button = CDESKTOP_BTN_THUMB
      default: break
      }
    }
    if let button, hasButtons { report.press(button, at: now) }
    guard let reading = seen.reading else { return }
    look(at: seen.snapshot)
    let steering = seen.snapshot.steering
    let straight = seen.snapshot.tare.up?.vector.inclination ?? .quarterTurn
    // A still board sends nothing: its noise is less than a degree.
    let least = InputReport.end / range / (seen.snapshot.isStill == true ? 1 : 10)
    report.move(0, to: value(isLeftDown ? -steering : steering), least: least)
    report.move(1, to: value(reading.gravity.inclination - straight), least: least)
  }

  /// In which landscape the wheel is straight: that of the tare, otherwise the last one.
  private mutating func look(at snapshot: borrowing Snapshot) {
    if let up = snapshot.tare.up, !up.vector.isFlat {
      isLeftDown = up.x > 0 && up.x.magnitude > up.y.magnitude
    } else if let pose = snapshot.state.pose, pose == .landscapeLeft || pose == .landscapeRight {
      isLeftDown = pose == .landscapeLeft
    }
  }

  private func value(_ angle: BinaryAngle) -> Int32 {
    // 360 · 32767 units to the turn.
    saturated((widened(angle.raw) &* 11_796_120) / (widened(range) &<< 32))
  }
}
