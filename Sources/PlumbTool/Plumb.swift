import ArgumentParser
import Glibc
import Messages

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
        plumb watch                                           the board as it is now, on a terminal
        plumb read --format json                              pose and all angles, once
        plumb boards                                          which board files there are
        plumb wiring --board boards/raspberry-pi-adxl345.ini  which pin goes where
        plumb doctor --board boards/raspberry-pi-adxl345.ini  what is wrong, and what cures it
        plumb probe                                           which sensor is at which address
        plumb mount --board my-board.ini                      finds how the sensor sits
        plumb calibrate --board my-board.ini                  finds how far off it reads
        plumb record -o movement.csv --duration 60            every sample into a file
        plumb replay movement.csv --format json               a recording, as if it happened now
        plumb plot movement.csv -o movement.html              a recording as a picture

      EXIT CODES:
        0 fine, 64 wrong usage, 65 bad data, 66 no such input file, 69 bus, sensor or lines not available,
        70 internal error, 73 output cannot be written, 77 no permission, 78 bad board file
      """,
    version: Release.version.description,
    subcommands: [
      RunCommand.self, WatchCommand.self, ReadCommand.self, ReplayCommand.self, RecordCommand.self, PlotCommand.self,
      ProbeCommand.self, CalibrateCommand.self, MountCommand.self, BoardsCommand.self, WiringCommand.self,
      DoctorCommand.self,
    ])

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
