import BoardFile
import FixedPoint
import HAL
import Monitor
import Orientation
import PlumbViews
import Sensors
import Stream
import Synchronization
import ToolInputs
import ToolOutput

/// Where the loop leaves what it observes and the view finds it. Neither is kept waiting: while the lock is held, data
/// is only copied, and nothing is drawn or written.
final class WatchState: Sendable {
  let board: BoardDescription
  let title: String
  let start: Instant
  /// Whether another process owns the board.
  let hasOwner: Bool
  private let state: Mutex<Contents>

  /// What the loop has left so far.
  struct Contents: Sendable {
    var figures = BoardFigures()
    var history: History
    var notes: [Scene.Note] = []
    /// How many notes were dropped before these.
    var droppedNotes = 0
    /// Notes that are printed again at the end.
    var lasting: [String] = []
    /// Samples to be recorded; nil if nothing is recorded.
    var samples: [Reading]?
    /// What a key has asked to do with the zero position.
    var wish: Wish?
    /// Whether the source can do that.
    var canZero = true
  }

  /// What a key asks of the loop.
  enum Wish {
    case zeroHere
    case undoZero
  }

  /// The number of notes kept.
  private static let notes = 1_000
  /// The most samples that wait for a slow disk: a minute at the highest rate.
  private static let backlog = 60_000

  init(_ board: BoardDescription, _ title: String, start: Instant, hasOwner: Bool) {
    self.hasOwner = hasOwner
    self.board = board
    self.title = title
    self.start = start
    let interval = max(0.1, Double(board.sensor.pace.count) / 1e6)
    state = Mutex(Contents(history: History(interval: interval)))
  }

  /// Takes in what was observed at `now`, and what the owner says if that is another process.
  func take(_ seen: Observation, _ remark: OwnerRemark?, at now: Instant) {
    let elapsed = now - start
    var notes = remark?.notes(at: elapsed) ?? []
    seen.forEachEvent { if let note = board.note($0, since: start, remark?.detail) { notes.append(note) } }
    state.withLock { state in
      let before = state.figures.snapshot.attitude?.certainty
      state.figures.take(seen, elapsed: elapsed)
      if let note = state.figures.clippingNote(after: before) { notes.append(note) }
      let pose = seen.snapshot.state.pose.map { Int($0.rawValue) }
      state.history.take(seen.reading.map { Scene.Force($0.force) }, pose, at: Double(elapsed.count) / 1e6)
      if let reading = seen.reading, let count = state.samples?.count, count < Self.backlog {
        state.samples?.append(reading)
      }
      Self.add(notes, to: &state)
    }
  }

  /// What is seen now.
  var seen: Contents { state.withLock { $0 } }

  /// Appends a note about what the user did; one that `lasts` is printed again at the end.
  func note(_ text: String, _ weight: Scene.Note.Weight, lasts: Bool = false) {
    state.withLock { state in
      if lasts { state.lasting.append(text) }
      Self.add([Scene.Note(Double(state.figures.elapsed.count) / 1e6, text, weight)], to: &state)
    }
  }

  /// Asks the loop for `wish` if the source can do it.
  func ask(for wish: Wish) { state.withLock { if $0.canZero { $0.wish = wish } } }

  /// What was asked for since the last call; `canZero` says whether the source can do it from now on.
  func wish(canZero: Bool) -> Wish? {
    state.withLock { state in
      state.canZero = canZero
      defer { state.wish = nil }
      return state.wish
    }
  }

  /// Starts gathering samples, or stops.
  func gather(_ isWanted: Bool) { state.withLock { $0.samples = isWanted ? [] : nil } }

  /// Whether samples are being gathered.
  var isGathering: Bool { state.withLock { $0.samples != nil } }

  /// The samples gathered since the last call.
  func gathered() -> [Reading] {
    state.withLock { state in
      guard let samples = state.samples else { return [] }
      state.samples = []
      return samples
    }
  }

  private static func add(_ notes: [Scene.Note], to state: inout Contents) {
    state.notes += notes
    let surplus = max(0, state.notes.count - Self.notes)
    state.notes.removeFirst(surplus)
    state.droppedNotes += surplus
  }

  /// The scene of `state`.
  func scene(_ state: Contents, _ attitude: BoardAttitude, recording: String?) -> Scene {
    var scene = state.figures.scene(of: board, title, attitude)
    (scene.history, scene.notes, scene.recording) = (state.history, state.notes, recording)
    (scene.canZero, scene.hasOwner) = (state.canZero, hasOwner)
    return scene
  }
}
