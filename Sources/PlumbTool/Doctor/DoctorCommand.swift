import ArgumentParser
import BoardFile
import Diagnosis
import Glibc

/// `plumb doctor`: what is wrong with a set-up, and what cures it.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks everything from the kernel to the pins, and says what cures what is wrong.",
    discussion: """
      Checks in the order in which one thing needs the other, and tells the first cause first: what only follows from it \
      is not told as an error of its own. Changes nothing; a sensor or a plumb that runs goes on. Without --board it \
      checks /etc/plumb/board.ini, or where there is none a Raspberry Pi with an ADXL345.

      EXAMPLE: plumb doctor --board raspberry-pi-mpu6050

      EXIT CODES: 0 fine, 69 something is not there or in use, 77 no permission, 78 the board file does not fit; of \
      several, the greatest
      """)

  @Option(
    help: ArgumentHelp("The board file, or the name of one that comes with plumb.", valueName: "file"),
    completion: .boards)
  var board: String?

  @Option(help: "text for people, json for scripts (one object a line).")
  var format: Format = .text

  func run() throws {
    let code = try reportingFailure { () throws(Failure) in try examine() }
    guard code == 0 else { throw ExitCode(code) }
  }

  private func examine() throws(Failure) -> Int32 {
    let description: BoardDescription
    let name: String
    let chosen = board ?? (isFile(BoardCatalogue.systemFile) ? BoardCatalogue.systemFile : nil)
    if let chosen {
      (description, name) = (try readBoard(chosen), printable(chosen))
    } else {
      (description, name) = (try WiringCommand.usualBoard(), "a Raspberry Pi with an ADXL345")
    }
    var system = LinuxSystem()
    let diagnosis = Diagnosis(of: description, in: &system)
    var output = Output(isLive: false)
    let option = " --board " + (chosen.map(shellWord) ?? "raspberry-pi-adxl345")
    let lines = format == .json ? diagnosis.json(name) : diagnosis.text(name, .ofStandardOutput, option: option)
    for line in lines { try output.line(line) }
    try output.flush()
    return diagnosis.exitCode
  }
}
