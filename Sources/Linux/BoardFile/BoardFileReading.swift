package import Text

extension BoardDescription {
  /// Reads the board file at `path`, a C string.
  public static func read(path: UnsafePointer<CChar>) throws(BoardFileError) -> BoardDescription {
    try unsafe BoardDraft.read(path: path).finished()
  }

  /// Parses the text of a board file.
  public static func parse(_ text: Span<UInt8>) throws(BoardFileError) -> BoardDescription {
    try BoardDraft.parse(text).finished()
  }

  /// Parses the text of a board file embedded in the program.
  public static func parse(_ text: StaticString) throws(BoardFileError) -> BoardDescription {
    let outcome: Result<BoardDescription, BoardFileError> = text.withUTF8Buffer { bytes in
      do throws(BoardFileError) { return .success(try unsafe parse(bytes.span)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }

  #if !hasFeature(Embedded)
    /// Reads the board file at `path`.
    public static func read(path: String) throws(BoardFileError) -> BoardDescription {
      try unsafe BoardDraft.read(path: path).finished()
    }
  #endif
}

extension SettingsDraft {
  /// Whether only other programs that read the same file know `section`.
  package static func isForeign(_ section: SettingsText) -> Bool {
    guard Key.Section(named: section) == nil else { return false }
    return BoardSection(named: section) != nil || PublisherSection(named: section) != nil
      || DesktopSection(named: section) != nil
  }
}
