package import Text

/// What is wrong with the settings of a device on a broker: the first error.
package typealias PublisherError = SettingsError<PublisherKey>

/// Errors that only the settings of a device on a broker have.
package enum PublisherRefusal: Equatable, Sendable {
  /// Two poses with one name.
  case doubledName(PublisherKey, other: PublisherKey)
  /// A key that means something only with another one.
  case useless(PublisherKey, without: PublisherKey)
}

extension PublisherKey {
  /// What the file is called in a message.
  package static var file: StaticString { "settings file" }

  /// Adds what `refusal`, the cause of `error`, means and what is allowed.
  package static func append(_ refusal: PublisherRefusal, of error: PublisherError, to text: inout SettingsMessage) {
    switch refusal {
    case .doubledName(let key, let other):
      text.append("\(key) is \(quoted: error.found), and so is \"\(other.name)\"")
      text.append("; allowed: a name of its own for each pose")
    case .useless(let key, let other):
      text.append("key \(key) needs \"\(other.name)\"")
      text.append(other == .tls ? " = yes" : "; allowed: both or neither")
    }
  }
}

extension PublisherError {
  /// The key that is wrong; nil for errors of lines, sections and files.
  package var key: PublisherKey? {
    switch cause {
    case .doubledKey(let key, _), .missingKey(let key), .badValue(let key), .refused(.doubledName(let key, _)),
      .refused(.useless(let key, _)):
      key
    default: nil
    }
  }

  /// The same for a program that sets properties from options, which know their names: what is allowed where a value is
  /// wrong, else ``message``.
  package var messageOfOption: SettingsMessage {
    guard case .badValue(let key) = cause else { return message }
    return "bad value \(quoted: found); allowed: \(key.allowed)"
  }
}
