import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import Glibc
import Monitor
import Orientation
import PlumbViews
import Stream
import ToolInputs
import ToolOutput

/// `plumb on`: runs a command when something happens to a board.
struct OnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "on",
    abstract: "Runs a command at each pose, shake, trouble or recovery of a board.",
    usage: "plumb on <event> ... [<options>] -- <command> [<argument> ...]",
    discussion: """
      EVENTS: a pose (\(Pose.names.joined(separator: ", "))); \
      \(Event.Kind.allCases.filter(\.triggers).map { "\($0.name), \($0.meaning)" }.joined(separator: "; ")); unknown, \
      the pose is no longer known; any.

      The command is run exactly as given, without a shell, with these environment variables: PLUMB_EVENT; PLUMB_POSE \
      (unknown at trouble); PLUMB_FROM, the pose before; PLUMB_ANGLE_DEG, PLUMB_PITCH_DEG and PLUMB_ROLL_DEG at a \
      pose, where they are defined; PLUMB_REASON; PLUMB_PHASE of a rotation; PLUMB_DETAIL, the event in words; \
      PLUMB_TIME, seconds since the start; PLUMB_JSON, the event as an object (docs/output.md). It reads nothing from \
      standard input. With --format json its output goes to standard error.

      One command runs at a time; --while-busy decides about events that come meanwhile.

      EXAMPLES:
        plumb on pose -- sh -c 'echo "now $PLUMB_POSE"'
        plumb on faceDown -- playerctl pause
        plumb on trouble recovery --from ssh:pi -- notify-send Plumb
        plumb on shake --once -- true
        plumb on quiet --board machine.ini -- notify-send Laundry

      More recipes, such as a screen that turns with the board: docs/on.md.

      EXIT CODES: 0 stopped by --duration, the user, or the end of an emulated motion; 64 wrong usage; 66 no such \
      command; 69 bus, sensor, lines or owner not available; 77 no permission; 78 bad board file; with --once that of \
      the command (128 plus the signal, if one ended it)
      """)

  @Argument(
    help: ArgumentHelp("The events at which to run the command.", valueName: "event"), completion: Self.eventNames)
  var first: String?

  @Argument(help: ArgumentHelp("The command and its arguments.", valueName: "command"), completion: Self.eventNames)
  var second: String?

  @Argument(help: ArgumentHelp("More of both.", visibility: .private), completion: Self.eventNames)
  var others: [String] = []

  @OptionGroup var source: SourceOptions

  @Flag(help: "Also run the command for the first known pose, which is not a change.")
  var now = false

  @Flag(help: "End after the first command, with its exit code.")
  var once = false

  @Option(
    help: """
      While the command runs: keep only the latest event (latest), all of them, up to 64 (queue), or none (ignore).
      """)
  var whileBusy: CommandRunner.Policy = .latest

  @Option(
    help: ArgumentHelp("End a command that runs for longer than this.", valueName: "seconds"),
    transform: SecondsOption.parsed)
  var timeout: Double?

  @OptionGroup var length: DurationOption

  @Option(help: "Output format: text for people, json for scripts (one object per line).")
  var format: Format = .text

  private static var eventNames: CompletionKind { .list(OnTrigger.all.map(\.word)) }

  /// The arguments of the program, prepared for parsing.
  ///
  /// ArgumentParser takes a single list of words and drops the `--`, which here separates two lists. Doubled, it stays
  /// among the words.
  static func keepingTerminator(_ arguments: [String]) -> [String] {
    guard arguments.first == configuration.commandName, let terminator = arguments.firstIndex(of: "--") else {
      return arguments
    }
    return Array(arguments[...terminator] + arguments[terminator...])
  }

  /// The events and the command, with a `--` between them. The help shows the first two words by name.
  private var words: [String] { [first, second].compactMap(\.self) + others }
  private var events: ArraySlice<String> { words.prefix { $0 != "--" } }
  private var command: [String] { Array(words.drop { $0 != "--" }.dropFirst()) }

  func validate() throws {
    try SecondsOption.check([("timeout", timeout)])
    _ = try triggers()
    guard !events.isEmpty else {
      throw ValidationError("'plumb on' needs an event, such as pose or faceDown, before the --.")
    }
    guard command.first?.isEmpty == false else {
      throw ValidationError("'plumb on' needs a command after --, as in 'plumb on faceDown -- playerctl pause'.")
    }
  }

  private func triggers() throws -> [OnTrigger] {
    try events.map { word in
      try Misspelling.value(word, "event", of: OnTrigger.all, by: \.word).trigger
    }
  }

  func run() throws {
    let triggers = try triggers()
    let settings = StreamSource.Settings(duration: length.span)
    var source = try ChosenSource(self.source, for: Self.self, settings, self.source.board.emulated(.tumble)) {
      try self.source.board.description(
        for: Self.self, wantsTaps: triggers.contains { $0.group == .tap },
        wantsFalls: triggers.contains { $0.group == .fall })
    }
    for word in OnTrigger.all where triggers.contains(word.trigger) {
      guard let section = word.trigger.group.flatMap({ source.missingSection(for: $0) }) else { continue }
      let need = "\(word.word) needs the section [\(section.name)] in the board file"
      guard source.hasOwner else {
        let option = section == .power ? ", or --sleep-after" : ""
        UsageError.end("\(need)\(option): docs/on.md.", in: Self.self)
      }
      writeToStandardError(
        fitForTerminal("plumb: warning: \(need) of the owner, which does not have it: docs/on.md\n"))
    }
    try end(
      try reportingError { () throws(ToolError) in
        try source.begin(
          LiveBoard.Settings(
            duration: length.span ?? source.motionLength, movement: try Interface().movement(), sleeps: true))
        return try watch(&source, triggers)
      })
  }

  /// Ends with the exit code of the only command.
  private func end(_ code: Int32?) throws { if let code, code != 0 { throw ExitCode(code) } }

  /// Runs the command for each matching event of `source`. With `once`, returns its exit code.
  private func watch(_ source: inout ChosenSource, _ triggers: [OnTrigger]) throws(ToolError)
    -> Int32?
  {
    let board = source.description
    let greeting = source.ownerWords.map { $0 + "; stop with Ctrl-C." } ?? source.title
    let runner = try CommandRunner(
      command, whileBusy, timeout: timeout.map(SecondsOption.microseconds), format,
      greeting: wrapped(greeting, behind: ""))
    let objects = ObjectWriter(start: source.start, sensor: board.sensor.place, code: board.lines.code)
    var isFirst = true
    var isOver = false
    while !isOver, !runner.isUnheard, let seen = try source.next() {
      if let remark = source.remark { runner.report(remark) }
      seen.forEachEvent { occurrence in
        let event = occurrence.event
        // The first known pose is the initial state, not a change.
        let isChange = !isFirst || now
        if event.kind == .pose { isFirst = false }
        guard isChange || event.kind != .pose, !isOver, triggers.contains(where: { $0.matches(event) }) else { return }
        let (time, remark) = (occurrence.at - source.start, source.remark)
        let json =
          remark?.line(at: time.secondsText)
          ?? objects.text(event, at: occurrence.at, remark?.detail, seen.snapshot.tare)
        let words = event.text(of: board.sensor, remark?.detail)
        runner.offer(OnEvent(event: event, tare: seen.snapshot.tare, time: time, words: words, json: json))
        isOver = once
      }
    }
    let outcome = try runner.finish()
    try source.close()
    if let error = source.error { throw error }
    return once ? outcome : nil
  }
}
