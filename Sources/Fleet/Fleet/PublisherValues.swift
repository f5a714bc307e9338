internal import FixedPoint
package import Text

/// An angle that a device can publish.
package enum Angle: UInt8, Equatable, Sendable {
  /// How far the top edge points up.
  case pitch
  /// The turn about the long axis.
  case roll
  /// The face's normal from straight up.
  case inclination
  /// The turn in the board's own plane.
  case angle
  /// The turn about the vertical, with a gyroscope.
  case heading

  /// The number of angles; raw values are 0 up to this.
  package static var count: Int { 5 }

  /// The name in settings.
  package var name: StaticString {
    switch self {
    case .pitch: "pitch"
    case .roll: "roll"
    case .inclination: "inclination"
    case .angle: "angle"
    case .heading: "heading"
    }
  }

  init?(index: Int) { self.init(rawValue: UInt8(truncatingIfNeeded: index)) }
}

/// Some of the angles.
package struct AngleChoice: Equatable, Sendable {
  private var bits: UInt8 = 0

  /// None.
  package init() {}

  init<let count: Int>(_ angles: InlineArray<count, Angle>) {
    for index in 0..<count { insert(angles[index]) }
  }

  /// Those that `value` names, with blanks between; nil for any other text.
  init?(_ value: SettingsText) {
    guard value.count != 4 || !(value == "none") else { return }
    var position = 0
    while let word = value.word(at: &position) {
      guard let angle = Self.angle(named: word), !contains(angle) else { return nil }
      insert(angle)
    }
    guard bits != 0 else { return nil }
  }

  private static func angle(named word: ShortText<16>) -> Angle? {
    for index in 0..<Angle.count {
      if let angle = Angle(index: index), word == angle.name { return angle }
    }
    return nil
  }

  private mutating func insert(_ angle: Angle) { bits |= 1 &<< angle.rawValue }

  /// Whether it is none.
  package var isEmpty: Bool { bits == 0 }

  /// Whether `angle` is one of them.
  package func contains(_ angle: Angle) -> Bool { bits & (1 &<< angle.rawValue) != 0 }
}

/// What can be asked of a device over the broker.
package enum DeviceCommand: UInt8, Equatable, Sendable {
  /// The present position is the rest of tilt scrolling.
  case tare
  /// A fresh reading.
  case query

  /// The name in settings and messages.
  package var name: StaticString { self == .tare ? "tare" : "query" }
}

/// Some of the commands.
package struct CommandChoice: Equatable, Sendable {
  private var hasTare = false
  private var hasQuery = false

  /// None.
  package init() {}

  /// Those that `value` names, with blanks between; nil for any other text.
  init?(_ value: SettingsText) {
    guard !(value == "none") else { return }
    var position = 0
    while let word = value.word(at: &position) {
      if word == "tare" && !hasTare {
        hasTare = true
      } else if word == "query" && !hasQuery {
        hasQuery = true
      } else {
        return nil
      }
    }
    guard hasTare || hasQuery else { return nil }
  }

  /// Whether `command` is one of them.
  package func contains(_ command: DeviceCommand) -> Bool { command == .tare ? hasTare : hasQuery }
}

/// Where the owner of a sensor offers its stream.
package enum OwnerAddress: Equatable, Sendable {
  /// A Unix socket.
  case unix(path: ShortText<108>)
  /// A TCP port.
  case tcp(NetworkPlace)

  init?(_ value: SettingsText) {
    if value.hasPrefix("tcp:") {
      guard let place = NetworkPlace(value.dropping(4), defaultPort: 7_587), place.host.isHost else { return nil }
      self = .tcp(place)
    } else {
      let path = value.hasPrefix("unix:") ? value.dropping(5) : value
      guard path.count > 0, path.count <= 107, value.hasPrefix("unix:") || path.hasPrefix("/") else { return nil }
      self = .unix(path: ShortText(cutting: path))
    }
  }
}

/// A host and a port.
package struct NetworkPlace: Equatable, Sendable {
  /// The host's name or address.
  package var host: SettingsText
  /// The port.
  package var port: UInt16

  /// The place in `text`, HOST, HOST:PORT or [HOST]:PORT; nil for any other text. Two colons are those of an address.
  init?(_ text: SettingsText, defaultPort: UInt16) {
    (host, port) = (text, defaultPort)
    guard !text.isCut && text.count > 0 else { return nil }
    let isBracketed = text[0] == UInt8(ascii: "[")
    var (colons, last) = (0, 0)
    for index in 0..<text.count where text[index] == UInt8(ascii: ":") || text[index] == UInt8(ascii: "]") {
      if text[index] == UInt8(ascii: ":") { colons &+= 1 }
      last = index
    }
    if isBracketed {
      let hasPort = text[last] == UInt8(ascii: ":")
      let end = hasPort ? last &- 1 : last
      guard text[end] == UInt8(ascii: "]"), hasPort || last == text.count &- 1 else { return nil }
      host = text.part(from: 1, to: end)
      guard hasPort else { return }
    } else if colons == 1 {
      host = text.part(from: 0, to: last)
    } else {
      return
    }
    guard let number = text.dropping(last &+ 1).decimal, number > 0, number <= 65_535 else { return nil }
    port = UInt16(truncatingIfNeeded: number)
  }
}

// Reading values.
extension SettingsText {
  /// Levels of a topic.
  func topic(of key: PublisherKey) throws(PublisherError.Cause) -> PublisherSettings.TopicPart {
    let bad = PublisherError.Cause.badValue(key)
    guard count <= 64, hasOnly({ $0.isOfTopic }), self[0] != UInt8(ascii: "$") else { throw bad }
    var before = UInt8(ascii: "/")
    for index in 0..<count {
      guard self[index] != UInt8(ascii: "/") || before != UInt8(ascii: "/") else { throw bad }
      before = self[index]
    }
    guard before != UInt8(ascii: "/") else { throw bad }
    return try key.bytes(self)
  }

  /// Whether it can be a host's name or address.
  var isHost: Bool {
    count > 0 && hasOnly { $0.isWord || $0 == 0x2E || $0 == 0x3A || $0 == 0x25 }
  }

  /// What comes behind the first `count` bytes.
  func dropping(_ first: Int) -> SettingsText { part(from: first, to: count) }

  func part(from start: Int, to end: Int) -> SettingsText {
    var part = SettingsText()
    var index = start
    while index < end {
      part.append(byte: self[index])
      index &+= 1
    }
    return part
  }

  /// The next word from `position` on, which goes behind it; nil where there is none.
  func word(at position: inout Int) -> ShortText<16>? {
    while position < count && isBlank(at: position) { position &+= 1 }
    guard position < count else { return nil }
    var word = ShortText<16>()
    while position < count && !isBlank(at: position) {
      word.append(byte: self[position])
      position &+= 1
    }
    return word
  }
}

extension UInt8 {
  /// Whether it is a letter, a digit, a hyphen or an underscore.
  var isWord: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }

  /// Whether it is allowed in what people choose of a topic.
  fileprivate var isOfTopic: Bool {
    self > 0x20 && self != 0x7F && self != 0x22 && self != 0x5C && self != 0x2B && self != 0x23
  }
}
