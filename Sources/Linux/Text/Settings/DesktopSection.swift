/// A section of the settings of the desktop's programs, `plumb-desktop` and `plumb-rotate`.
///
/// It is here, and not with its keys, because the readers of other files pass over these sections.
package enum DesktopSection: UInt8, SettingsSection {
  /// Where the owner of the sensor is.
  case stream
  /// The pose for desktops that listen to iio-sensor-proxy.
  case sensorProxy
  /// Turning a screen.
  case rotate
  /// The joystick.
  case wheel
  /// Scrolling by tilt.
  case scroll
  /// The motion sensor for games.
  case motion

  /// The name in the file.
  package var name: StaticString {
    switch self {
    case .stream: "stream"
    case .sensorProxy: "sensor-proxy"
    case .rotate: "rotate"
    case .wheel: "wheel"
    case .scroll: "scroll"
    case .motion: "motion"
    }
  }

  /// None is.
  package var isRequired: Bool { false }
}
