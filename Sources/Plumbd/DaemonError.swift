internal import BoardFile
internal import Diagnosis
internal import HAL
internal import LinuxHAL
internal import Text

/// What stops the daemon: a message for people, and the exit code.
struct DaemonError: Error {
  /// The exit codes of the sysexits convention that the program uses.
  enum Code: Int32 {
    case usage = 64
    case unavailable = 69
    case `internal` = 70
    case noPermission = 77
    case configuration = 78
  }

  var code: Code
  var message: Message

  init(_ code: Code, _ message: Message) {
    self.code = code
    self.message = message
  }

  /// A board that exists only inside a program.
  static var emulatedBus: DaemonError {
    DaemonError(
      .configuration, Message("the board file has an emulated bus: plumbd needs a real one, such as /dev/i2c-1"))
  }

  /// What is wrong with the board file `path`.
  init(_ error: BoardFileError, in path: Command.Path) {
    var text = Message()
    text.append(path)
    if error.line > 0 {
      text.append(":")
      text.append(decimal: error.line)
    }
    text.append(": ")
    text.append(error.message)
    self.init(error.exitCode == 77 ? .noPermission : .configuration, text)
  }

  /// Why the bus or the sensor's address cannot be used.
  init(_ error: LinuxI2CError) {
    var system = LinuxSystem()
    // Where the bus itself cannot be opened, the advice of `--check` and of `plumb doctor`.
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

  /// Writes it to standard error.
  func print() {
    var line = LogLine("plumbd: ")
    line.append(message)
    line.printError()
  }
}
