/// A section of the settings of a device on a broker.
///
/// It is here, and not with its keys, because the reader of board files passes over these sections.
package enum PublisherSection: UInt8, SettingsSection {
  /// The broker, and how to connect to it. The only required one, because of its host.
  case broker
  /// What the device is called.
  case device
  /// Where it publishes.
  case topics
  /// Discovery for Home Assistant.
  case homeAssistant
  /// The published values, and how often they are published.
  case values
  /// The names of the poses for people.
  case names
  /// The allowed commands.
  case commands
  /// Where the owner of the sensor is.
  case stream

  /// The name in the file.
  package var name: StaticString {
    switch self {
    case .broker: "broker"
    case .device: "device"
    case .topics: "topics"
    case .homeAssistant: "home-assistant"
    case .values: "values"
    case .names: "names"
    case .commands: "commands"
    case .stream: "stream"
    }
  }

  /// Whether it is required. A file may still lack it if an option sets the host.
  package var isRequired: Bool { self == .broker }
}
