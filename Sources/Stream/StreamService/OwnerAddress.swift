package import Text

/// Where the owner of a sensor serves its stream.
package enum OwnerAddress: Equatable, Sendable {
  /// A Unix socket.
  case unix(path: ShortText<108>)
  /// A TCP port.
  case tcp(NetworkPlace)
  /// A serial device with a board on it; empty for the only such board.
  case serial(path: SettingsText)

  /// The address that `value` names: `unix:PATH`, an absolute path, `tcp:HOST:PORT`, `serial:DEVICE` or `serial:auto`;
  /// nil for any other text.
  package init?(_ value: SettingsText) {
    if value.hasPrefix("tcp:") {
      guard let place = NetworkPlace(value.dropping(4), defaultPort: 7_587), place.host.isHost else { return nil }
      self = .tcp(place)
    } else if value.hasPrefix("serial:") {
      let path = value.dropping(7)
      guard !value.isCut, path == "auto" || path.hasPrefix("/") else { return nil }
      self = .serial(path: path == "auto" ? SettingsText() : path)
    } else {
      let path = value.hasPrefix("unix:") ? value.dropping(5) : value
      guard path.count > 0, path.count <= 107, value.hasPrefix("unix:") || path.hasPrefix("/") else { return nil }
      self = .unix(path: ShortText(cutting: path))
    }
  }

  /// What settings allow for an address.
  package static var rule: SettingsRule {
    .words("unix:PATH (at most 107 bytes), an absolute path, tcp:HOST:PORT, serial:DEVICE or serial:auto")
  }

  /// Where the service of this computer serves its stream.
  package static var standard: StaticString { "unix:/run/plumb/stream" }
}

extension SettingsKey {
  /// The owner's address in `value`; throws `badValue` for any other text.
  package func address(_ value: SettingsText) throws(SettingsError<Self>.Cause) -> OwnerAddress {
    guard let address = OwnerAddress(value) else { throw .badValue(self) }
    return address
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
  package init?(_ text: SettingsText, defaultPort: UInt16) {
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

extension SettingsText {
  /// Whether it can be a host's name or address.
  package var isHost: Bool {
    count > 0 && hasOnly { $0.isWord || $0 == 0x2E || $0 == 0x3A || $0 == 0x25 }
  }

  /// What follows the first `first` bytes.
  package func dropping(_ first: Int) -> SettingsText { part(from: first, to: count) }

  /// The bytes from `start` up to, but not including, `end`.
  package func part(from start: Int, to end: Int) -> SettingsText {
    var part = SettingsText()
    var index = start
    while index < end {
      part.append(byte: self[index])
      index &+= 1
    }
    return part
  }
}

extension UInt8 {
  /// Whether it is a letter, a digit, a hyphen or an underscore.
  package var isWord: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }
}
