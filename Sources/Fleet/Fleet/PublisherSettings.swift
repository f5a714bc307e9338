internal import BoardFile
package import CSupport
package import FixedPoint
package import Orientation
package import StreamService
package import Text

/// A device on a broker, as configured by `/etc/plumb/mqtt.ini` and the options of `plumb publish`.
package struct PublisherSettings: SettableDraft, Sendable {
  /// The broker's name or address; empty if none was given.
  package private(set) var host = SettingsText()
  private var givenPort: UInt16?
  /// The device's client id at the broker; empty for `plumb-` and its id.
  package private(set) var clientID = ShortText<72>()
  /// The user; empty for none.
  package private(set) var user = ShortText<136>()
  /// The file whose first line is the password; empty for none.
  package private(set) var passwordFile = SettingsText()
  /// The certificate authorities that may vouch for the broker; empty for those of the system.
  package private(set) var caFile = SettingsText()
  /// The device's certificate; empty for none.
  package private(set) var certificateFile = SettingsText()
  /// The key of the certificate; empty if it is in the same file.
  package private(set) var keyFile = SettingsText()
  /// The device's name in topics; empty for the default in ``DeviceIdentity``.
  package private(set) var id = ShortText<52>()
  /// The device's name for people; empty for the computer's.
  package private(set) var name = ShortText<72>()
  /// The beginning of every topic.
  package private(set) var base: TopicPart = "plumb"
  /// The beginning of Home Assistant's topics.
  package private(set) var prefix: TopicPart = "homeassistant"
  /// Which angles are published.
  package private(set) var angles = Choice<Angle>([.pitch, .roll, .inclination, .angle])
  /// How often angles are published at most.
  package private(set) var interval = Microseconds.seconds(1)
  /// By how much an angle must change to be published.
  package private(set) var step = BinaryAngle(degrees: Q16(1, over: 2))
  /// How often the state is published at least.
  package private(set) var heartbeat = Microseconds.seconds(60)
  private var names = InlineArray<6, PoseName>(repeating: PoseName())
  /// Which commands are accepted.
  package private(set) var commands = Choice<DeviceCommand>()
  /// Where the owner of the sensor is.
  package private(set) var source = OwnerAddress.unix(path: "/run/plumb/stream")
  /// The file with the token that the owner requires; empty for none.
  package private(set) var tokenFile = SettingsText()

  package private(set) var numbers = SettingsNumbers<PublisherKey>()
  /// Where the keys are in the file that has set them.
  package var places = SettingsPlaces<PublisherKey>()

  package static var receive: csupport_ini_handler { { unsafe SettingsReader<Self>.receive($0, $1) } }

  /// A part of a topic that people choose.
  package typealias TopicPart = ShortText<68>
  /// A name of a pose for people.
  package typealias PoseName = ShortText<52>

  /// The defaults, without a broker.
  package init() {}

  /// The broker's port.
  package var port: UInt16 { givenPort ?? (has(.tls) ? 8_883 : 1_883) }

  /// The name of `pose` for people.
  package func name(of pose: Pose) -> PoseName {
    let name = names[Int(truncatingIfNeeded: pose.rawValue)]
    guard name.count == 0, case .value(let standard) = PublisherKey(pose).row.absence else { return name }
    return PoseName(standard)
  }
}

// Setting.
extension PublisherSettings {
  /// Sets host and port to those of `address`, HOST or HOST:PORT; brackets surround an IPv6 address with a port.
  package mutating func set(broker address: SettingsText) throws(PublisherError) {
    guard let place = NetworkPlace(address, defaultPort: 0) else {
      throw PublisherError(.badValue(.host), found: ShortText(cutting: address))
    }
    try set(.host, to: place.host)
    // A port in the file would be another broker's.
    givenPort = place.port > 0 ? place.port : nil
    places.note(.port, line: 0)
  }

  /// Sets `key` to `value`.
  package mutating func put(_ key: PublisherKey, _ value: SettingsText) throws(PublisherError.Cause) {
    let bad = PublisherError.Cause.badValue(key)
    switch key {
    case .host:
      guard value.count <= 180, value.isHost else { throw bad }
      host = value
    case .port: givenPort = UInt16(truncatingIfNeeded: try key.number(value))
    case .clientID:
      guard value.count <= 64, value.hasOnly({ $0.isWord || $0 == 0x2E || $0 == 0x3A }) else { throw bad }
      clientID = try key.bytes(value)
    case .user: user = try key.bytes(value)
    case .passwordFile: passwordFile = try key.bytes(value)
    case .caFile: caFile = try key.bytes(value)
    case .certificateFile: certificateFile = try key.bytes(value)
    case .keyFile: keyFile = try key.bytes(value)
    case .id:
      guard value.count <= 48, value.hasOnly({ $0.isWord }) else { throw bad }
      id = try key.bytes(value)
    case .name: name = try key.bytes(value)
    case .base: base = try value.topic(of: key)
    case .prefix: prefix = try value.topic(of: key)
    case .angles:
      guard let angles = Choice<Angle>(value) else { throw bad }
      self.angles = angles
    case .interval: interval = .milliseconds(widened(try key.number(value)))
    // In units of 0.001°.
    case .step: step = BinaryAngle(degrees: Q16(try key.number(value), over: 1_000))
    case .heartbeat: heartbeat = .seconds(widened(try key.number(value)))
    case .keepAlive, .spread, .tls, .verify, .discovery, .diagnostics: try numbers.put(key, value)
    case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown:
      guard let pose = key.pose else { throw bad }
      names[Int(truncatingIfNeeded: pose.rawValue)] = try key.bytes(value)
    case .allow:
      guard let commands = Choice<DeviceCommand>(value) else { throw bad }
      self.commands = commands
    case .from: source = try key.address(value)
    case .tokenFile: tokenFile = try key.bytes(value)
    }
  }

  /// Checks what no value alone can show: that there is a broker, that names differ, and that every setting has an
  /// effect.
  package func check() throws(PublisherError) {
    guard host.count > 0 else { throw PublisherError(.missingKey(.host)) }
    try checkNames()
    if passwordFile.count > 0 && user.count == 0 { throw useless(.passwordFile, without: .user) }
    if keyFile.count > 0 && certificateFile.count == 0 { throw useless(.keyFile, without: .certificateFile) }
    guard !has(.tls) else { return }
    if caFile.count > 0 { throw useless(.caFile, without: .tls) }
    if certificateFile.count > 0 { throw useless(.certificateFile, without: .tls) }
    if !has(.verify) { throw useless(.verify, without: .tls) }
  }

  private func checkNames() throws(PublisherError) {
    for index in 0..<Pose.count {
      guard let pose = Pose(rawValue: UInt8(truncatingIfNeeded: index)) else { continue }
      let name = name(of: pose)
      for earlier in 0..<index {
        guard let other = Pose(rawValue: UInt8(truncatingIfNeeded: earlier)), self.name(of: other) == name else {
          continue
        }
        // Of the two, the one that comes later in the file.
        let isLater = places.line(of: PublisherKey(pose)) > places.line(of: PublisherKey(other))
        let (wrong, right) =
          isLater ? (PublisherKey(pose), PublisherKey(other)) : (PublisherKey(other), PublisherKey(pose))
        throw PublisherError(
          .refused(.doubledName(wrong, other: right)), line: places.line(of: wrong), found: ShortText(cutting: name))
      }
    }
  }

  private func useless(_ key: PublisherKey, without other: PublisherKey) -> PublisherError {
    PublisherError(.refused(.useless(key, without: other)), line: places.line(of: key))
  }
}
