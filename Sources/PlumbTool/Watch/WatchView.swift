import CSupport
import FixedPoint
import Glibc
import LinuxHAL
import Monitor
import PlumbViews

/// Draws what is in the room, hears keys and records, in a thread of its own until it is told to end.
struct WatchView {
  private let room: WatchRoom
  private let terminal: WatchTerminal
  private let look: TextStyle
  private var recorder: WatchRecorder
  private var reader = KeyReader()
  private var hearsKeys = true
  private var attitude = BoardAttitude.upright
  /// The moment that is held still.
  private var held: WatchRoom.State?
  private var showsHelp = false
  /// What the terminal shows once all of `rest` is written; nil where nobody knows.
  private var shown: Grid?
  private var rest: ArraySlice<UInt8> = []
  private var lastFrame = Instant(microseconds: 0)

  /// 15 pictures a second.
  private static let interval = Microseconds(66_667)

  init(_ room: WatchRoom, _ terminal: WatchTerminal, _ look: TextStyle) {
    self.room = room
    self.terminal = terminal
    self.look = look
    recorder = WatchRecorder(room)
    hearsKeys = terminal.input >= 0
  }

  /// Draws until `isOver`; then ends a recording that is under way.
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

  /// Asks the loop to end as Ctrl-C does, which ends its waits, too.
  private mutating func leave() {
    recorder.stop()
    kill(getpid(), SIGINT)
  }

  private mutating func draw(after seconds: Double) {
    if terminal.wasResumed {
      shown = nil
      rest = []
    }
    // A slow terminal gets fewer pictures, but each whole.
    guard rest.isEmpty else { return }
    let state = held ?? room.seen
    if held == nil, let reading = state.figures.reading, state.figures.isFresh {
      attitude.follow(Scene.Force(reading.gravity), after: seconds)
    }
    var scene = room.scene(state, attitude, recording: recorder.name)
    (scene.isPaused, scene.showsHelp) = (held != nil, showsHelp)
    let size = terminal.size
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
      switch key {
      case "q", "Q": kill(getpid(), SIGINT)
      case " ": held = held == nil ? room.seen : nil
      case "c", "C": room.askForRest()
      case "s", "S": recorder.toggle()
      case "?", "h", "H": showsHelp.toggle()
      default: break
      }
    }
  }
}
