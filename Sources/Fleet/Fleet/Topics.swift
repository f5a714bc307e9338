package import Text

/// A topic of a device. A test compares docs/fleet.md and the access list of docs/examples/fleet with it.
package enum Topic: CaseIterable, Equatable, Sendable {
  /// `online` or `offline`; the last will too.
  case status
  /// What is known of the board.
  case state
  /// What has happened.
  case event
  /// What is asked of the device.
  case command
  /// What the device answers.
  case answer
  /// Where the device is announced to Home Assistant.
  case discovery
  /// Where Home Assistant says that it has begun.
  case birth

  /// What a topic is for.
  package enum Use: Equatable, Sendable {
    /// The device publishes there, and the broker keeps the last message for later subscribers.
    case retained
    /// The device publishes there what counts at its time only.
    case passing
    /// The device listens there.
    case heard
  }

  /// What it is for.
  package var use: Use {
    switch self {
    case .status, .state, .discovery: .retained
    case .event, .answer: .passing
    case .command, .birth: .heard
    }
  }

  /// Its name: of the device `id`, below `base`, or below `prefix` of Home Assistant.
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

  /// The name of a topic at the broker.
  package typealias Name = ShortText<256>
  /// A part of it that people choose.
  package typealias Part = PublisherSettings.TopicPart
}

/// The topics of a device, by their names at the broker.
package struct Topics: Equatable, Sendable {
  private let (base, prefix, id): (Topic.Part, Topic.Part, Topic.Part)

  /// The topics of the device `identity` with `settings`.
  package init(_ settings: PublisherSettings, _ identity: DeviceIdentity) {
    (base, prefix, id) = (settings.base, settings.prefix, Topic.Part(cutting: identity.id))
  }

  /// The name of `topic`.
  package subscript(topic: Topic) -> Topic.Name { topic.name(base: base, prefix: prefix, id: id) }
}
