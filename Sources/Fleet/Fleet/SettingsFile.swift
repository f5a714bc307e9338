internal import CSupport
internal import Text

// Reading a file.
extension PublisherSettings {
  /// Reads the settings file at `path`, a C string. ``check()`` judges them once options have been set too.
  package static func read(path: UnsafePointer<CChar>) throws(SettingsError) -> PublisherSettings {
    var draft = SettingsDraft()
    let code = unsafe withUnsafeMutablePointer(to: &draft) {
      unsafe csupport_ini_parse_file(path, forward, UnsafeMutableRawPointer($0))
    }
    return try draft.finished(code: code)
  }

  /// Parses the text of a settings file.
  package static func parse(_ text: Span<UInt8>) throws(SettingsError) -> PublisherSettings {
    var draft = SettingsDraft()
    let code = unsafe withUnsafeMutablePointer(to: &draft) { draft in
      unsafe text.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return Int32(0) }
        let start = unsafe base.assumingMemoryBound(to: CChar.self)
        return unsafe csupport_ini_parse(start, bytes.count, forward, UnsafeMutableRawPointer(draft))
      }
    }
    return try draft.finished(code: code)
  }
}

/// The content of the lines read so far.
private struct SettingsDraft {
  var settings = PublisherSettings()
  /// The first error.
  var error: SettingsError?
  private var section: SettingsSection?
  /// The line of each section, 0 if not seen yet.
  private var sectionLines = InlineArray<8, Int32>(repeating: 0)

  /// Begins a section.
  mutating func open(_ name: SettingsText, line: Int32) throws(SettingsError) {
    guard let section = SettingsSection(named: name) else {
      throw SettingsError(.unknownSection, line: line, found: ShortText(cutting: name))
    }
    let index = Int(truncatingIfNeeded: section.rawValue)
    guard sectionLines[index] == 0 else {
      throw SettingsError(.doubledSection(section, firstLine: sectionLines[index]), line: line)
    }
    sectionLines[index] = line
    self.section = section
  }

  /// Processes a key and its value.
  mutating func take(_ name: SettingsText, _ value: SettingsText, line: Int32) throws(SettingsError) {
    guard let section else { throw SettingsError(.outsideSection, line: line, found: ShortText(cutting: name)) }
    guard let key = SettingsKey(named: name, in: section) else {
      throw SettingsError(.unknownKey(section), line: line, found: ShortText(cutting: name))
    }
    let before = settings.lines[key.index]
    guard before == 0 else { throw SettingsError(.doubledKey(key, firstLine: before), line: line) }
    try settings.set(key, to: value, line: line)
  }

  /// The settings, when the C side has ended with `code`.
  func finished(code: Int32) throws(SettingsError) -> PublisherSettings {
    if let error { throw error }
    guard code == 0 else { throw SettingsError(SettingsError.Cause(code: code)) }
    return settings
  }
}

/// Passes an item of the C side to the draft behind `context`. Returns 0 to continue.
private func forward(context: UnsafeMutableRawPointer, item: UnsafePointer<csupport_ini_item>) -> Int32 {
  let draft = unsafe context.assumingMemoryBound(to: SettingsDraft.self)
  let line = unsafe item.pointee.line
  let value = unsafe SettingsText(cString: item.pointee.value)
  let name = unsafe SettingsText(cString: item.pointee.name)
  do throws(SettingsError) {
    switch unsafe item.pointee.kind {
    case CSUPPORT_INI_SECTION:
      try unsafe draft.pointee.open(SettingsText(cString: item.pointee.section), line: line)
    case CSUPPORT_INI_ENTRY: try unsafe draft.pointee.take(name, value, line: line)
    case CSUPPORT_INI_LONG_LINE: throw SettingsError(.lineTooLong, line: line, found: ShortText(cutting: value))
    case CSUPPORT_INI_NOT_TEXT: throw SettingsError(.notText, line: line, found: ShortText(hex: value[0]))
    default: throw SettingsError(.malformedLine, line: line, found: ShortText(cutting: value))
    }
    return 0
  } catch {
    unsafe draft.pointee.error = error
    return 1
  }
}
