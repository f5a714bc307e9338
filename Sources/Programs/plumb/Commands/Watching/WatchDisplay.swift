import BoardFile
import CSupport
import FixedPoint
import Glibc
import HAL
import LinuxHAL
import Monitor
import Orientation
import PlumbViews
import Text
import ToolInputs
import ToolOutput

/// Shows a watched board: a thread that draws it or, if the terminal can do no more, writes one line a second.
///
/// The loop has the main thread to itself and never waits for this one.
struct WatchDisplay {
  /// Nil if lines are written.
  private let terminal: WatchTerminal?
  private let worker: WorkerThread

  /// Takes over the terminal and starts to draw.
  init(_ state: WatchState) throws(ToolError) {
    let name = TextStyle.variable("TERM")
    let terminal = name == nil || name == "dumb" ? nil : try WatchTerminal()
    do throws(ToolError) {
      worker = try WorkerThread.begin("the drawing thread") { isOver in
        if let terminal { Self.draw(state, terminal, until: isOver) } else { Self.writeLines(state, until: isOver) }
      }
      self.terminal = terminal
    } catch {
      terminal?.end()
      throw error
    }
  }

  /// Stops drawing and gives the terminal back.
  func end() {
    worker.end()
    terminal?.end()
  }

  private static func draw(_ state: WatchState, _ terminal: WatchTerminal, until isOver: () -> Bool) {
    let style = TextStyle.ofStandardOutput
    // The font of the Linux console has no braille.
    let look = TextStyle(
      hasColour: style.hasColour, hasUnicode: style.hasUnicode && TextStyle.variable("TERM") != "linux")
    var view = WatchView(state, terminal, look)
    view.run(until: isOver)
  }

  /// Writes one line a second, without escape sequences.
  private static func writeLines(_ state: WatchState, until isOver: () -> Bool) {
    var output = Output(isLive: true)
    var next = LinuxClock().now
    while !isOver() {
      if LinuxClock().now >= next {
        next = LinuxClock().now + .seconds(1)
        do throws(ToolError) {
          try output.line(state.line)
        } catch {
          kill(getpid(), SIGINT)
          return
        }
      }
      // Short enough to notice the end soon.
      usleep(50_000)
    }
  }
}

extension WatchState {
  /// What is seen, in one line of ASCII.
  fileprivate var line: String {
    let figures = seen.figures
    let lit = (0..<board.lines.count).map { figures.snapshot.levels.isOn($0) ? "1" : "0" }.joined()
    var text =
      "\(figures.elapsed.tableText.rightAligned(to: 9)) s  lines \(lit)  "
      + "\(figures.snapshot.state.shortWords)".padded(to: 12)
    if let force = figures.reading?.force, figures.isFresh {
      let (x, y, z) = (Scene.Force(force).x, Scene.Force(force).y, Scene.Force(force).z)
      for (name, value) in [("x", x), ("y", y), ("z", z)] { text += "  \(name) \(figure(value, places: 2, width: 6))" }
      text += " g"
    } else if let note = seen.notes.last {
      text += "  " + note.text
    }
    return text
  }
}

/// Draws the state, reads keys and records, in its own thread.
struct WatchView {
  private let state: WatchState
  private let terminal: WatchTerminal
  private let look: TextStyle
  private var recorder: WatchRecorder
  private var reader = KeyReader()
  private var hearsKeys = true
  private var attitude = BoardAttitude.upright
  /// The moment at which the view is paused.
  private var held: WatchState.Contents?
  private var showsHelp = false
  private var past = WatchPast()
  /// What the terminal shows once all of `rest` is written; nil if unknown.
  private var shown: Grid?
  private var rest: ArraySlice<UInt8> = []
  private var lastFrame = Instant(microseconds: 0)

  /// 15 pictures a second.
  private static let interval = Microseconds(66_667)

  init(_ state: WatchState, _ terminal: WatchTerminal, _ look: TextStyle) {
    self.state = state
    self.terminal = terminal
    self.look = look
    recorder = WatchRecorder(state)
    hearsKeys = terminal.input >= 0
  }

  /// Draws until `isOver`; then ends any recording in progress.
  mutating func run(until isOver: () -> Bool) {
    csupport_terminal_guard_thread()
    while !isOver() {
      hearKeys()
      recorder.write()
      let now = LinuxClock().now
      if now - lastFrame >= Self.interval {
        draw(after: lastFrame.microseconds == 0 ? 1 : Double((now - lastFrame).count) / 1e6)
        lastFrame = now
      }
      guard let rest = terminal.write(rest) else { return leave() }
      self.rest = rest
      let left = (lastFrame + Self.interval - LinuxClock().now).count / 1_000 + 1
      terminal.wait(milliseconds: Int32(max(1, min(67, left))), isFull: !rest.isEmpty, hearsKeys: hearsKeys)
    }
    recorder.stop()
  }

  /// Asks the loop to end as Ctrl-C does, which also ends its waits.
  private mutating func leave() {
    recorder.stop()
    kill(getpid(), SIGINT)
  }

  private mutating func draw(after seconds: Double) {
    if terminal.wasResumed {
      shown = nil
      rest = []
    }
    // A slow terminal gets fewer pictures, but each of them whole.
    guard rest.isEmpty else { return }
    let contents = held ?? state.seen
    if held == nil { contents.figures.move(&attitude, after: seconds) }
    var scene = state.scene(contents, attitude, recording: recorder.name)
    (scene.isPaused, scene.showsHelp) = (held != nil, showsHelp)
    let size = terminal.size
    past.scroll(&scene, dropped: contents.droppedNotes, look, size)
    let grid = Screen(scene, look).drawn(width: size.width, height: size.height)
    rest = Escape.update(from: shown, to: grid, look)[...]
    shown = grid
  }

  private mutating func hearKeys() {
    guard hearsKeys else { return }
    guard let keys = terminal.keys(&reader) else {
      hearsKeys = false
      return
    }
    for key in keys {
      guard !past.take(key), case .character(let letter) = key else { continue }
      switch letter {
      case "q", "Q": kill(getpid(), SIGINT)
      case " ": held = held == nil ? state.seen : nil
      case "c", "C": state.ask(for: .zeroHere)
      case "u", "U": state.ask(for: .undoZero)
      case "s", "S": recorder.toggle()
      case "?", "h", "H": showsHelp.toggle()
      default: break
      }
    }
  }
}
