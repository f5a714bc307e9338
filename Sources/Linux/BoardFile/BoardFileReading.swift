internal import CSupport
internal import Text

extension BoardDescription {
  /// Reads the board file at `path`, a C string.
  public static func read(path: UnsafePointer<CChar>) throws(BoardFileError) -> BoardDescription {
    var draft = BoardDraft()
    let code = unsafe withUnsafeMutablePointer(to: &draft) {
      unsafe csupport_ini_parse_file(path, forward, UnsafeMutableRawPointer($0))
    }
    return try draft.finished(code: code)
  }

  /// Parses the text of a board file.
  public static func parse(_ text: Span<UInt8>) throws(BoardFileError) -> BoardDescription {
    var draft = BoardDraft()
    let code = unsafe withUnsafeMutablePointer(to: &draft) { draft in
      unsafe text.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return Int32(0) }
        let start = unsafe base.assumingMemoryBound(to: CChar.self)
        return unsafe csupport_ini_parse(start, bytes.count, forward, UnsafeMutableRawPointer(draft))
      }
    }
    return try draft.finished(code: code)
  }

  /// Parses the text of a board file that is part of the program.
  public static func parse(_ text: StaticString) throws(BoardFileError) -> BoardDescription {
    var draft = BoardDraft()
    let code = unsafe withUnsafeMutablePointer(to: &draft) { draft in
      text.withUTF8Buffer { bytes in
        guard let base = bytes.baseAddress else { return Int32(0) }
        let start = unsafe UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)
        return unsafe csupport_ini_parse(start, bytes.count, forward, UnsafeMutableRawPointer(draft))
      }
    }
    return try draft.finished(code: code)
  }

  #if !hasFeature(Embedded)
    /// Reads the board file at `path`.
    public static func read(path: String) throws(BoardFileError) -> BoardDescription {
      var draft = BoardDraft()
      let code = unsafe withUnsafeMutablePointer(to: &draft) {
        unsafe csupport_ini_parse_file(path, forward, UnsafeMutableRawPointer($0))
      }
      return try draft.finished(code: code)
    }
  #endif
}

/// Passes an item of the C side to the draft behind `context`. Returns 0 to continue.
private func forward(context: UnsafeMutableRawPointer, item: UnsafePointer<csupport_ini_item>) -> Int32 {
  let draft = unsafe context.assumingMemoryBound(to: BoardDraft.self)
  let kind = unsafe item.pointee.kind
  let line = unsafe item.pointee.line
  let section = unsafe BoardDraft.Text(cString: item.pointee.section)
  let name = unsafe BoardDraft.Text(cString: item.pointee.name)
  let value = unsafe BoardDraft.Text(cString: item.pointee.value)
  do throws(BoardFileError) {
    switch kind {
    case CSUPPORT_INI_SECTION: try unsafe draft.pointee.open(section, line: line)
    case CSUPPORT_INI_ENTRY: try unsafe draft.pointee.take(name, value, line: line)
    case CSUPPORT_INI_LONG_LINE: throw BoardFileError(.lineTooLong, line: line, found: ShortText(cutting: value))
    case CSUPPORT_INI_NOT_TEXT: throw BoardFileError(.notText, line: line, found: ShortText(hex: value[0]))
    default: throw BoardFileError(.malformedLine, line: line, found: ShortText(cutting: value))
    }
    return 0
  } catch {
    unsafe draft.pointee.error = error
    return 1
  }
}
