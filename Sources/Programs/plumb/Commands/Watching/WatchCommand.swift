import ArgumentParser
import BoardFile
import Emulation
import Glibc
import Monitor
import PlumbStream
import PlumbViews
import Stream
import ToolInputs
import ToolOutput

/// `plumb watch`: a board as it is now, on a terminal.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Shows a board live on a terminal, with its lines, angles and history.",
    usage: "plumb watch [<options>]",
    discussion: """
      Does everything that `plumb run` does, lines included, and draws it 15 times a second. A slow terminal never \
      delays samples or lines. The emulated board repeats its motion. With --from it draws the board of an owner, and \
      sets no lines.

      KEYS: q or Ctrl-C quits, space pauses the view, c makes the present position zero for angles, steering and \
      scrolling, u undoes that, s starts and stops recording samples to a file in the current folder, ? opens the \
      help. Up and down (or k, j and the mouse wheel), PgUp and PgDn scroll the events, left and right the history; \
      Home shows the oldest, End the latest again. To select text with the mouse, hold Shift. With --from, c and u \
      need commands = yes in [share] of the owner's board file, or --commands of its plumb run, and its Unix socket or \
      ssh.

      The full view needs 80 columns and 24 rows; the compact view, without the drawn board, needs 60 columns and 15 \
      rows. NO_COLOR turns colours off, a locale without UTF-8 (LC_ALL, LANG) gives plain ASCII, and TERM=dumb gives \
      one line per second.

      EXAMPLES:
        plumb watch --board raspberry-pi-adxl345
        plumb watch --from ssh:pi@raspberrypi.local

      EXIT CODES: 0 stopped by the user; 64 wrong usage, or standard output is not a terminal; 69 bus, sensor, lines \
      or owner not available; 77 no permission; 78 bad board file
      """)

  @OptionGroup var source: SourceOptions

  func run() throws {
    guard isatty(STDOUT_FILENO) == 1 else {
      UsageError.end(
        "'plumb watch' needs a terminal, and standard output is not one. For a file or a program use "
          + "'plumb run --format json'.", in: Self.self)
    }
    let settings = StreamSource.Settings(samples: .perSecond(20), counts: true)
    var source = try ChosenSource(
      self.source, for: Self.self, settings, self.source.board.emulated(.tumble, repeats: true)
    ) {
      try self.source.board.description(for: Self.self)
    }
    try reportingError { () throws(ToolError) in
      try source.begin(LiveBoard.Settings(movement: Movement.Configuration(), sleeps: true))
      let state = WatchState(source.description, source.title, start: source.start, hasOwner: source.hasOwner)
      try watch(&source, state)
    }
  }

  private func watch(_ source: inout ChosenSource, _ state: WatchState) throws(ToolError) {
    try draw(&source, state)
    var output = Output(isLive: true)
    for line in state.seen.lasting + [source.summary.line(.text)] { try output.line(line, always: true) }
    try output.flush()
  }

  private func draw(_ source: inout ChosenSource, _ state: WatchState) throws(ToolError) {
    let display = try WatchDisplay(state)
    defer { display.end() }
    var wantsEachSample = false
    while let seen = try source.next() {
      state.take(seen, source.remark, at: source.now)
      switch state.wish(canZero: source.takesTare) {
      case .zeroHere: if let words = source.askForTare() { state.note(words, .remark) }
      case .undoZero: if let words = source.undoTare() { state.note(words, .remark) }
      case nil: break
      }
      if state.isGathering != wantsEachSample {
        wantsEachSample.toggle()
        source.wantEachSample(wantsEachSample)
      }
    }
    try source.close()
  }
}
