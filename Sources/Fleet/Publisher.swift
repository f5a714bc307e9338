package import FixedPoint
package import Text

/// What a device publishes: a function of what the owner of its sensor says, what the broker says, and time.
///
/// It reads no clock and no socket. What has been handed out by ``next(at:into:)`` is in flight until it is ``delivered(_:)``;
/// what is in flight when the connection breaks, or ``failed(_:)``, is handed out again. At most 8 publications are in
/// flight at once.
package struct Publisher: ~Copyable {
  /// Publishes as `settings` say for the device `identity`. Nothing is to be sent before ``connected(at:)``.
  package init(
    _ settings: PublisherSettings, _ identity: DeviceIdentity, random seed: UInt64, at now: Instant
  ) {
    self.settings = settings
    topics = Topics(settings, identity)
  }

  private let settings: PublisherSettings
  /// Where it publishes.
  package let topics: Topics
}

// From the owner.
extension Publisher {
  /// Takes in a line of the owner's stream, without its end. `wall` is in µs since 1970; nil where the clock is not set.
  package mutating func take(line: Span<UInt8>, at now: Instant, wall: Int64?) {}

  /// The connection to the owner is lost, or could not be made.
  package mutating func ownerIsGone(at now: Instant, wall: Int64?, why: ShortText<256>) {}

  /// The next line to send to the owner, without its end; nil for none. After each call of `take(line:…)` and `take(topic:…)`.
  package mutating func nextRequest() -> ShortText<128>? { nil }
}

// From the broker.
extension Publisher {
  /// How many topics are subscribed to after each connection.
  package var subscriptionCount: Int { settings.announces ? 2 : 1 }

  /// A topic to subscribe to.
  package func subscription(_ index: Int) -> Publication.Topic { index == 0 ? topics.command : topics.birth }

  /// The broker has accepted the connection, and the subscriptions have been sent.
  package mutating func connected(at now: Instant) {}

  /// The connection is lost. What was in flight is due again.
  package mutating func disconnected(at now: Instant) {}

  /// The broker has acknowledged the publication with `token`.
  package mutating func delivered(_ token: UInt16) {}

  /// The publication with `token` could not be sent.
  package mutating func failed(_ token: UInt16, at now: Instant) {}

  /// Takes in a message on a topic that was subscribed to.
  package mutating func take(topic: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool, at now: Instant) {}
}

// To the broker.
extension Publisher {
  /// Writes the next publication, if one is due now. It is in flight from then on.
  package mutating func next(at now: Instant, into publication: inout Publication) -> Bool { false }

  /// When ``next(at:into:)`` may have something although nothing else happens; nil for never.
  package var due: Instant? { nil }

  /// The program ends: `offline` is the last publication. ``hasEnded`` says when it is delivered.
  package mutating func end(at now: Instant) {}

  /// Whether everything is over after ``end(at:)``.
  package var hasEnded: Bool { true }

  /// The next thing to log; nil for none.
  package mutating func nextNotice() -> PublisherNotice? { nil }

  /// Writes publication `index`, from 0, of those that remove a device from the broker; false beyond the last.
  package static func forgetting(_ index: Int, of topics: Topics, into publication: inout Publication) -> Bool {
    let topic: Publication.Topic
    switch index {
    case 0: topic = topics.discovery
    case 1: topic = topics.status
    case 2: topic = topics.state
    default: return false
    }
    publication.topic = topic
    publication.isRetained = true
    publication.token = UInt16(truncatingIfNeeded: index &+ 1)
    unsafe publication.writePayload { _ in 0 }
    return true
  }
}
