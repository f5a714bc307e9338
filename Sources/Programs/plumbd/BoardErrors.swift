internal import BoardFile
internal import Diagnosis
internal import HAL
internal import IIO
internal import LinuxHAL
internal import OpenBoard
internal import SenseHAT
internal import Service
internal import Text

// The errors of a board, each as one that ends the daemon.
extension ProgramError {
  /// The error of a board that is a Pico.
  static var pico: ProgramError { ProgramError(.configuration, Message(BoardDescription.picoWords)) }

  /// The error of a board that is emulated.
  static var emulatedBus: ProgramError {
    ProgramError(
      .configuration, Message("the board file has an emulated bus: plumbd needs a real one, such as /dev/i2c-1"))
  }

  /// The error of the board file at `path`.
  init(_ error: BoardFileError, in path: ServiceCommand.Path) {
    self.init(
      error.exitCode == 77 ? .noPermission : .configuration, Message(error.message, line: error.line, in: path))
  }

  /// Why the board in the file at `path` cannot be opened.
  init(_ error: BoardError, in path: ServiceCommand.Path) {
    switch error {
    case .file(let error): self.init(error, in: path)
    case .emulatedBus: self = .emulatedBus
    case .pico: self = .pico
    case .bus(let error): self.init(error)
    case .device(let error):
      self.init(Code(rawValue: error.exitCode) ?? .unavailable, error.message)
    case .lines(let error): self.init(error)
    case .matrix(let error): self.init(error.isPermission ? .noPermission : .unavailable, error.message)
    case .vibration: self.init(.internal, Message("no memory to measure vibration"))
    case .signals(let error): self.init(.internal, Message(cutting: error.message))
    }
  }

  /// Why the bus or the sensor's address cannot be used.
  init(_ error: LinuxI2CError) {
    var system = LinuxSystem()
    // If the bus itself cannot be opened, gives the advice of `--check` and `plumb doctor`.
    let advice = error.address == nil ? Diagnosis.advice(onBus: ShortText(cutting: error.path), in: &system) : nil
    self.init(error.fault == .notPermitted ? .noPermission : .unavailable, advice ?? error.message)
  }

  /// Why lines cannot be used.
  init(_ error: GPIOError) {
    if case .notPermitted = error {
      self.init(.noPermission, error.message)
    } else {
      self.init(.unavailable, error.message)
    }
  }

  /// Writes the message to standard error.
  func print() { printError(of: "plumbd") }
}
