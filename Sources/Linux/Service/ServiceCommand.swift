package import Text

/// What the command line of a service asks for: one action, and a settings file.
package struct ServiceCommand: Equatable {
  /// The action.
  package enum Action: Equatable {
    case run, check, forget, version, help
  }

  /// The name of a file.
  package typealias Path = ShortText<512>

  /// What there is to say of a program, in its errors and in its help.
  package struct Syntax {
    /// The name of the program.
    package var program: StaticString
    /// The option before the file, with its hyphens.
    package var option: StaticString = "--settings"
    /// What kind of file it is.
    package var file: StaticString = "settings file"
    /// The file's path without the option.
    package var path: StaticString
    /// What the program does: the rest of the sentence after its name.
    package var summary: StaticString
    /// What `--check` does.
    package var check: StaticString
    /// What `--forget` does; nil if there is none.
    package var forget: StaticString?
    /// What signals do.
    package var signals: StaticString = "TERM and INT stop it"
    /// When the exit code is that of ``ProgramError/Code/unavailable``.
    package var unavailable: StaticString
    /// What is bad when it is that of ``ProgramError/Code/configuration``.
    package var configuration: StaticString = "settings"

    package init(
      _ program: StaticString, path: StaticString, summary: StaticString, check: StaticString,
      unavailable: StaticString
    ) {
      (self.program, self.path, self.summary) = (program, path, summary)
      (self.check, self.unavailable) = (check, unavailable)
    }
  }

  /// What is wrong with a command line.
  package enum UsageError: Error, Equatable {
    /// An option that does not exist.
    case unknownOption(Path)
    /// The option before the file, without a file.
    case missingFile
    /// A file whose name is too long.
    case longName
    /// Two actions that exclude each other.
    case checkAndForget
  }

  package private(set) var action = Action.run
  package private(set) var path: Path

  /// Parses a command line, the program's name first, as C passes it.
  package init(
    _ count: Int, _ words: UnsafePointer<UnsafePointer<CChar>?>, _ syntax: Syntax
  ) throws(UsageError) {
    path = Path(syntax.path)
    var assignment = Path(syntax.option)
    assignment.append("=")
    var index = 1
    while index < count {
      let word = unsafe Path(argument: words[index])
      if word == syntax.option {
        index &+= 1
        guard index < count else { throw .missingFile }
        path = unsafe Path(argument: words[index])
      } else if word.begins(with: assignment) {
        path = word.dropping(assignment.count)
      } else {
        try take(word, syntax)
      }
      index &+= 1
    }
    guard path.count > 0 else { throw .missingFile }
    guard !path.isCut else { throw .longName }
  }

  private mutating func take(_ word: Path, _ syntax: Syntax) throws(UsageError) {
    if word == "--help" || word == "-h" {
      action = .help
    } else if word == "--version" {
      action = .version
    } else if word == "--check" {
      try choose(.check)
    } else if word == "--forget" && syntax.forget != nil {
      try choose(.forget)
    } else {
      throw .unknownOption(word)
    }
  }

  /// Help and version take precedence over everything else.
  private mutating func choose(_ wanted: Action) throws(UsageError) {
    guard action != .help && action != .version else { return }
    guard action == .run || action == wanted else { throw .checkAndForget }
    action = wanted
  }
}

extension ServiceCommand.UsageError {
  /// Writes the error to standard error, and returns the exit code.
  package func printError(_ syntax: ServiceCommand.Syntax) -> Int32 {
    let words: LogLine =
      switch self {
      case .unknownOption(let option): "unknown option \(quoted: option)"
      case .missingFile: "\(syntax.option) needs the name of a \(syntax.file)"
      case .longName: "the name of the \(syntax.file) is too long"
      case .checkAndForget: "--check changes nothing, so there is no --forget with it"
      }
    LogLine("\(syntax.program): \(words); \(syntax.program) --help lists the options").printError()
    return ProgramError.Code.usage.rawValue
  }
}

extension ShortText {
  /// A command line argument; the null pointer at the end of C's list counts as empty.
  package init(argument: UnsafePointer<CChar>?) {
    if let argument = unsafe argument {
      unsafe self.init(cString: argument)
    } else {
      self.init()
    }
  }

  fileprivate func begins(with start: ShortText) -> Bool {
    guard count >= start.count else { return false }
    for index in 0..<start.count where start[index] != self[index] { return false }
    return true
  }

  fileprivate func dropping(_ first: Int) -> ShortText {
    var rest = ShortText()
    for index in first..<max(first, count) { rest.append(byte: self[index]) }
    // The rest of a text that was cut is still not whole.
    if isCut { while !rest.isCut { rest.append(byte: 0x20) } }
    return rest
  }
}
