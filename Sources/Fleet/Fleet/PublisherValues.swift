internal import FixedPoint
package import Text

/// An angle that a device can publish.
package enum Angle: Int, NamedCase {
  /// How far the top edge points up.
  case pitch
  /// The rotation about the long axis.
  case roll
  /// The angle of the face's normal from straight up.
  case inclination
  /// The rotation in the board's own plane.
  case angle
  /// The rotation about the vertical, with a gyroscope.
  case heading

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
}

/// An enumeration whose cases people choose by name.
package protocol NamedCase: CaseIterable, Equatable, Sendable where AllCases == [Self] {
  /// The name in settings.
  var name: StaticString { get }
}

/// Some of the cases of an enumeration.
package struct Choice<Case: NamedCase>: Equatable, Sendable {
  private let cases: [Case]

  /// The `cases`, in the order of the enumeration.
  package init(_ cases: [Case] = []) { self.cases = cases }

  /// The cases named in `value`, separated by blanks; nil for any other text.
  init?(_ value: SettingsText) {
    let words = value == "none" ? [] : value.words
    cases = Case.allCases.filter { one in words.contains { $0 == one.name } }
    // Each word is a name, and none is repeated.
    guard cases.count == words.count, value == "none" || !words.isEmpty else { return nil }
  }

  /// Whether no case is chosen.
  package var isEmpty: Bool { cases.isEmpty }

  /// Whether `one` is chosen.
  package func contains(_ one: Case) -> Bool { cases.contains(one) }
}

/// A command for a device, sent over the broker.
package enum DeviceCommand: NamedCase {
  /// Takes the present attitude as the one in which angles are zero and nothing scrolls.
  case tare
  /// Answers with a fresh reading.
  case query

  /// The name in settings and messages.
  package var name: StaticString { self == .tare ? "tare" : "query" }
}

/// Where the owner of a sensor serves its stream.
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

  /// The place in `text`, HOST, HOST:PORT or [HOST]:PORT; nil for any other text. With two colons, they belong to an
  /// address.
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
  /// The levels of a topic.
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

  /// What follows the first `first` bytes.
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

  /// The words, which are separated by blanks.
  var words: [ShortText<16>] {
    var words: [ShortText<16>] = []
    for index in 0..<count where !isBlank(at: index) {
      if index == 0 || isBlank(at: index &- 1) { words.append(ShortText<16>()) }
      words[words.count &- 1].append(byte: self[index])
    }
    return words
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

  /// Whether it is allowed in the part of a topic that people choose.
  fileprivate var isOfTopic: Bool {
    self > 0x20 && self != 0x7F && self != 0x22 && self != 0x5C && self != 0x2B && self != 0x23
  }
}
