internal import CSupport
internal import LinuxHAL
package import Text

/// One of the services: what its command line and its help say, and what it does with a settings file.
package protocol ServiceProgram {
  var syntax: ServiceCommand.Syntax { get }
  /// Works until asked to stop.
  func run(_ path: ServiceCommand.Path) throws(ProgramError)
  /// Checks everything that `run` would use, and prints the result; returns the exit code.
  func check(_ path: ServiceCommand.Path) throws(ProgramError) -> Int32
  /// Removes what it has left elsewhere, if its syntax has `--forget`.
  func forget(_ path: ServiceCommand.Path) throws(ProgramError)
}

extension ServiceProgram {
  package func forget(_ path: ServiceCommand.Path) throws(ProgramError) {}

  /// The program, with what C has passed to its `main`. Returns the exit code.
  package func main(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
    let syntax = syntax
    do throws(ServiceCommand.UsageError) {
      return perform(try unsafe ServiceCommand(Int(truncatingIfNeeded: count), arguments, syntax))
    } catch {
      return error.printError(syntax)
    }
  }

  /// Does what the command line asks for, and returns the exit code.
  private func perform(_ command: ServiceCommand) -> Int32 {
    do throws(ProgramError) {
      switch command.action {
      case .help: syntax.help.print()
      case .version: LogLine("\(syntax.program) \(Release.version)").print()
      case .check: return try check(command.path)
      case .forget: try forget(command.path)
      case .run: try run(command.path)
      }
      return 0
    } catch {
      error.printError(of: syntax.program)
      return error.code.rawValue
    }
  }
}

/// The process of a service.
package enum ServiceProcess {
  /// Prepares it for its work: memory, signals, and the service manager.
  package static func begin() throws(ProgramError) {
    csupport_daemon_begin()
    do { try ServiceSignals.install() } catch { throw ProgramError(.internal, error.message) }
    _ = csupport_notify_open()
  }
}

extension ServiceCommand.Syntax {
  /// The help.
  package var help: LogLine {
    let operand: ShortText<32> = "\(option) FILE"
    let actions: StaticString = forget == nil ? "--check" : "--check | --forget"
    var text: LogLine = "\(program) \(summary)\n\nUsage: \(program) [\(operand)] [\(actions)]\n\n"
    func row(_ option: ShortText<32>, _ words: LogLine) {
      text.append("  \(option)" as ShortText<32>)
      for _ in option.count..<operand.count &+ 2 { text.append(byte: 0x20) }
      text.append(words)
      text.append(byte: 0x0A)
    }
    row(operand, "the \(file) (default: \(path))")
    row("--check", LogLine(check))
    if let forget { row("--forget", LogLine(forget)) }
    row("--version", "print the version")
    row("--help", "print this help")
    text.append(
      """

      Signals: \(signals).
      Exit codes: 0 stopped; 64 wrong usage; 69 \(unavailable); 77 no permission; 78 bad \(configuration)
      """ as LogLine)
    return text
  }
}

extension SettingsDraft {
  /// Reads the settings file at `path`.
  package static func read(_ path: ServiceCommand.Path) throws(SettingsError<Key>) -> Self {
    try unsafe path.withCString { (path) -> Result<Self, SettingsError<Key>> in
      do throws(SettingsError<Key>) { return .success(try unsafe read(path: path)) } catch { return .failure(error) }
    }.get()
  }
}
