internal import StreamService
package import Text

/// A key of the settings of a device on a broker: the schema. A new key takes a case here, a row in ``row``, a line in
/// `PublisherSettings.take`, and a row in `docs/fleet.md`, of which the manual is made.
package enum PublisherKey: UInt8, SettingsKey, PoseKey {
  /// Errors that only these settings can have.
  package typealias Refusal = PublisherRefusal

  /// The broker's host and port.
  case host, port
  /// How the device identifies itself to the broker.
  case clientID, user, passwordFile
  /// After how long the broker considers a silent device lost.
  case keepAlive
  /// The time within which it reconnects, at random, after a connection was lost.
  case spread
  /// Whether the connection is encrypted, and how its ends are authenticated.
  case tls, caFile, certificateFile, keyFile, verify
  /// The device's name in topics, and for people.
  case id, name
  /// The beginning of every topic.
  case base
  /// Whether discovery is published, and where Home Assistant listens.
  case discovery, prefix
  /// Which angles are published, how often, and from which change on.
  case angles, interval, step
  /// How often the state is published at least.
  case heartbeat
  /// Whether Home Assistant shows counters.
  case diagnostics
  /// The names of the poses for people.
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
  /// Which commands are accepted.
  case allow
  /// The owner's stream, and the file with the token that it requires.
  case from, tokenFile

  /// What the schema says about the key. Limits of a number are in units of its last decimal place.
  package var row: SettingsRow<PublisherSection> {
    switch self {
    case .host:
      .init(
        .broker, "host",
        .words("the name or the address of a broker, such as homeassistant.local (at most 180 bytes, no blanks)"),
        .error)
    case .port: .init(.broker, "port", .whole(1...65_535), .other)
    case .clientID:
      .init(
        .broker, "client-id", .words("at most 64 letters, digits, hyphens, underscores, points and colons"), .other)
    case .user: .init(.broker, "user", .bytes(128), .other)
    case .passwordFile: .init(.broker, "password-file", .path(180), .other)
    case .keepAlive: .init(.broker, "keep-alive", .whole(5...600, "s"), .value("15"))
    case .spread: .init(.broker, "spread", .whole(0...600, "s"), .value("30"))
    case .tls: .init(.broker, "tls", .decision, .value("no"))
    case .caFile: .init(.broker, "ca-file", .path(180), .other)
    case .certificateFile: .init(.broker, "certificate-file", .path(180), .other)
    case .keyFile: .init(.broker, "key-file", .path(180), .other)
    case .verify: .init(.broker, "verify", .decision, .value("yes"))

    case .id: .init(.device, "id", .words("at most 48 letters, digits, hyphens and underscores"), .other)
    case .name: .init(.device, "name", .bytes(64), .other)

    case .base: .init(.topics, "base", Self.levels, .value("plumb"))

    case .discovery: .init(.homeAssistant, "discovery", .decision, .value("yes"))
    case .prefix: .init(.homeAssistant, "prefix", Self.levels, .value("homeassistant"))

    case .angles:
      .init(
        .values, "angles", .words("any of pitch, roll, inclination, angle and heading with blanks between, or none"),
        .value("pitch roll inclination angle"))
    case .interval: .init(.values, "interval", .number(100...3_600_000, places: 3, "s"), .value("1"))
    case .step: .init(.values, "step", .number(100...90_000, places: 3, "degrees"), .value("0.5"))
    case .heartbeat: .init(.values, "heartbeat", .whole(10...3_600, "s"), .value("60"))
    case .diagnostics: .init(.values, "diagnostics", .decision, .value("yes"))

    case .portrait: .init(.names, "portrait", .bytes(48), .value("Portrait"))
    case .portraitUpsideDown: .init(.names, "portraitUpsideDown", .bytes(48), .value("Upside down"))
    case .landscapeLeft: .init(.names, "landscapeLeft", .bytes(48), .value("Landscape left"))
    case .landscapeRight: .init(.names, "landscapeRight", .bytes(48), .value("Landscape right"))
    case .faceUp: .init(.names, "faceUp", .bytes(48), .value("Face up"))
    case .faceDown: .init(.names, "faceDown", .bytes(48), .value("Face down"))

    case .allow: .init(.commands, "allow", .words("tare, query, both with a blank between, or none"), .value("none"))

    case .from: .init(.stream, "from", OwnerAddress.rule, .value(OwnerAddress.standard))
    case .tokenFile: .init(.stream, "token-file", .path(180), .other)
    }
  }

  private static var levels: SettingsRule {
    .words(
      """
      levels of a topic with / between, such as plumb or house/plumb (at most 64 bytes; no blanks, quotation marks, \
      backslashes, + or #, and no $ at the beginning)
      """)
  }
}
