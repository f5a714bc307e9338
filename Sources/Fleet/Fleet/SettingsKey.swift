package import Orientation
internal import Text

/// A section of the settings of a device on a broker.
package enum SettingsSection: UInt8, Equatable, Sendable {
  /// The broker, and how to connect to it. The only one that is required, for its host.
  case broker
  /// What the device is called.
  case device
  /// Where it publishes.
  case topics
  /// Discovery for Home Assistant.
  case homeAssistant
  /// What it publishes, and how often.
  case values
  /// What people call the poses.
  case names
  /// What may be asked of it.
  case commands
  /// Where the owner of the sensor is.
  case stream

  /// The number of sections; raw values are 0 up to this.
  package static var count: Int { 8 }

  /// The name as in the file.
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

  /// All names, for a message.
  static var all: StaticString { "broker, device, topics, home-assistant, values, names, commands, stream" }

  /// Its keys, for a message.
  var keys: StaticString {
    switch self {
    case .broker:
      """
      host, port, client-id, user, password-file, keep-alive, spread, tls, ca-file, certificate-file, key-file, verify
      """
    case .device: "id, name"
    case .topics: "base"
    case .homeAssistant: "discovery, prefix"
    case .values: "angles, interval, step, heartbeat, diagnostics"
    case .names: "portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown"
    case .commands: "allow"
    case .stream: "from, token-file"
    }
  }
}

/// A key of the settings of a device on a broker.
package enum SettingsKey: UInt8, Equatable, Sendable {
  /// The broker's host and port.
  case host, port
  /// Who the device is to the broker.
  case clientID, user, passwordFile
  /// The time after which the broker takes a silent device for lost.
  case keepAlive
  /// Within which time it connects again, at random, when a connection was lost.
  case spread
  /// Whether the connection is encrypted, and what proves who is at its ends.
  case tls, caFile, certificateFile, keyFile, verify
  /// The device's name in topics, and for people.
  case id, name
  /// What every topic begins with.
  case base
  /// Whether discovery is published, and where Home Assistant listens.
  case discovery, prefix
  /// Which angles are published, how often, and from which change on.
  case angles, interval, step
  /// How often the state is published at least.
  case heartbeat
  /// Whether Home Assistant shows what is counted.
  case diagnostics
  /// What people call each pose.
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
  /// Which commands are taken.
  case allow
  /// The owner's stream, and the file of the token that it asks for.
  case from, tokenFile

  /// The number of keys; raw values are 0 up to this.
  package static var count: Int { 31 }

  /// The key of the name of `pose`.
  package init(_ pose: Pose) {
    switch pose {
    case .portrait: self = .portrait
    case .portraitUpsideDown: self = .portraitUpsideDown
    case .landscapeLeft: self = .landscapeLeft
    case .landscapeRight: self = .landscapeRight
    case .faceUp: self = .faceUp
    case .faceDown: self = .faceDown
    }
  }

  /// The pose that the key names.
  package var pose: Pose? {
    switch self {
    case .portrait: .portrait
    case .portraitUpsideDown: .portraitUpsideDown
    case .landscapeLeft: .landscapeLeft
    case .landscapeRight: .landscapeRight
    case .faceUp: .faceUp
    case .faceDown: .faceDown
    default: nil
    }
  }

  /// The section where the key belongs.
  package var section: SettingsSection {
    switch self {
    case .host, .port, .clientID, .user, .passwordFile, .keepAlive, .spread, .tls, .caFile, .certificateFile, .keyFile,
      .verify:
      .broker
    case .id, .name: .device
    case .base: .topics
    case .discovery, .prefix: .homeAssistant
    case .angles, .interval, .step, .heartbeat, .diagnostics: .values
    case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown: .names
    case .allow: .commands
    case .from, .tokenFile: .stream
    }
  }

  /// The name as in the file.
  package var name: StaticString {
    switch self {
    case .host: "host"
    case .port: "port"
    case .clientID: "client-id"
    case .user: "user"
    case .passwordFile: "password-file"
    case .keepAlive: "keep-alive"
    case .spread: "spread"
    case .tls: "tls"
    case .caFile: "ca-file"
    case .certificateFile: "certificate-file"
    case .keyFile: "key-file"
    case .verify: "verify"
    case .id: "id"
    case .name: "name"
    case .base: "base"
    case .discovery: "discovery"
    case .prefix: "prefix"
    case .angles: "angles"
    case .interval: "interval"
    case .step: "step"
    case .heartbeat: "heartbeat"
    case .diagnostics: "diagnostics"
    case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown: pose?.name ?? "faceDown"
    case .allow: "allow"
    case .from: "from"
    case .tokenFile: "token-file"
    }
  }

  /// The allowed values, for a message.
  package var allowed: StaticString {
    switch self {
    case .host: "the name or the address of a broker, such as homeassistant.local (at most 180 bytes, no blanks)"
    case .port: "a number from 1 to 65535"
    case .clientID: "at most 64 letters, digits, hyphens, underscores, points and colons"
    case .user: "at most 128 bytes"
    case .passwordFile, .caFile, .certificateFile, .keyFile, .tokenFile: "the path of a file (at most 180 bytes)"
    case .keepAlive: "a whole number from 5 to 600 (s)"
    case .spread: "a whole number from 0 to 600 (s)"
    case .tls, .verify, .discovery, .diagnostics: "yes or no"
    case .id: "at most 48 letters, digits, hyphens and underscores"
    case .name: "at most 64 bytes"
    case .base, .prefix:
      """
      levels of a topic with / between, such as plumb or house/plumb (at most 64 bytes; no blanks, quotation marks, \
      backslashes, + or #, and no $ at the beginning)
      """
    case .angles: "any of pitch, roll, inclination, angle and heading with blanks between, or none"
    case .interval: "a number from 0.1 to 3600 (s), at most 3 decimals"
    case .step: "a number from 0.1 to 90 (degrees), at most 3 decimals"
    case .heartbeat: "a whole number from 10 to 3600 (s)"
    case .allow: "tare, query, both with a blank between, or none"
    case .from: "unix:PATH (at most 107 bytes), an absolute path, or tcp:HOST:PORT"
    case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown: "at most 48 bytes"
    }
  }
}

// Reading names.
extension SettingsSection {
  init?(index: Int) { self.init(rawValue: UInt8(truncatingIfNeeded: index)) }

  init?(named name: SettingsText) {
    for index in 0..<Self.count {
      guard let section = Self(index: index), name == section.name else { continue }
      self = section
      return
    }
    return nil
  }

  /// The section that was probably meant, if one is similar enough.
  init?(nearestTo text: ShortText<48>) {
    var best = 3
    var found: SettingsSection?
    for index in 0..<Self.count {
      guard let section = SettingsSection(index: index) else { continue }
      let distance = text.distance(to: section.name)
      if distance < best { (best, found) = (distance, section) }
    }
    guard let found else { return nil }
    self = found
  }
}

extension SettingsKey {
  init?(index: Int) { self.init(rawValue: UInt8(truncatingIfNeeded: index)) }

  /// The place of the key in a list of all.
  var index: Int { Int(truncatingIfNeeded: rawValue) }

  init?(named name: SettingsText, in section: SettingsSection) {
    for index in 0..<Self.count {
      guard let key = Self(index: index), key.section == section, name == key.name else { continue }
      self = key
      return
    }
    return nil
  }

  /// The key that was probably meant, if one is similar enough; in another section it must be the very word.
  init?(nearestTo text: ShortText<48>, preferring section: SettingsSection) {
    var best = 6
    var found: SettingsKey?
    for index in 0..<Self.count {
      guard let key = SettingsKey(index: index) else { continue }
      let letters = text.distance(to: key.name)
      guard key.section == section || letters == 0 else { continue }
      let distance = 2 &* letters &+ (key.section == section ? 0 : 1)
      if distance < best { (best, found) = (distance, key) }
    }
    guard let found else { return nil }
    self = found
  }
}
