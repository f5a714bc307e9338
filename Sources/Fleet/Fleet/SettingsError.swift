internal import CSupport
package import Text

/// What is wrong with the settings of a device on a broker: the first error.
package struct SettingsError: Error, Equatable, Sendable {
  /// The line, counted from 1; 0 for the whole file, and for what was not set by a file.
  package var line: Int32
  /// The kind of error.
  package var cause: Cause
  /// What was found, cut if it is long; may be empty.
  package var found: ShortText<48>

  init(_ cause: Cause, line: Int32 = 0, found: ShortText<48> = ShortText()) {
    (self.line, self.cause, self.found) = (line, cause, found)
  }

  /// The kinds of error.
  package enum Cause: Error, Equatable, Sendable {
    /// The file does not exist.
    case missingFile
    /// The program has no permission to read it.
    case notPermitted
    /// It is a directory.
    case isDirectory
    /// It cannot be opened or read; the system's `errno`.
    case unreadable(code: Int32)
    /// It is larger than 64 KiB.
    case tooLarge
    /// It has bytes that are not text.
    case notText
    /// A line of over 190 bytes.
    case lineTooLong
    /// A line that is not a section, a key with a value, or a comment.
    case malformedLine
    /// A key before the first section.
    case outsideSection
    /// An unknown section.
    case unknownSection
    /// A repeated section.
    case doubledSection(SettingsSection, firstLine: Int32)
    /// An unknown key.
    case unknownKey(SettingsSection)
    /// A repeated key.
    case doubledKey(SettingsKey, firstLine: Int32)
    /// A missing key.
    case missingKey(SettingsKey)
    /// A value that is not allowed.
    case badValue(SettingsKey)
    /// Two poses with one name.
    case doubledName(SettingsKey, other: SettingsKey)
    /// A key that means something only with another one.
    case useless(SettingsKey, without: SettingsKey)
  }

  /// The exit code of a program that reports the error: 77 (`EX_NOPERM`) or 78 (`EX_CONFIG`) of the sysexits convention.
  package var exitCode: Int32 { cause == .notPermitted ? 77 : 78 }

  /// The key that is wrong; nil for errors of lines, sections and files.
  package var key: SettingsKey? {
    switch cause {
    case .doubledKey(let key, _), .missingKey(let key), .badValue(let key), .doubledName(let key, _),
      .useless(let key, _):
      key
    default: nil
    }
  }
}

// Words.
extension SettingsError {
  /// The error as one line of text, without file and line: what was found and what is allowed.
  package var message: ShortText<512> {
    var text = ShortText<512>()
    switch cause {
    case .missingFile, .notPermitted, .isDirectory, .unreadable, .tooLarge, .notText: appendFile(to: &text)
    case .lineTooLong, .malformedLine: appendLine(to: &text)
    case .outsideSection, .unknownSection, .doubledSection: appendSection(to: &text)
    case .unknownKey, .doubledKey: appendKey(to: &text)
    case .badValue(let key):
      text.append("bad value \(quoted: found) of \(key); allowed: \(key.allowed)")
    case .missingKey(let key):
      text.append("missing key \(key); allowed: \(key.allowed)")
    case .doubledName(let key, let other):
      text.append("\(key) is \(quoted: found), and so is \"\(other.name)\"; allowed: a name of its own for each pose")
    case .useless(let key, let other):
      text.append("key \(key) needs \"\(other.name)\"")
      text.append(other == .tls ? " = yes" : "; allowed: both or neither")
    }
    return text
  }

  /// The same for a program that sets properties from options, which know their names: what is allowed where a value is
  /// wrong, else ``message``.
  package var messageOfOption: ShortText<512> {
    guard case .badValue(let key) = cause else { return message }
    return "bad value \(quoted: found); allowed: \(key.allowed)"
  }

  private func appendFile(to text: inout ShortText<512>) {
    switch cause {
    case .missingFile: text.append("no such settings file")
    case .notPermitted: text.append("no permission to read this settings file")
    case .isDirectory: text.append("a directory, not a settings file")
    case .unreadable(let code): text.append("the settings file cannot be read: \(system: code)")
    case .tooLarge: text.append("too large for a settings file; allowed: at most 64 KiB")
    default: text.append("not a text file, byte \(found); allowed: text in UTF-8")
    }
  }

  private func appendLine(to text: inout ShortText<512>) {
    text.append(
      cause == .lineTooLong
        ? "line too long: \(quoted: found); allowed: at most 190 bytes besides the comment"
        : "cannot understand \(quoted: found); allowed: [section], key = value, and comments after # or ;")
  }

  private func appendSection(to text: inout ShortText<512>) {
    switch cause {
    case .doubledSection(let section, let firstLine):
      text.append("duplicate section \(section), first in line \(firstLine); allowed: each section once")
    case .outsideSection:
      text.append("key \(quoted: found) before the first section; allowed: keys below a section such as [broker]")
    default:
      text.append("unknown section \(quoted: found)")
      if let near = SettingsSection(nearestTo: found) { text.append(" (did you mean \"\(near.name)\"?)") }
      text.append("; allowed: \(SettingsSection.all)")
    }
  }

  private func appendKey(to text: inout ShortText<512>) {
    switch cause {
    case .doubledKey(let key, let firstLine):
      text.append("duplicate key \(key), first in line \(firstLine); allowed: each key once")
    case .unknownKey(let section):
      text.append("unknown key \(quoted: found) in \(section)")
      if let near = SettingsKey(nearestTo: found, preferring: section) {
        text.append(near.section == section ? " (did you mean \"\(near.name)\"?)" : " (did you mean \(near)?)")
      }
      text.append("; allowed: \(section.keys)")
    default: break
    }
  }
}

extension ShortText.Interpolation {
  /// Adds a section in brackets.
  fileprivate mutating func appendInterpolation(_ section: SettingsSection) {
    appendLiteral("[")
    appendInterpolation(section.name)
    appendLiteral("]")
  }

  /// Adds a key in quotation marks, with its section.
  fileprivate mutating func appendInterpolation(_ key: SettingsKey) {
    appendLiteral("\"")
    appendInterpolation(key.name)
    appendLiteral("\" in ")
    appendInterpolation(key.section)
  }
}

extension SettingsError.Cause {
  /// The cause of a result of the C side, -errno.
  init(code: Int32) {
    switch csupport_ini_trouble(code) {
    case CSUPPORT_INI_MISSING: self = .missingFile
    case CSUPPORT_INI_NOT_PERMITTED: self = .notPermitted
    case CSUPPORT_INI_DIRECTORY: self = .isDirectory
    case CSUPPORT_INI_TOO_LARGE: self = .tooLarge
    default: self = .unreadable(code: 0 &- code)
    }
  }
}
