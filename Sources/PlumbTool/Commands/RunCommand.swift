import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import Indication
import Monitor
import Sensors
import Stream

/// `plumb run`: the main job.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Shows the pose of a board on its LEDs.",
    usage: "plumb run [<options>]",
    discussion: """
      Without --board the emulated board tumbles through all six poses; on the way its sensor stops responding for a \
      moment, and recovers. With a real board it runs until Ctrl-C or SIGTERM, then sets the idle levels and releases \
      the lines.

      plumb run reads samples by timer. Only the daemon, plumbd, uses the data-ready line of a board file.

      EXAMPLES:
        plumb run
        plumb run --board raspberry-pi-adxl345 --show angles,steering
        plumb run --board my-board.ini --format json
        plumb run --motion shake --share unix:/tmp/plumb.stream

      EXIT CODES: 0 stopped by --duration or the user; 64 wrong usage; 69 bus, sensor or lines not available, or gave \
      up on the sensor; 73 output cannot be written; 77 no permission; 78 bad board file
      """)

  @OptionGroup var source: BoardOptions

  @Option(
    help: ArgumentHelp("Stop after this many seconds.", valueName: "seconds"),
    transform: SecondsOption.parsed)
  var duration: Double?

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  @OptionGroup var showing: Showing

  @Flag(help: "Alternate the LEDs of the old and the new pose while the interface turns.")
  var crossFade = false

  @Option(help: "The speed of emulated time: real time (realtime) or as fast as possible (fast).")
  var speed: Speed?

  @Option(
    help: ArgumentHelp(
      "Give up with exit code 69 when the sensor has not responded for this many seconds (default: never).",
      valueName: "seconds"), transform: SecondsOption.parsed)
  var giveUp: Double?

  @OptionGroup var sharing: ShareOptions

  /// How emulated time passes.
  enum Speed: String, ExpressibleByArgument, CaseIterable {
    case realtime, fast
  }

  func validate() throws { try SecondsOption.check([("duration", duration), ("give-up", giveUp)]) }

  func run() throws {
    let description = try source.description(for: Self.self, misuse: misuse)
    try reportingError { () throws(ToolError) in try run(description) }
  }

  private func run(_ description: BoardDescription) throws(ToolError) {
    let emulated = source.emulated(.tumble, isFast: speed == .fast)
    var board = try LiveBoard(
      description, emulated,
      LiveBoard.Settings(
        duration: duration.map(SecondsOption.microseconds) ?? emulated.duration(on: description),
        faults: FaultPolicy(outageLimit: giveUp.map(SecondsOption.microseconds) ?? .zero),
        movement: try showing.movement(crossFades: crossFade), sharing: (sharing, source.board ?? "emulated")))
    var reporter = Reporter(
      output: Output(isLive: speed != .fast), format: format, showing: showing, start: board.start,
      sensor: description.sensor, code: description.lines.code)
    if format == .text { try greet(description, emulated, &reporter) }
    while !reporter.output.isClosed, let seen = try board.next() { try reporter.show(seen) }
    try board.close()
    try reporter.conclude(board.summary)
    if let error = board.error { throw error }
  }

  /// What is wrong with the options of this command for this board, if anything.
  private func misuse(of description: BoardDescription) -> String? {
    if crossFade && description.lines.code != .leds {
      return "--cross-fade needs a board with LEDs: a reader of coded lines would see wrong poses."
    }
    if speed == .fast && sharing.isSharing { return "--share needs real time: leave out --speed fast." }
    let isEmulated = description.bus == .emulated && description.lines.isEmulated
    return speed == .fast && !isEmulated ? "--speed fast needs a board whose bus and lines are emulated." : nil
  }

  private func greet(
    _ board: BoardDescription, _ emulated: EmulatedBoard, _ reporter: inout Reporter
  ) throws(ToolError) {
    let sensor = board.sensor
    let name = "\(sensor.model.properName) at \(sensor.address.text)"
    let figures = "\(sensor.rate.text) Hz, ±\(sensor.rangeInG) g"
    switch board.bus {
    case .emulated: try reporter.output.line("Emulated \(name), \(figures); motion \(emulated.motion.rawValue).")
    case .linux(let path): try reporter.output.line("\(name) on \(path.description), \(figures); stop with Ctrl-C.")
    }
    try reporter.output.line(reporter.heading)
  }
}

extension BoardDescription.Sensor {
  /// The largest force measured, in g.
  var rangeInG: Int {
    switch configuration {
    case .adxl345(let configuration): 2 << Int(configuration.range.rawValue)
    case .mpu6050(let configuration): 2 << Int(configuration.range.rawValue)
    }
  }
}
