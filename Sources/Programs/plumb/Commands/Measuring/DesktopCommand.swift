import ArgumentParser
import Desktop
import Service
import StreamService
import Text
import ToolInputs
import ToolOutput

/// `plumb desktop`: makes the board of an owner part of the desktop.
struct DesktopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "desktop",
    abstract: "Turns a screen, or offers the board as wheel, scroll wheel or motion sensor.",
    usage: "plumb desktop [--from <address>] <functions> [<options>]",
    discussion: """
      The board is that of the owner at --from, or of the service of this computer. Its functions are --rotate, \
      --sensor-proxy, --wheel, --scroll and --motion, any of them together. --sensor-proxy offers \
      net.hadess.SensorProxy on the system bus (or the one that DBUS_SYSTEM_BUS_ADDRESS names), so that GNOME, Phosh \
      and KDE turn; --rotate turns an output of labwc, sway or X11 itself, and the signal USR1 locks it and unlocks \
      it. The others make input devices, and need permission for /dev/uinput. Ranges, speeds and more are in a \
      settings file. On a Raspberry Pi the services plumb-desktop and plumb-rotate do the same without plumb.

      EXAMPLES:
        plumb desktop --from ssh:pi --rotate auto
        plumb desktop --from ssh:pi --wheel --motion
        plumb desktop --from ssh:pi --sensor-proxy

      EXIT CODES: 0 stopped by --duration or the user; 64 wrong usage; 69 no owner, bus, compositor or uinput; \
      77 no permission; 78 bad settings
      """)

  @OptionGroup var owner: OwnerOptions

  @Flag(help: "Offer the pose on the system bus as iio-sensor-proxy does.")
  var sensorProxy = false

  @Option(
    help: ArgumentHelp("Turn this output; auto: the built-in panel, else the only one.", valueName: "output"))
  var rotate: String?

  @Flag(help: "Be a joystick: steering and pitch are its axes, taps its buttons.")
  var wheel = false

  @Flag(help: "Be a scroll wheel: tilt scrolls.")
  var scroll = false

  @Flag(help: "Be a motion sensor for games and emulators.")
  var motion = false

  @Option(
    help: ArgumentHelp("A settings file, like that of plumb-desktop.", valueName: "file"),
    completion: .file(extensions: ["ini"]))
  var settings: String?

  @OptionGroup var length: DurationOption

  func run() throws {
    let settings = try chosen()
    try reportingError { () throws(ToolError) in
      try takeOverStopSignals(takesRequests: rotate != nil)
      let client = try client(settings)
      do throws(ProgramError) {
        var loop = try DesktopLoop(
          settings, serve: true, rotate: rotate != nil, owner: client, journal: StandardErrorJournal())
        loop.run(for: length.span)
      } catch {
        throw ToolError(ToolError.Code(rawValue: error.code.rawValue) ?? .internal, error.message.description)
      }
    }
  }

  /// The owner that the options or the settings file name, or that of this computer, connected.
  private func client(_ settings: DesktopSettings) throws(ToolError) -> OwnerClient {
    let usual = self.settings == nil ? SourceOptions.usualAddress(in: Self.self) : nil
    guard let address = owner.from ?? usual else {
      return try OwnerClient(settings.source, tokenFile: settings.tokenFile)
    }
    return try OwnerClient(address, token: try owner.token())
  }

  /// The settings of the file, with the options applied.
  private func chosen() throws -> DesktopSettings {
    var chosen =
      try settings.map { path in try reportingError { () throws(ToolError) in try DesktopSettings.read(file: path) } }
      ?? DesktopSettings()
    let flags = [(DesktopKey.sensorProxy, sensorProxy), (.wheel, wheel), (.scroll, scroll), (.motion, motion)]
    do throws(DesktopSettingsError) {
      for (key, isGiven) in flags where isGiven { try chosen.set(key, to: "yes") }
      if let rotate { try chosen.set(.output, to: ShortText(cutting: rotate)) }
    } catch {
      UsageError.end("--rotate: bad value \(error.found); allowed: \(DesktopKey.output.allowed).", in: Self.self)
    }
    guard rotate != nil || chosen.hasFunctions else {
      UsageError.end("name at least one of --sensor-proxy, --rotate, --wheel, --scroll and --motion.", in: Self.self)
    }
    return chosen
  }
}
