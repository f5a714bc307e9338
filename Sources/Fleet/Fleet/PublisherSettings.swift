package import FixedPoint
package import Orientation
package import Text

/// The text of a section, a key or a value. Room for the longest line, so that nothing of a file is cut.
package typealias SettingsText = ShortText<192>

/// How a device is on a broker: what `/etc/plumb/mqtt.ini` and the options of `plumb publish` say.
package struct PublisherSettings: Sendable {
  /// The broker's name or address; empty where none was given.
  package private(set) var host = SettingsText()
  private var givenPort: UInt16?
  /// How the device calls itself to the broker; empty for `plumb-` and its id.
  package private(set) var clientID = ShortText<72>()
  /// The user; empty for none.
  package private(set) var user = ShortText<136>()
  /// The file whose first line is the password; empty for none.
  package private(set) var passwordFile = SettingsText()
  /// After one and a half of this the broker takes a silent device for lost, s.
  package private(set) var keepAlive: Int32 = 15
  /// Within how many seconds it connects again, at random, when a connection was lost; 0 at once.
  package private(set) var spread: Int32 = 30
  /// Whether the connection is encrypted.
  package private(set) var usesTLS = false
  /// The authorities that may vouch for the broker; empty for those of the system.
  package private(set) var caFile = SettingsText()
  /// What proves who the device is; empty for nothing.
  package private(set) var certificateFile = SettingsText()
  /// The key of the certificate; empty where it is in the same file.
  package private(set) var keyFile = SettingsText()
  /// Whether the broker must prove who it is.
  package private(set) var verifies = true
  /// The device's name in topics; empty for the default of ``DeviceIdentity``.
  package private(set) var id = ShortText<52>()
  /// The device's name for people; empty for that of the computer.
  package private(set) var name = ShortText<72>()
  /// What every topic begins with.
  package private(set) var base: TopicPart = "plumb"
  /// Whether discovery for Home Assistant is published.
  package private(set) var announces = true
  /// What Home Assistant's topics begin with.
  package private(set) var prefix: TopicPart = "homeassistant"
  /// Which angles are published.
  package private(set) var angles = AngleChoice([.pitch, .roll, .inclination, .angle])
  /// Angles are published at most this often.
  package private(set) var interval = Microseconds.seconds(1)
  /// Angles are published where one has moved by more than this.
  package private(set) var step = BinaryAngle(degrees: Q16(1, over: 2))
  /// The state is published at least this often.
  package private(set) var heartbeat = Microseconds.seconds(60)
  /// Whether Home Assistant shows what is counted.
  package private(set) var showsDiagnostics = true
  private var names = InlineArray<6, PoseName>(repeating: PoseName())
  /// Which commands are taken.
  package private(set) var commands = CommandChoice()
  /// Where the owner of the sensor is.
  package private(set) var source = OwnerAddress.unix(path: "/run/plumb/stream")
  /// The file of the token that the owner asks for; empty for none.
  package private(set) var tokenFile = SettingsText()

  /// The line of each key, 0 for those that no file has set.
  var lines = InlineArray<31, Int32>(repeating: 0)

  /// A part of a topic that people choose.
  package typealias TopicPart = ShortText<68>
  /// What people call a pose.
  package typealias PoseName = ShortText<52>

  /// The defaults, without a broker.
  package init() {}

  /// The broker's port.
  package var port: UInt16 { givenPort ?? (usesTLS ? 8_883 : 1_883) }

  /// What people call `pose`.
  package func name(of pose: Pose) -> PoseName {
    let name = names[Int(truncatingIfNeeded: pose.rawValue)]
    guard name.count == 0 else { return name }
    return switch pose {
    case .portrait: "Portrait"
    case .portraitUpsideDown: "Upside down"
    case .landscapeLeft: "Landscape left"
    case .landscapeRight: "Landscape right"
    case .faceUp: "Face up"
    case .faceDown: "Face down"
    }
  }
}

// Setting.
extension PublisherSettings {
  /// Sets `key` to `value`, as an option has it: it goes before what a file said.
  package mutating func set(_ key: SettingsKey, to value: SettingsText) throws(SettingsError) {
    try set(key, to: value, line: 0)
  }

  /// Sets `key` to `value`, as it is in `line` of a file.
  mutating func set(_ key: SettingsKey, to value: SettingsText, line: Int32) throws(SettingsError) {
    lines[key.index] = line
    do throws(SettingsError.Cause) {
      try take(key, value)
    } catch {
      throw SettingsError(error, line: line, found: ShortText(cutting: value))
    }
  }

  /// Sets host and port to those of `address`, HOST or HOST:PORT; an IPv6 address with a port is in brackets.
  package mutating func set(broker address: SettingsText) throws(SettingsError) {
    guard let place = NetworkPlace(address, defaultPort: 0) else {
      throw SettingsError(.badValue(.host), found: ShortText(cutting: address))
    }
    try set(.host, to: place.host)
    // A port of the file is that of another broker.
    givenPort = place.port > 0 ? place.port : nil
    lines[SettingsKey.port.index] = 0
  }

  private mutating func take(_ key: SettingsKey, _ value: SettingsText) throws(SettingsError.Cause) {
    let bad = SettingsError.Cause.badValue(key)
    guard value.count > 0 && !value.isCut else { throw bad }
    if let pose = key.pose {
      names[Int(truncatingIfNeeded: pose.rawValue)] = try value.words(atMost: 48, bad)
      return
    }
    switch key {
    case .host:
      guard value.count <= 180, value.isHost else { throw bad }
      host = value
    case .port: givenPort = UInt16(truncatingIfNeeded: try value.number(1...65_535, bad))
    case .clientID:
      guard value.hasOnly({ $0.isWord || $0 == 0x2E || $0 == 0x3A }) else { throw bad }
      clientID = try value.words(atMost: 64, bad)
    case .user: user = try value.words(atMost: 128, bad)
    case .passwordFile: passwordFile = try value.words(atMost: 180, bad)
    case .keepAlive: keepAlive = try value.number(5...600, bad)
    case .spread: spread = try value.number(0...600, bad)
    case .tls: usesTLS = try value.decision(bad)
    case .caFile: caFile = try value.words(atMost: 180, bad)
    case .certificateFile: certificateFile = try value.words(atMost: 180, bad)
    case .keyFile: keyFile = try value.words(atMost: 180, bad)
    case .verify: verifies = try value.decision(bad)
    case .id:
      guard value.hasOnly({ $0.isWord }) else { throw bad }
      id = try value.words(atMost: 48, bad)
    case .name: name = try value.words(atMost: 64, bad)
    case .base: base = try value.topic(bad)
    case .discovery: announces = try value.decision(bad)
    case .prefix: prefix = try value.topic(bad)
    default: try takeValue(key, value, bad)
    }
  }

  private mutating func takeValue(
    _ key: SettingsKey, _ value: SettingsText, _ bad: SettingsError.Cause
  ) throws(SettingsError.Cause) {
    switch key {
    case .angles:
      guard let angles = AngleChoice(value) else { throw bad }
      self.angles = angles
    case .interval:
      interval = .milliseconds(widened(try value.thousandths(100...3_600_000, bad)))
    case .step:
      // Of 0.001° each.
      let thousandths = try value.thousandths(100...90_000, bad)
      step = BinaryAngle(degrees: Q16(thousandths, over: 1_000))
    case .heartbeat: heartbeat = .seconds(widened(try value.number(10...3_600, bad)))
    case .diagnostics: showsDiagnostics = try value.decision(bad)
    case .allow:
      guard let commands = CommandChoice(value) else { throw bad }
      self.commands = commands
    case .from:
      guard let source = OwnerAddress(value) else { throw bad }
      self.source = source
    default: tokenFile = try value.words(atMost: 180, bad)
    }
  }

  /// Checks what one value alone cannot show: that there is a broker, that names differ, and that nothing is set in vain.
  package func check() throws(SettingsError) {
    guard host.count > 0 else { throw SettingsError(.missingKey(.host)) }
    try checkNames()
    if passwordFile.count > 0 && user.count == 0 { throw useless(.passwordFile, without: .user) }
    if keyFile.count > 0 && certificateFile.count == 0 { throw useless(.keyFile, without: .certificateFile) }
    guard !usesTLS else { return }
    if caFile.count > 0 { throw useless(.caFile, without: .tls) }
    if certificateFile.count > 0 { throw useless(.certificateFile, without: .tls) }
    if !verifies { throw useless(.verify, without: .tls) }
  }

  private func checkNames() throws(SettingsError) {
    for index in 0..<Pose.count {
      guard let pose = Pose(rawValue: UInt8(truncatingIfNeeded: index)) else { continue }
      let name = name(of: pose)
      for earlier in 0..<index {
        guard let other = Pose(rawValue: UInt8(truncatingIfNeeded: earlier)), self.name(of: other) == name else {
          continue
        }
        // Of the two the one that comes later in the file.
        let isLater = lines[SettingsKey(pose).index] > lines[SettingsKey(other).index]
        let (wrong, right) = isLater ? (SettingsKey(pose), SettingsKey(other)) : (SettingsKey(other), SettingsKey(pose))
        throw SettingsError(
          .doubledName(wrong, other: right), line: lines[wrong.index], found: ShortText(cutting: name))
      }
    }
  }

  private func useless(_ key: SettingsKey, without other: SettingsKey) -> SettingsError {
    SettingsError(.useless(key, without: other), line: lines[key.index])
  }
}
