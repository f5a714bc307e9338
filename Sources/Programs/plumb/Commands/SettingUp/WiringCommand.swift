import ArgumentParser
import BoardFile
import PlumbViews
import ToolInputs
import ToolOutput

/// `plumb wiring`: shows how a board is wired.
struct WiringCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wiring",
    abstract: "Shows how to wire a board to the header of a Raspberry Pi or to a Pico, as text or as a picture.",
    usage: "plumb wiring [<options>]",
    discussion: """
      The wiring is drawn from the board file. On a terminal it has colours, unless NO_COLOR is set.

      EXAMPLE: plumb wiring --board raspberry-pi-mpu6050 -o wiring.svg

      EXIT CODES: 0 success; 64 wrong usage; 73 the file already exists, or cannot be written; 77 no permission; 78 \
      bad board file
      """)

  /// The formats.
  enum Shape: String, ExpressibleByArgument, CaseIterable {
    case text, svg, json
  }

  @Option(
    help: ArgumentHelp("The board file, or a name that plumb boards lists (see plumb --help).", valueName: "file"),
    completion: .boards)
  var board: String?

  @Option(help: "Output format: text for people, svg for a picture, json for scripts (one object per line).")
  var format: Shape?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Write to this file; .svg, .json and .txt choose the format; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["svg", "json", "txt"]))
  var output: String?

  @Flag(help: "Replace the file if it exists.")
  var force = false

  func validate() throws {
    try checkOutputName(output)
    guard let output, output != "-", format == nil, Self.shape(of: output) == nil else { return }
    throw ValidationError(
      "-o takes a name that ends in .svg, .json or .txt, not '\(printable(output))'; for other names give --format.")
  }

  func run() throws { try reportingError { () throws(ToolError) in try show() } }

  private func show() throws(ToolError) {
    let file = output.flatMap { $0 == "-" ? nil : OutputFile(path: $0, isForced: force) }
    try file?.check()
    let wiring = Wiring(try UsualBoard.hardware(board).description)
    let shape = format ?? output.flatMap(Self.shape) ?? .text
    if shape == .svg && !wiring.hasWires {
      throw ToolError(
        .configuration,
        "there is nothing to draw: "
          + (wiring.board.sensor.device == nil
            ? "a Sense HAT sits on the header" : "the kernel drives the sensor, whose pins are unknown"))
    }
    let lines =
      switch shape {
      case .text: wiring.text(file == nil ? .ofStandardOutput : .plain)
      case .json: wiring.json
      case .svg: [String(WiringDrawing.text(wiring).dropLast())]
      }
    guard let file else {
      var standard = Output(isLive: false)
      for line in lines { try standard.line(line) }
      return try standard.flush()
    }
    try file.write(lines.joined(separator: "\n") + "\n")
  }

  /// The format for a file name extension.
  private static func shape(of path: String) -> Shape? {
    path.hasSuffix(".svg") ? .svg : path.hasSuffix(".json") ? .json : path.hasSuffix(".txt") ? .text : nil
  }
}
