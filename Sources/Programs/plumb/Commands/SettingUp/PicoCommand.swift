import ArgumentParser
import BoardFile
import PlumbViews
import ToolInputs
import ToolOutput

/// `plumb pico`: turns a board file into the source that `make pico` compiles.
struct PicoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pico",
    abstract: "Prints the board file of a Pico as Swift, for make pico.",
    usage: "plumb pico <file>",
    discussion: """
      The firmware of a Pico has its board file built in. Only make pico needs this command: make pico \
      BOARD=boards/pico-adxl345.ini. How to go on: docs/pico.md.

      EXAMPLE: plumb pico boards/pico-adxl345.ini

      EXIT CODES: 0 success; 64 wrong usage; 66 the file cannot be read; 78 bad board file, or not that of a Pico
      """)

  @Argument(help: ArgumentHelp("The board file.", valueName: "file"), completion: .boards)
  var file: String

  func run() throws { try reportingError { () throws(ToolError) in try show() } }

  private func show() throws(ToolError) {
    let board = try readBoard(file, mustBePico: true)
    guard let compiled = CompiledBoard(board, name: file.split(separator: "/").last.map(String.init) ?? file) else {
      throw ToolError(.configuration, "\(printable(file)) is not the board file of a Pico")
    }
    var output = Output(isLive: false)
    for line in compiled.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      try output.line(String(line))
    }
    try output.flush()
  }
}
