package import CSupport

/// What the lines of a settings file read so far say.
package protocol SettingsDraft {
  /// Nothing has been read.
  init()
  /// ``SettingsReader/receive(_:_:)`` of this kind of file: C calls back through a function that cannot be generic.
  static var receive: csupport_ini_handler { get }
  /// The keys of the file.
  associatedtype Key: SettingsKey
  /// Where each section and key was in the file.
  var places: SettingsPlaces<Key> { get set }
  /// What the file has said so far about what is allowed.
  var context: Key.Context { get }
  /// Whether `section` belongs to another program that reads the same file: it is passed over, with its keys.
  static func isForeign(_ section: SettingsText) -> Bool
  /// Checks whether the section that has just begun is allowed.
  func checkSection() throws(SettingsError<Key>)
  /// Processes a key, whose line is in `places`, and its value.
  mutating func take(_ key: Key, _ value: SettingsText) throws(SettingsError<Key>)
}

extension SettingsDraft where Key.Context == NoSettingsContext {
  /// Nothing.
  package var context: NoSettingsContext { NoSettingsContext() }
}

extension SettingsDraft {
  /// Allows every section.
  package func checkSection() throws(SettingsError<Key>) {}

  /// Reads the settings file at `path`, a C string.
  package static func read(path: UnsafePointer<CChar>) throws(SettingsError<Key>) -> Self {
    try unsafe SettingsReader.read(path: path, into: Self())
  }

  /// Parses the text of a settings file.
  package static func parse(_ text: Span<UInt8>) throws(SettingsError<Key>) -> Self {
    try SettingsReader.read(text, into: Self())
  }
}

/// A draft of which each key is set by itself, by a file or by an option.
package protocol SettableDraft: SettingsDraft {
  /// The keys that are numbers or decisions.
  var numbers: SettingsNumbers<Key> { get }
  /// Sets `key` to `value`, which is not empty.
  mutating func put(_ key: Key, _ value: SettingsText) throws(SettingsError<Key>.Cause)
}

extension SettableDraft {
  /// The number of `key`, in units of the schema.
  package subscript(key: Key) -> Int32 { numbers[key] }

  /// The decision of `key`: whether it has the first word of its rule.
  package func has(_ key: Key) -> Bool { numbers[key] != 0 }

  /// Sets `key` to `value`, as an option does: it takes precedence over a file.
  package mutating func set(_ key: Key, to value: SettingsText) throws(SettingsError<Key>) {
    places.note(key, line: 0)
    try take(key, value)
  }

  /// Sets `key` to `value`, as a file does.
  package mutating func take(_ key: Key, _ value: SettingsText) throws(SettingsError<Key>) {
    do throws(SettingsError<Key>.Cause) {
      guard value.count > 0 && !value.isCut else { throw SettingsError<Key>.Cause.badValue(key) }
      try put(key, value)
    } catch {
      throw SettingsError(error, line: places.line(of: key), found: ShortText(cutting: value))
    }
  }
}

/// The numbers and decisions of a draft, which follow from the schema alone: its defaults until they are set. A number
/// is in units of the schema; a decision is 1 for its first word, 0 for the second.
package struct SettingsNumbers<Key: SettingsKey>: Sendable {
  private var table = SettingsTable<Key, Int32>(repeating: 0)

  /// The defaults of the schema.
  package init() {
    var keys = Key.all
    while let key = keys.next() {
      guard case .value(let standard) = key.row.absence else { continue }
      // Those of other keys are neither a number nor a decision. A test sets each of them.
      do throws(SettingsError<Key>.Cause) { try put(key, SettingsText(standard)) } catch {}
    }
  }

  /// Sets `key`, whose rule is a number or a decision, to `value`.
  package mutating func put(_ key: Key, _ value: SettingsText) throws(SettingsError<Key>.Cause) {
    if case .either = key.row.rule {
      table[key] = try key.decision(value) ? 1 : 0
    } else {
      table[key] = try key.number(value)
    }
  }

  fileprivate subscript(key: Key) -> Int32 { table[key] }
}

/// Where the sections and keys are in a settings file.
package struct SettingsPlaces<Key: SettingsKey>: Sendable {
  /// The section of the lines that follow; nil before the first.
  package private(set) var section: Key.Section?
  private var sections = SettingsTable<Key.Section, Int32>(repeating: 0)
  private var keys = SettingsTable<Key, Int32>(repeating: 0)

  /// Nothing has been read.
  package init() {}

  /// The line on which `section` began, or 0.
  package func line(of section: Key.Section) -> Int32 { sections[section] }

  /// The line of `key`, or 0.
  package func line(of key: Key) -> Int32 { keys[key] }

  /// Notes that `key` is in `line`; 0 for a key that does not come from a file.
  package mutating func note(_ key: Key, line: Int32) { keys[key] = line }

  /// Begins a section.
  fileprivate mutating func open(_ name: SettingsText, line: Int32) throws(SettingsError<Key>) {
    guard let section = Key.Section(named: name) else {
      throw SettingsError(.unknownSection, line: line, found: ShortText(cutting: name))
    }
    let first = sections[section]
    guard first == 0 else { throw SettingsError(.doubledSection(section, firstLine: first), line: line) }
    sections[section] = line
    self.section = section
  }

  /// The key called `name`, which must be its first occurrence.
  fileprivate mutating func key(
    _ name: SettingsText, line: Int32, in context: Key.Context
  ) throws(SettingsError<Key>) -> Key {
    guard let section else { throw SettingsError(.outsideSection, line: line, found: ShortText(cutting: name)) }
    guard let key = Key(named: name, in: section) else {
      throw SettingsError(.unknownKey(section), line: line, found: ShortText(cutting: name), context: context)
    }
    let first = keys[key]
    guard first == 0 else { throw SettingsError(.doubledKey(key, firstLine: first), line: line) }
    keys[key] = line
    return key
  }
}

/// Reads a settings file into a draft.
package struct SettingsReader<Draft: SettingsDraft> {
  private var draft: Draft
  /// Whether the lines that follow are in a section of another program.
  private var isInForeignSection = false
  private var error: SettingsError<Draft.Key>?

  private init(_ draft: Draft) { self.draft = draft }

  /// Reads the file at `path`, a C string, into `draft`.
  package static func read(
    path: UnsafePointer<CChar>, into draft: Draft
  ) throws(SettingsError<Draft.Key>) -> Draft {
    var reader = SettingsReader(draft)
    let code = unsafe withUnsafeMutablePointer(to: &reader) {
      unsafe csupport_ini_parse_file(path, Draft.receive, UnsafeMutableRawPointer($0))
    }
    return try reader.finished(code)
  }

  /// Reads `text` into `draft`.
  package static func read(
    _ text: Span<UInt8>, into draft: Draft
  ) throws(SettingsError<Draft.Key>) -> Draft {
    var reader = SettingsReader(draft)
    let code = unsafe withUnsafeMutablePointer(to: &reader) { reader in
      unsafe text.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return Int32(0) }
        let start = unsafe base.assumingMemoryBound(to: CChar.self)
        return unsafe csupport_ini_parse(start, bytes.count, Draft.receive, UnsafeMutableRawPointer(reader))
      }
    }
    return try reader.finished(code)
  }

  /// Passes an item from the C side to the reader behind `context`. Returns 0 to continue.
  package static func receive(_ context: UnsafeMutableRawPointer, _ item: UnsafePointer<csupport_ini_item>) -> Int32 {
    let reader = unsafe context.assumingMemoryBound(to: SettingsReader.self)
    return unsafe reader.pointee.receive(item)
  }

  private mutating func receive(_ item: UnsafePointer<csupport_ini_item>) -> Int32 {
    let line = unsafe item.pointee.line
    let value = unsafe SettingsText(cString: item.pointee.value)
    do throws(SettingsError<Draft.Key>) {
      switch unsafe item.pointee.kind {
      case CSUPPORT_INI_SECTION:
        let section = unsafe SettingsText(cString: item.pointee.section)
        isInForeignSection = Draft.isForeign(section)
        if isInForeignSection { return 0 }
        try draft.places.open(section, line: line)
        try draft.checkSection()
      case CSUPPORT_INI_ENTRY where isInForeignSection: return 0
      case CSUPPORT_INI_ENTRY:
        let name = unsafe SettingsText(cString: item.pointee.name)
        try draft.take(try draft.places.key(name, line: line, in: draft.context), value)
      case CSUPPORT_INI_LONG_LINE: throw SettingsError(.lineTooLong, line: line, found: ShortText(cutting: value))
      case CSUPPORT_INI_NOT_TEXT: throw SettingsError(.notText, line: line, found: ShortText(hex: value[0]))
      default: throw SettingsError(.malformedLine, line: line, found: ShortText(cutting: value))
      }
      return 0
    } catch {
      self.error = error
      return 1
    }
  }

  private func finished(_ code: Int32) throws(SettingsError<Draft.Key>) -> Draft {
    if let error { throw error }
    guard code == 0 else { throw SettingsError(SettingsError.Cause(code: code)) }
    return draft
  }
}
