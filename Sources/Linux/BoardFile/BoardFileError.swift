internal import CSupport
internal import FixedPoint
public import Indication
public import Orientation
public import Text

/// The first error of a board file.
///
/// Values that depend on the sensor's model are checked after the file has named it.
public struct BoardFileError: Error, Equatable, Sendable {
  /// The line, counted from 1; 0 for the whole file.
  public var line: Int32
  /// The kind of error.
  public var cause: Cause
  /// What was found, cut if it is long; may be empty.
  public var found: ShortText<48>
  /// The model of the sensor, which determines what is allowed; nil if the file had not named it yet.
  public var model: SensorModel?
  /// What the lines show, which determines what is allowed; nil if the file had not named it yet.
  public var code: LineCode?

  init(
    _ cause: Cause, line: Int32 = 0, found: ShortText<48> = ShortText(), model: SensorModel? = nil,
    code: LineCode? = nil
  ) {
    self.line = line
    self.cause = cause
    self.found = found
    self.model = model
    self.code = code
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
    case doubledSection(BoardSection, firstLine: Int32)
    /// A missing section.
    case missingSection(BoardSection)
    /// The section for an emulated bus in a file with a real bus; the line is that of the section.
    case realBus
    /// A key that needs a real bus in a file with an emulated bus.
    case emulatedBus(BoardKey)
    /// A key that needs the wire of `data-ready` in a file without it.
    case missingWire(BoardKey)
    /// An unknown key in the section.
    case unknownKey(BoardSection)
    /// A key that sensors of the file's model do not have.
    case foreignKey(BoardKey)
    /// Fusion with a sensor that has no gyroscope; the line is that of `gravity`.
    case noGyroscope
    /// A key that fusion does not have.
    case fusionKey(BoardKey)
    /// A key of a line that the file's code does not have.
    case uncodedKey(BoardKey)
    /// A repeated key.
    case doubledKey(BoardKey, firstLine: Int32)
    /// A missing key without a default; the line is that of its section.
    case missingKey(BoardKey)
    /// An invalid value.
    case badValue(BoardKey)
    /// A GPIO that is not on the header.
    case outOfRange(BoardKey)
    /// A GPIO that has another function on the header.
    case reserved(BoardKey)
    /// A GPIO of another line.
    case taken(BoardKey, by: BoardKey, firstLine: Int32)
    /// A rate at which taps do not show in the samples, where the sensor does not find them by itself.
    case slowForTaps
    /// A threshold of taps that is not below the sensor's range.
    case tapBeyondRange
    /// Axes that are not a rotation.
    case impossibleMounting(MountingError)
    /// A machine that would be quiet at a vibration at which it is busy; the key is the one that the file has.
    case quietAboveBusy(BoardKey)
    /// Samples at a rate that is too low for the bands of vibration, which need `needed`.
    case tooFewSamples(UpdateRate, needed: UpdateRate)
  }

  /// The exit code of a program that reports the error: 77 (`EX_NOPERM`) or 78 (`EX_CONFIG`) of the sysexits convention.
  public var exitCode: Int32 { cause == .notPermitted ? 77 : 78 }
}

extension BoardFileError {
  /// The error as one line of text, without file and line: what was found and what is allowed.
  public var message: ShortText<512> {
    var text = ShortText<512>()
    switch cause {
    case .missingFile, .notPermitted, .isDirectory, .unreadable, .tooLarge, .notText, .empty:
      appendFile(to: &text)
    case .lineTooLong, .malformedLine: appendLine(to: &text)
    case .outsideSection, .unknownSection, .doubledSection, .missingSection, .realBus:
      appendSection(to: &text)
    case .unknownKey, .foreignKey, .noGyroscope, .fusionKey, .uncodedKey, .emulatedBus, .doubledKey, .missingKey,
      .missingWire:
      appendKey(to: &text)
    case .badValue, .outOfRange, .reserved, .taken, .impossibleMounting: appendValue(to: &text)
    case .quietAboveBusy, .tooFewSamples: appendVibration(to: &text)
    case .slowForTaps:
      text.append(
        "the \(BoardKey.rate) is too low for \(BoardSection.taps), because only samples show the taps of an mpu6050")
      text.append("; allowed: a number from 200 to 1000 (Hz), at most 3 decimals")
    case .tapBeyondRange:
      text.append("the \(BoardKey.tapThreshold) is not below the range of the sensor, so that no tap exceeds it")
      text.append("; allowed: less than the \(BoardKey.range)")
    }
    return text
  }

  private func appendFile(to text: inout ShortText<512>) {
    switch cause {
    case .missingFile: text.append("no such board file")
    case .notPermitted: text.append("no permission to read this board file")
    case .isDirectory: text.append("a directory, not a board file")
    case .unreadable(let code): text.append("the board file cannot be read: \(system: code)")
    case .tooLarge: text.append("too large for a board file; allowed: at most 64 KiB")
    case .notText: text.append("not a text file, byte \(found); allowed: text in UTF-8")
    default:
      text.append("empty board file; required: the sections [i2c], [sensor] and [lines]")
    }
  }

  private func appendLine(to text: inout ShortText<512>) {
    text.append(
      cause == .lineTooLong
        ? "line too long: \(quoted: found); allowed: at most 190 bytes besides the comment"
        : "cannot understand \(quoted: found); allowed: [section], key = value, and comments after # or ;"
    )
  }

  private func appendSection(to text: inout ShortText<512>) {
    switch cause {
    case .outsideSection:
      text.append(
        "key \(quoted: found) before the first section; allowed: keys below [i2c], [sensor] or [lines]"
      )
    case .doubledSection(let section, let firstLine):
      text.append(
        "duplicate section \(section), first in line \(firstLine); allowed: each section once")
    case .missingSection(let section):
      text.append("missing section \(section); required: [i2c], [sensor] and [lines]")
    case .realBus:
      text.append("section [emulation] with the bus \(quoted: found)")
      text.append("; allowed: only with bus = emulated in [i2c]")
    default:
      text.append("unknown section \(quoted: found)")
      if let near = BoardSection(nearestTo: found) {
        text.append(" (did you mean \"\(near.name)\"?)")
      }
      text.append(
        "; allowed: i2c, sensor, lines, filter, emulation, share, vibration, tare, level, taps, free-fall, power")
    }
  }

  private func appendKey(to text: inout ShortText<512>) {
    switch cause {
    case .doubledKey(let key, let firstLine):
      text.append("duplicate key \(key), first in line \(firstLine); allowed: each key once")
    case .missingKey(let key):
      text.append("missing key \(key); allowed: \(key.allowed(with: model))")
    case .foreignKey(let key):
      text.append("key \(key)")
      if let model { text.append(" does not apply to an \(model.name)") }
      text.append("; allowed: \(key.section.keys(with: model, code))")
    case .noGyroscope:
      text.append("fusion of \(BoardKey.gravity) needs a gyroscope")
      if let model { text.append(", which an \(model.name) does not have") }
      text.append("; allowed: \(BoardKey.gravity.allowed(with: model))")
    case .fusionKey(let key):
      text.append("key \(key) does not apply to fusion")
      text.append("; allowed: only with gravity = low-pass or adaptive")
    case .uncodedKey(let key):
      text.append("key \(key) does not apply with code = \((code ?? .leds).name)")
      text.append("; allowed: \(key.section.keys(with: model, code))")
    case .emulatedBus(let key):
      text.append("key \(key) with an emulated bus")
      text.append("; allowed: only with a device such as bus = /dev/i2c-1 in [i2c]")
    case .missingWire(let key):
      text.append("key \(key) needs a wire from ")
      text.append(model == .mpu6050 ? "INT" : "INT1")
      text.append(" of the sensor to a free GPIO; required: \(BoardKey.dataReady)")
    case .unknownKey(let section):
      text.append("unknown key \(quoted: found) in \(section)")
      if let near = BoardKey(nearestTo: found, preferring: section) {
        text.append(
          near.section == section ? " (did you mean \"\(near.name)\"?)" : " (did you mean \(near)?)"
        )
      }
      text.append("; allowed: \(section.keys(with: model, code))")
    default: break
    }
  }

  private func appendVibration(to text: inout ShortText<512>) {
    guard case .tooFewSamples(let rate, let needed) = cause else {
      return text.append(
        "quiet above busy in [vibration]; allowed: a quiet at most busy, whose defaults are 0.03 and 0.05 (g)")
    }
    text.append("too few samples for [vibration], ")
    text.append(rate)
    text.append(" a second; allowed: a rate in [sensor] of ")
    text.append(needed)
    text.append(" or more, twice the highest frequency of bands and at least 10")
  }

  private func appendValue(to text: inout ShortText<512>) {
    var valueKey = BoardKey.mounting
    switch cause {
    case .badValue(let key):
      valueKey = key
      text.append("bad value \(quoted: found) of \(key)")
    case .outOfRange(let key):
      valueKey = key
      text.append("GPIO \(found) of \(key) is not on the header")
    case .reserved(let key):
      valueKey = key
      text.append(
        "GPIO \(found) of \(key) is reserved, 0 and 1 for the EEPROM of a HAT, 2 and 3 for the I2C bus"
      )
    case .taken(let key, let other, let firstLine):
      valueKey = key
      text.append("GPIO \(found) of \(key) is already used by \"\(other.name)\" in line \(firstLine)")
    case .impossibleMounting(let why):
      text.append("impossible mounting \(quoted: found)")
      text.append(
        why == .axisTwice
          ? ": it names one sensor axis twice" : ": it is left-handed, as of a mirrored sensor")
    default: break
    }
    text.append("; allowed: \(valueKey.allowed(with: model))")
    if case .taken = cause { text.append(", each for one line") }
  }
}

extension ShortText {
  /// Adds a rate in hertz.
  fileprivate mutating func append(_ rate: UpdateRate) {
    append(widened(UInt32(bitPattern: rate.millihertz)), over: 1_000, places: 3)
  }
}

extension ShortText.Interpolation {
  /// Adds a section in brackets.
  fileprivate mutating func appendInterpolation(_ section: BoardSection) {
    appendLiteral("[")
    appendInterpolation(section.name)
    appendLiteral("]")
  }

  /// Adds a key in quotation marks, with its section.
  fileprivate mutating func appendInterpolation(_ key: BoardKey) {
    appendLiteral("\"")
    appendInterpolation(key.name)
    appendLiteral("\" in ")
    appendInterpolation(key.section)
  }
}

extension BoardFileError.Cause {
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

#if !hasFeature(Embedded)
  extension BoardFileError: CustomStringConvertible {
    /// The error as one line, with the file `file`.
    public func description(file: String) -> String {
      line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)"
    }

    /// The error as one line, for a file without a name.
    public var description: String { description(file: "board file") }
  }
#endif
