import ArgumentParser
import Glibc
import MeasuringCommands
import SettingUpCommands
import Text
import ToolInputs
import ToolOutput
import WatchingCommands

/// The command-line tool for people.
@main
struct Plumb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plumb",
    abstract: "Finds which way is down with an accelerometer, and shows it on LEDs.",
    discussion: """
      EXAMPLES:
        plumb run                        run the emulated board; no hardware needed
        plumb watch                      the same, live on the terminal
        plumb serve                      the same, live in a browser
        plumb boards                     list the board files
        plumb wiring --board B           show the wiring for board file B
        plumb doctor --board B           check the set-up, and show how to fix errors
        plumb selftest --board B         test the sensor
        plumb run --board B              show the pose on real LEDs, until Ctrl-C
        plumb read --format json         print the pose and all angles, once
        plumb status                     show the owner of this machine's sensor
        plumb on shake -- notify-send !  run a command when the board is shaken
        plumb publish --broker HOST      publish the pose and events by MQTT
        plumb mount --board B            find how the sensor is mounted
        plumb calibrate --board B        measure and correct the sensor's errors
        plumb tare --board B             make this attitude zero for angles
        plumb level --board B            how far a vehicle is from level
        plumb record -o move.csv         write every sample to a file
        plumb replay move.csv            run a recording through the same code
        plumb plot move.csv -o move.svg  draw a recording
        plumb vibration                  measure vibration: strength, bands, spectrum
        plumb help record                help on one command

      WHICH BOARD:
        \(UsualBoard.words.replacing("\n", with: "\n  "))

      EXIT CODES:
        0 success, 64 wrong usage, 65 bad data, 66 no such input file,
        69 bus, sensor or lines not available, 70 internal error,
        73 output cannot be written, 77 no permission, 78 bad board file
      """,
    version: Release.version.description,
    subcommands: WatchingCommands.all + MeasuringCommands.all + SettingUpCommands.all)

  static func main() {
    occupyStandardDescriptors()
    // A write beyond the file size limit then fails with a message instead of ending the program silently.
    _ = signal(SIGXFSZ, SIG_IGN)
    LostOutput.reportAtExit()
    let commands = configuration.subcommands.compactMap { $0.configuration.commandName }
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let message = UsageError.unknownCommand(arguments, of: commands) {
      UsageError.exit(message)
    }
    do {
      var command = try parseAsRoot(WatchingCommands.prepared(arguments))
      try command.run()
    } catch {
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      UsageError.exit(UsageError.completed(fullMessage(for: error), of: arguments))
    }
  }

  /// Opens those of descriptors 0 to 2 that the parent has closed, so that no bus or chip gets the number of standard
  /// output and has results written to it. Opened read-only, so writing to them still fails.
  private static func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", O_RDONLY)
    }
  }
}
