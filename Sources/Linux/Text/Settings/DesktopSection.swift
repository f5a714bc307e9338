/// A section of the settings of the desktop's programs, `plumb-desktop` and `plumb-rotate`.
///
/// It is here, and not with its keys, because the readers of other files pass over these sections.
package enum DesktopSection: UInt8, SettingsSection {
  case stream, sensorProxy, rotate, wheel, scroll, motion

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

  package var isRequired: Bool { false }
}
