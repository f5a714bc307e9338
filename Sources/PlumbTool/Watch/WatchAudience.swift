import BoardFile
import FixedPoint
import Glibc
import HAL
import LinuxHAL
import Monitor
import Orientation
import Synchronization
import PlumbViews

/// Whoever watches: a thread that draws, or where the terminal can do no more, one that writes a line a second.
///
/// The loop has the main thread for itself, and waits for nobody here.
final class WatchAudience: BoardAudience, Sendable {
  private let room: WatchRoom
  /// Nil where lines are written.
  private let terminal: WatchTerminal?
  private let isOver = Atomic(false)
  private let thread = Mutex<pthread_t?>(nil)

  private init(_ room: WatchRoom, _ terminal: WatchTerminal?) {
    self.room = room
    self.terminal = terminal
  }

  /// Takes the terminal over and begins to draw.
  static func invite(to room: WatchRoom) throws(Failure) -> WatchAudience {
    let name = TextStyle.variable("TERM")
    let isPlain = name == nil || name == "dumb"
    let audience = WatchAudience(room, isPlain ? nil : try WatchTerminal())
    var thread = pthread_t()
    // The thread keeps the audience alive until it ends.
    let code = unsafe pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer = unsafe pointer else { return nil }
        unsafe Unmanaged<WatchAudience>.fromOpaque(pointer).takeRetainedValue().attend()
        return nil
      }, Unmanaged.passRetained(audience).toOpaque())
    guard code == 0 else {
      audience.terminal?.end()
      throw Failure(.internal, "no thread can be made that draws: \(systemText(code))")
    }
    audience.thread.withLock { $0 = thread }
    return audience
  }

  var isGone: Bool { false }

  func take(_ report: Monitor.Report, _ monitor: borrowing Monitor, transactions: UInt64, at now: Instant) {
    room.take(report, monitor, transactions: transactions, at: now)
  }

  func wantsRest() -> Bool { room.wantsRest() }

  func tell(_ words: String) { room.note(words, .remark) }

  /// Ends drawing and gives the terminal back.
  func dismiss() {
    isOver.store(true, ordering: .releasing)
    if let thread = thread.withLock({ $0 }) { pthread_join(thread, nil) }
    terminal?.end()
  }

  func conclude(_ summary: Summary) throws(Failure) {
    var output = Output(isLive: true)
    for line in room.seen.lasting + [summary.line(.text)] { try output.line(line, always: true) }
    try output.flush()
  }

  private func attend() {
    guard let terminal else { return writeLines() }
    let style = TextStyle.ofStandardOutput
    // The console of Linux itself has a font without braille.
    let look = TextStyle(
      hasColour: style.hasColour, hasUnicode: style.hasUnicode && TextStyle.variable("TERM") != "linux")
    var view = WatchView(room, terminal, look)
    view.run { isOver.load(ordering: .acquiring) }
  }

  /// A line a second, without codes.
  private func writeLines() {
    var output = Output(isLive: true)
    var next = LinuxClock().now
    while !isOver.load(ordering: .acquiring) {
      if LinuxClock().now >= next {
        next = LinuxClock().now + .seconds(1)
        do throws(Failure) {
          try output.line(room.line)
        } catch {
          kill(getpid(), SIGINT)
          return
        }
      }
      // Short enough to hear of the end.
      usleep(50_000)
    }
  }
}

extension WatchRoom {
  /// What there is to be seen, in one line of ASCII.
  fileprivate var line: String {
    let figures = seen.figures
    let lit = (0..<board.lines.count).map { figures.levels.isOn($0) ? "1" : "0" }.joined()
    var text = "\(padded(figures.elapsed.tableText, 9)) s  lines \(lit)  " + "\(figures.pose.name)".padded(to: 18)
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
