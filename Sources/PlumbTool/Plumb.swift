import ArgumentParser
import Glibc

/// The command-line tool for people.
@main
struct Plumb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plumb",
    abstract: "Tells which way is down, from an accelerometer, and shows it on LEDs.",
    discussion: """
      EXAMPLES:
        plumb run                                             the emulated board; no hardware needed
        plumb run --board boards/raspberry-pi-adxl345.ini     a real one, until Ctrl-C
        plumb probe                                           which sensor is at which address
        plumb replay movement.csv --format json               a recording

      EXIT CODES:
        0 fine, 64 wrong usage, 65 bad data, 66 no such input file, 69 bus, sensor or lines not available,
        70 internal error, 73 output cannot be written, 77 no permission, 78 bad board file
      """,
    version: "0.1.0",
    subcommands: [RunCommand.self, ReplayCommand.self, ProbeCommand.self])

  static func main() {
    occupyStandardDescriptors()
    main(nil)
  }

  /// Opens those of descriptors 0 to 2 that the parent has closed, so that no bus or chip gets the number of standard
  /// output and has results written to it. Not for writing: that still fails.
  private static func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", O_RDONLY)
    }
  }
}
