internal import StreamService
package import Text

/// A key of the settings of `plumb-desktop` and `plumb-rotate`: the schema. A new key takes a case here, a row in
/// ``row``, a place in `DesktopSettings.put`, and a row in `docs/desktop.md`, of which the manual is made.
package enum DesktopKey: UInt8, SettingsKey {
  /// The owner's stream, and the file with the token that it requires.
  case from, tokenFile
  /// Whether `net.hadess.SensorProxy` is offered on the system bus.
  case sensorProxy
  /// The turned output; whether it is locked, and by which pose; how long a pose must last, ms, and how often outputs
  /// are looked at, s.
  case output, lock, lockPose, settle, check
  /// Whether there is a joystick, the steering angle of its full lock, degrees, and whether taps are its buttons.
  case wheel, range, buttons
  /// Whether there is a scroll wheel, and its greatest speed, detents a second; and a motion sensor.
  case scroll, speed, motion

  package static var file: StaticString { "settings file" }

  /// What the schema says about the key. Limits of a number are in units of its last decimal place.
  package var row: SettingsRow<DesktopSection> {
    switch self {
    case .from: .init(.stream, "from", OwnerAddress.rule, .value(OwnerAddress.standard))
    case .tokenFile: .init(.stream, "token-file", .path(180), .other)
    case .sensorProxy: .init(.sensorProxy, "enabled", .decision, .value("no"))
    case .output:
      .init(
        .rotate, "output", .words("auto, or the name of an output, such as DSI-1 (at most 40 bytes, no blanks)"),
        .value("auto"))
    case .lock: .init(.rotate, "lock", .decision, .value("no"))
    case .lockPose: .init(.rotate, "lock-pose", .words("none, or a pose, such as faceDown"), .value("none"))
    case .settle: .init(.rotate, "settle", .number(0...5_000, places: 3, "s"), .value("0.3"))
    case .check: .init(.rotate, "check", .whole(1...3_600, "s"), .value("5"))
    case .wheel: .init(.wheel, "enabled", .decision, .value("no"))
    case .range: .init(.wheel, "range", .whole(10...90, "degrees"), .value("90"))
    case .buttons: .init(.wheel, "buttons", .either("tap", "none"), .value("tap"))
    case .scroll: .init(.scroll, "enabled", .decision, .value("no"))
    case .speed: .init(.scroll, "speed", .whole(1...100, "detents a second"), .value("10"))
    case .motion: .init(.motion, "enabled", .decision, .value("no"))
    }
  }
}
