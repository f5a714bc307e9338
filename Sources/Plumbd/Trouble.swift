internal import BoardFile
internal import Text

/// What keeps the program from its work: words for people, and what to end with.
struct Trouble: Error {
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

  init(_ code: Code, _ words: StaticString) { self.init(code, Message(words)) }

  /// A board that there is only inside a program.
  static var emulatedBus: Trouble {
    Trouble(.configuration, "the board file has an emulated bus: plumbd needs a real one, such as /dev/i2c-1")
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

  /// Writes it to standard error, where systemd's journal reads too.
  func complain() {
    var line = Line("plumbd: ")
    line.append(message)
    line.complain()
  }
}
