internal import Desktop
internal import Service
internal import StreamService
internal import Text

/// The program, which C's `main` calls. Returns the exit code. Called `plumb-rotate` it turns a user's screen;
/// called anything else it is the service.
@c(plumb_desktop_main)
public func plumbDesktopMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  let name = unsafe ServiceCommand.Path(argument: arguments[0])
  let tail = ShortText<16>(cutting: name, from: max(0, name.count &- 12))
  return unsafe (tail == "plumb-rotate" ? DesktopProgram.rotate : .service).main(count, arguments)
}

/// One of the two programs.
private enum DesktopProgram: ServiceProgram {
  case service, rotate

  var syntax: ServiceCommand.Syntax {
    let path: StaticString = "/etc/plumb/desktop.ini"
    guard self == .rotate else {
      return ServiceCommand.Syntax(
        "plumb-desktop", path: path,
        summary: """
          makes a board part of the desktop: screen rotation for desktops that know iio-sensor-proxy, a joystick, a \
          scroll wheel, a motion sensor; until it is stopped.
          """,
        check: "check the settings, what they need, and the owner of the sensor",
        unavailable: "bus, uinput or owner not available")
    }
    var syntax = ServiceCommand.Syntax(
      "plumb-rotate", path: path,
      summary: "turns a screen as the board turns: on labwc, sway and other wlroots compositors, and on X11.",
      check: "say what was found and what is missing; turn nothing", unavailable: "no compositor, output or owner")
    syntax.signals = "USR1 locks the rotation and unlocks it; TERM and INT stop it, and put the screen back"
    return syntax
  }

  private func settings(_ path: ServiceCommand.Path) throws(ProgramError) -> DesktopSettings {
    var settings = DesktopSettings()
    do throws(DesktopSettingsError) { settings = try .read(path) } catch {
      // A user's rotation needs no settings.
      let isNeeded = error.cause != .missingFile || self == .service || !(path == syntax.path)
      if isNeeded { throw ProgramError(error, in: path) }
    }
    if self == .service && !settings.hasFunctions {
      let allowed: StaticString = "enabled = yes in one of [sensor-proxy], [wheel], [scroll], [motion]"
      throw ProgramError(.configuration, "\(path): nothing is enabled; allowed: \(allowed)")
    }
    try ServiceProcess.begin()
    return settings
  }

  func run(_ path: ServiceCommand.Path) throws(ProgramError) {
    let settings = try settings(path)
    let owner = try OwnerLink(settings.source, tokenFile: settings.tokenFile)
    var loop = try DesktopLoop(
      settings, serve: self == .service, rotate: self == .rotate, owner: owner, journal: SystemdJournal())
    LogLine("READY=1").notify()
    loop.run(for: nil)
    LogLine("STOPPING=1").notify()
  }

  func check(_ path: ServiceCommand.Path) throws(ProgramError) -> Int32 {
    let settings = try settings(path)
    LogLine("settings: OK").print()
    var code: Int32 = 0
    if self == .rotate {
      code = ScreenRotation.check(settings)
    } else {
      do throws(ProgramError) {
        let owner = try OwnerLink(settings.source, tokenFile: settings.tokenFile)
        var loop = try DesktopLoop(settings, serve: true, rotate: false, owner: owner, journal: SystemdJournal())
        loop.end()
        if settings.has(.sensorProxy) { try SensorProxy.check() }
        LogLine("functions: OK").print()
      } catch {
        code = error.code.rawValue
        LogLine("functions: error: \(error.message)").print()
      }
    }
    return OwnerVisit.report(on: try OwnerLink(settings.source, tokenFile: settings.tokenFile), code)
  }
}
