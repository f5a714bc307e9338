internal import Text

/// Where a device publishes and listens.
package struct Topics: Equatable, Sendable {
  private var device: Publication.Topic
  /// Where the device is announced to Home Assistant.
  package private(set) var discovery: Publication.Topic
  /// Where Home Assistant says that it has begun.
  package private(set) var birth: Publication.Topic

  /// The topics of the device `identity` with `settings`.
  package init(_ settings: PublisherSettings, _ identity: DeviceIdentity) {
    device = "\(settings.base)/\(identity.id)"
    discovery = "\(settings.prefix)/device/plumb-\(identity.id)/config"
    birth = "\(settings.prefix)/status"
  }

  /// `online` or `offline`, retained, and the last will.
  package var status: Publication.Topic { topic("/status") }
  /// What is known of the board, retained.
  package var state: Publication.Topic { topic("/state") }
  /// What has happened.
  package var event: Publication.Topic { topic("/event") }
  /// What is asked of the device.
  package var command: Publication.Topic { topic("/command") }
  /// What the device answers.
  package var answer: Publication.Topic { topic("/answer") }

  private func topic(_ end: StaticString) -> Publication.Topic {
    var topic = device
    topic.append(end)
    return topic
  }
}
