package import Text

/// The first error in the settings of a device on a broker.
package typealias PublisherError = SettingsError<PublisherKey>

/// Errors that only the settings of a device on a broker have.
package enum PublisherRefusal: Equatable, Sendable {
  /// Two poses with the same name.
  case doubledName(PublisherKey, other: PublisherKey)
  /// A key that has no effect without another one.
  case useless(PublisherKey, without: PublisherKey)
}

extension PublisherKey {
  /// What messages call the file.
  package static var file: StaticString { "settings file" }

  /// Appends what `refusal`, the cause of `error`, means and what is allowed.
  package static func append(_ refusal: PublisherRefusal, of error: PublisherError, to text: inout SettingsMessage) {
    switch refusal {
    case .doubledName(let key, let other):
      text.append("\(key) is \(quoted: error.found), and so is \"\(other.name)\"")
      text.append("; allowed: a different name for each pose")
    case .useless(let key, let other):
      text.append("key \(key) needs \"\(other.name)\"")
      text.append(other == .tls ? " = yes" : "; allowed: both or neither")
    }
  }
}

extension PublisherError {
  /// The wrong key; nil for errors of lines, sections and files.
  package var key: PublisherKey? {
    switch cause {
    case .doubledKey(let key, _), .missingKey(let key), .badValue(let key), .refused(.doubledName(let key, _)),
      .refused(.useless(let key, _)):
      key
    default: nil
    }
  }

  /// The message for a program that sets properties from options, which have names of their own: what is allowed for a
  /// wrong value, otherwise ``message``.
  package var messageOfOption: SettingsMessage {
    guard case .badValue(let key) = cause else { return message }
    return "bad value \(quoted: found); allowed: \(key.allowed)"
  }
}
