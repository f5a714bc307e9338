internal import Fleet
internal import Service
internal import Text

/// The program, which C's `main` calls. Returns the exit code.
@c(plumb_mqtt_main)
public func plumbMQTTMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  let syntax = ServiceCommand.Syntax(
    program: "plumb-mqtt", option: "--settings", file: "settings file", path: "/etc/plumb/mqtt.ini", canForget: true)
  do throws(ServiceCommand.UsageError) {
    return try unsafe ServiceCommand(Int(truncatingIfNeeded: count), arguments, syntax).perform()
  } catch {
    return error.printError(syntax)
  }
}

extension ServiceCommand {
  /// Does what the command line asks for, and returns the exit code.
  fileprivate func perform() -> Int32 {
    do throws(ProgramError) {
      switch action {
      case .help: Self.printUsage()
      case .version:
        var line = LogLine("plumb-mqtt ")
        line.append(Release.version)
        line.print()
      case .check: return try Device(path: path).check()
      case .forget: try Device(path: path).forget()
      case .run: try Device(path: path).run()
      }
      return 0
    } catch {
      error.printError(of: "plumb-mqtt")
      return error.code.rawValue
    }
  }

  private static func printUsage() {
    LogLine(
      """
      plumb-mqtt publishes a board's pose on an MQTT broker, also for Home Assistant, until it is stopped.

      Usage: plumb-mqtt [--settings FILE] [--check | --forget]

        --settings FILE  the settings file (default: /etc/plumb/mqtt.ini)
        --check          check the settings, the broker and the owner of the sensor; publish nothing
        --forget         remove the device from the broker, and from Home Assistant
        --version        print the version
        --help           print this help

      Signals: TERM and INT stop it.
      Exit codes: 0 stopped; 64 wrong usage; 69 broker or owner not available; 77 no permission; 78 bad settings
      """
    ).print()
  }
}
