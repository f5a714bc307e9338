package import Text

/// A topic of a device. A test compares it with docs/fleet.md and the access list in docs/examples/fleet.
package enum Topic: CaseIterable, Equatable, Sendable {
  /// `online` or `offline`, which is also the last will.
  case status
  /// What is known about the board.
  case state
  /// Events.
  case event
  /// Commands to the device.
  case command
  /// The device's answers.
  case answer
  /// Where the device announces itself to Home Assistant.
  case discovery
  /// Where Home Assistant announces that it has started.
  case birth

  /// How a topic is used.
  package enum Use: Equatable, Sendable {
    /// The device publishes on it, and the broker keeps the last message for later subscribers.
    case retained
    /// The device publishes on it, and messages matter only at the time.
    case passing
    /// The device subscribes to it.
    case heard
  }

  /// How it is used.
  package var use: Use {
    switch self {
    case .status, .state, .discovery: .retained
    case .event, .answer: .passing
    case .command, .birth: .heard
    }
  }

  /// Its name: for the device `id` below `base`, or below Home Assistant's `prefix`.
  package func name(base: Part, prefix: Part, id: Part) -> Name {
    switch self {
    case .status: "\(base)/\(id)/status"
    case .state: "\(base)/\(id)/state"
    case .event: "\(base)/\(id)/event"
    case .command: "\(base)/\(id)/command"
    case .answer: "\(base)/\(id)/answer"
    case .discovery: "\(prefix)/device/plumb-\(id)/config"
    case .birth: "\(prefix)/status"
    }
  }

  /// The name of a topic on the broker.
  package typealias Name = ShortText<256>
  /// A part of a name that people choose.
  package typealias Part = PublisherSettings.TopicPart
}

/// The names of a device's topics on the broker.
package struct Topics: Equatable, Sendable {
  private let (base, prefix, id): (Topic.Part, Topic.Part, Topic.Part)

  /// The topics of the device `identity` with `settings`.
  package init(_ settings: PublisherSettings, _ identity: DeviceIdentity) {
    (base, prefix, id) = (settings.base, settings.prefix, Topic.Part(cutting: identity.id))
  }

  /// The name of `topic`.
  package subscript(topic: Topic) -> Topic.Name { topic.name(base: base, prefix: prefix, id: id) }
}
