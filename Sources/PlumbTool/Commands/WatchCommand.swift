import ArgumentParser
import BoardFile
import Emulation
import Gestures
import Glibc
import Monitor
import PlumbViews
import Stream

/// `plumb watch`: a board as it is now, on a terminal.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Shows a board live on a terminal, with its lines, angles and history.",
    usage: "plumb watch [<options>]",
    discussion: """
      Does everything that `plumb run` does, lines included, and draws it 15 times a second. A slow terminal never \
      delays samples or lines. The emulated board repeats its motion.

      KEYS: q or Ctrl-C quits, space pauses the view, c sets the present position as the scroll rest, s starts and stops \
      recording samples to a file in the current folder, ? opens the help.

      The full view needs 80 columns and 24 rows; the compact view, without the drawn board, needs 60 columns and 15 \
      rows. NO_COLOR turns colours off, a locale without UTF-8 (LC_ALL, LANG) gives plain ASCII, and TERM=dumb gives one \
      line per second.

      EXAMPLE: plumb watch --board raspberry-pi-adxl345

      EXIT CODES: 0 stopped by the user; 64 wrong usage, or standard output is not a terminal; 69 bus, sensor or lines not \
      available; 77 no permission; 78 bad board file
      """)

  @OptionGroup var source: BoardOptions

  func run() throws {
    guard isatty(STDOUT_FILENO) == 1 else {
      UsageError.end(
        "'plumb watch' needs a terminal, and standard output is not one. For a file or a program use "
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
      return "this position is now the scroll rest"
    } catch .restOpposite {
      return "this position cannot be the scroll rest: turn the board face up a little, then press c again"
    } catch {
      return "the scroll rest is unchanged: hold the board still, then press c again"
    }
  }
}
