internal import BoardFile
internal import Text

/// The program: what C's `main` calls. Returns the exit code.
@c(plumbd_main)
public func plumbdMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  do throws(Command.UsageError) {
    let command = try unsafe Command(Int(truncatingIfNeeded: count), arguments)
    return command.perform()
  } catch {
    var line = LogLine("plumbd: ")
    switch error {
    case .unknownOption(let index):
      line.append("unknown option ")
      line.append(quoted: unsafe Command.Path(argument: arguments[index]))
    case .missingFile: line.append("--board needs the name of a board file")
    case .longName: line.append("the name of the board file is too long")
    }
    line.append("; plumbd --help lists the options")
    line.printError()
    return DaemonError.Code.usage.rawValue
  }
}

/// What the command line asks for.
struct Command: Equatable {
  /// What is to be done.
  enum Action: Equatable {
    case run, check, version, help
  }

  /// What is wrong with a command line.
  enum UsageError: Error {
    /// An option that does not exist; its place.
    case unknownOption(Int)
    /// `--board` without a file.
    case missingFile
    /// A file whose name is too long.
    case longName
  }

  /// A name of a file.
  typealias Path = ShortText<512>

  var action = Action.run
  var path = Path("/etc/plumb/board.ini")

  /// Takes a command line, the program's name first, as C hands it over.
  init(_ count: Int, _ words: UnsafePointer<UnsafePointer<CChar>?>) throws(UsageError) {
    var index = 1
    while index < count {
      let word = unsafe Path(argument: words[index])
      if word == "--help" || word == "-h" {
        action = .help
      } else if word == "--version" {
        action = .version
      } else if word == "--check" {
        if action == .run { action = .check }
      } else if word == "--board" {
        index &+= 1
        guard index < count else { throw .missingFile }
        path = unsafe Path(argument: words[index])
      } else if word.begins(with: "--board=") {
        path = word.dropping(8)
      } else {
        throw .unknownOption(index)
      }
      index &+= 1
    }
    guard path.count > 0 else { throw .missingFile }
    guard !path.isCut else { throw .longName }
  }

  /// Does what the command line asks for, and returns the exit code.
  func perform() -> Int32 {
    do throws(DaemonError) {
      switch action {
      case .help: Self.printUsage()
      case .version:
        var line = LogLine("plumbd ")
        line.append(Release.version)
        line.print()
      case .check: return try Check(path: path).run()
      case .run: try Daemon(path: path).run()
      }
      return 0
    } catch {
      error.print()
      return error.code.rawValue
    }
  }

  private static func printUsage() {
    LogLine(
      """
      plumbd shows a board's pose on its LEDs until it is stopped.

      Usage: plumbd [--board FILE] [--check]

        --board FILE  the board file (default: /etc/plumb/board.ini)
        --check       check board file, bus, sensor and lines, and report errors; change nothing
        --version     print the version
        --help        print this help

      Signals: TERM and INT stop it; HUP rereads the board file; USR1 reports the counters.
      Exit codes: 0 stopped; 64 wrong usage; 69 bus, sensor or lines not available; 77 no permission; 78 bad board file
      """
    ).print()
  }
}

extension ShortText {
  /// An argument of the command line; the list of C's ends with a null pointer, which counts as empty here.
  init(argument: UnsafePointer<CChar>?) {
    if let argument = unsafe argument {
      unsafe self.init(cString: argument)
    } else {
      self.init()
    }
  }

  fileprivate func begins(with words: StaticString) -> Bool {
    guard count >= words.utf8CodeUnitCount else { return false }
    return words.withUTF8Buffer { buffer in
      for index in 0..<buffer.count where unsafe buffer[index] != self[index] { return false }
      return true
    }
  }

  fileprivate func dropping(_ first: Int) -> ShortText {
    var rest = ShortText()
    for index in first..<max(first, count) { rest.append(byte: self[index]) }
    // What was cut before is still not whole.
    if isCut { while !rest.isCut { rest.append(byte: 0x20) } }
    return rest
  }
}
