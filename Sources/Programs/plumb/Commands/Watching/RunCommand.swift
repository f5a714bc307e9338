import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import Indication
import Monitor
import PlumbStream
import PlumbViews
import Sensors
import Stream
import ToolInputs
import ToolOutput
import Vibration

/// `plumb run`: the main task of the program.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Shows the pose of a board on its LEDs.",
    usage: "plumb run [<options>]",
    discussion: """
      EXAMPLES:
        plumb run --board my-board.ini --show angles,steering
        plumb run --from ssh:pi@raspberrypi.local --format json

      EXIT CODES: 0 stopped; 64 wrong usage; 69 bus, sensor, lines or owner not \
      available, or gave up; 73 output; 77 no permission; 78 bad board file
      """)

  @OptionGroup var options: RunOptions

  func run() throws { try BoardRun(options: options, interface: Interface()).run(for: Self.self) }
}

/// The options of commands that show the poses of a board and set its lines.
struct RunOptions: ParsableArguments {
  @OptionGroup var source: SourceOptions

  @OptionGroup var length: DurationOption

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  @OptionGroup var showing: Showing

  @OptionGroup var time: SpeedOption

  @Option(
    help: ArgumentHelp(
      "Give up when the sensor has not responded for this long (default: never).", valueName: "seconds"),
    transform: SecondsOption.parsed)
  var giveUp: Double?

  @OptionGroup var sharing: ShareOptions

  @Flag(
    help: "Allow commands, such as tare, on Unix sockets.")
  var commands = false

  func validate() throws {
    try SecondsOption.check([("give-up", giveUp)])
    if commands && !sharing.isSharing { throw ValidationError("--commands needs --share.") }
  }
}

/// Shows the poses of a board, a local one or an owner's, until it is stopped.
struct BoardRun {
  let options: RunOptions
  let interface: Interface

  private var source: SourceOptions { options.source }
  private var length: DurationOption { options.length }
  private var format: Format { options.format }
  private var showing: Showing { options.showing }
  private var time: SpeedOption { options.time }
  private var sharing: ShareOptions { options.sharing }

  /// Runs for `command`; `own` are further options of it that do not apply to a stream.
  func run<Command: ParsableCommand>(for command: Command.Type, own: [OwnBoardOption] = []) throws {
    let settings = StreamSource.Settings(
      duration: length.span, samples: showing.wantedSamples,
      vibration: showing.show.contains(.vibration))
    let emulated = self.source.board.emulated(.tumble, isFast: time.isFast)
    let name = self.source.board.file(isFast: time.isFast) ?? "emulated"
    var source = try ChosenSource(self.source, for: command, own: own + ownBoardOptions, settings, emulated) {
      try description(for: command)
    }
    let token = sharing.madeToken()
    let announcement = ShareAnnouncement(sharing, token: token)
    try reportingError { () throws(ToolError) in
      try source.begin(
        LiveBoard.Settings(
          duration: length.span ?? source.motionLength,
          faults: FaultPolicy(outageLimit: options.giveUp.map(SecondsOption.microseconds) ?? .zero),
          movement: try interface.movement(), sleeps: true,
          sharing: sharing.sharing(called: name, token: token, takesCommands: options.commands)))
      var reporter = reporter(of: source.description, start: source.start)
      switch format {
      case .json:
        if let hello = source.hello { try reporter.output.line(hello) }
        if let object = announcement.json { try reporter.output.line(object, always: true) }
      case .text:
        let words = source.ownerWords.map { wrapped($0 + "; stop with Ctrl-C.", behind: "") }
        try reporter.output.line(words ?? source.description.greeting(doing: emulated.motion))
        for line in announcement.lines { try reporter.output.line(line) }
        try reporter.output.line(reporter.heading)
      }
      try show(&source, &reporter)
    }
  }

  /// The local board, set up to watch what is to be shown.
  private func description<Command: ParsableCommand>(for command: Command.Type) throws -> BoardDescription {
    var description = try source.board.description(
      for: command, isFast: time.isFast, wantsTaps: showing.show.contains(.tap),
      wantsFalls: showing.show.contains(.freeFall), misuse: misuse)
    if showing.show.contains(.vibration) && description.vibration == nil {
      let usual = VibrationConfiguration()
      guard description.sensor.rateMissing(for: usual) == nil else {
        UsageError.end("--show vibration needs at least 10 samples a second.", in: command)
      }
      description.vibration = usual
    }
    return description
  }

  private func reporter(of board: BoardDescription, start: Instant) -> Reporter {
    Reporter(
      output: Output(isLive: !time.isFast), format: format, shown: showing.shown, sizes: interface.sizes, start: start,
      sensor: board.sensor, code: board.lines.code,
      drawsMatrix: board.lines.isMatrix && board.lines.isEmulated)
  }

  /// Shows everything that `source` brings, then the summary.
  private func show(_ source: inout ChosenSource, _ reporter: inout Reporter) throws(ToolError) {
    while !reporter.output.isClosed, let seen = try source.next() {
      try reporter.show(seen, source.remark)
    }
    try source.close()
    try reporter.conclude(source.summary)
    if let error = source.error { throw error }
  }

  /// The options that do not apply to a stream.
  private var ownBoardOptions: [OwnBoardOption] {
    [
      OwnBoardOption("--give-up", options.giveUp != nil, "the owner decides when to give up on its sensor"),
      time.ownBoardOption,
      OwnBoardOption("--share", sharing.isSharing, "its owner shares it already"),
    ]
  }

  /// What is wrong with the options of this command for this board, if anything.
  private func misuse(of description: BoardDescription) -> String? {
    if interface.crossFades && description.lines.isMatrix {
      return "--cross-fade needs a board with an LED for each pose: a matrix shows whole pictures."
    }
    if interface.crossFades && description.lines.code != .leds {
      return "--cross-fade needs a board with LEDs: a reader of coded lines would see wrong poses."
    }
    if time.isFast && sharing.isSharing { return "--share needs real time: leave out --speed fast." }
    let isEmulated = description.bus == .emulated && description.lines.isEmulated
    return time.isFast && !isEmulated ? "--speed fast needs a board whose bus and lines are emulated." : nil
  }
}
