import ArgumentParser
import BoardFile
import Emulation
import Gestures
import Glibc
import Monitor
import PlumbViews

/// `plumb watch`: a board as it is now, on a terminal.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Draws a board as it is held, with its lines, angles and past, on a terminal.",
    usage: "plumb watch [<options>]",
    discussion: """
      Does all that `plumb run` does, lines included, and shows it 15 times a second. However slow the terminal, samples \
      and lines do not wait for it. The emulated board does its motion again and again.

      KEYS: q or Ctrl-C quits, space freezes the picture, c makes the current pose the one in which nothing \
      scrolls, s records samples to a file in this folder and stops, ? helps.

      It needs 80 columns and 24 rows and uses more; from 60 columns and 15 rows there is a compact view without the \
      drawn board. It does without colour (NO_COLOR) and without other characters than \
      those of ASCII (LANG and LC_ALL without UTF-8). With TERM=dumb it writes a line a second.

      EXAMPLE: plumb watch --board raspberry-pi-adxl345

      EXIT CODES: 0 stopped by the user; 64 wrong usage, or standard output is not a terminal; 69 bus, sensor or lines not \
      available, 77 no permission, 78 bad board file
      """)

  @OptionGroup var source: BoardOptions

  func run() throws {
    guard isatty(STDOUT_FILENO) == 1 else {
      UsageError.end(
        "'plumb watch' draws on a terminal, and standard output is not one. For a file or a program use "
          + "'plumb run --format json'.", in: Self.self)
    }
    let description = try source.description(for: Self.self)
    try reportingError { () throws(ToolError) in try watch(description) }
  }

  private func watch(_ description: BoardDescription) throws(ToolError) {
    let emulated = source.emulated(.tumble, repeats: true)
    var board = try LiveBoard(description, emulated, LiveBoard.Settings(movement: Movement.Configuration()))
    let state = WatchState(description, emulated.motion, start: board.start)
    try draw(&board, state)
    var output = Output(isLive: true)
    for line in state.seen.lasting + [board.summary.line(.text)] { try output.line(line, always: true) }
    try output.flush()
  }

  private func draw(_ board: inout LiveBoard, _ state: WatchState) throws(ToolError) {
    let display = try WatchDisplay.begin(state)
    defer { display.end() }
    while let seen = try board.next() {
      state.take(seen, at: board.now)
      if state.wantsRest() { state.note(captureRest(&board), .remark) }
    }
    try board.close()
  }

  private func captureRest(_ board: inout LiveBoard) -> String {
    do {
      try board.captureScrollRest()
      return "nothing scrolls as the board is held now"
    } catch .restOpposite {
      return "the board cannot rest like this for scrolling: turn it face up a little, then press c again"
    } catch {
      return "the rest for scrolling is as it was: hold the board still, then press c again"
    }
  }
}
