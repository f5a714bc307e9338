internal import CSupport

/// The first error of a settings file with the keys `Key`.
public struct SettingsError<Key: SettingsKey>: Error, Equatable, Sendable {
  /// The line, counted from 1; 0 for the whole file, and for settings that do not come from a file.
  public var line: Int32
  /// The kind of error.
  public var cause: Cause
  /// What was found, cut if it is long; may be empty.
  public var found: ShortText<48>
  /// What the file had said by then about what is allowed.
  public var context: Key.Context

  package init(
    _ cause: Cause, line: Int32 = 0, found: ShortText<48> = ShortText(), context: Key.Context = Key.Context()
  ) {
    (self.line, self.cause, self.found, self.context) = (line, cause, found, context)
  }

  /// The kinds of error.
  public enum Cause: Error, Equatable, Sendable {
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
    /// It has only comments.
    case empty
    /// A line of over 190 bytes.
    case lineTooLong
    /// A line that is not a section, a key with a value, or a comment.
    case malformedLine
    /// A key before the first section.
    case outsideSection
    /// An unknown section.
    case unknownSection
    /// A repeated section.
    case doubledSection(Key.Section, firstLine: Int32)
    /// A missing section.
    case missingSection(Key.Section)
    /// An unknown key in the section.
    case unknownKey(Key.Section)
    /// A repeated key.
    case doubledKey(Key, firstLine: Int32)
    /// A missing key without a default; the line is that of its section.
    case missingKey(Key)
    /// An invalid value.
    case badValue(Key)
    /// An error that only files of this kind can have.
    case refused(Key.Refusal)
  }

  /// The exit code of a program that reports the error, as in sysexits.h: 77 (`EX_NOPERM`) or 78 (`EX_CONFIG`).
  public var exitCode: Int32 { cause == .notPermitted ? 77 : 78 }
}

// Errors in words.
extension SettingsError {
  /// The error as one line of text, without file and line number: what was found and what is allowed.
  public var message: SettingsMessage {
    var text = SettingsMessage()
    switch cause {
    case .missingFile, .notPermitted, .isDirectory, .unreadable, .tooLarge, .notText, .empty: appendFile(to: &text)
    case .lineTooLong:
      text.append("line too long: \(quoted: found); allowed: at most 190 bytes besides the comment")
    case .malformedLine:
      text.append("cannot understand \(quoted: found); allowed: [section], key = value, and comments after # or ;")
    case .outsideSection, .unknownSection, .doubledSection, .missingSection: appendSection(to: &text)
    case .unknownKey, .doubledKey, .missingKey, .badValue: appendKey(to: &text)
    case .refused(let refusal): Key.append(refusal, of: self, to: &text)
    }
    return text
  }

  private func appendFile(to text: inout SettingsMessage) {
    switch cause {
    case .missingFile: text.append("no such \(Key.file)")
    case .notPermitted: text.append("no permission to read this \(Key.file)")
    case .isDirectory: text.append("a directory, not a \(Key.file)")
    case .unreadable(let code): text.append("the \(Key.file) cannot be read: \(system: code)")
    case .tooLarge: text.append("too large for a \(Key.file); allowed: at most 64 KiB")
    case .notText: text.append("not a text file, byte \(found); allowed: text in UTF-8")
    default:
      text.append("empty \(Key.file); required: the sections ")
      appendRequired(before: " and ", to: &text)
    }
  }

  private func appendSection(to text: inout SettingsMessage) {
    switch cause {
    case .outsideSection:
      text.append("key \(quoted: found) before the first section; allowed: keys below ")
      appendRequired(before: " or ", to: &text)
    case .doubledSection(let section, let firstLine):
      text.append("duplicate section \(section), first in line \(firstLine); allowed: each section once")
    case .missingSection(let section):
      text.append("missing section \(section); required: ")
      appendRequired(before: " and ", to: &text)
    default:
      text.append("unknown section \(quoted: found)")
      if let near = Key.Section(nearestTo: found) { text.append(" (did you mean \"\(near.name)\"?)") }
      text.append("; allowed: ")
      var isFirst = true
      var sections = Key.Section.all
      while let section = sections.next() {
        if !isFirst { text.append(", ") }
        text.append(section.name)
        isFirst = false
      }
    }
  }

  /// Appends the sections that every file must have, the last one after `word`.
  private func appendRequired(before word: StaticString, to text: inout SettingsMessage) {
    var missing = 0
    var sections = Key.Section.all
    while sections.next(where: { $0.isRequired }) != nil { missing &+= 1 }
    if missing == 1 { text.append("a section such as ") }
    var isFirst = true
    sections = Key.Section.all
    while let section = sections.next(where: { $0.isRequired }) {
      missing &-= 1
      if !isFirst { text.append(missing == 0 ? word : ", ") }
      text.append("\(section)")
      isFirst = false
    }
  }

  private func appendKey(to text: inout SettingsMessage) {
    switch cause {
    case .doubledKey(let key, let firstLine):
      text.append("duplicate key \(key), first in line \(firstLine); allowed: each key once")
    case .missingKey(let key):
      text.append("missing key \(key); allowed: ")
      key.appendAllowed(in: context, to: &text)
    case .badValue(let key):
      text.append("bad value \(quoted: found) of \(key); allowed: ")
      key.appendAllowed(in: context, to: &text)
    case .unknownKey(let section):
      text.append("unknown key \(quoted: found) in \(section)")
      if let near = Key(nearestTo: found, preferring: section) {
        text.append(near.section == section ? " (did you mean \"\(near.name)\"?)" : " (did you mean \(near)?)")
      }
      text.append("; allowed: ")
      Key.appendKeys(of: section, in: context, to: &text)
    default: break
    }
  }
}

extension ShortText.Interpolation {
  /// Appends a section in brackets.
  package mutating func appendInterpolation<Section: SettingsSection>(_ section: Section) {
    appendLiteral("[")
    appendInterpolation(section.name)
    appendLiteral("]")
  }

  /// Appends a key in quotation marks, with its section.
  package mutating func appendInterpolation<Key: SettingsKey>(_ key: Key) {
    appendLiteral("\"")
    appendInterpolation(key.name)
    appendLiteral("\" in ")
    appendInterpolation(key.section)
  }
}

extension SettingsError.Cause {
  /// The cause for `code`, a result of the C side: -errno.
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

#if !hasFeature(Embedded)
  extension SettingsError: CustomStringConvertible {
    /// The error as one line that names `file`.
    public func description(file: String) -> String {
      line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)"
    }

    /// The error as one line, for a file without a name.
    public var description: String { description(file: Key.file.description) }
  }
#endif
