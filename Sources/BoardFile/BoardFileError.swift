public import Indication
public import Orientation

/// What is wrong with a board file: the first thing, in the order of the file.
///
/// Values of the sensor that depend on its model are judged when the file has named it.
public struct BoardFileError: Error, Equatable, Sendable {
  /// The line, counted from 1; 0 where the whole file is meant.
  public var line: Int32
  /// What is wrong there.
  public var problem: Problem
  /// What was found, where words can say it; cut where it is long.
  public var found: ShortText<48>
  /// The model of the sensor, which decides on what is allowed; nil where the file had not told it yet.
  public var model: SensorModel?
  /// What the lines say, which decides on what is allowed; nil where the file had not told it yet.
  public var code: LineCode?

  init(
    _ problem: Problem, line: Int32 = 0, found: ShortText<48> = ShortText(), model: SensorModel? = nil,
    code: LineCode? = nil
  ) {
    self.line = line
    self.problem = problem
    self.found = found
    self.model = model
    self.code = code
  }

  /// What can be wrong.
  public enum Problem: Error, Equatable, Sendable {
    /// There is no such file.
    case missingFile
    /// The program may not read it.
    case notPermitted
    /// It is a directory.
    case isDirectory
    /// It cannot be opened or read; the system's `errno`.
    case unreadable(code: Int32)
    /// It is larger than 64 KiB.
    case tooLarge
    /// It holds bytes that are no text.
    case notText
    /// It holds nothing but comments.
    case empty
    /// A line of over 190 bytes.
    case lineTooLong
    /// A line that is no section, no key with a value and no comment.
    case malformedLine
    /// A key before the first section.
    case outsideSection
    /// A section that no board has.
    case unknownSection
    /// A section that came before.
    case doubledSection(BoardSection, firstLine: Int32)
    /// A section that is not there.
    case missingSection(BoardSection)
    /// The section of an emulated bus where the bus is a real one; the line is that of the section.
    case realBus
    /// A key that needs a real bus, where the bus is emulated.
    case emulatedBus(BoardKey)
    /// A key that the section does not have.
    case unknownKey(BoardSection)
    /// A key that sensors of the file's model do not have.
    case foreignKey(BoardKey)
    /// A key of a line that the file's code does not have.
    case uncodedKey(BoardKey)
    /// A key that came before.
    case doubledKey(BoardKey, firstLine: Int32)
    /// A key that is not there and has no default; the line is that of its section.
    case missingKey(BoardKey)
    /// A value that the key cannot have.
    case badValue(BoardKey)
    /// A GPIO that is not on the header.
    case outOfRange(BoardKey)
    /// A GPIO that the header needs for something else.
    case reserved(BoardKey)
    /// A GPIO that another line has.
    case taken(BoardKey, by: BoardKey, firstLine: Int32)
    /// Axes in which no sensor can sit.
    case impossibleMounting(MountingError)
  }

  /// What a program should end with: 77 (`EX_NOPERM`) or 78 (`EX_CONFIG`) of the sysexits convention.
  public var exitCode: Int32 { problem == .notPermitted ? 77 : 78 }
}
