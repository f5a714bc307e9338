public import BoardFile
public import IIO
public import LinuxHAL
public import SenseHAT
internal import Text
public import Vibration

/// Why a board cannot be opened.
public enum BoardError: Error, Equatable, Sendable {
  /// The board file cannot be read, or has an error.
  case file(BoardFileError)
  /// The board file names an emulated bus, which needs `PlumbEmulation`.
  case emulatedBus
  /// The board file is that of a Pico.
  case pico
  /// The bus, or the sensor's address on it, cannot be used.
  case bus(LinuxI2CError)
  /// The kernel's device that is the sensor cannot be used.
  case device(IIOError)
  /// The output lines, or the data-ready line, cannot be used.
  case lines(GPIOError)
  /// The matrix of the Sense HAT cannot be used.
  case matrix(MatrixError)
  /// Vibration cannot be watched.
  case vibration(VibrationError)
  /// Stop signals cannot be caught.
  case signals(StopSignals.InstallError)
}

#if !hasFeature(Embedded)
  extension BoardError: CustomStringConvertible {
    /// What is wrong and how to fix it, in plain words.
    public var description: String {
      switch self {
      case .file(let error): error.description
      case .emulatedBus: "the board file has an emulated bus: this needs a real one, such as /dev/i2c-1"
      case .pico: "\(BoardDescription.picoWords)"
      case .bus(let error): error.description
      case .device(let error): error.description
      case .lines(let error): error.description
      case .matrix(let error): error.description
      case .vibration: "no memory to measure vibration"
      case .signals(let error): error.message.description
      }
    }
  }
#endif
