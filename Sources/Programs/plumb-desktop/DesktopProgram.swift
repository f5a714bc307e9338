internal import CSupport
internal import Desktop
internal import FixedPoint
internal import LinuxHAL
internal import Service
internal import StreamService
internal import Text

/// The program, which C's `main` calls. Returns the exit code. Called `plumb-rotate` it turns a user's screen;
/// called anything else it is the service.
@c(plumb_desktop_main)
public func plumbDesktopMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  let program = unsafe DesktopProgram(called: arguments[0])
  do throws(ServiceCommand.UsageError) {
    return program.perform(try unsafe ServiceCommand(Int(truncatingIfNeeded: count), arguments, program.syntax))
  } catch {
    return error.printError(program.syntax)
  }
}

/// One of the two programs.
private enum DesktopProgram {
  case service, rotate

  init(called name: UnsafePointer<CChar>?) {
    self = .service
    guard let name = unsafe name else { return }
    let path = unsafe ServiceCommand.Path(cString: name)
    let rotate: StaticString = "plumb-rotate"
    let tail = path.count &- rotate.utf8CodeUnitCount
    guard tail >= 0 else { return }
    var end = ShortText<16>()
    for index in tail..<path.count { end.append(byte: path[index]) }
    if end == rotate { self = .rotate }
  }

  var name: StaticString { self == .rotate ? "plumb-rotate" : "plumb-desktop" }

  var syntax: ServiceCommand.Syntax {
    ServiceCommand.Syntax(
      program: name, option: "--settings", file: "settings file", path: "/etc/plumb/desktop.ini")
  }

  /// Does what the command line asks for, and returns the exit code.
  func perform(_ command: ServiceCommand) -> Int32 {
    do throws(ProgramError) {
      switch command.action {
      case .help: (self == .rotate ? Self.rotateUsage : Self.serviceUsage).print()
      case .version: LogLine("\(name) \(Release.version)").print()
      case .check: return try check(try settings(command.path))
      case .run, .forget: try run(try settings(command.path))
      }
      return 0
    } catch {
      error.printError(of: name)
      return error.code.rawValue
    }
  }

  private func settings(_ path: ServiceCommand.Path) throws(ProgramError) -> DesktopSettings {
    let settings: DesktopSettings
    do throws(DesktopSettingsError) {
      settings = try unsafe path.reading { (file) throws(DesktopSettingsError) in
        try unsafe DesktopSettings.read(path: file)
      }
    } catch {
      // A user's rotation needs no settings.
      let isNeeded = error.cause != .missingFile || self == .service || !(path == syntax.path)
      if isNeeded { throw ProgramError(error, in: path) }
      settings = DesktopSettings()
    }
    if self == .service && !settings.hasFunctions {
      throw ProgramError(.configuration, Message(DesktopSettings.nothingEnabled, line: 0, in: path))
    }
    return settings
  }

  /// Works until asked to stop.
  private func run(_ settings: DesktopSettings) throws(ProgramError) {
    try begin()
    let now = LinuxClock().now
    let owner = try OwnerLink(settings.source, tokenFile: settings.tokenFile, at: now)
    var loop = DesktopLoop(
      owner: owner, functions: try settings.begin(scope, at: now), journal: SystemdJournal(), at: now)
    LogLine("READY=1").notify()
    loop.run(until: nil)
    LogLine("STOPPING=1").notify()
  }

  /// Checks everything that `run` would use, and prints the result; returns the exit code.
  private func check(_ settings: DesktopSettings) throws(ProgramError) -> Int32 {
    try begin()
    LogLine("settings: OK").print()
    var code: Int32 = 0
    if self == .rotate {
      code = ScreenRotation.check(settings) { LogLine("\($0)").print() }
    } else {
      do throws(ProgramError) {
        var functions = try settings.begin(scope, at: LinuxClock().now)
        functions.end()
        if settings.offersSensorProxy, let why = SensorProxy.missingBus() {
          throw ProgramError(.unavailable, Message(cutting: why))
        }
        LogLine("functions: OK").print()
      } catch {
        code = error.code.rawValue
        LogLine("functions: error: \(error.message)").print()
      }
    }
    let owner = try OwnerLink(settings.source, tokenFile: settings.tokenFile, at: LinuxClock().now)
    return OwnerVisit.report(on: owner, code)
  }

  private var scope: DesktopScope { self == .rotate ? .session : .computer }

  private func begin() throws(ProgramError) {
    csupport_daemon_begin()
    do { try ServiceSignals.install() } catch { throw ProgramError(.internal, error.message) }
    _ = csupport_notify_open()
  }

  private static var serviceUsage: LogLine {
    LogLine(
      """
      plumb-desktop makes a board part of the desktop: screen rotation for desktops that know iio-sensor-proxy, \
      a joystick, a scroll wheel, a motion sensor; until it is stopped.

      Usage: plumb-desktop [--settings FILE] [--check]

        --settings FILE  the settings file (default: /etc/plumb/desktop.ini)
        --check          check the settings, what they need, and the owner of the sensor
        --version        print the version
        --help           print this help

      Signals: TERM and INT stop it.
      Exit codes: 0 stopped; 64 wrong usage; 69 bus, uinput or owner not available; 77 no permission; 78 bad settings
      """)
  }

  private static var rotateUsage: LogLine {
    LogLine(
      """
      plumb-rotate turns a screen as the board turns: on labwc, sway and other wlroots compositors, and on X11.

      Usage: plumb-rotate [--settings FILE] [--check]

        --settings FILE  the settings file (default: /etc/plumb/desktop.ini)
        --check          say what was found and what is missing; turn nothing
        --version        print the version
        --help           print this help

      Signals: USR1 locks the rotation and unlocks it; TERM and INT stop it, and put the screen back.
      Exit codes: 0 stopped; 64 wrong usage; 69 no compositor, output or owner; 77 no permission; 78 bad settings
      """)
  }
}
