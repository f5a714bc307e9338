import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import Indication
import LinuxHAL
import Sensors

/// `plumb run`: the main job.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Watches a board and shows its pose on its LEDs.",
    usage: "plumb run [<options>]",
    discussion: """
      Without --board the emulated board tumbles through all six poses; on the way its sensor stops answering for a \
      moment, and recovers. With a real board it runs until Ctrl-C or SIGTERM, then sets the idle levels and releases \
      the lines.

      Samples are asked for by the clock, also where the board file names a data-ready line: that is for the daemon, plumbd.

      EXAMPLES:
        plumb run
        plumb run --board raspberry-pi-adxl345 --show angles,steering
        plumb run --board my-board.ini --format json

      EXIT CODES: 0 ended by its time or the user; 64 wrong usage; 69 bus, sensor or lines not available, or the sensor was \
      given up; 73 output cannot be written; 77 no permission; 78 bad board file
      """)

  @OptionGroup var source: BoardOptions

  @Option(help: ArgumentHelp("Stop after so many seconds.", valueName: "seconds"))
  var duration: Double?

  @Option(help: "How results are written: text for people, json for scripts (one object a line).")
  var format: Format = .text

  @OptionGroup var showing: Showing

  @Flag(help: "Let the LEDs of the old and the new pose alternate while the interface turns.")
  var crossFade = false

  @Option(help: "Whether emulated time passes as real time does (realtime) or as fast as it can (fast).")
  var speed: Speed?

  @Option(
    help: ArgumentHelp(
      "End with code 69 when the sensor could not be had back for so many seconds; never when left out.",
      valueName: "seconds"))
  var giveUp: Double?

  /// How emulated time passes.
  enum Speed: String, ExpressibleByArgument, CaseIterable {
    case realtime, fast
  }

  func validate() throws { try SecondsOption.check([("duration", duration), ("give-up", giveUp)]) }

  func run() throws {
    let description = try source.description(for: Self.self, misuse: misuse)
    try reportingFailure { () throws(Failure) in try plan.run(description) }
  }

  /// What is wrong with the options of this command for this board, if anything.
  private func misuse(of description: BoardDescription) -> String? {
    if crossFade && description.lines.code != .leds {
      return "--cross-fade needs a board with LEDs: coded lines that alternate would lie to whoever reads them."
    }
    let isEmulated = description.bus == .emulated && description.lines.isEmulated
    return speed == .fast && !isEmulated ? "--speed fast needs a board whose bus and lines are emulated." : nil
  }

  private var plan: RunPlan {
    RunPlan(
      duration: duration.map(SecondsOption.microseconds), format: format, showing: showing, crossFades: crossFade,
      motion: source.motion ?? .tumble, seed: source.seed, isFast: speed == .fast,
      patience: giveUp.map(SecondsOption.microseconds))
  }
}
