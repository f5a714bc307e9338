import ArgumentParser

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
        plumb replay movement.csv --format json               a recording

      EXIT CODES:
        0 fine, 64 wrong usage, 65 bad data, 66 no such input file, 69 bus or lines not available,
        70 internal error, 73 output cannot be written, 77 no permission, 78 bad board file
      """,
    version: "0.1.0",
    subcommands: [RunCommand.self, ReplayCommand.self])
}
