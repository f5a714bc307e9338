internal import Text

extension BoardDescription {
  /// Reads the board file at `path`, a C string.
  public static func read(path: UnsafePointer<CChar>) throws(BoardFileError) -> BoardDescription {
    try unsafe SettingsReader.read(path: path, into: BoardDraft()) {
      unsafe SettingsReader<BoardDraft>.receive($0, $1)
    }.finished()
  }

  /// Parses the text of a board file.
  public static func parse(_ text: Span<UInt8>) throws(BoardFileError) -> BoardDescription {
    try unsafe SettingsReader.read(text, into: BoardDraft()) {
      unsafe SettingsReader<BoardDraft>.receive($0, $1)
    }.finished()
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
      try unsafe SettingsReader.read(path: path, into: BoardDraft()) {
        unsafe SettingsReader<BoardDraft>.receive($0, $1)
      }.finished()
    }
  #endif
}
