package import ArgumentParser
package import BoardFile
package import Emulation
import Gestures
import PlumbViews
import Sensors
package import ToolOutput

/// Which board a command uses, and how it behaves if it is emulated.
package struct BoardOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The board file, or a name that plumb boards lists (see plumb --help).", valueName: "file"),
    completion: .boards)
  package var board: String?

  @Option(
    help: ArgumentHelp(
      "The sample rate, up to the sensor's limit.", valueName: "hertz"),
    transform: UpdateRate.parsed)
  package var rate: UpdateRate?

  @Option(
    help: ArgumentHelp(
      "How many samples to read at a time: 1 to 28.", valueName: "n"))
  package var batch: Int32?

  @Option(
    help: ArgumentHelp(
      "The emulated board's motion, such as hold, turn, shake or knocks; an unknown name lists all.", valueName: "name"),
    completion: .list(NamedMotion.names), transform: NamedMotion.named)
  package var motion: NamedMotion?

  @Option(
    help: ArgumentHelp(
      "The seed of the emulated sensor's noise and errors.", valueName: "n"))
  package var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "After this long at rest, let the sensor watch for movement (run, watch, serve, publish, on).",
      valueName: "seconds"),
    transform: SecondsOption.parsed)
  package var sleepAfter: Double?

  package init() {}

  /// The board, at the rate in the options, with taps and falls detected if wanted, even if its file does not ask for
  /// them. Ends `command` with the file's error, or with what is wrong with the options for this board; `misuse` adds
  /// the command's own check. If the command runs as fast as possible, the default board is the emulated one.
  package func description<Command: ParsableCommand>(
    for command: Command.Type, isFast: Bool = false, wantsTaps: Bool = false, wantsFalls: Bool = false,
    misuse: (BoardDescription) -> String? = { _ in nil }
  ) throws -> BoardDescription {
    var description = try reportingError { () throws(ToolError) in
      try file(isFast: isFast).map { path throws(ToolError) in try readBoard(path) } ?? .emulated
    }
    description.emulateMissingHAT()
    if let words = self.misuse(of: description) ?? misuse(description) {
      UsageError.end(words, in: command)
    }
    if wantsTaps { description.addTaps() }
    if wantsFalls && description.freeFall == nil { description.setFreeFall(.standard) }
    if let sleepAfter {
      let still = SecondsOption.microseconds(sleepAfter)
      description.power = BoardDescription.Power(still: still, darkens: description.power?.darkens ?? false)
    }
    let model = description.sensor.model
    if let refusal = rate?.refusal(by: &description.sensor) ?? rate?.refusal(ofVibrationIn: description) {
      UsageError.end(refusal, in: command)
    }
    if description.tapRefusal == .rate {
      UsageError.end(
        "Taps need a --rate of at least \(BoardDescription.leastTapRate.text) Hz with \(model.article) "
          + "\(model.properName), which shows them only in its samples.", in: command)
    }
    if let batch, !description.sensor.setBatch(batch) {
      let allowed =
        model.traits.keepsSamples
        ? "takes \(BoardKey.batch.allowed(with: nil)), not \(batch)"
        : "needs a sensor with a FIFO, which \(model.article) \(model.properName) does not have"
      UsageError.end("--batch \(allowed).", in: command)
    }
    return description
  }

  /// The board file to use: the one in the options, or this computer's if no option concerns an emulated board; nil for
  /// the emulated board.
  package func file(isFast: Bool) -> String? {
    board ?? (motion == nil && seed == nil && !isFast ? UsualBoard.file : nil)
  }

  private func misuse(of description: BoardDescription) -> String? {
    if let sleepAfter, !(1...86_400).contains(sleepAfter) {
      return "--sleep-after takes a number of seconds from 1 to 86400, not \(sleepAfter)."
    }
    guard description.bus != .emulated else { return nil }
    if sleepAfter != nil && description.sensor.device != nil {
      return "--sleep-after needs a sensor that plumb drives; a driver of the kernel runs this one (part = iio)."
    }
    if sleepAfter != nil && description.sensor.dataReady == nil {
      return "--sleep-after needs a board file with data-ready: the wire that wakes plumb."
    }
    if motion != nil { return "--motion needs a board whose bus is emulated." }
    return seed == nil ? nil : "--seed needs a board whose bus is emulated."
  }

  /// How the board behaves if it is emulated; `usual` is its motion if none was chosen.
  package func emulated(_ usual: NamedMotion, repeats: Bool = false, isFast: Bool = false) -> EmulatedBoard {
    let motion = motion ?? usual
    return EmulatedBoard(
      motion: motion, repeats: repeats, seed: seed, isFast: isFast, faults: .usual(during: motion))
  }
}

/// Reads the board file that an option names: a path, or the name of a file that comes with plumb.
/// With `mustBePico`, only the file of a Pico will do.
package func readBoard(_ name: String, mustBePico: Bool = false) throws(ToolError) -> BoardDescription {
  let path = boardPath(name, in: nil)
  do {
    return try mustBePico ? BoardDescription.readPico(path: path) : BoardDescription.read(path: path)
  } catch {
    throw ToolError(
      error.exitCode == 77 ? .noPermission : .configuration,
      error.description(file: printable(path)) + (error.cause == .missingFile ? hint(about: name) : ""))
  }
}

/// The path for `name`: `name` itself if it has a slash or is a file, otherwise that of the board file in `catalogue`,
/// or in the default catalogue if nil.
package func boardPath(_ name: String, in catalogue: BoardCatalogue?) -> String {
  guard !name.contains("/"), !isFile(name) else { return name }
  return (catalogue ?? BoardCatalogue())[name]?.path ?? name
}

/// The hint in the error about a missing board file.
private func hint(about name: String) -> String {
  let isName = !name.contains("/")
  let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
  let names = isName ? BoardCatalogue().files.map(\.name) : BoardCatalogue.boards(in: folder).map { folder + $0 }
  func last(_ path: String) -> String { String(path.dropFirst(folder.count)) }
  let near = Misspelling.nearest(
    to: last(name).hasSuffix(".ini") ? String(last(name).dropLast(4)) : last(name), in: names.map(last))
  let question = near.map { " (did you mean \(printable(folder + $0 + (isName ? "" : ".ini")))?)" } ?? ""
  return question + (isName ? "; `plumb boards` lists those that come with plumb" : "")
}
